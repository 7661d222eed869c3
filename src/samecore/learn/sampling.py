"""Which pairs a model is trained on: as many that differ as are the same, and preferences among them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from samecore.learn.objective import Floats, Ints, Preferences
from samecore.learn.scores import Same


@dataclass(frozen=True, eq=False)
class Sample:
    """Chosen pairs (those that are the same first) and the preferences among them."""

    left: Ints
    right: Ints
    same: Same
    preferences: Preferences


def sample(
    left: Ints,
    right: Ints,
    same: Same,
    *,
    preferences: int,
    most: int,
    near: float,
    nearness: Floats,
    seed: int,
) -> Sample:
    """A balanced sample of judged pairs.

    At most `most` pairs that are the same, and as many that differ: a share `near` of those the most alike by
    `nearness`, which decide about the cut, the others drawn at random as in the paper. `preferences` pairs of one
    of each are then drawn, with replacement.
    """
    chance = np.random.default_rng(seed)
    equal, other = np.flatnonzero(same), np.flatnonzero(~same)
    equal = np.sort(chance.permutation(equal)[:most])
    wanted = min(len(other), max(len(equal), min(most, 100)))
    closest = other[np.argsort(-nearness[other], kind="stable")][: int(wanted * near)]
    rest = np.setdiff1d(other, closest, assume_unique=True)
    drawn = chance.permutation(rest)[: wanted - len(closest)]
    differing = np.sort(np.concatenate([closest, drawn]))
    chosen = np.concatenate([equal, differing])
    made = Preferences(
        chance.integers(0, len(equal), preferences),
        len(equal) + chance.integers(0, len(differing), preferences),
    )
    return Sample(left[chosen], right[chosen], same[chosen], made)
