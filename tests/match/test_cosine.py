"""The exact join of weighted vectors against its twin, which scores every pair."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samecore import _core
from samecore.errors import SettingError
from samecore.features.csr import Features
from samecore.match import cosine as module
from samecore.match.cosine import WeightedPairs, cosine
from samecore.match.exact import TooManyPairs
from samecore.similarity.cosine import Measure, Vectors, binary, score, term_counts
from tests.twins import join as features_twin
from tests.twins import vectors as twin

THRESHOLDS = [0.05, 0.1, 0.2, 0.25, 0.3, 0.5, 0.6, 0.7, 0.75, 0.8, 0.9, 0.95, 1.0]
MEASURES = st.sampled_from(["cosine", "jaccard"])


def make(rows: list[dict[int, float]]) -> Vectors:
    ordered = [sorted(row.items()) for row in rows]
    return Vectors(
        np.cumsum([0, *map(len, ordered)]).astype(np.int64),
        np.array([key for row in ordered for key, _ in row], np.uint64),
        np.array([value for row in ordered for _, value in row], np.float32),
    )


@st.composite
def corpora(draw: st.DrawFn, collections: int = 1) -> list[Vectors]:
    """Few dimensions, so that ties abound: binary, whole, real and wildly scaled values, zeros, copies."""
    size = draw(st.integers(1, 10))
    spread = draw(st.sampled_from([1, 2**60 + 1]))  # plain numbers, and keys with high bits
    value = draw(
        st.sampled_from(
            [
                st.just(1.0),
                st.integers(0, 3).map(float),
                st.floats(0, 1, width=32),
                st.floats(1, 2, width=32),
                st.integers(-140, 120).map(lambda power: 2.0**power),
            ]
        )
    )
    keys = st.integers(0, size - 1).map(lambda key: key * spread % 2**64)
    rows = st.dictionaries(keys, value, max_size=size)
    made = []
    for _ in range(collections):
        drawn = draw(st.lists(rows, max_size=10))
        if drawn:  # copies, and the same direction at another length
            drawn += [drawn[i % len(drawn)] for i in draw(st.lists(st.integers(0, 9), max_size=3))]
            drawn.append({key: 4 * amount for key, amount in drawn[0].items()})
        made.append(make(drawn))
    return made


def listed(pairs: WeightedPairs) -> list[tuple[int, int, float]]:
    return list(zip(pairs.left.tolist(), pairs.right.tolist(), pairs.score.tolist(), strict=True))


def expected(
    left: Vectors, right: Vectors | None, threshold: float, measure: str
) -> list[tuple[int, int, float]]:
    rows = [None if v is None else twin.rows_of(v.offsets, v.keys, v.values) for v in (left, right)]
    assert rows[0] is not None
    return twin.vector_join(rows[0], rows[1], threshold=threshold, jaccard=measure == "jaccard")


@settings(max_examples=300, deadline=None)
@given(corpora(), st.sampled_from(THRESHOLDS), MEASURES, st.sampled_from([1, 2, 3, 5]))
def test_a_collection_with_itself(
    made: list[Vectors], threshold: float, measure: Measure, threads: int
) -> None:
    found = cosine(made[0], threshold=threshold, measure=measure, threads=threads)
    assert listed(found.expand()) == expected(made[0], None, threshold, measure)
    assert found.expanded_count() == len(found.expand())


@settings(max_examples=200, deadline=None)
@given(corpora(2), st.sampled_from(THRESHOLDS), MEASURES, st.sampled_from([1, 2, 3, 5]))
def test_two_collections(made: list[Vectors], threshold: float, measure: Measure, threads: int) -> None:
    found = cosine(made[0], made[1], threshold=threshold, measure=measure, threads=threads)
    assert listed(found.expand()) == expected(made[0], made[1], threshold, measure)


@settings(max_examples=100, deadline=None)
@given(corpora(), MEASURES, st.data())
def test_a_score_as_threshold_is_reached(made: list[Vectors], measure: Measure, data: st.DataObject) -> None:
    pairs = expected(made[0], None, 5e-324, measure)
    if pairs:
        threshold = data.draw(st.sampled_from(pairs))[2]
        found = cosine(made[0], threshold=repr(threshold), measure=measure)
        assert listed(found.expand()) == expected(made[0], None, threshold, measure)


@settings(max_examples=60, deadline=None)
@given(corpora(), st.sampled_from(THRESHOLDS), st.integers(1, 4))
def test_small_blocks_change_nothing(made: list[Vectors], threshold: float, rows: int) -> None:
    one = made[0]
    whole = _core.vector_join(
        one.offsets, one.keys, one.values, None, None, None, threshold, False, 1, 2**64 - 1, 64
    )
    parts = _core.vector_join(
        one.offsets, one.keys, one.values, None, None, None, threshold, False, 2, 2**64 - 1, rows
    )
    for a, b in zip(whole[:5], parts[:5], strict=True):
        assert a.tolist() == b.tolist()


def random_vectors(seed: int, documents: int = 300, dims: int = 400) -> Vectors:
    """Zipfian rows with heavy tails, and noisy copies among them."""
    chance = np.random.default_rng(seed)
    rows: list[dict[int, float]] = []
    for number in range(documents):
        if number % 3 == 2:
            rows.append(
                {
                    key: value * float(chance.uniform(0.8, 1.2))
                    for key, value in rows[int(chance.integers(number))].items()
                }
            )
        else:
            keys = np.unique((dims * chance.random(int(chance.integers(1, 120))) ** 3).astype(int))
            rows.append({int(key): float(chance.exponential()) + 0.01 for key in keys})
    return make(rows)


@pytest.mark.parametrize("measure", ["cosine", "jaccard"])
@pytest.mark.parametrize("threshold", [0.3, 0.6, 0.9, 0.97])
def test_larger_collections(measure: Measure, threshold: float) -> None:
    vectors = random_vectors(7)
    found = cosine(vectors, threshold=threshold, measure=measure, threads=2)
    assert listed(found.expand()) == expected(vectors, None, threshold, measure)
    assert len(found) > 50


def test_threads_give_the_same_bytes() -> None:
    vectors = random_vectors(11, documents=900)
    one, *others = (cosine(vectors, threshold=0.4, threads=threads) for threads in (1, 2, 3, 5))
    for other in others:
        assert one.left.tobytes() == other.left.tobytes()
        assert one.right.tobytes() == other.right.tobytes()
        assert one.score.tobytes() == other.score.tobytes()


def test_scores_are_those_of_the_similarity() -> None:
    vectors = random_vectors(3, documents=60)
    for measure in ("cosine", "jaccard"):
        for left, right, value in listed(cosine(vectors, threshold=0.2, measure=measure).expand()):
            again = score(vectors, vectors, left_document=left, right_document=right, measure=measure)
            assert again == value


def test_ties_at_decimal_thresholds_with_whole_numbers() -> None:
    # 7 of 10 and 10 shared: cosine 0.7. In floats 0.7 is below 7/10 summed from normalised parts.
    sets = features_twin.make([dict.fromkeys(range(10), 1), dict.fromkeys(range(3, 13), 1)])
    assert listed(cosine(binary(sets), threshold=0.7)) == [(0, 1, 0.7)]
    assert listed(cosine(sets, threshold="0.7")) == [(0, 1, 0.7)]
    assert len(cosine(sets, threshold=0.7000001)) == 0
    # 7 of 13 in the union.
    assert len(cosine(sets, threshold=0.53, measure="jaccard")) == 1
    assert len(cosine(sets, threshold=0.54, measure="jaccard")) == 0


def test_the_jaccard_of_binary_vectors_is_that_of_sets() -> None:
    from samecore.match.brute import brute

    vectors = random_vectors(5, documents=120)
    sets = Features(vectors.offsets, vectors.keys, np.ones(len(vectors.keys), np.uint32))
    of_sets = brute(sets, threshold=0.25)
    found = cosine(binary(sets), threshold=0.25, measure="jaccard").expand()
    assert listed(found) == list(
        zip(of_sets.left.tolist(), of_sets.right.tolist(), of_sets.score.tolist(), strict=True)
    )


def test_a_shared_template_of_unlike_pages_stays_cheap() -> None:
    # 3000 pages share 40 common words, each has 30 of its own and of a few others.
    chance = np.random.default_rng(0)
    rows = [
        {**dict.fromkeys(range(40), 0.5), **{int(key): 4.0 for key in chance.integers(100, 60_000, 30)}}
        for _ in range(3000)
    ]
    found = cosine(make(rows), threshold=0.8, threads=2)
    assert len(found) == 0
    assert found.work["visited"] < 3000 * 200


def test_too_many_pairs_stop_the_search() -> None:
    vectors = make([{1: 1.0, 2: float(value)} for value in range(50)])
    with pytest.raises(TooManyPairs, match="at most 100"):
        cosine(vectors, threshold=0.1, max_pairs=100, threads=2)
    assert len(cosine(vectors, threshold=0.1, max_pairs=2000)) > 100


def test_empty_inputs() -> None:
    nothing = make([])
    empty = make([{}, {1: 0.0}, {2: 1.0}])
    assert len(cosine(nothing, threshold=0.5)) == 0
    assert len(cosine(empty, threshold=0.05).expand()) == 0
    assert len(cosine(empty, nothing, threshold=0.5).expand()) == 0
    assert listed(cosine(empty, empty, threshold=1).expand()) == [(2, 2, 1.0)]


def test_wrong_settings_are_named() -> None:
    vectors = make([{1: 1.0}])
    for threshold in (0, 1.5, "x", True):
        with pytest.raises(SettingError, match="threshold"):
            cosine(vectors, threshold=threshold)
    with pytest.raises(SettingError, match="measure"):
        cosine(vectors, threshold=0.5, measure="dice")  # type: ignore[arg-type]
    with pytest.raises(SettingError, match="max_pairs"):
        cosine(vectors, threshold=0.5, max_pairs=-1)
    with pytest.raises(ValueError, match="threads"):
        cosine(vectors, threshold=0.5, threads=0)


@pytest.mark.parametrize(
    ("offsets", "keys", "values", "message"),
    [
        ([0, 2], [1, 2], [1.0, -1.0], "values: expected finite and at least 0"),
        ([0, 2], [1, 2], [1.0, np.nan], "values: expected finite"),
        ([0, 2], [1, 2], [1.0, np.inf], "values: expected finite"),
        ([0, 2], [2, 1], [1.0, 1.0], "keys: expected ascending"),
        ([0, 2], [1, 1], [1.0, 1.0], "keys: expected ascending"),
        ([0, 1], [1, 2], [1.0, 1.0], "offsets: expected to run"),
        ([0, 2, 1, 2], [1, 2], [1.0, 1.0], "offsets: expected to rise"),
        ([0, 2], [1, 2], [1.0], "values: expected one per key"),
        ([], [], [], "offsets: expected at least one"),
    ],
)
def test_wrong_vectors_are_refused(
    offsets: list[int], keys: list[int], values: list[float], message: str
) -> None:
    vectors = Vectors(np.array(offsets, np.int64), np.array(keys, np.uint64), np.array(values, np.float32))
    with pytest.raises(ValueError, match=message):
        cosine(vectors, threshold=0.5)


def test_features_count_terms() -> None:
    features = features_twin.make([{1: 2, 2: 1}, {1: 4, 2: 2}, {1: 1, 2: 5}])
    assert listed(cosine(features, threshold=1)) == [(0, 1, 1.0)]
    assert listed(cosine(features, threshold=0.5)) == listed(cosine(term_counts(features), threshold=0.5))
    assert module.BLOCK_ROWS > 0
