"""Training: from labels and documents to a model (ANDD, Hajishirzi, Yih and Kolcz 2010)."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from samecore.errors import InputError, SettingError, unknown_name
from samecore.features.csr import Features
from samecore.features.facts import FEATURES, Facts, Feature, check_k, named_features
from samecore.features.frequencies import MAX_KEYS, Frequencies
from samecore.features.learned import MAX_WEIGHT, LearnedVectors
from samecore.learn.corpus import Corpus, read_corpus, useful
from samecore.learn.folds import Folds, intervals_of, unit_folds
from samecore.learn.labels import Labels, Truth, check_enough, match_labels, read_labels
from samecore.learn.objective import Floats, Ints, loss
from samecore.learn.sampling import sample
from samecore.learn.scores import max_f1, need_scipy, pair_scores
from samecore.learn.vectors import Design, design, forms
from samecore.match.parts import Cosine
from samecore.match.weighted import BucketedMinHash, heaviest, in_levels
from samecore.methods.recipe import Method
from samecore.methods.stored import Model
from samecore.similarity.cosine import MEASURES, Measure
from samecore.version import __version__

#: Where the search starts and what the penalty pulls to: tf-idf, with every k-gram worth a little.
START = {"bias": 0.1, "log tf idf": 1.0}


@dataclass(frozen=True)
class Training:
    """How a model is trained.

    k: words of a k-gram. measure: the similarity the weights are learned for, and found by.
    features: names from `samecore.features.facts.FEATURES`; all of them by default.
    preferences: pairs of pairs, 80,000 as in the paper. most: at most so many pairs that are the same among them.
    near: the share of the differing pairs that are the most alike ones; the paper draws all at random.
    sharpness, penalty: of the loss (`samecore.learn.objective`); the paper's is 1, its penalty is not printed.
    text: the text mode; "marked" knows links and headings.
    active: only so many of the heaviest k-grams of a document count, 0 for all; by default 100 words, all longer
        k-grams (measured, docs/learning.md).
    """

    k: int = 1
    measure: Measure = "cosine"
    features: tuple[str, ...] | None = None
    preferences: int = 80_000
    most: int = 2_500
    near: float = 0.5
    sharpness: float = 1.0
    penalty: float = 1e-3
    iterations: int = 100
    text: str = "marked"
    active: int | None = None
    max_keys: int = MAX_KEYS
    seed: int = 0

    @property
    def kept(self) -> int:
        """How many k-grams of a document count, 0 for all."""
        return self.active if self.active is not None else 100 if self.k == 1 else 0

    def __post_init__(self) -> None:
        check_k(self.k)
        if self.measure not in MEASURES:
            raise unknown_name("similarity", self.measure, MEASURES)
        for name in ("preferences", "most", "iterations", "max_keys"):
            if getattr(self, name) < 1:
                raise SettingError(name, found=getattr(self, name), expected="at least 1")
        if not 0 <= self.near <= 1:
            raise SettingError("near", found=self.near, expected="a share from 0 to 1")
        if not self.sharpness > 0 or not self.penalty >= 0:
            expected = "a sharpness above 0 and a penalty of at least 0"
            raise SettingError("loss", found=(self.sharpness, self.penalty), expected=expected)


@dataclass(frozen=True, eq=False)
class Material:
    """All that fits of one corpus share: facts of the labelled documents, their features, the pairs that are known."""

    truth: Truth
    facts: Facts
    features: tuple[Feature, ...]
    design: Design
    grams: Frequencies
    words: Frequencies
    queries: Frequencies


def train(
    labels: Labels | str,
    corpus: Any,
    *,
    training: Training = Training(),  # noqa: B008 - frozen
    own: Sequence[Feature] = (),
    queries: Frequencies | None = None,
    threads: int = 1,
    folds: int = 5,
    **reading: Any,
) -> tuple[Model, list[str]]:
    """A model trained on `labels` (a file or `Labels`) of documents in `corpus`, and what a person should know.

    own: features of one's own, see `Feature.of`. queries: the table of a query log. The threshold and the figures in
    `about` come from models that had not seen the clusters they were measured on.
    """
    need_scipy("training")
    known = read_labels(labels) if isinstance(labels, str) else labels
    given = read_corpus(
        corpus, known.ids, widths=(training.k,), text=training.text, threads=threads, **reading
    )
    truth, unknown = match_labels(known, given.ids)
    check_enough(truth)
    notes = replace(
        known, problems=tuple(sorted((*known.problems, *unknown), key=lambda one: one.row))
    ).report()
    material = prepare(given, truth, training, own=tuple(own), queries=queries, threads=threads)
    weights = fit(material, training)
    part = learned(material, training, weights)
    checked = cross_check(material, training, folds=folds, threads=threads)
    notes += checked.notes
    if part.weigh(material.facts).counts.size == 0:
        raise InputError("all weights came out as zero: the labels contradict each other, or say nothing")
    about = {
        "samecore": __version__,
        "training": asdict(training)
        | {"active": training.kept, "features": [name for name, _ in part.weights]},
        "labels": {
            "documents": len(truth.documents),
            "groups": truth.units,
            "same": int(truth.pairs()[2].sum()),
            "different": int((~truth.pairs()[2]).sum()),
        },
        "corpus": {"documents": given.documents},
        "metrics": checked.metrics,
    }
    method = Method(
        name="andd",
        features=part,
        text=training.text,
        match=Cosine("counts", similarity=training.measure),
        threshold=checked.threshold,
        about=f"learned weights of {training.k}-grams, {training.measure}, from {truth.units} labelled groups",
    )
    return Model(method, checked.thresholds, about), notes


def prepare(
    corpus: Corpus,
    truth: Truth,
    training: Training,
    *,
    own: tuple[Feature, ...] = (),
    queries: Frequencies | None = None,
    threads: int = 1,
    found: Facts | None = None,
) -> Material:
    """Facts and features of the labelled documents, in the order of `truth`."""
    if found is None:
        found = corpus.facts(training.k, queries=queries, threads=threads)
    names = (*FEATURES, *(one.name for one in own)) if training.features is None else training.features
    features = useful(found, named_features(tuple(names), own))
    return Material(
        truth,
        found,
        features,
        design(found, features),
        corpus.table(training.k, max_keys=training.max_keys),
        corpus.table(1, max_keys=training.max_keys) if training.k > 1 else Frequencies(),
        queries or Frequencies(),
    )


def start_weights(features: Sequence[Feature]) -> Floats:
    """Where a search over these features starts."""
    start = np.array([START.get(one.name, 0.0) for one in features])
    return start if start.any() else np.full(len(features), 1.0 / len(features))


def fit(
    material: Material, training: Training, *, units: Ints | None = None, seed: int | None = None
) -> Floats:
    """The weights of the features, from the pairs of some units (all by default)."""
    from scipy.optimize import minimize

    truth = material.truth
    left, right, same = truth.pairs(units)
    if not same.any() or same.all():
        raise InputError("expected pairs that are the same and pairs that differ, found only one kind")
    left, right = truth.documents[left], truth.documents[right]
    start = start_weights(material.features)
    nearness = np.zeros(len(left))
    if training.near > 0:
        plain = Features(material.facts.offsets, material.facts.keys, material.facts.counts)
        values = np.maximum(material.design.values @ start, 0)
        nearness = pair_scores(plain, left, right, measure=training.measure, values=values)
    chosen = sample(
        left,
        right,
        same,
        preferences=training.preferences,
        most=training.most,
        near=training.near,
        nearness=nearness,
        seed=training.seed if seed is None else seed,
    )
    made = forms(material.design, chosen.left, chosen.right)
    found = minimize(
        lambda weights: loss(
            weights,
            made,
            chosen.preferences,
            measure=training.measure,
            sharpness=training.sharpness,
            penalty=training.penalty,
            start=start,
        ),
        start,
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": training.iterations, "ftol": 1e-9, "gtol": 1e-7},
    )
    return np.asarray(found.x, np.float64)


def learned(material: Material, training: Training, weights: Floats) -> LearnedVectors:
    """The part that weighs by these weights, scaled so that the heaviest k-gram of most documents weighs about 4.

    Weights are rounded to six places: what is in a model file is all there is.
    """
    values = material.design.values @ weights
    top = float(np.quantile(values, 0.99)) if len(values) else 1.0
    scale = 4.0 / top if top > 0 else 1.0
    scale = min(scale, MAX_WEIGHT / max(float(np.abs(weights).max()), 1e-12))
    names = [one.name for one in material.features]
    pairs = [(name, round(float(weight * scale), 6)) for name, weight in zip(names, weights, strict=True)]
    return LearnedVectors(
        training.k,
        tuple((name, weight) for name, weight in pairs if weight != 0),
        material.grams,
        material.words,
        material.queries,
        training.kept,
        tuple(one for one in material.features if one.function is not None),
    )


# -- the threshold, and how good it is ------------------------------------------------------------


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
