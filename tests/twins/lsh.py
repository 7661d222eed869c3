"""Slow, obvious versions of min-hash sketches, banding and the sorted list of the Lecture."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from samecore.features.csr import Features
from tests.twins.join import Pair, jaccard, rows

Sketches = npt.NDArray[np.uint32]
EMPTY = 2**32 - 1
PRIME = 2**61 - 1


def sketch(features: Features, *, slots: int, seed: int = 0) -> Sketches:
    """The minimum of each of `slots` mixed hash functions over the keys; EMPTY for no keys."""
    generator = np.random.default_rng(seed)
    multipliers = generator.integers(1, 2**63, slots, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    result = np.full((len(features), slots), EMPTY, np.uint32)
    filled = np.flatnonzero(np.diff(features.offsets))
    if len(filled) == 0:
        return result
    mixed = mix(features.keys)
    for slot, multiplier in enumerate(multipliers):
        values = (mix(mixed * multiplier + multiplier) >> np.uint64(32)).astype(np.uint32)
        values = np.minimum(values, np.uint32(EMPTY - 1))
        result[filled, slot] = np.minimum.reduceat(values, features.offsets[:-1][filled])
    return result


def mix(keys: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    for shift in (30, 27):
        keys = (keys ^ (keys >> np.uint64(shift))) * np.uint64(0xBF58476D1CE4E5B9)
    return keys ^ (keys >> np.uint64(31))


def candidates(sketches: Sketches, other: Sketches | None, *, bands: int, rows: int) -> set[tuple[int, int]]:
    """Pairs of documents that agree in all rows of at least one band."""
    right = sketches if other is None else other
    found = set()
    for i, a in enumerate(sketches):
        for j in range(i + 1 if other is None else 0, len(right)):
            if (a == EMPTY).all() or (right[j] == EMPTY).all():
                continue
            equal = (a == right[j])[: bands * rows].reshape(bands, rows)
            if equal.all(axis=1).any():
                found.add((i, j))
    return found


def lsh(
    sketches: Sketches,
    features: Features,
    other: Sketches | None = None,
    other_features: Features | None = None,
    *,
    bands: int,
    rows_: int,
    threshold: str,
    multiset: bool = True,
) -> list[Pair]:
    """Candidates at or above the threshold, every document for itself."""
    left = rows(features)
    right = left if other_features is None else rows(other_features)
    found = []
    for i, j in sorted(candidates(sketches, other, bands=bands, rows=rows_)):
        score = jaccard(left[i], right[j], multiset=multiset)
        if score > 0 and score >= Fraction(threshold):
            found.append((i, j, score))
    return found


def shared_values(sketches: Sketches, other: Sketches | None = None, *, threshold: str) -> list[Pair]:
    """The Lecture's algorithm to the letter: a sorted list of values, expanded to counted pairs."""
    slots = sketches.shape[1]
    listed = []
    for side, matrix in enumerate([sketches] if other is None else [sketches, other]):
        for document, row in enumerate(matrix.tolist()):
            if row != [EMPTY] * slots:
                listed += [((slot, value), side, document) for slot, value in enumerate(row)]
    runs = defaultdict(list)
    for value, side, document in sorted(listed):
        runs[value].append((side, document))
    counts: dict[tuple[int, int], int] = defaultdict(int)
    for run in runs.values():
        for k, (side, document) in enumerate(run):
            for other_side, partner in run[k + 1 :]:
                if other is None or side != other_side:
                    counts[document, partner] += 1
    return sorted(
        (i, j, Fraction(count, slots))
        for (i, j), count in counts.items()
        if Fraction(count, slots) >= Fraction(threshold)
    )
