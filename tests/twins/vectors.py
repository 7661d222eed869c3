"""The slow, obvious twins of the weighted joins: every pair, scored one by one."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, pairwise, product

import numpy as np
import numpy.typing as npt

Rows = list[dict[int, float]]
Counted = list[dict[int, int]]


def rows_of(offsets: npt.ArrayLike, keys: npt.ArrayLike, values: npt.ArrayLike) -> Rows:
    """Vectors as dictionaries from key to positive value, keys ascending."""
    ends, names, amounts = (
        np.asarray(offsets).tolist(),
        np.asarray(keys).tolist(),
        np.asarray(values).tolist(),
    )
    return [
        {names[at]: amounts[at] for at in range(begin, end) if amounts[at] != 0}
        for begin, end in pairwise(ends)
    ]


def dot(left: dict[int, float], right: dict[int, float]) -> float:
    """The product of two vectors, summed in key order in double precision."""
    total = 0.0
    for key in sorted(left):
        if key in right:
            total += left[key] * right[key]
    return total


def score(left: dict[int, float], right: dict[int, float], *, jaccard: bool) -> float:
    """Cosine or extended Jaccard as the core defines it; 0.0 if a vector is empty."""
    product_, left_square, right_square = dot(left, right), dot(left, left), dot(right, right)
    if not left or not right:
        return 0.0
    if jaccard:
        return min(1.0, product_ / (left_square + right_square - product_))
    return min(1.0, product_ / math.sqrt(left_square * right_square))


def vector_join(
    left: Rows, right: Rows | None, *, threshold: float, jaccard: bool
) -> list[tuple[int, int, float]]:
    """All pairs of documents at or above the threshold; copies are not collapsed."""
    pairs = (
        combinations(range(len(left)), 2) if right is None else product(range(len(left)), range(len(right)))
    )
    others = left if right is None else right
    scored = ((i, j, score(left[i], others[j], jaccard=jaccard)) for i, j in pairs)
    return [(i, j, value) for i, j, value in scored if value >= threshold]


def collapse(rows: Rows) -> list[int]:
    """For every vector the first one equal to it; empty ones stay themselves."""
    return [
        i if not row else next(j for j, other in enumerate(rows) if other == row)
        for i, row in enumerate(rows)
    ]


def containment_join(
    left: Counted, right: Counted | None, *, threshold: Fraction, weights: dict[int, int] | None = None
) -> list[tuple[int, int, float, float]]:
    """Pairs with |A n B| / min(|A|, |B|) >= threshold, and both containments. No copies collapsed."""
    pairs = (
        combinations(range(len(left)), 2) if right is None else product(range(len(left)), range(len(right)))
    )
    others = left if right is None else right
    weight = weights or {}
    found = []
    for i, j in pairs:
        one, two = left[i], others[j]
        overlap = sum(min(count, two.get(key, 0)) * weight.get(key, 1) for key, count in one.items())
        size_one = sum(count * weight.get(key, 1) for key, count in one.items())
        size_two = sum(count * weight.get(key, 1) for key, count in two.items())
        if size_one and size_two and Fraction(overlap, min(size_one, size_two)) >= threshold:
            found.append((i, j, overlap / size_one, overlap / size_two))
    return found
