"""Containment of sets and multisets, with integer weights (Broder 1997).

    C(A, B) = |A n B| / |A|

the share of A that is in B: 1 when B holds all of A, however much more it holds. It finds
quoted and extended copies that resemblance misses. Not symmetric.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from samecore.features.csr import Features


def score(
    left: Features,
    right: Features,
    *,
    left_document: int = 0,
    right_document: int = 0,
    multiset: bool = True,
    min_score: float = 0.0,
) -> float:
    """The share of one document of `left` that is in one of `right`, in [0, 1].

    0.0 when it is below `min_score`, and when either has no features.
    """
    overlap, size, _ = overlap_and_sizes(
        left, right, left_document=left_document, right_document=right_document, multiset=multiset
    )
    value = overlap / size if size else 0.0
    return value if value >= min_score else 0.0


def overlap_and_sizes(
    left: Features, right: Features, *, left_document: int = 0, right_document: int = 0, multiset: bool = True
) -> tuple[int, int, int]:
    """|A n B|, |A| and |B|: both containments, and the Jaccard, follow from these."""
    left_row, right_row = left.row(left_document), right.row(right_document)
    left_mass, right_mass = _masses(left, left_row, multiset), _masses(right, right_row, multiset)
    _, at_left, at_right = np.intersect1d(
        left.keys[left_row], right.keys[right_row], assume_unique=True, return_indices=True
    )
    overlap = int(np.minimum(left_mass[at_left], right_mass[at_right]).sum())
    return overlap, int(left_mass.sum()), int(right_mass.sum())


def upper_bound(size_left: int, size_right: int) -> float:
    """The highest share of a document of the left size that one of the right size can hold."""
    return min(size_left, size_right) / size_left if size_left else 0.0


def _masses(features: Features, row: slice, multiset: bool) -> npt.NDArray[np.int64]:
    counts = features.counts[row].astype(np.int64)
    mass = counts if multiset else np.ones_like(counts)
    return mass if features.weights is None else mass * features.weights[row]
