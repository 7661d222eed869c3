from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from twins import join as twin

from samecore.similarity.jaccard import overlap_and_union, score, sizes, upper_bound

documents = st.dictionaries(st.integers(0, 9), st.integers(1, 5), max_size=10)
weightings = st.none() | st.lists(st.integers(1, 20), min_size=10, max_size=10).map(
    lambda w: dict(enumerate(w))
)


@given(documents, documents, weightings, st.booleans())
def test_laws(a: dict[int, int], b: dict[int, int], weights: dict[int, int] | None, multiset: bool) -> None:
    left, right = twin.make([a], weights), twin.make([b], weights)
    value = score(left, right, multiset=multiset)
    expected = twin.jaccard(twin.rows(left)[0], twin.rows(right)[0], multiset=multiset)
    assert value == float(expected)
    assert value == score(right, left, multiset=multiset)
    assert 0.0 <= value <= 1.0
    assert score(left, left, multiset=multiset) == (1.0 if a else 0.0)
    bound = upper_bound(int(sizes(left, multiset=multiset)[0]), int(sizes(right, multiset=multiset)[0]))
    assert value <= bound <= 1.0
    assert score(left, right, multiset=multiset, min_score=value) == value
    assert score(left, right, multiset=multiset, min_score=np.nextafter(value, 2.0)) == 0.0


def test_the_example_of_the_paper() -> None:
    features = twin.make([{1: 5, 2: 4, 3: 4}, {1: 4, 2: 5, 3: 5}])
    assert score(features, features, right_document=1) == pytest.approx(0.8)
    assert overlap_and_union(features, features, right_document=1) == (12, 15)
    assert score(features, features, right_document=1, multiset=False) == 1.0


def test_empty_documents_match_nothing() -> None:
    empty = twin.make([{}])
    assert score(empty, empty) == 0.0
    assert upper_bound(0, 0) == upper_bound(0, 3) == 0.0


def test_sizes() -> None:
    features = twin.make([{1: 2, 2: 1}, {}, {2: 7}], {1: 10, 2: 1})
    assert sizes(features).tolist() == [21, 0, 7]
    assert sizes(features, multiset=False).tolist() == [11, 0, 1]
