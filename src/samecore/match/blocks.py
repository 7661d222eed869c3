"""SL+ST: pairs by their common blocks of sentences, exactly.

Only sentences that both have can stand in a block, so the score is at most the weighted multiset Jaccard of the
sentences. The exact join finds every pair that reaches the threshold by that; the blocks of those alone are then
looked at, with the suffix automata of the two.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
import pyarrow as pa

from samecore.errors import SettingError
from samecore.features.csr import Features
from samecore.match.exact import exact
from samecore.match.parts import Job, Scored
from samecore.match.sketched import Found
from samecore.similarity.blocks import Suffixes, blocks, matched_score

#: Automata kept at a time.
KEPT = 4096


@dataclass(frozen=True)
class SentenceBlocks:
    """The share of two texts, in terms, that lies in common runs of at least `block` sentences."""

    block: int = 1
    name: ClassVar[str] = "blocks"
    measure: ClassVar[str] = "blocks"
    approximate: ClassVar[bool] = False
    all_pairs: ClassVar[bool] = True
    needs_strings: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if isinstance(self.block, bool) or not isinstance(self.block, int) or self.block < 1:
            raise SettingError("block", found=self.block, expected="an integer of at least 1")

    def __call__(self, job: Job) -> Scored:
        if job.strings is None:
            raise SettingError("strings", found=None, expected="the sentences, by a recipe's string part")
        own = _sequences(job.strings)
        other = own if job.other_strings is None else _sequences(job.other_strings)
        weights = {symbol: weight(symbol) for side in (own, other) for one in side for symbol in one}
        number = {symbol: n for n, symbol in enumerate(sorted(weights))}
        candidates = exact(
            _features(own, number, weights),
            None if job.other_strings is None else _features(other, number, weights),
            threshold=job.threshold,
            threads=job.threads,
            max_pairs=job.limit,
        ).expand()

        @lru_cache(maxsize=KEPT)
        def suffixes(second: bool, row: int) -> Suffixes:
            return Suffixes((other if second else own)[row])

        two_sides = job.other_strings is not None
        score = np.array(
            [
                matched_score(
                    own[a],
                    suffixes(False, a),
                    other[b],
                    suffixes(two_sides, b),
                    block=self.block,
                    weights=weights,
                )
                for a, b in zip(candidates.left.tolist(), candidates.right.tolist(), strict=True)
            ]
        )
        kept = score >= job.threshold
        note = f"the blocks of {len(score):,} pairs with enough sentences in common were looked at"
        return Found(candidates.left[kept], candidates.right[kept], score[kept], (note,))

    def score_strings(self, left: str, right: str) -> float:
        """The score of two texts, given as their sentences line by line."""
        one, two = _lines(left), _lines(right)
        weights = {symbol: weight(symbol) for symbol in (*one, *two)}
        return matched_score(one, Suffixes(one), two, Suffixes(two), block=self.block, weights=weights)

    def evidence(self, left: str, right: str) -> tuple[str, ...]:
        """The sentences of each side and the longest blocks that they share."""
        one, two = _lines(left), _lines(right)
        found = sorted(blocks(one, Suffixes(two), least=self.block), key=lambda own: own.start - own.end)
        lines = [f"{len(one)} sentences on the left, {len(two)} on the right, {len(found)} common blocks"]
        lines += [
            f"block of {own.end - own.start}: sentences {own.start + 1} to {own.end} of the left, "
            f"from {one[own.start]} to {one[own.end - 1]}"
            for own in found[:3]
        ]
        return tuple(lines)


def weight(symbol: str) -> int:
    """The number of terms of a sentence, as its symbol says; 1 where it does not."""
    count = symbol.partition(":")[0]
    return int(count) if count else 1


def _lines(string: str) -> list[str]:
    return string.split("\n") if string else []


def _sequences(strings: pa.LargeStringArray) -> list[list[str]]:
    return [_lines(string) for string in strings.to_pylist()]


def _features(sequences: list[list[str]], number: dict[str, int], weights: dict[str, int]) -> Features:
    """Sentences as keys that weigh as many as they have terms."""
    rows = [
        sorted((number[symbol], count, weights[symbol]) for symbol, count in Counter(own).items())
        for own in sequences
    ]
    table = np.array([entry for row in rows for entry in row], np.int64).reshape(-1, 3)
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    return Features(
        offsets, table[:, 0].astype(np.uint64), table[:, 1].astype(np.uint32), table[:, 2].astype(np.uint32)
    )
