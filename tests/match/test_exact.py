"""The exact matcher against brute force, and brute force against its twin."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import join as twin

from samecore import _core
from samecore.errors import SettingError
from samecore.features.csr import Features
from samecore.match import exact as module
from samecore.match.brute import brute
from samecore.match.exact import TooManyPairs, collapse, estimate_pairs, exact, join, prepare
from samecore.match.pairs import Pairs
from samecore.similarity.jaccard import sizes

THRESHOLDS = [
    "0.05",
    "0.1",
    "0.14",
    "0.2",
    "0.25",
    "0.3",
    "0.35",
    "0.5",
    "0.6",
    "0.6667",
    "0.75",
    "0.8",
    "0.9",
    "1",
]


@st.composite
def corpora(draw: st.DrawFn, collections: int = 1) -> list[Features]:
    """Small vocabularies, so that ties, repeats and identical documents abound."""
    vocabulary = draw(st.integers(1, 12))
    keys = st.integers(0, vocabulary - 1)
    counts = st.one_of(st.just(1), st.integers(1, 4), st.sampled_from([1, 255, 256, 70_000]))
    document = st.dictionaries(keys, counts, max_size=vocabulary)
    spread = draw(st.sampled_from([1, 2**60 + 1]))  # plain numbers, and keys with high bits
    weights = None
    if draw(st.booleans()):
        drawn = draw(st.lists(st.integers(1, 9), min_size=vocabulary, max_size=vocabulary))
        weights = {(key * spread) % 2**64: weight for key, weight in enumerate(drawn)}
    made = []
    for _ in range(collections):
        documents = draw(st.lists(document, max_size=14))
        spreaded = [{(key * spread) % 2**64: count for key, count in d.items()} for d in documents]
        made.append(twin.make(spreaded, weights))
    return made


def listed(pairs: Pairs) -> list[tuple[int, int, float]]:
    return list(zip(pairs.left.tolist(), pairs.right.tolist(), pairs.score.tolist(), strict=True))


def same(pairs: Pairs, expected: Pairs) -> bool:
    return listed(pairs) == listed(expected) and pairs.overlap.tolist() == expected.overlap.tolist()


@given(corpora(), st.sampled_from(THRESHOLDS), st.booleans())
def test_brute_force_is_its_twin(made: list[Features], threshold: str, multiset: bool) -> None:
    expected = twin.join(made[0], threshold=threshold, multiset=multiset)
    found = brute(made[0], threshold=threshold, multiset=multiset)
    assert listed(found) == [(a, b, float(score)) for a, b, score in expected]


@given(corpora(collections=2), st.sampled_from(THRESHOLDS), st.booleans())
def test_brute_force_of_two_is_its_twin(made: list[Features], threshold: str, multiset: bool) -> None:
    expected = twin.join(*made, threshold=threshold, multiset=multiset)
    found = brute(*made, threshold=threshold, multiset=multiset)
    assert listed(found) == [(a, b, float(score)) for a, b, score in expected]


@settings(max_examples=400)
@given(
    corpora(), st.sampled_from(THRESHOLDS), st.booleans(), st.sampled_from([1, 2, 3, 5]), st.integers(0, 8)
)
def test_exact_is_brute_force(
    made: list[Features], threshold: str, multiset: bool, threads: int, sure: int
) -> None:
    expected = brute(made[0], threshold=threshold, multiset=multiset)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "SURE", sure)
        found = exact(made[0], threshold=threshold, multiset=multiset, threads=threads)
    assert same(found.expand(), expected)
    assert found.expanded_count() == len(expected)
    assert found.content is not None
    assert np.array_equal(found.content[found.left], found.left)


@settings(max_examples=400)
@given(
    corpora(collections=2),
    st.sampled_from(THRESHOLDS),
    st.booleans(),
    st.sampled_from([1, 2, 3, 5]),
    st.integers(0, 8),
)
def test_exact_of_two_is_brute_force(
    made: list[Features], threshold: str, multiset: bool, threads: int, sure: int
) -> None:
    expected = brute(*made, threshold=threshold, multiset=multiset)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "SURE", sure)
        found = exact(*made, threshold=threshold, multiset=multiset, threads=threads)
    assert same(found.expand(), expected)
    assert found.expanded_count() == len(expected)


def random_corpus(seed: int, documents: int, *, skew: float, length: int, weighted: bool = False) -> Features:
    """Long enough lists that every branch of the kernel is taken."""
    generator = np.random.default_rng(seed)
    made: list[dict[int, int]] = []
    for _ in range(documents):
        if made and generator.random() < 0.4:
            source = list(made[generator.integers(len(made))].items())
            kept = {key: count for key, count in source if generator.random() < 0.8}
        else:
            kept = {}
        for key in generator.zipf(skew, generator.integers(0, length)):
            kept[int(min(key, 5000))] = kept.get(int(min(key, 5000)), 0) + 1
        made.append(kept)
    weights = {key: int(generator.integers(1, 1000)) for key in range(5001)} if weighted else None
    return twin.make(made, weights)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("length", [30, 400])
@pytest.mark.parametrize("threshold", [0.05, 0.2, 0.5, 0.9])
def test_skewed_corpora(threshold: float, length: int, weighted: bool) -> None:
    features = random_corpus(1, 300, skew=1.3, length=length, weighted=weighted)
    other = random_corpus(2, 200, skew=1.3, length=length, weighted=weighted)
    if weighted:  # the same key must weigh the same on both sides
        other = Features(other.offsets, other.keys, other.counts, (other.keys % 97 + 1).astype(np.uint32))
        features = Features(
            features.offsets, features.keys, features.counts, (features.keys % 97 + 1).astype(np.uint32)
        )
    for threads in (1, 2):
        assert same(
            exact(features, threshold=threshold, threads=threads).expand(),
            brute(features, threshold=threshold),
        )
        found = exact(features, other, threshold=threshold, threads=threads)
        assert same(found.expand(), brute(features, other, threshold=threshold))


@pytest.mark.parametrize(
    "documents",
    [
        pytest.param([{1: 1, 2: 1}] * 40, id="identical"),
        pytest.param([{0: 1, k + 1: 1} for k in range(80)], id="one common key"),
        pytest.param([{0: 3, k % 5 + 1: 2} for k in range(80)], id="equal sizes"),
        pytest.param([{0: k + 1} for k in range(60)], id="counts rising"),
        pytest.param([{}, {}, {1: 1}, {}], id="empty"),
        pytest.param([], id="none"),
        pytest.param([{k: 1, k + 1: 1, k + 2: 1} for k in range(70)], id="chain"),
        pytest.param([{0: 2**31 - 1}, {0: 2**31 - 2}, {0: 2**30}], id="huge counts"),
    ],
)
@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_adversaries(documents: list[dict[int, int]], threshold: str) -> None:
    features = twin.make(documents)
    for multiset in (True, False):
        expected = brute(features, threshold=threshold, multiset=multiset)
        assert same(exact(features, threshold=threshold, multiset=multiset, threads=2).expand(), expected)


def test_ties_at_the_threshold() -> None:
    """Every overlap of two sets of up to 40 against its own score, just above and just below."""
    for size in range(1, 41):
        for shared in range(1, size + 1):
            a = dict.fromkeys(range(size), 1)
            b = dict.fromkeys(range(size - shared, 2 * size - shared), 1)
            score = Fraction(shared, 2 * size - shared)
            features = twin.make([a, b])
            assert exact(features, threshold=score).expanded_count() == 1
            # A float means its decimal, which may lie above a score such as 1/15.
            below = Fraction(str(float(score))) <= score
            assert exact(features, threshold=float(score)).expanded_count() == int(below)
            if score < 1:
                assert exact(features, threshold=score + Fraction(1, 10**6)).expanded_count() == 0


@settings(max_examples=200)
@given(corpora(), st.sampled_from(THRESHOLDS), st.sampled_from([1, 2, 3]))
def test_forest(made: list[Features], threshold: str, threads: int) -> None:
    full = [(a, b, score) for a, b, score in twin.join(made[0], threshold=threshold)]
    expected = [(a, b, float(score)) for a, b, score in twin.spanning_forest(full)]
    found = exact(made[0], threshold=threshold, threads=threads, output="forest")
    assert listed(found.expand()) == expected
    assert found.expanded_count() == len(expected)


@settings(max_examples=100)
@given(corpora(collections=2), st.sampled_from(THRESHOLDS), st.sampled_from([1, 2, 3]))
def test_forest_of_two(made: list[Features], threshold: str, threads: int) -> None:
    pairs = exact(*made, threshold=threshold)
    full = [(a, b, Fraction(s).limit_denominator(10**6)) for a, b, s in listed(pairs)]
    kept = {(a, b) for a, b, _ in twin.spanning_forest(full, shift=len(made[0]))}
    found = exact(*made, threshold=threshold, threads=threads, output="forest")
    assert listed(found) == [row for row in listed(pairs) if (row[0], row[1]) in kept]


def test_a_forest_of_two_cannot_be_expanded() -> None:
    features = twin.make([{1: 1}, {1: 1}])
    found = exact(features, features, threshold=0.5, output="forest")
    for call in (found.expand, found.expanded_count):
        with pytest.raises(ValueError, match="one collection"):
            call()


def test_forest_keeps_the_components_of_every_threshold() -> None:
    """More pairs than one block of the forest holds, at all thresholds above the floor."""
    generator = np.random.default_rng(5)
    documents = [
        dict.fromkeys(generator.choice(60, generator.integers(15, 30), replace=False).tolist(), 1)
        for _ in range(900)
    ]
    features = twin.make(documents)
    full = exact(features, threshold=0.05)
    assert len(full) > 2**18
    forest = exact(features, threshold=0.05, output="forest", threads=2)
    assert same(forest, exact(features, threshold=0.05, output="forest"))
    for threshold in np.unique(full.score)[::40]:
        assert components(full, float(threshold)) == components(forest, float(threshold))


def components(pairs: Pairs, threshold: float) -> list[int]:
    group = list(range(len(pairs.sizes)))

    def find(vertex: int) -> int:
        while group[vertex] != vertex:
            group[vertex] = group[group[vertex]]
            vertex = group[vertex]
        return vertex

    for left, right, score in listed(pairs):
        if score >= threshold:
            a, b = find(left), find(right)
            group[max(a, b)] = min(a, b)
    return [find(vertex) for vertex in range(len(group))]


@given(corpora(), st.booleans(), st.sampled_from([1, 2]))
def test_collapse_is_its_twin(made: list[Features], multiset: bool, threads: int) -> None:
    assert collapse(made[0], multiset=multiset, threads=threads).tolist() == twin.collapse(
        made[0], multiset=multiset
    )


def test_too_many_pairs() -> None:
    features = twin.make([{0: 1, k + 1: 1} for k in range(50)])
    count = 50 * 49 // 2
    assert len(exact(features, threshold=0.3, max_pairs=count)) == count
    with pytest.raises(TooManyPairs, match="forest"):
        exact(features, threshold=0.3, max_pairs=count - 1, threads=2)
    assert len(exact(features, threshold=0.3, max_pairs=0, output="forest")) == 49


def test_estimate() -> None:
    features = random_corpus(3, 600, skew=1.3, length=40)
    prepared = prepare(features)
    count = len(join(prepared, threshold=0.2))
    whole = estimate_pairs(prepared, threshold=0.2)
    assert (whole.pairs, whole.low, whole.high) == (count, count, count)
    part = estimate_pairs(prepared, threshold=0.2, sample=200, threads=2)
    assert part.sampled == 200
    assert part.low <= count <= part.high
    assert part == estimate_pairs(prepared, threshold=0.2, sample=200)
    assert estimate_pairs(prepare(twin.make([])), threshold=0.5).pairs == 0


def test_sizes_of_pairs_give_containment() -> None:
    features = twin.make([{1: 2, 2: 1}, {1: 2, 2: 1, 3: 3}], {1: 5, 2: 1, 3: 2})
    found = exact(features, threshold=0.1)
    assert found.overlap.tolist() == [11]
    assert found.sizes.tolist() == sizes(features).tolist() == [11, 17]


@pytest.mark.parametrize("threshold", [0, -0.1, 1.0001, math.nan, math.inf, "half", True, None])
def test_bad_thresholds(threshold: object) -> None:
    with pytest.raises(SettingError, match="threshold: expected a number above 0, at most 1"):
        exact(twin.make([{1: 1}]), threshold=threshold)  # type: ignore[arg-type]


def test_unknown_output() -> None:
    with pytest.raises(SettingError, match="did you mean 'forest'"):
        exact(twin.make([{1: 1}]), threshold=0.5, output="forests")  # type: ignore[arg-type]
    with pytest.raises(SettingError, match="max_pairs"):
        exact(twin.make([{1: 1}]), threshold=0.5, max_pairs=-1)


GOOD = (np.array([0, 2], np.int64), np.array([1, 2], np.uint64), np.array([1, 1], np.uint32))


@pytest.mark.parametrize(
    ("position", "values", "message"),
    [
        (0, [0, 1], "end at the number of keys"),
        (0, [1, 2], "start at 0"),
        (0, [0, 3, 2], "not to fall"),
        (0, [], "at least one"),
        (1, [2, 1], "ascending"),
        (1, [2, 2], "distinct"),
        (2, [1], "one per key"),
        (2, [1, 0], "at least 1"),
    ],
)
def test_the_border_refuses(position: int, values: list[int], message: str) -> None:
    arrays = list(GOOD)
    arrays[position] = np.array(values, GOOD[position].dtype)
    with pytest.raises(ValueError, match=message):
        _core.collapse(*arrays, True, 1)
    with pytest.raises(ValueError, match=message):
        _core.document_frequencies(*arrays, 2)


def test_the_border_refuses_weights_and_sizes() -> None:
    features = twin.make([{7: 1}, {7: 2}])
    unequal = Features(features.offsets, features.keys, features.counts, np.array([1, 2], np.uint32))
    with pytest.raises(ValueError, match="one weight per key"):
        exact(unequal, threshold=0.5)
    with pytest.raises(ValueError, match="below 2\\^31"):
        exact(twin.make([{1: 2**31}]), threshold=0.5)
    with pytest.raises(ValueError, match="threads"):
        exact(twin.make([{1: 1}]), threshold=0.5, threads=0)
