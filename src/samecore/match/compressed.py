"""Compression distance as the matcher of a recipe."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt

from samecore.errors import SettingError, unknown_name
from samecore.features.shingles import Shingles
from samecore.match.compression import Bound, Numbers, Sorted, all_pairs, candidate_pairs, greedy_pairs
from samecore.match.exact import exact
from samecore.match.parts import Job, Scored
from samecore.match.sketched import Found
from samecore.match.threshold import exact_threshold
from samecore.similarity import compression

PRUNINGS = ("off", "P1", "P1+P2")
#: Candidates have runs of this many words in common: what a compressor finds are repeated runs, not words.
CANDIDATE_WORDS = 2
#: How much of a string `evidence` quotes.
QUOTED = 300


@dataclass(frozen=True)
class Compression:
    """1 - NCD of the strings of a recipe: every pair, or those that Algorithm 1 of SigNCD finds.

    compressor: a name from `samecore.similarity.compression.COMPRESSORS`.
    pruning: "off", "P1" (compressed sizes too far apart) or "P1+P2" (also by distances to `pivots` contents).
    slack: pruning lets pass what is this much further away than the threshold allows, in units of distance.
    monotone: the joint size counts as at least that of the larger text, as it should be; P1 then loses nothing.
    greedy: Algorithm 1, each content with the first that takes it. Two collections are compared in full.
    candidates: only strings whose pairs of adjacent words have at least this Jaccard are compressed together;
        0 is all.
    """

    compressor: str = compression.DEFAULT
    pruning: Literal["off", "P1", "P1+P2"] = "P1"
    slack: float = 0.0
    monotone: bool = True
    greedy: bool = False
    candidates: float = 0.0
    pivots: int = 32
    name: ClassVar[str] = "compression"
    measure: ClassVar[str] = "ncd"
    needs_strings: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.compressor not in compression.COMPRESSORS:
            raise unknown_name("compressor", str(self.compressor), compression.COMPRESSORS)
        if self.pruning not in PRUNINGS:
            raise unknown_name("pruning", str(self.pruning), PRUNINGS)
        for name in ("slack", "candidates"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
                raise SettingError(name, found=value, expected="a number from 0 to 1")
        if isinstance(self.pivots, bool) or not isinstance(self.pivots, int) or self.pivots < 1:
            raise SettingError("pivots", found=self.pivots, expected="an integer of at least 1")
        if self.greedy and self.candidates:
            raise SettingError("candidates", found=self.candidates, expected="0 with greedy=True")
        if self.candidates and self.pruning == "P1+P2":
            raise SettingError("pruning", found=self.pruning, expected="'off' or 'P1' with candidates")

    @property
    def all_pairs(self) -> bool:
        return not self.greedy

    @property
    def approximate(self) -> bool:
        return self.greedy or self.candidates > 0

    def __call__(self, job: Job) -> Scored:
        if job.strings is None:
            raise SettingError(
                "strings", found=None, expected="the strings to compress, by a recipe's string part"
            )
        ordered = Sorted.of(
            job.strings,
            job.other_strings,
            compression.compressor(self.compressor),
            monotone=self.monotone,
            threads=job.threads,
        )
        tau = exact_threshold(job.threshold)
        slack = Fraction(str(self.slack))
        least = Fraction(0) if self.pruning == "off" else Fraction(tau.num, tau.den) - slack
        reach = ordered.partners(least)
        notes = []
        if self.candidates:
            first, second = self._candidates(job, ordered)
            found = candidate_pairs(
                ordered, first, second, threshold=tau, reach=reach, limit=job.limit, threads=job.threads
            )
            notes.append(
                f"only strings with a Jaccard of {self.candidates:g} or more between their pairs of adjacent words were "
                "compressed together, so matches may be missed (docs/compression.md)"
            )
        else:
            bound, spent = None, 0
            if self.pruning == "P1+P2":
                most = float(1 - Fraction(tau.num, tau.den) + slack)
                bound, spent = Bound.of(
                    ordered, pivots=self.pivots, reach=reach, most=most, threads=job.threads
                )
            if self.greedy and job.other is None:
                found = greedy_pairs(ordered, threshold=tau, reach=reach, bound=bound, threads=job.threads)
                notes.append(
                    "a content found to match another was not compared again (Algorithm 1 of SigNCD)"
                )
            else:
                found = all_pairs(
                    ordered, threshold=tau, reach=reach, bound=bound, limit=job.limit, threads=job.threads
                )
            if spent:
                notes.append(f"P2: {spent:,} comparisons with {len(bound.distance)} pivots")  # type: ignore[union-attr]
        contents = len(job.strings)
        pairs = (
            contents * (contents - 1) // 2 if job.other_strings is None else contents * len(job.other_strings)
        )
        notes.append(f"{found.comparisons:,} of {pairs:,} pairs were compressed together ({self.compressor})")
        return _numbered(ordered, found.first, found.second, found.score, tuple(notes))

    def _candidates(self, job: Job, ordered: Sorted) -> tuple[Numbers, Numbers]:
        """The places in order of all pairs of strings with enough pairs of words in common."""
        assert job.strings is not None
        runs = Shingles(width=CANDIDATE_WORDS)
        other = job.other_strings
        pairs = exact(
            runs(job.strings, threads=job.threads),
            None if other is None else runs(other, threads=job.threads),
            threshold=self.candidates,
            threads=job.threads,
            max_pairs=job.limit,
        ).expand()
        place = np.empty(len(ordered), np.int64)
        split = len(job.strings)
        place[np.where(ordered.second, split, 0) + ordered.content] = np.arange(len(ordered))
        one = place[pairs.left]
        two = place[pairs.right + np.int64(0 if other is None else split)]
        return np.minimum(one, two), np.maximum(one, two)

    def score_strings(self, left: str, right: str) -> float:
        """The score of two strings of the recipe."""
        return compression.score(left, right, compressor=self.compressor, monotone=self.monotone)

    def evidence(self, left: str, right: str) -> tuple[str, ...]:
        """What was compressed, into how many bytes, and by which threshold P1 would have left the pair out."""
        one, two = compression.as_bytes(left), compression.as_bytes(right)
        compress = compression.compressor(self.compressor)
        joint, small, large = compression.sizes(one, two, compress)
        counted = max(joint, large) if self.monotone else joint
        bound = compression.upper_bound(small, large)
        lines = [
            f"compressed on the {side} ({len(text)} bytes, {compress(text)} by {self.compressor}): {_quote(string)}"
            for side, text, string in (("left", one, left), ("right", two, right))
        ]
        if one == two:
            return (*lines, "both strings are equal: the score is 1")
        distance = (counted - small) / large if large else 1.0
        lines.append(
            f"together {joint} bytes: NCD = ({counted} - {small}) / {large} = {distance:.3f}, score {max(0.0, 1 - distance):.3f}"
        )
        lines.append(
            f"P1: {small} / {large} bytes allow a score of at most {bound:.3f}; any threshold above it would have pruned the pair"
        )
        return tuple(lines)


def _quote(string: str) -> str:
    return string if len(string) <= QUOTED else f"{string[:QUOTED]} …"


def _numbered(
    ordered: Sorted, first: Numbers, second: Numbers, score: npt.NDArray[np.float64], notes: tuple[str, ...]
) -> Found:
    """Pairs by the numbers of their contents, the left ones of the first collection, sorted."""
    one, two = ordered.content[first], ordered.content[second]
    turned = ordered.second[first] if ordered.two_sides else one > two
    left, right = np.where(turned, two, one), np.where(turned, one, two)
    order = np.lexsort((right, left))
    return Found(left[order].astype(np.uint32), right[order].astype(np.uint32), score[order], notes)
