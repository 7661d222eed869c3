"""Pairs by edit distance, all of them: a join on runs of units brings together what can reach the threshold.

Let i, d, s be the costs of inserting, deleting and substituting a unit, t the threshold, and of two texts
let `most` be the largest distance that texts of their lengths can have. A score of t or more means a
distance of at most (1 - t) most. Two bounds follow, on what such texts share as multisets; each is a
Jaccard similarity, so the exact join finds every pair that can matter. docs/edit.md proves them.

    units        at least t most / min(s, i + d) of them are left as they are
    runs of q    an edit touches at most q of them, so all but q (1 - t) most / min(i, d, s) are in both

Single words are rare enough. Single characters are not: there the longest runs with a usable bound are taken.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from samecore.errors import SettingError, unknown_name
from samecore.features.csr import Features
from samecore.match.exact import exact
from samecore.match.parts import Job, Scored
from samecore.match.sketched import Found
from samecore.match.threshold import LIMIT, exact_threshold
from samecore.similarity.edit import UNITS, Unit, Units, check_costs, largest, operations, scores

#: Runs are as long as leaves at least this share of them in both texts, and no longer than this. Measured: of
#: words the bound on single ones is the closest; runs of 4 characters do better than 1 or 8 from 0.9 on.
SHARE_LEFT = Fraction(2, 5)
MAX_RUN: dict[Unit, int] = {"words": 1, "characters": 4}

#: Pairs that are compared at a time.
CHUNK = 1 << 16

#: Numbers above are no characters; the 0x800 surrogates are none either.
_CHARACTERS = 0x110000 - 0x800


@dataclass(frozen=True)
class Edit:
    """1 - edit distance / the largest there can be, exactly.

    unit: "words" or "characters" are inserted, deleted and substituted, at these costs, 1 to 2**20 each.
    Where an insertion and a deletion do not cost the same, the distance is that of turning the document
    that comes first in the input into the later one; with two collections, the first into the second.
    """

    unit: Unit = "words"
    insert: int = 1
    delete: int = 1
    substitute: int = 1
    name: ClassVar[str] = "edit"
    measure: ClassVar[str] = "edit"
    approximate: ClassVar[bool] = False
    all_pairs: ClassVar[bool] = True
    needs_strings: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.unit not in UNITS:
            raise unknown_name("unit", self.unit, UNITS)
        check_costs(**self._costs)
        for name, cost in self._costs.items():
            if cost == 0:
                expected = "at least 1: what is free changes no score, so all texts would have to be compared"
                raise SettingError(name, found=cost, expected=expected)

    @property
    def _costs(self) -> dict[str, int]:
        return {"insert": self.insert, "delete": self.delete, "substitute": self.substitute}

    def __call__(self, job: Job) -> Scored:
        if job.strings is None or (job.other is not None and job.other_strings is None):
            raise SettingError(
                "strings", found=None, expected="the strings of each content, which edit compares"
            )
        sides = [job.strings] if job.other is None else [job.strings, job.other_strings]
        texts = _Texts.of(pa.concat_arrays(sides), self.unit)
        split = len(job.strings)
        left, right = self._candidates(texts, split, job)
        score = np.empty(len(left))
        for start in range(0, len(left), CHUNK):
            part = slice(start, start + CHUNK)
            one, two = (texts.sequences(side[part]) for side in (left, right))
            score[part] = scores(one, two, **self._costs, min_score=job.threshold, threads=job.threads)
        kept = score >= job.threshold
        shift = 0 if job.other is None else split
        found = left[kept].astype(np.uint32), (right[kept] - shift).astype(np.uint32)
        return Found(*found, score[kept])

    def score_strings(self, left: str, right: str) -> float:
        """The score of two strings of the recipe, whatever it is."""
        one, two = self._pair(left, right)
        return float(scores(one, two, **self._costs)[0])

    def evidence(self, left: str, right: str) -> tuple[str, ...]:
        """The distance of two strings of the recipe, and the edit where the costs let it be told."""
        (one,), (two,) = self._pair(left, right)
        most = int(largest(len(one), len(two), **self._costs))
        distance = round((1 - self.score_strings(left, right)) * most)
        edit = operations(one, two, **self._costs)
        return (f"edit distance {distance:,} of at most {most:,} ({self.unit}){': ' + edit if edit else ''}",)

    def _pair(self, left: str, right: str) -> tuple[list[Units], list[Units]]:
        texts = _Texts.of(pa.array([left, right], pa.large_string()), self.unit)
        return texts.sequences(np.array([0])), texts.sequences(np.array([1]))

    def _candidates(
        self, texts: _Texts, split: int, job: Job
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Rows of pairs that may reach the threshold, by (left, right): all that do are among them."""
        tau = exact_threshold(job.threshold)
        threshold = Fraction(tau.num, tau.den)
        run = self.run_length(threshold)
        grams = texts.runs(run)
        sides = [grams] if job.other is None else [grams.rows(0, split), grams.rows(split, len(grams))]
        bound = self.jaccard_bound(threshold, run)
        met = exact(*sides, threshold=bound, threads=job.threads, max_pairs=job.limit).expand()
        left, right = (
            met.left.astype(np.int64),
            met.right.astype(np.int64) + (0 if job.other is None else split),
        )
        lengths = np.diff(texts.offsets)
        most = largest(lengths[left], lengths[right], **self._costs)
        # The bounds themselves, which the Jaccard similarity only implies; with room for rounding.
        allowed = (1 - float(threshold)) * most
        longer = np.maximum(lengths[left], lengths[right])
        touched = np.floor(allowed / min(self._costs.values()) + 1e-6)
        kept = met.overlap >= longer + (run - 1) - run * touched
        if run == 1:
            units = float(threshold) * most / min(self.substitute, self.insert + self.delete)
            kept &= met.overlap >= units * (1 - 1e-9)
        return left[kept], right[kept]

    def run_length(self, threshold: Fraction) -> int:
        """How many units there are in the runs that candidates must share."""
        lost, longest = self._lost(threshold), MAX_RUN[self.unit]
        return longest if not lost else max(1, min(longest, int((1 - SHARE_LEFT) / lost)))

    def jaccard_bound(self, threshold: Fraction, run: int) -> Fraction:
        """The least Jaccard similarity that texts which reach the threshold can have, by runs; above 0."""
        if run > 1:
            share = 1 - run * self._lost(threshold)
            bound = share / (2 - share)
        else:
            swap = min(self.substitute, self.insert + self.delete)
            grown = threshold * min(self.insert, self.delete) / swap
            bound = min(threshold / (2 - threshold), grown / (1 - threshold + grown))
        return max(
            Fraction(int(bound * (LIMIT // 2)), LIMIT // 2), Fraction(1, LIMIT // 2)
        )  # never rounded up

    def _lost(self, threshold: Fraction) -> Fraction:
        """How many edits there can be for each unit of the longer text."""
        dearest = max(self.insert, self.delete, min(self.substitute, self.insert + self.delete))
        return (1 - threshold) * dearest / min(self._costs.values())


@dataclass(frozen=True, eq=False)
class _Texts:
    """Units as numbers from 1 on, text after text; the most common of them are the lowest."""

    numbers: npt.NDArray[np.uint32]
    offsets: npt.NDArray[np.int64]
    distinct: int

    @staticmethod
    def of(strings: pa.LargeStringArray, unit: Unit) -> _Texts:
        if unit == "characters":
            lengths = pc.utf8_length(strings).to_numpy()
            characters = np.frombuffer("".join(strings.to_pylist()).encode("utf-32-le"), np.uint32)
            _, codes = np.unique(characters, return_inverse=True)
        else:
            filled = pc.binary_length(strings).to_numpy() > 0  # "" is split into one empty word
            words = pc.split_pattern(strings.filter(pa.array(filled)), " ")
            lengths = np.zeros(len(strings), np.int64)
            lengths[filled] = pc.list_value_length(words).to_numpy()
            codes = words.flatten().dictionary_encode().indices.to_numpy()
        counts = np.bincount(codes) if len(codes) else np.zeros(0, np.int64)
        rank = np.empty(len(counts), np.uint32)
        rank[np.argsort(-counts, kind="stable")] = np.arange(1, len(counts) + 1)
        return _Texts(rank[codes], np.concatenate(([0], np.cumsum(lengths))).astype(np.int64), len(counts))

    def sequences(self, rows: npt.NDArray[np.int64]) -> list[Units]:
        """The texts of these rows as strings with a character for each unit, or as lists if there are too many."""
        wanted, at = np.unique(rows, return_inverse=True)
        spans = [self.numbers[self.offsets[row] : self.offsets[row + 1]] for row in wanted]
        made: list[Units]
        if self.distinct >= _CHARACTERS:
            made = [span.tolist() for span in spans]
        else:
            made = [
                np.where(span < 0xD800, span, span + 0x800).tobytes().decode("utf-32-le") for span in spans
            ]
        return [made[one] for one in at.tolist()]

    def runs(self, length: int) -> Features:
        """Every run of `length` units of each text and the ends, as if `length` - 1 blanks stood around it.

        Runs that differ may get the same key, by chance; that brings texts together and never keeps them apart.
        """
        gap = length - 1
        lengths = np.diff(self.offsets)
        rows = np.flatnonzero(lengths)
        sizes = lengths[rows] + gap  # so many runs begin in a text or in the blanks before it
        starts = np.cumsum(sizes) - sizes
        total = int(sizes.sum())
        flat = np.zeros(total + gap, np.uint64)
        inside = np.repeat(starts + gap, lengths[rows]) + np.arange(len(self.numbers))
        flat[inside - np.repeat(np.cumsum(lengths[rows]) - lengths[rows], lengths[rows])] = self.numbers
        keys = np.zeros(total, np.uint64)
        for place in range(length):
            keys = (keys + flat[place : place + total]) * np.uint64(0x9E3779B97F4A7C15)
            keys ^= keys >> np.uint64(29)
        free = np.uint64(64 - max(1, len(rows) - 1).bit_length())
        tagged = np.sort(
            (np.repeat(np.arange(len(rows), dtype=np.uint64), sizes) << free) | keys >> (np.uint64(64) - free)
        )
        new = (
            np.flatnonzero(np.concatenate(([True], tagged[1:] != tagged[:-1])))
            if total
            else np.zeros(0, np.int64)
        )
        kept = np.zeros(len(lengths), np.int64)
        kept[rows] = np.bincount((tagged[new] >> free).astype(np.int64), minlength=len(rows))
        return Features(
            np.concatenate(([0], np.cumsum(kept))).astype(np.int64),
            tagged[new] & ((np.uint64(1) << free) - np.uint64(1)),
            np.diff(np.append(new, total)).astype(np.uint32),
        )
