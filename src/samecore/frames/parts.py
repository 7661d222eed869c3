"""What a run knows of cores and frames: part of the features of each document, equal parts stored once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from samecore import _core
from samecore.features.csr import Features
from samecore.match.exact import collapse

Index = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Parts:
    """The part of document `i` is row `of[i]` of `features`; -1 where it has none."""

    features: Features
    of: Index

    @staticmethod
    def of_documents(features: Features, *, threads: int = 1) -> Parts:
        """From the part of each document, row by row."""
        filled = np.diff(features.offsets) > 0
        first = collapse(features, threads=threads).astype(np.int64)
        leads = filled & (first == np.arange(len(features)))
        number = np.cumsum(leads) - 1
        return Parts(features.take(np.flatnonzero(leads)), np.where(filled, number[first], -1))

    def keys(self, document: int) -> frozenset[int]:
        """The keys of one document's part."""
        row = int(self.of[document])
        return frozenset(self.features.keys[self.features.row(row)].tolist()) if row >= 0 else frozenset()

    def scores(
        self, left: Index, right: Index, *, multiset: bool, threads: int = 1
    ) -> npt.NDArray[np.float64]:
        """The Jaccard similarity of the parts of each pair of documents, in [0, 1]; 0 where one has none."""
        one, other = self.of[left], self.of[right]
        low, high = np.minimum(one, other), np.maximum(one, other)
        both = low >= 0
        pairs, which = np.unique(low[both] << 32 | high[both], return_inverse=True)
        found = _core.pair_scores(
            self.features.offsets,
            self.features.keys,
            self.features.counts,
            (pairs >> 32).astype(np.uint32),
            (pairs & 0xFFFFFFFF).astype(np.uint32),
            multiset,
            threads,
        )
        scores = np.zeros(len(left))
        scores[both] = found[which]
        return scores
