"""The threshold of a model and how good it is, from folds that are held back."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from samecore.features.csr import Features
from samecore.learn.fit import Material, Training, fit, learned
from samecore.learn.folds import Folds, intervals_of, unit_folds
from samecore.learn.labels import Truth
from samecore.learn.objective import Floats, Ints
from samecore.learn.scores import max_f1, pair_scores
from samecore.match.weighted import BucketedMinHash, heaviest, in_levels
from samecore.similarity.cosine import Measure


@dataclass(frozen=True, eq=False)
class Checked:
    """A threshold from scores of models that had not seen the documents, and figures about it."""

    threshold: float
    thresholds: dict[str, float]
    metrics: dict[str, Any]
    notes: list[str]


def cross_check(material: Material, training: Training, *, folds: int, threads: int = 1) -> Checked:
    """Train without each fold of units in turn, score its pairs, and choose the threshold on those scores."""
    truth = material.truth
    parts = unit_folds(truth, folds, seed=training.seed)
    if len(parts) < 2:
        features = learned(material, training, fit(material, training)).weigh(material.facts)
        left, right, same = truth.pairs()
        scores = _scores(features, truth, left, right, training.measure)
        best = max_f1(scores, same)
        note = (
            f"{truth.units} labelled groups are too few to hold some back: the threshold was chosen on the documents "
            "the model was trained on, and its quality is not known"
        )
        threshold = round_threshold(best.threshold)
        return Checked(threshold, _others(features, truth, left, right, same), {"f1": None}, [note])

    def without(n: int) -> tuple[Folds, dict[str, float]]:
        rest = np.setdiff1d(np.arange(truth.units), parts[n])
        weights = fit(material, training, units=rest, seed=training.seed + n)
        features = learned(material, training, weights).weigh(material.facts)
        left, right, same = truth.pairs(parts[n])
        scores = _scores(features, truth, left, right, training.measure)
        return Folds(scores, same, truth.unit[left], truth.unit[right]), _others(
            features, truth, left, right, same
        )

    with ThreadPoolExecutor(threads) as pool:
        done = list(pool.map(without, range(len(parts))))
    held, others = [one for one, _ in done], [one for _, one in done]
    figures = intervals_of(held, seed=training.seed)
    pooled = max_f1(np.concatenate([one.scores for one in held]), np.concatenate([one.same for one in held]))
    thresholds = {name: float(np.median([one[name] for one in others])) for name in others[0]}
    metrics = {
        "f1": round(figures.f1, 4),
        "f1_interval": [round(figures.low, 4), round(figures.high, 4)],
        "precision": round(figures.precision, 4),
        "recall": round(figures.recall, 4),
        "folds": len(parts),
    }
    notes = [
        f"F1 of pairs {figures.f1:.3f} ({figures.low:.3f} to {figures.high:.3f}, 95 %) on groups held back in "
        f"{len(parts)} folds, at thresholds chosen without them"
    ]
    notes += figures.warnings(truth.units)
    return Checked(round_threshold(pooled.threshold), thresholds, metrics, notes)


def round_threshold(threshold: float) -> float:
    """A threshold with three decimals, never above the one given, in (0, 1]."""
    return float(max(0.001, min(1.0, np.floor(threshold * 1000) / 1000)))


def _scores(features: Features, truth: Truth, left: Ints, right: Ints, measure: Measure) -> Floats:
    return pair_scores(features, truth.documents[left], truth.documents[right], measure=measure)


def _others(features: Features, truth: Truth, left: Ints, right: Ints, same: Any) -> dict[str, float]:
    """Thresholds of the matchers that estimate the weighted Jaccard: where to cut, and down to where to look."""
    part = BucketedMinHash()
    levels = in_levels(features, part.levels, most=heaviest([features]))
    scores = weighted_jaccard(levels, truth.documents[left], truth.documents[right])
    best = max_f1(scores, same)
    near = scores[same]
    least = float(np.quantile(near, 0.02)) if len(near) else best.threshold
    return {
        "lsh-jacc-2010": round_threshold(best.threshold),
        "candidates": round_threshold(min(max(least, 0.05), best.threshold)),
    }


def weighted_jaccard(features: Features, left: Ints, right: Ints, *, block: int = 20_000) -> Floats:
    """sum min / sum max of each pair of rows."""
    from scipy.sparse import csr_array

    distinct, columns = np.unique(features.keys, return_inverse=True)
    shape = (len(features), max(len(distinct), 1))
    matrix = csr_array(
        (features.counts.astype(np.float64), columns.reshape(-1), features.offsets), shape=shape
    )
    totals = np.asarray(matrix.sum(axis=1)).ravel()
    least = np.concatenate(
        [np.zeros(0)]
        + [
            np.asarray(
                matrix[left[at : at + block]].minimum(matrix[right[at : at + block]]).sum(axis=1)
            ).ravel()
            for at in range(0, len(left), block)
        ]
    )
    below = totals[left] + totals[right] - least
    return np.asarray(np.divide(least, below, out=np.zeros(len(least)), where=below > 0), np.float64)
