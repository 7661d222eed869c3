"""How sure a figure is: intervals from drawing the clusters anew, with replacement.

Pairs of one cluster stand or fall together, so it is clusters that are drawn, not pairs. A drawn
cluster counts as often as it was drawn, and a false match between two clusters as often as both were.
Judged pairs have no clusters; there the pairs are drawn.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from samecore.contents import expand
from samecore.lab.data import Labelled
from samecore.result import Result

DRAWS = 1000
#: Draws at a time, so that memory does not grow with all of them times all false matches.
AT_A_TIME = 20


def interval(
    result: Result, labelled: Labelled, threshold: float, *, level: float = 0.95, seed: int = 0
) -> tuple[float, float]:
    """The interval of pair F1 at a threshold (not below the floor): `level` of the draws lie within.

    (nan, nan) if nothing is labelled.
    """
    random = np.random.default_rng(seed)
    ids = result.ids.to_pylist()
    left, right = _pairs(result, threshold)
    if labelled.truth.judged:
        f1 = _judged(labelled, ids, left, right, random)
    else:
        f1 = _clusters(labelled, ids, left, right, random)
    if len(f1) == 0:
        return float("nan"), float("nan")
    low, high = np.quantile(f1, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def _pairs(result: Result, threshold: float) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    parts = [
        (left[score >= threshold], right[score >= threshold])
        for left, right, score in expand(result.members, result.found, copies=True)
    ]
    empty = np.empty(0, np.int64)
    return (
        np.concatenate([empty, *(part[0] for part in parts)]),
        np.concatenate([empty, *(part[1] for part in parts)]),
    )


def _clusters(
    labelled: Labelled,
    ids: list[str],
    left: npt.NDArray[np.int64],
    right: npt.NDArray[np.int64],
    random: np.random.Generator,
) -> npt.NDArray[np.float64]:
    numbers: dict[str, int] = {}
    cluster = np.array(
        [-1 if one is None else numbers.setdefault(one, len(numbers)) for one in labelled.labels(ids)],
        np.int64,
    )
    k = len(numbers)
    if k == 0:
        return np.empty(0)
    known = (cluster[left] >= 0) & (cluster[right] >= 0)
    a, b = cluster[left[known]], cluster[right[known]]
    sizes = np.bincount(cluster[cluster >= 0], minlength=k)
    true = np.bincount(a[a == b], minlength=k)
    cells, false = np.unique(a[a != b] * k + b[a != b], return_counts=True)
    f1 = []
    for _ in range(0, DRAWS, AT_A_TIME):
        drawn = random.multinomial(k, np.full(k, 1 / k), size=AT_A_TIME)
        found = drawn @ true
        wrong = (drawn[:, cells // k] * drawn[:, cells % k]) @ false
        f1.append(_f1(found, found + wrong, drawn @ (sizes * (sizes - 1) // 2)))
    return np.concatenate(f1)


def _judged(
    labelled: Labelled,
    ids: list[str],
    left: npt.NDArray[np.int64],
    right: npt.NDArray[np.int64],
    random: np.random.Generator,
) -> npt.NDArray[np.float64]:
    row = {id: n for n, id in enumerate(ids)}
    listed = set(zip(left.tolist(), right.tolist(), strict=True))
    judged = [(row[a], row[b], same) for a, b, same in labelled.truth.judged if a in row and b in row]
    if not judged:
        return np.empty(0)
    found = np.array([(min(a, b), max(a, b)) in listed for a, b, _ in judged])
    same = np.array([same for _, _, same in judged])
    drawn = random.multinomial(len(judged), np.full(len(judged), 1 / len(judged)), size=DRAWS)
    return _f1(drawn @ (found & same), drawn @ found, drawn @ same)


def _f1(
    found: npt.NDArray[np.int64], predicted: npt.NDArray[np.int64], actual: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    both = predicted + actual
    return np.where(both > 0, 2 * found / np.maximum(both, 1), 1.0)
