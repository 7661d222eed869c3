"""Brute force: every pair is scored. The oracle for all other exact matchers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from samecore.features.csr import Features
from samecore.match.pairs import Pairs
from samecore.match.threshold import Number, Threshold, exact_threshold
from samecore.similarity.jaccard import sizes


def brute(
    features: Features, other: Features | None = None, *, threshold: Number | Threshold, multiset: bool = True
) -> Pairs:
    """All pairs of documents with Jaccard >= threshold; with `other`, of one from each.

    Time is the number of documents times the number of entries. Nothing is collapsed:
    every document stands for itself.
    """
    tau = exact_threshold(threshold)
    right = features if other is None else other
    vocabulary, ids = np.unique(np.concatenate([features.keys, right.keys]), return_inverse=True)
    left_ids, right_ids = ids[: len(features.keys)], ids[len(features.keys) :]
    left_mass, right_mass = _mass(features, multiset), _mass(right, multiset)
    left_sizes, right_sizes = sizes(features, multiset=multiset), sizes(right, multiset=multiset)
    present = np.zeros(len(vocabulary), np.int64)
    found: list[tuple[int, int, int]] = []
    for document in range(len(features)):
        row = features.row(document)
        present[left_ids[row]] = left_mass[row]
        shared = np.concatenate([[0], np.cumsum(np.minimum(present[right_ids], right_mass))])
        overlap = shared[right.offsets[1:]] - shared[right.offsets[:-1]]
        present[left_ids[row]] = 0
        union = left_sizes[document] + right_sizes - overlap
        for partner in range(document + 1 if other is None else 0, len(right)):
            if tau.reached(int(overlap[partner]), int(union[partner])):
                found.append((document, partner, int(overlap[partner])))
    table = np.array(found, np.int64).reshape(-1, 3)
    joint = left_sizes[table[:, 0]] + right_sizes[table[:, 1]] - table[:, 2]
    return Pairs(
        left=table[:, 0].astype(np.uint32),
        right=table[:, 1].astype(np.uint32),
        score=table[:, 2] / joint,
        overlap=table[:, 2].astype(np.uint32),
        sizes=left_sizes.astype(np.uint32),
        other_sizes=None if other is None else right_sizes.astype(np.uint32),
    )


def _mass(features: Features, multiset: bool) -> npt.NDArray[np.int64]:
    mass = features.counts.astype(np.int64) if multiset else np.ones(len(features.keys), np.int64)
    return mass if features.weights is None else mass * features.weights
