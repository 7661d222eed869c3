"""Splitting labelled documents by whole units, and intervals from resampling units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from samecore.learn.labels import Truth
from samecore.learn.objective import Floats, Ints
from samecore.learn.scores import Same, max_f1

#: With fewer groups than this a figure says little, whatever it is.
FEW_GROUPS = 12
#: An interval wider than this does not tell methods apart.
WIDE = 0.2
RESAMPLES = 1000


def unit_folds(truth: Truth, folds: int, *, seed: int) -> list[Ints]:
    """Units dealt into at most `folds` parts, each with pairs that are the same and pairs that differ.

    Large units first, always to the part with fewest documents, ties by chance; fewer parts where that cannot be
    had, and one if the units are too few to hold any back.
    """
    sizes = np.bincount(truth.unit, minlength=truth.units)
    order = np.random.default_rng(seed).permutation(truth.units)
    order = order[np.argsort(-sizes[order], kind="stable")]
    for count in range(min(folds, truth.units // 2), 1, -1):
        parts: list[list[int]] = [[] for _ in range(count)]
        loads = np.zeros(count)
        for unit in order:
            lightest = int(np.argmin(loads))
            parts[lightest].append(int(unit))
            loads[lightest] += sizes[unit]
        made = [np.sort(np.array(part, np.int64)) for part in parts]
        if all(_both_kinds(truth, part) for part in made):
            return made
    return [np.arange(truth.units)]


def halves(truth: Truth, *, seed: int) -> tuple[Ints, Ints]:
    """Two random halves of the units, as in the paper; drawn again until both have both kinds of pairs."""
    chance = np.random.default_rng(seed)
    for _ in range(100):
        order = chance.permutation(truth.units)
        one, two = np.sort(order[: truth.units // 2]), np.sort(order[truth.units // 2 :])
        if _both_kinds(truth, one) and _both_kinds(truth, two):
            break
    return one, two


def _both_kinds(truth: Truth, units: Ints) -> bool:
    same = truth.pairs(units)[2]
    return bool(same.any() and not same.all())


@dataclass(frozen=True, eq=False)
class Folds:
    """The scores of the pairs of one fold, and the units of the two documents of each."""

    scores: Floats
    same: Same
    left: Ints
    right: Ints


@dataclass(frozen=True)
class Figures:
    """F1 with precision and recall, and a 95 % interval of F1 from resampling units."""

    f1: float
    precision: float
    recall: float
    low: float
    high: float

    def warnings(self, units: int) -> list[str]:
        """Whether there are too few labels to tell."""
        if units < FEW_GROUPS:
            return [
                f"{units} labelled groups are few: label {FEW_GROUPS} or more before trusting these figures"
            ]
        if self.high - self.low > WIDE:
            return [
                f"the interval is {self.high - self.low:.2f} wide: more labelled groups are needed to tell methods apart"
            ]
        return []


def intervals_of(held: Sequence[Folds], *, seed: int, thresholds: Sequence[float] | None = None) -> Figures:
    """Figures over folds, each cut at a threshold chosen on the others (or given), never on itself."""
    if thresholds is None:
        thresholds = [_threshold_of([two for m, two in enumerate(held) if m != n]) for n in range(len(held))]
    units = 1 + max(int(max(one.left.max(initial=0), one.right.max(initial=0))) for one in held)
    found, predicted, actual = (np.zeros((units, units)) for _ in range(3))
    for one, threshold in zip(held, thresholds, strict=True):
        taken = one.scores >= threshold
        for counts, chosen in ((found, taken & one.same), (predicted, taken), (actual, one.same)):
            np.add.at(counts, (one.left[chosen], one.right[chosen]), 1)
    totals = [float(counts.sum()) for counts in (found, predicted, actual)]
    low, high = bootstrap(found, predicted, actual, seed=seed)
    return Figures(
        _f1(*totals),
        totals[0] / totals[1] if totals[1] else 1.0,
        totals[0] / totals[2] if totals[2] else 1.0,
        low,
        high,
    )


def _threshold_of(others: Sequence[Folds]) -> float:
    return max_f1(
        np.concatenate([one.scores for one in others]), np.concatenate([one.same for one in others])
    ).threshold


def bootstrap(found: Floats, predicted: Floats, actual: Floats, *, seed: int) -> tuple[float, float]:
    """A 95 % interval of F1: units drawn with replacement, pairs across two units weighed by both.

    The matrices count pairs by the units of their two documents. Units without any pair are not drawn.
    """
    whole = predicted + actual
    there = np.flatnonzero(whole.sum(axis=0) + whole.sum(axis=1))
    if len(there) == 0:
        return 0.0, 1.0
    found, predicted, actual = (one[np.ix_(there, there)] for one in (found, predicted, actual))
    chance = np.random.default_rng(seed)
    times = chance.multinomial(len(there), np.full(len(there), 1 / len(there)), RESAMPLES).astype(np.float64)

    def weighed(counts: Floats) -> Floats:
        inside = np.diagonal(counts)
        across = counts - np.diag(inside)
        return np.asarray(times @ inside + np.einsum("ri,ij,rj->r", times, across, times, optimize=True))

    f1 = [_f1(*one) for one in zip(weighed(found), weighed(predicted), weighed(actual), strict=True)]
    low, high = np.quantile(f1, [0.025, 0.975])
    return float(low), float(high)


def _f1(found: float, predicted: float, actual: float) -> float:
    return 2 * found / (predicted + actual) if predicted + actual else 1.0
