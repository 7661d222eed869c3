"""The exact containment join against its twin, which compares every pair."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samecore import _core
from samecore.errors import SettingError
from samecore.features.csr import Features
from samecore.match.containment import containment, containments
from samecore.match.exact import TooManyPairs
from samecore.match.pairs import Pairs
from samecore.similarity.containment import score
from tests.twins import join as features_twin
from tests.twins import vectors as twin

THRESHOLDS = ["0.05", "0.1", "0.2", "0.25", "0.3", "0.5", "0.6", "0.6667", "0.75", "0.8", "0.9", "0.95", "1"]

Row = tuple[int, int, float, float]


@st.composite
def corpora(draw: st.DrawFn, collections: int = 1) -> tuple[list[Features], dict[int, int] | None]:
    """Small vocabularies, so that ties, copies and true subsets abound."""
    size = draw(st.integers(1, 12))
    counts = st.one_of(st.just(1), st.integers(1, 4), st.sampled_from([1, 255, 70_000]))
    document = st.dictionaries(st.integers(0, size - 1), counts, max_size=size)
    weights = None
    if draw(st.booleans()):
        weights = dict(enumerate(draw(st.lists(st.integers(1, 9), min_size=size, max_size=size))))
    return [
        features_twin.make(draw(st.lists(document, max_size=14)), weights) for _ in range(collections)
    ], weights


def listed(pairs: Pairs) -> list[Row]:
    every = pairs.expand()
    left, right = containments(every)
    assert every.score.tolist() == np.maximum(left, right).tolist()
    return list(zip(every.left.tolist(), every.right.tolist(), left.tolist(), right.tolist(), strict=True))


def counted(features: Features, multiset: bool) -> list[dict[int, int]]:
    return [
        {key: count if multiset else 1 for key, (count, _) in row.items()}
        for row in features_twin.rows(features)
    ]


@settings(max_examples=300, deadline=None)
@given(corpora(), st.sampled_from(THRESHOLDS), st.booleans(), st.sampled_from([1, 2, 3, 5]))
def test_a_collection_with_itself(
    made: tuple[list[Features], dict[int, int] | None], threshold: str, multiset: bool, threads: int
) -> None:
    (features,), weights = made
    expected = twin.containment_join(
        counted(features, multiset), None, threshold=Fraction(threshold), weights=weights
    )
    found = containment(features, threshold=threshold, multiset=multiset, threads=threads)
    assert listed(found) == expected


@settings(max_examples=200, deadline=None)
@given(corpora(2), st.sampled_from(THRESHOLDS), st.booleans(), st.sampled_from([1, 2, 3, 5]))
def test_two_collections(
    made: tuple[list[Features], dict[int, int] | None], threshold: str, multiset: bool, threads: int
) -> None:
    (left, right), weights = made
    expected = twin.containment_join(
        counted(left, multiset), counted(right, multiset), threshold=Fraction(threshold), weights=weights
    )
    found = containment(left, right, threshold=threshold, multiset=multiset, threads=threads)
    assert listed(found) == expected


@settings(max_examples=60, deadline=None)
@given(corpora(), st.integers(0, 8), st.integers(1, 4))
def test_slack_and_blocks_change_nothing(
    made: tuple[list[Features], dict[int, int] | None], slack: int, rows: int
) -> None:
    one = made[0][0]
    arrays = (one.offsets, one.keys, one.counts, one.weights, None, None, None, None, 3, 5, True)
    whole = _core.containment_join(*arrays, 1, 2**64 - 1, 4, 64)
    parts = _core.containment_join(*arrays, 2, 2**64 - 1, slack, rows)
    for a, b in zip(whole[:7], parts[:7], strict=True):
        assert a.tolist() == b.tolist()


def test_a_quoted_document_is_found_in_its_quotation() -> None:
    parent = dict.fromkeys(range(20), 1)
    reply = dict.fromkeys(range(200), 1)
    found = containment(features_twin.make([reply, parent]), threshold=0.9)
    assert listed(found) == [(0, 1, 0.1, 1.0)]
    assert found.score.tolist() == [1.0]


def test_integers_decide_at_the_threshold() -> None:
    # 7 of 10: exactly 0.7.
    sets = features_twin.make([dict.fromkeys(range(10), 1), dict.fromkeys(range(3, 20), 1)])
    assert len(containment(sets, threshold=0.7)) == 1
    assert len(containment(sets, threshold="0.7000000001")) == 0


def test_threads_give_the_same_bytes() -> None:
    chance = np.random.default_rng(1)
    rows = [
        {int(key): 1 for key in 200 * chance.random(int(chance.integers(1, 60))) ** 2} for _ in range(800)
    ]
    features = features_twin.make(rows)
    one, *others = (containment(features, threshold=0.5, threads=threads) for threads in (1, 2, 3, 5))
    assert len(one) > 1000
    for other in others:
        assert (one.left.tobytes(), one.right.tobytes(), one.overlap.tobytes()) == (
            other.left.tobytes(), other.right.tobytes(), other.overlap.tobytes()
        )  # fmt: skip


def test_scores_are_those_of_the_similarity() -> None:
    chance = np.random.default_rng(2)
    rows = [{int(key): int(chance.integers(1, 4)) for key in chance.integers(0, 30, 12)} for _ in range(40)]
    features = features_twin.make(rows)
    for left, right, one, two in listed(containment(features, threshold=0.3)):
        assert one == score(features, features, left_document=left, right_document=right)
        assert two == score(features, features, left_document=right, right_document=left)


def test_too_many_pairs_stop_the_search() -> None:
    features = features_twin.make([{1: 1, 2 + number: 1} for number in range(50)])
    with pytest.raises(TooManyPairs, match="at most 100"):
        containment(features, threshold=0.5, max_pairs=100, threads=2)


def test_empty_inputs() -> None:
    nothing, empty = features_twin.make([]), features_twin.make([{}, {}])
    assert len(containment(nothing, threshold=0.5)) == 0
    assert len(containment(empty, threshold=0.5).expand()) == 0
    assert len(containment(empty, nothing, threshold=0.5).expand()) == 0


def test_wrong_settings_and_features_are_named() -> None:
    features = features_twin.make([{1: 1}])
    with pytest.raises(SettingError, match="threshold"):
        containment(features, threshold=0)
    with pytest.raises(SettingError, match="max_pairs"):
        containment(features, threshold=0.5, max_pairs=-1)
    with pytest.raises(ValueError, match="threads"):
        containment(features, threshold=0.5, threads=0)
    with pytest.raises(ValueError, match="keys: expected ascending"):
        containment(
            Features(np.array([0, 2]), np.array([2, 1], np.uint64), np.ones(2, np.uint32)), threshold=0.5
        )
    with pytest.raises(ValueError, match="at least 1"):
        containment(
            Features(np.array([0, 1]), np.array([2], np.uint64), np.zeros(1, np.uint32)), threshold=0.5
        )
    with pytest.raises(ValueError, match="2\\^31"):
        containment(
            Features(np.array([0, 1]), np.array([2], np.uint64), np.full(1, 2**31, np.uint32)), threshold=0.5
        )
