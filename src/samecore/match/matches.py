"""Pairs of distinct contents with their scores: what groups and results are made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, eq=False)
class Matches:
    """Pairs of contents, left < right, sorted by (left, right), with their scores in (0, 1]."""

    left: npt.NDArray[np.uint32]
    right: npt.NDArray[np.uint32]
    score: npt.NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.left)

    def select(self, mask: npt.NDArray[np.bool_]) -> Matches:
        """The pairs where `mask` is true, in the same order."""
        return Matches(self.left[mask], self.right[mask], self.score[mask])

    def look_up(self, left: npt.NDArray[np.int64], right: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """The score of each asked-for pair, in either order: 1.0 for a document and itself, NaN if not listed."""
        low, high = np.minimum(left, right).astype(np.uint64), np.maximum(left, right).astype(np.uint64)
        listed = self.left.astype(np.uint64) << np.uint64(32) | self.right.astype(np.uint64)
        asked = low << np.uint64(32) | high
        at = np.searchsorted(listed, asked)
        inside = np.minimum(at, max(len(listed) - 1, 0))
        score = np.full(len(asked), np.nan)
        if len(listed):
            hit = listed[inside] == asked
            score[hit] = self.score[inside[hit]]
        score[low == high] = 1.0
        return score
