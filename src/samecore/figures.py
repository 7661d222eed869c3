"""How alike two documents are, in numbers: Jaccard, containment both ways, and what a sketch would say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from samecore.features.csr import Features, Occurrence


@dataclass(frozen=True)
class Figures:
    """Of the features that a method compares, with repetitions and weights as it counts them.

    `jaccard` is the share of all features that both documents have, `containment_left` the share of the left
    one's features that the right one has, `containment_right` the other way round; 0.0 for no features.
    `estimates` are what the sketches of the method say, by the name of the sketch; many methods have none.
    """

    jaccard: float = 0.0
    containment_left: float = 0.0
    containment_right: float = 0.0
    estimates: Mapping[str, float] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """As plain data, for JSON."""
        return {**vars(self), "estimates": dict(self.estimates)}


def figures(
    left: Sequence[Occurrence],
    right: Sequence[Occurrence],
    *,
    multiset: bool,
    weights: Mapping[int, int] | None = None,
    match: object = None,
) -> Figures:
    """The figures of two documents by their features. `weights` has every key; `match` may have `estimates`."""
    one, other = (Counter(occurrence.key for occurrence in side) for side in (left, right))
    counts = one, other
    if not multiset:
        one, other = (Counter(dict.fromkeys(side, 1)) for side in (one, other))

    def mass(side: Counter[int]) -> int:
        return sum(count * (1 if weights is None else weights[key]) for key, count in side.items())

    shared, first, second = mass(one & other), mass(one), mass(other)
    estimates = getattr(match, "estimates", None)
    return Figures(
        _share(shared, first + second - shared),
        _share(shared, first),
        _share(shared, second),
        {} if estimates is None else estimates(_features(counts, weights), multiset=multiset),
    )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _features(counts: Sequence[Counter[int]], weights: Mapping[int, int] | None) -> Features:
    """The two documents as features."""
    keys = [sorted(side) for side in counts]
    flat = [key for side in keys for key in side]
    return Features(
        np.cumsum([0, *map(len, keys)], dtype=np.int64),
        np.array(flat, np.uint64),
        np.array([side[key] for side, own in zip(counts, keys, strict=True) for key in own], np.uint32),
        None if weights is None else np.array([weights[key] for key in flat], np.uint32),
    )
