"""Containment: the definition and its laws."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from samecore.similarity.containment import overlap_and_sizes, score, upper_bound
from samecore.similarity.jaccard import score as jaccard
from tests.twins import join as twin

ROWS = st.dictionaries(st.integers(0, 8), st.integers(1, 4), max_size=8)


@given(ROWS, ROWS, st.booleans())
def test_laws(one: dict[int, int], two: dict[int, int], multiset: bool) -> None:
    left, right = twin.make([one]), twin.make([two])
    overlap, size_left, size_right = overlap_and_sizes(left, right, multiset=multiset)
    there = score(left, right, multiset=multiset)
    back = score(right, left, multiset=multiset)
    assert 0 <= there <= upper_bound(size_left, size_right) <= 1
    assert 0 <= back <= upper_bound(size_right, size_left) <= 1
    assert there * size_left == overlap or abs(there * size_left - overlap) < 1e-9
    # Resemblance is never above either share.
    assert jaccard(left, right, multiset=multiset) <= min(there, back)


@given(ROWS)
def test_all_of_a_document_is_in_itself(row: dict[int, int]) -> None:
    assert score(twin.make([row]), twin.make([row])) == (1.0 if row else 0.0)


def test_known_values() -> None:
    both = twin.make([{1: 2, 2: 1}, {1: 1, 2: 1, 3: 8}], {1: 3, 2: 1, 3: 1})
    assert score(both, both, right_document=1) == 4 / 7
    assert score(both, both, left_document=1) == 4 / 12
    assert score(both, both, right_document=1, multiset=False) == 1.0
    assert score(both, both, right_document=1, min_score=0.6) == 0.0
    assert upper_bound(0, 5) == 0.0
