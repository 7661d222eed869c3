"""The loss, its gradient and the F x F identity, checked numerically."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samecore.features.csr import Features
from samecore.learn.objective import Preferences, loss
from samecore.learn.scores import f1_at, max_f1, pair_scores
from samecore.learn.vectors import Design, forms
from samecore.similarity.cosine import Measure, score


def random_design(seed: int, *, documents: int = 6, features: int = 4) -> Design:
    chance = np.random.default_rng(seed)
    rows = [np.sort(chance.permutation(12)[: chance.integers(1, 10)]) for _ in range(documents)]
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    values = chance.random((int(offsets[-1]), features))
    return Design(offsets, np.concatenate(rows).astype(np.int64), values.astype(np.float32), 12)


def all_pairs(documents: int) -> tuple[np.ndarray, np.ndarray]:  # type: ignore[type-arg]
    left, right = np.triu_indices(documents, 1)
    return left.astype(np.int64), right.astype(np.int64)


@pytest.mark.parametrize("measure", ["cosine", "jaccard"])
@given(seed=st.integers(0, 10_000))
def test_the_matrices_give_the_similarity_of_the_vectors(measure: Measure, seed: int) -> None:
    made = random_design(seed)
    weights = np.random.default_rng(seed + 1).random(4) + 0.1
    left, right = all_pairs(6)
    found = forms(made, left, right).similarities(weights, measure)
    vectors = made.values.astype(np.float64) @ weights
    for n, (one, two) in enumerate(zip(left, right, strict=True)):
        dense = np.zeros((2, 12))
        for side, document in enumerate((one, two)):
            here = made.rows(document)
            dense[side, made.keys[here]] = vectors[here]
        dot, a, b = dense[0] @ dense[1], dense[0] @ dense[0], dense[1] @ dense[1]
        expected = dot / np.sqrt(a * b) if measure == "cosine" else dot / (a + b - dot)
        assert found[n] == pytest.approx(expected, rel=1e-5, abs=1e-9)


@pytest.mark.parametrize("measure", ["cosine", "jaccard"])
@given(
    seed=st.integers(0, 10_000), sharpness=st.sampled_from([1.0, 10.0]), penalty=st.sampled_from([0.0, 0.1])
)
def test_the_gradient_is_that_of_finite_differences(
    measure: Measure, seed: int, sharpness: float, penalty: float
) -> None:
    chance = np.random.default_rng(seed)
    made = forms(random_design(seed), *all_pairs(6))
    preferences = Preferences(chance.integers(0, 15, 20), chance.integers(0, 15, 20))
    weights, start = chance.normal(size=4) + 1.5, chance.random(4)

    def value(at: np.ndarray) -> float:  # type: ignore[type-arg]
        return loss(
            at, made, preferences, measure=measure, sharpness=sharpness, penalty=penalty, start=start
        )[0]

    _, gradient = loss(
        weights, made, preferences, measure=measure, sharpness=sharpness, penalty=penalty, start=start
    )
    step = 1e-6
    for n in range(4):
        ahead, behind = weights.copy(), weights.copy()
        ahead[n] += step
        behind[n] -= step
        assert gradient[n] == pytest.approx((value(ahead) - value(behind)) / (2 * step), rel=1e-4, abs=1e-7)


def test_the_loss_is_the_papers() -> None:
    made = forms(random_design(3), *all_pairs(6))
    weights = np.ones(4)
    preferences = Preferences(np.array([0, 3]), np.array([1, 2]))
    scores = made.similarities(weights, "cosine")
    expected = np.mean([np.log(1 + np.exp(-(scores[a] - scores[b]))) for a, b in ((0, 1), (3, 2))])
    value, _ = loss(weights, made, preferences, measure="cosine", sharpness=1.0, penalty=0.0, start=weights)
    assert value == pytest.approx(expected)


@given(st.integers(0, 10_000), st.sampled_from(["cosine", "jaccard"]))
def test_pair_scores_are_those_of_the_exact_join_to_the_last_bit(seed: int, measure: Measure) -> None:
    chance = np.random.default_rng(seed)
    made = random_design(seed, documents=9)
    counts = chance.integers(1, 1 << 18, len(made.keys)).astype(np.uint32)
    features = Features(made.offsets, made.keys.astype(np.uint64), counts)
    left, right = all_pairs(9)
    for some in (slice(None), slice(0, 5)):  # many pairs and few go different ways
        found = pair_scores(features, left[some], right[some], measure=measure)
        for value, one, two in zip(found, left[some], right[some], strict=True):
            assert value == score(features, features, left_document=one, right_document=two, measure=measure)


@given(
    st.lists(
        st.tuples(st.sampled_from([0.0, 0.1, 0.5, 0.5, 0.9, 1.0]), st.booleans()), min_size=1, max_size=30
    )
)
def test_max_f1_is_the_best_of_all_thresholds(pairs: list[tuple[float, bool]]) -> None:
    scores, same = np.array([s for s, _ in pairs]), np.array([y for _, y in pairs])
    best = max_f1(scores, same)
    if not same.any():
        assert best.f1 == 0
        return
    positive = sorted({s for s, _ in pairs if s > 0})
    if positive:
        assert best.f1 == max(f1_at(scores, same, t) for t in positive)
        assert f1_at(scores, same, best.threshold) == best.f1
