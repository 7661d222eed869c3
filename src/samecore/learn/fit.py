"""Fitting the weights: what is trained, from which pairs, by L-BFGS."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from samecore.errors import InputError, SettingError, unknown_name
from samecore.features.csr import Features
from samecore.features.facts import FEATURES, Facts, Feature, check_k, named_features
from samecore.features.frequencies import MAX_KEYS, Frequencies
from samecore.features.learned import MAX_WEIGHT, LearnedVectors
from samecore.learn.corpus import Corpus, useful
from samecore.learn.labels import Truth
from samecore.learn.objective import Floats, Ints, loss
from samecore.learn.sampling import sample
from samecore.learn.scores import pair_scores
from samecore.learn.vectors import Design, design, forms
from samecore.similarity.cosine import MEASURES, Measure

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
