"""Cosine and extended Jaccard: the definition, its twin, and the laws."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samecore.errors import SettingError
from samecore.features.csr import Features
from samecore.similarity.cosine import (
    Measure,
    Vectors,
    binary,
    combine,
    score,
    term_counts,
    tfidf,
    upper_bound,
)
from tests.twins import join as features_twin
from tests.twins import vectors as twin

VALUES = st.one_of(
    st.integers(0, 3).map(float), st.floats(0, 2.0**127, width=32), st.floats(0.5, 2, width=32)
)
ROWS = st.dictionaries(st.integers(0, 8), VALUES, max_size=8)
MEASURES = st.sampled_from(["cosine", "jaccard"])


def make(*rows: dict[int, float]) -> Vectors:
    ordered = [sorted(row.items()) for row in rows]
    return Vectors(
        np.cumsum([0, *map(len, ordered)]).astype(np.int64),
        np.array([key for row in ordered for key, _ in row], np.uint64),
        np.array([value for row in ordered for _, value in row], np.float32),
    )


@given(ROWS, ROWS, MEASURES)
def test_score_is_its_twin_symmetric_and_bounded(
    one: dict[int, float], two: dict[int, float], measure: Measure
) -> None:
    vectors = make(one, two)
    left, right = twin.rows_of(vectors.offsets, vectors.keys, vectors.values)
    value = score(vectors, vectors, right_document=1, measure=measure)
    assert value == twin.score(left, right, jaccard=measure == "jaccard")
    assert value == score(vectors, vectors, left_document=1, measure=measure)
    bound = upper_bound(vectors, vectors, right_document=1, measure=measure)
    assert 0 <= value <= bound <= 1


@given(ROWS, MEASURES)
def test_a_vector_is_like_itself(row: dict[int, float], measure: Measure) -> None:
    expected = 1.0 if any(value > 0 for value in row.values()) else 0.0
    assert score(make(row), make(row), measure=measure) == expected


def test_known_values() -> None:
    vectors = make({1: 3.0, 2: 4.0}, {1: 4.0, 2: 3.0}, {3: 1.0})
    assert score(vectors, vectors, right_document=1) == 24 / 25
    assert score(vectors, vectors, right_document=1, measure="jaccard") == 24 / 26
    assert score(vectors, vectors, right_document=2) == 0.0
    assert score(vectors, vectors, right_document=1, min_score=0.97) == 0.0
    assert upper_bound(make({1: 1.0}), make({1: 1.0, 2: 1.0, 3: 1.0, 4: 1.0})) == pytest.approx(0.5)


def test_features_are_counted() -> None:
    features = features_twin.make([{1: 2, 2: 1}, {1: 1, 3: 1}], {1: 3, 2: 1, 3: 1})
    assert score(features, features, right_document=1) == combine(18, 37, 10)
    assert score(binary(features), binary(features), right_document=1) == 0.5
    assert term_counts(features).values.tolist() == [6.0, 1.0, 3.0, 1.0]


def test_tfidf_counts_or_takes_frequencies() -> None:
    features = features_twin.make([{1: 2, 2: 1}, {1: 1, 3: 5}])
    assert tfidf(features).values.tolist() == pytest.approx([0, math.log(2), 0, 5 * math.log(2)])
    known = (np.array([1, 2], np.uint64), np.array([10, 100], np.uint32))
    values = tfidf(features, documents=100, table=known).values.tolist()
    assert values == pytest.approx([2 * math.log(10), 0, math.log(10), 5 * math.log(100)])
    nothing = (np.empty(0, np.uint64), np.empty(0, np.uint32))
    assert tfidf(features, documents=2, table=nothing).values[0] == pytest.approx(2 * math.log(2))
    empty = Features(np.zeros(1, np.int64), np.empty(0, np.uint64), np.empty(0, np.uint32))
    assert len(tfidf(empty)) == 0
    with pytest.raises(SettingError, match="documents"):
        tfidf(features, table=known)


def test_an_unknown_measure_is_named() -> None:
    with pytest.raises(SettingError, match="measure"):
        combine(1.0, 1.0, 1.0, measure="dice")  # type: ignore[arg-type]
