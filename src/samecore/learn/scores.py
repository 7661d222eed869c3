"""Scores of labelled pairs and the best F1 over all thresholds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from samecore.errors import MissingExtra
from samecore.features.csr import Features
from samecore.learn.objective import Floats, Ints
from samecore.similarity.cosine import Measure

Same = npt.NDArray[np.bool_]


def need_scipy(what: str) -> None:
    """MissingExtra unless scipy is there."""
    try:
        import scipy  # noqa: F401
    except ImportError as error:
        raise MissingExtra("scipy", extra="learn", needed_for=what) from error


def pair_scores(
    features: Features, left: Ints, right: Ints, *, measure: Measure, values: Floats | None = None
) -> Floats:
    """The similarity of each pair of rows; `values` are the entries to use instead of the counts.

    Counts are whole numbers whose sums are exact, so that these are the scores of the exact join to the last bit.
    """
    matrix = _matrix(features, values)
    squares = np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel()
    if len(left) > 4 * len(features):
        dots = (matrix @ matrix.T).toarray()[left, right]
    else:
        dots = np.asarray(matrix[left].multiply(matrix[right]).sum(axis=1)).ravel()
    return combine(dots, squares[left], squares[right], measure)


def combine(dots: Floats, one: Floats, two: Floats, measure: Measure) -> Floats:
    """Cosine or extended Jaccard from products; 0 where a vector is empty, at most 1."""
    below = np.sqrt(one * two) if measure == "cosine" else one + two - dots
    scores = np.divide(dots, below, out=np.zeros(len(dots)), where=(one > 0) & (two > 0))
    return np.clip(scores, 0.0, 1.0)


def _matrix(features: Features, values: Floats | None) -> Any:
    from scipy.sparse import csr_array

    distinct, columns = np.unique(features.keys, return_inverse=True)
    entries = features.counts.astype(np.float64) if values is None else values
    shape = (len(features), max(len(distinct), 1))
    return csr_array((entries, columns.reshape(-1).astype(np.int64), features.offsets), shape=shape)


@dataclass(frozen=True)
class Best:
    """The best F1, a threshold that gives it (half-way to the pairs it leaves out), and its precision and recall."""

    f1: float
    threshold: float
    precision: float
    recall: float


def max_f1(scores: Floats, same: Same) -> Best:
    """MaxF1 over every threshold above 0; pairs of the same score enter together. 0 if there are no true pairs,
    or none that scores at all: then nothing should be found, and the threshold is 1."""
    actual = int(same.sum())
    if actual == 0 or not (scores > 0).any():
        return Best(0.0, 1.0, 0.0, 0.0)
    falling = np.argsort(-scores, kind="stable")
    ordered = scores[falling]
    last = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True))
    last = last[ordered[last] > 0]
    found = np.cumsum(same[falling])[last]
    f1 = 2 * found / (last + 1 + actual)
    best = int(np.argmax(f1))
    end = int(last[best])
    lowest, following = float(ordered[end]), float(ordered[min(end + 1, len(ordered) - 1)])
    return Best(
        float(f1[best]),
        (lowest + following) / 2 if following > 0 else lowest,
        float(found[best] / (last[best] + 1)),
        float(found[best] / actual),
    )


def f1_at(scores: Floats, same: Same, threshold: float) -> float:
    """F1 of the pairs at or above a threshold; 1 if there is nothing to find and nothing was found."""
    taken = scores >= threshold
    below = int(taken.sum()) + int(same.sum())
    return 2 * int((taken & same).sum()) / below if below else 1.0
