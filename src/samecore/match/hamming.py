"""All fingerprints within k bits of each other, exactly (Manku, Jain and Das Sarma 2007).

`join` finds the pairs within one set, `look_up` those between queries and a stored set.
Both collapse identical fingerprints first and work on distinct contents: `Matches`
holds the pairs of contents, knows how many pairs of documents they stand for, and
turns them into those on demand.

    >>> import numpy as np
    >>> fingerprints = np.array([0b0000, 0b0111, 0b0000, 0b1111_0000], dtype=np.uint64)
    >>> matches = join(fingerprints, max_bits=3)
    >>> matches.rows
    3
    >>> pairs = matches.expand()
    >>> list(zip(pairs.left.tolist(), pairs.right.tolist(), pairs.distance.tolist()))
    [(0, 1, 3), (0, 2, 0), (1, 2, 3)]

Either way the answer is the brute-force answer; how it is found (tables of blocks, or
a scan over everything) is chosen by estimated cost. See docs/hamming.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
import numpy.typing as npt

from samecore import _core
from samecore.errors import SettingError

Fingerprints = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.uint32]
Distances = npt.NDArray[np.uint16]
Engine = Literal["auto", "tables", "brute"]

MAX_PAIRS = 100_000_000
"""Pairs a call may return unless told otherwise: about 2.4 GB at the peak."""


@dataclass(frozen=True, eq=False)
class HammingPairs:
    """Pairs ascending by (left, right), with the number of bits in which they differ."""

    left: Numbers
    right: Numbers
    distance: Distances
    bits: int

    def __len__(self) -> int:
        return len(self.left)

    @property
    def score(self) -> npt.NDArray[np.float64]:
        """1 - distance / bits, in [0, 1]; 1.0 for identical fingerprints."""
        return 1.0 - self.distance / np.float64(self.bits)


@dataclass(frozen=True, eq=False)
class Distinct:
    """Which fingerprints are identical.

    `group[i]` numbers the content of document i, in order of first appearance;
    `first[g]` is the first document with content g.
    """

    group: Numbers
    first: Numbers

    def __len__(self) -> int:
        return len(self.first)

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        """How many documents have each content, at least 1 each."""
        return np.bincount(self.group, minlength=len(self.first)).astype(np.int64, copy=False)


@dataclass(frozen=True, eq=False)
class Matches:
    """Pairs of distinct contents, and what they stand for.

    `contents.left` and `.right` number contents of `left` and `right`. After `join` the
    two are one and the same, left < right, and the documents within one content, which
    are at distance 0, are not listed: `expand` adds them.
    """

    contents: HammingPairs
    left: Distinct
    right: Distinct

    @property
    def is_join(self) -> bool:
        """Whether these are pairs within one set."""
        return self.left is self.right

    @property
    def rows(self) -> int:
        """How many pairs of documents `expand` gives."""
        left = self.left.sizes
        right = left if self.is_join else self.right.sizes
        across = int(np.sum(left[self.contents.left] * right[self.contents.right]))
        return across + (int(np.sum(left * (left - 1) // 2)) if self.is_join else 0)

    def expand(self, *, max_pairs: int = MAX_PAIRS, threads: int = 1) -> HammingPairs:
        """All pairs of documents, left < right after `join`; SettingError if more than `max_pairs`."""
        rows = self.rows
        if rows > max_pairs:
            raise SettingError(
                "max_pairs", found=max_pairs, expected=f"at least {rows}, the pairs of documents there are"
            )
        pairs = self.contents
        left, right, distance = _core.hamming_expand(
            self.left.group, len(self.left), self.right.group, len(self.right),
            pairs.left, pairs.right, pairs.distance, self.is_join, threads,
        )  # fmt: skip
        return HammingPairs(left, right, distance, pairs.bits)


def max_bits_at(threshold: float | Fraction, bits: int) -> int:
    """The largest distance whose score 1 - distance / bits reaches `threshold` (inclusive).

    The threshold is taken as the decimal it was written as: 0.9 of 1000 bits is 100.
    """
    exact = threshold if isinstance(threshold, Fraction) else Fraction(str(threshold))
    if not 0 <= exact <= 1:
        raise SettingError("threshold", found=threshold, expected="a number from 0 to 1")
    return math.floor((1 - exact) * bits)


def distinct(fingerprints: Fingerprints, *, threads: int = 1) -> Distinct:
    """Groups of identical fingerprints, singletons included."""
    return Distinct(*_core.hamming_distinct(_matrix(fingerprints, "fingerprints"), threads))


def join(
    fingerprints: Fingerprints,
    *,
    max_bits: int,
    max_pairs: int = MAX_PAIRS,
    threads: int = 1,
    engine: Engine = "auto",
) -> Matches:
    """All pairs of fingerprints that differ in at most `max_bits` bits.

    fingerprints: uint64 of shape [n, words], 1 to 64 words; or [n], 64 bits each.
    max_bits: 0 or more; from the width on, every pair matches.
    max_pairs: SettingError when there are more pairs of distinct contents than this.
    threads: changes the time, not the answer.
    engine: "tables" or "brute" instead of the cheaper of the two.
    """
    rows = _matrix(fingerprints, "fingerprints")
    _check(max_bits, max_pairs, threads, engine)
    groups = distinct(rows, threads=threads)
    bits = rows.shape[1] * 64
    if max_bits == 0:
        none = np.empty(0, dtype=np.uint32)
        return Matches(HammingPairs(none, none, np.empty(0, dtype=np.uint16), bits), groups, groups)
    try:
        found = _core.hamming_join(_firsts(rows, groups), min(max_bits, bits), max_pairs, threads, engine)
    except ValueError as error:  # the settings are checked: only the guard is left
        raise _too_many(max_pairs, max_bits) from error
    return Matches(_pairs(found, bits), groups, groups)


def look_up(
    queries: Fingerprints,
    stored: Fingerprints,
    *,
    max_bits: int,
    max_pairs: int = MAX_PAIRS,
    threads: int = 1,
    engine: Engine = "auto",
) -> Matches:
    """For each query, all stored fingerprints that differ from it in at most `max_bits` bits.

    Left numbers queries, right stored fingerprints; the rest is as in `join`. Identical
    ones are listed, at distance 0.
    """
    asked, kept = _matrix(queries, "queries"), _matrix(stored, "stored")
    _check(max_bits, max_pairs, threads, engine)
    if asked.shape[1] != kept.shape[1]:
        raise SettingError(
            "queries",
            found=f"{asked.shape[1] * 64} bits",
            expected=f"{kept.shape[1] * 64} bits like the stored",
        )
    left, right = distinct(asked, threads=threads), distinct(kept, threads=threads)
    bits = kept.shape[1] * 64
    try:
        found = _core.hamming_look_up(
            _firsts(asked, left), _firsts(kept, right), min(max_bits, bits), max_pairs, threads, engine
        )
    except ValueError as error:
        raise _too_many(max_pairs, max_bits) from error
    return Matches(_pairs(found, bits), left, right)


def _pairs(found: tuple[Numbers, Numbers, Distances], bits: int) -> HammingPairs:
    left, right, distance = found
    return HammingPairs(left, right, distance, bits)


def _firsts(rows: Fingerprints, groups: Distinct) -> Fingerprints:
    return rows if len(groups) == len(rows) else rows[groups.first]


def _matrix(fingerprints: Fingerprints, name: str) -> Fingerprints:
    if fingerprints.dtype != np.uint64 or fingerprints.ndim not in (1, 2):
        raise SettingError(
            name,
            found=f"{fingerprints.dtype} of {fingerprints.ndim} dimensions",
            expected="uint64 of shape [n, words], or [n] for 64 bits",
        )
    rows = fingerprints.reshape(-1, 1) if fingerprints.ndim == 1 else fingerprints
    if not 1 <= rows.shape[1] <= 64:
        raise SettingError(
            name, found=f"{rows.shape[1]} words", expected="1 to 64 words (64 to 4096 bits) a row"
        )
    return np.ascontiguousarray(rows)


def _check(max_bits: int, max_pairs: int, threads: int, engine: str) -> None:
    least_values = (("max_bits", max_bits, 0), ("max_pairs", max_pairs, 0), ("threads", threads, 1))
    for name, value, least in least_values:
        if value < least:
            raise SettingError(name, found=value, expected=f"{least} or more")
    if engine not in ("auto", "tables", "brute"):
        raise SettingError("engine", found=engine, expected="'auto', 'tables' or 'brute'")


def _too_many(max_pairs: int, max_bits: int) -> SettingError:
    return SettingError(
        "max_pairs", found=max_pairs, expected=f"more, as there are more pairs within {max_bits} bits"
    )
