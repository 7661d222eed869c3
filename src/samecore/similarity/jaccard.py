"""Jaccard similarity of sets and multisets, with integer weights.

    J = sum of min(c_left, c_right) * w / sum of max(c_left, c_right) * w

over all keys, where c counts occurrences (0 or 1 for sets) and w is the key's weight.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from samecore.features.csr import Features, row_sums


def score(
    left: Features,
    right: Features,
    *,
    left_document: int = 0,
    right_document: int = 0,
    multiset: bool = True,
    min_score: float = 0.0,
) -> float:
    """Jaccard of one document of `left` and one of `right`, in [0, 1]; symmetric.

    0.0 when it is below `min_score`, and for documents without features: those match
    nothing, not even each other. A key must weigh the same on both sides.
    """
    overlap, union = overlap_and_union(
        left, right, left_document=left_document, right_document=right_document, multiset=multiset
    )
    value = overlap / union if union else 0.0
    return value if value >= min_score else 0.0


def overlap_and_union(
    left: Features, right: Features, *, left_document: int = 0, right_document: int = 0, multiset: bool = True
) -> tuple[int, int]:
    """The two sums whose quotient is the Jaccard similarity."""
    left_row, right_row = left.row(left_document), right.row(right_document)
    left_mass, right_mass = _masses(left, left_row, multiset), _masses(right, right_row, multiset)
    _, at_left, at_right = np.intersect1d(
        left.keys[left_row], right.keys[right_row], assume_unique=True, return_indices=True
    )
    overlap = int(np.minimum(left_mass[at_left], right_mass[at_right]).sum())
    return overlap, int(left_mass.sum()) + int(right_mass.sum()) - overlap


def upper_bound(size_left: int, size_right: int) -> float:
    """The highest Jaccard two documents of these sizes can have; 0.0 if one is empty."""
    larger = max(size_left, size_right)
    return min(size_left, size_right) / larger if larger else 0.0


def sizes(features: Features, *, multiset: bool = True) -> npt.NDArray[np.int64]:
    """The weight of every document: its occurrences (or keys, for sets) times their weights."""
    if features.weights is None:
        return features.totals() if multiset else np.diff(features.offsets)
    return row_sums(_masses(features, slice(None), multiset), features.offsets)


def _masses(features: Features, row: slice, multiset: bool) -> npt.NDArray[np.int64]:
    counts = features.counts[row].astype(np.int64)
    mass = counts if multiset else np.ones_like(counts)
    return mass if features.weights is None else mass * features.weights[row]
