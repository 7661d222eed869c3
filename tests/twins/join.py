"""Slow, obvious versions of the join kernels: dictionaries, fractions, double loops."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np

from samecore.features.csr import Features

Row = dict[int, tuple[int, int]]  # key -> (count, weight)
Pair = tuple[int, int, Fraction]


def make(documents: list[dict[int, int]], weights: dict[int, int] | None = None) -> Features:
    """Features of documents given as key -> count."""
    rows = [sorted(document.items()) for document in documents]
    keys = [key for row in rows for key, _ in row]
    return Features(
        offsets=np.cumsum([0, *map(len, rows)]).astype(np.int64),
        keys=np.array(keys, np.uint64),
        counts=np.array([count for row in rows for _, count in row], np.uint32),
        weights=None if weights is None else np.array([weights[key] for key in keys], np.uint32),
    )


def rows(features: Features) -> list[Row]:
    result = []
    for document in range(len(features)):
        at = features.row(document)
        weights = [1] * len(features.keys[at]) if features.weights is None else features.weights[at].tolist()
        counts = features.counts[at].tolist()
        result.append(dict(zip(features.keys[at].tolist(), zip(counts, weights, strict=True), strict=True)))
    return result


def jaccard(left: Row, right: Row, *, multiset: bool = True) -> Fraction:
    least = most = 0
    for key in left.keys() | right.keys():
        weight = (left.get(key) or right[key])[1]
        a, b = left.get(key, (0, 0))[0], right.get(key, (0, 0))[0]
        if not multiset:
            a, b = min(a, 1), min(b, 1)
        least += min(a, b) * weight
        most += max(a, b) * weight
    return Fraction(least, most) if most else Fraction(0)


def join(
    features: Features, other: Features | None = None, *, threshold: str, multiset: bool = True
) -> list[Pair]:
    """All pairs at or above the threshold, every document for itself."""
    left = rows(features)
    right = left if other is None else rows(other)
    found = []
    for i, a in enumerate(left):
        for j in range(i + 1 if other is None else 0, len(right)):
            score = jaccard(a, right[j], multiset=multiset)
            if score >= Fraction(threshold):
                found.append((i, j, score))
    return found


def spanning_forest(pairs: list[Pair], *, shift: int = 0) -> list[Pair]:
    """Kruskal's algorithm; `shift` tells the vertices of a right side apart."""
    group: dict[int, int] = {}

    def find(vertex: int) -> int:
        while group.setdefault(vertex, vertex) != vertex:
            vertex = group[vertex]
        return vertex

    kept = []
    for left, right, score in sorted(pairs, key=lambda pair: (-pair[2], pair[0], pair[1])):
        a, b = find(left), find(right + shift)
        if a != b:
            group[a] = b
            kept.append((left, right, score))
    return sorted(kept)


def document_frequencies(features: Features) -> dict[int, int]:
    return dict(Counter(features.keys.tolist()))


def collapse(features: Features, *, multiset: bool = True) -> list[int]:
    first: dict[tuple[object, ...], int] = {}
    result = []
    for document, row in enumerate(rows(features)):
        content = tuple(sorted((key, count if multiset else 1) for key, (count, _) in row.items()))
        result.append(first.setdefault(content, document) if content else document)
    return result
