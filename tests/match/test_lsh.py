"""LSH against its twin, its recall against what it promises, and buckets without end."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samecore import _core
from samecore.errors import SettingError
from samecore.features.csr import Features
from samecore.match import lsh as module
from samecore.match.banding import Banding, choose_banding
from samecore.match.exact import TooManyPairs, exact
from samecore.match.lsh import EMPTY, Sketches, estimates_reach, lsh
from samecore.match.pairs import Pairs
from samecore.match.shared_values import shared_values, slot_features
from samecore.match.threshold import exact_threshold
from tests.twins import join as join_twin
from tests.twins import lsh as twin

BANDINGS = [Banding(1, 1), Banding(8, 1), Banding(4, 2), Banding(2, 3), Banding(1, 8)]
Found = list[tuple[int, int, Fraction]]


@st.composite
def corpora(draw: st.DrawFn) -> list[Features]:
    """Two collections over a small vocabulary: ties, copies and empty documents abound."""
    vocabulary = draw(st.integers(1, 10))
    document = st.dictionaries(st.integers(0, vocabulary - 1), st.integers(1, 3), max_size=vocabulary)
    weights = draw(st.none() | st.lists(st.integers(1, 5), min_size=10, max_size=10))
    table = None if weights is None else dict(enumerate(weights))
    return [join_twin.make(draw(st.lists(document, max_size=14)), table) for _ in range(2)]


def listed(pairs: Pairs) -> Found:
    """As the twins write it: pairs of all documents with exact scores."""
    pairs = pairs.expand()
    right_sizes = pairs.sizes if pairs.other_sizes is None else pairs.other_sizes
    found = []
    for left, right, overlap, score in zip(pairs.left, pairs.right, pairs.overlap, pairs.score, strict=True):
        joint = int(pairs.sizes[left]) + int(right_sizes[right]) - int(overlap)
        assert score == overlap / joint
        found.append((int(left), int(right), Fraction(int(overlap), joint)))
    return found


@settings(deadline=None, max_examples=150)
@given(
    corpora(),
    st.sampled_from(BANDINGS),
    st.sampled_from(["0.1", "0.5", "0.6667", "0.75", "1"]),
    st.booleans(),
    st.booleans(),
    st.sampled_from([1, 3]),
)
def test_equals_twin(
    made: list[Features], banding: Banding, threshold: str, multiset: bool, two: bool, threads: int
) -> None:
    features, other = made[0], made[1] if two else None
    sketches = twin.sketch(features, slots=8)
    other_sketches = None if other is None else twin.sketch(other, slots=8)
    expected = twin.lsh(
        sketches, features, other_sketches, other,
        bands=banding.bands, rows_=banding.rows, threshold=threshold, multiset=multiset,
    )  # fmt: skip
    arguments = {
        "threshold": threshold,
        "banding": banding,
        "other": other_sketches,
        "other_features": other,
        "multiset": multiset,
        "threads": threads,
    }
    found = lsh(sketches, features, **arguments)
    assert listed(found.pairs) == expected
    if multiset:  # copies have the same sketches, so not to collapse them only lists them one by one
        assert listed(lsh(sketches, features, distinct=True, **arguments).pairs) == expected
    # Small limits: everything above them goes through the exact join, which may find more, never less.
    joined = listed(lsh(sketches, features, bucket_limit=2, **arguments).pairs)
    assert (
        set(expected)
        <= set(joined)
        <= set(join_twin.join(features, other, threshold=threshold, multiset=multiset))
    )


@settings(deadline=None, max_examples=150)
@given(
    corpora(),
    st.sampled_from(BANDINGS),
    st.sampled_from(["0.1", "0.5", "0.75"]),
    st.booleans(),
    st.sampled_from([0, 5, 64]),
    st.sampled_from([1, 3]),
)
def test_forest_has_the_right_components(
    made: list[Features], banding: Banding, threshold: str, two: bool, budget: int, threads: int
) -> None:
    features, other = made[0], made[1] if two else None
    sketches = twin.sketch(features, slots=8)
    other_sketches = None if other is None else twin.sketch(other, slots=8)
    arguments = {
        "threshold": threshold,
        "banding": banding,
        "other": other_sketches,
        "other_features": other,
        "threads": threads,
    }
    shift = len(features) if two else 0
    pairs = lsh(sketches, features, **arguments).pairs
    plain = lsh(sketches, features, output="forest", **arguments).pairs
    scored = [
        (int(a), int(b), Fraction(int(o), round(o / s)))
        for a, b, o, s in zip(pairs.left, pairs.right, pairs.overlap, pairs.score, strict=True)
    ]
    forest = join_twin.spanning_forest(scored, shift=shift)
    assert [(int(a), int(b)) for a, b in zip(plain.left, plain.right, strict=True)] == [
        (a, b) for a, b, _ in forest
    ]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "forest_budget", lambda documents: budget)
        linked = lsh(sketches, features, output="forest", bucket_limit=2, **arguments)
    edges = list(
        zip(linked.pairs.left.tolist(), (linked.pairs.right + np.uint32(shift)).tolist(), strict=True)
    )
    parts = components(edges)
    assert len(edges) == sum(len(part) - 1 for part in parts)  # a forest
    # Between the components of what the bands brought together and those of all pairs: the
    # exact join of large buckets may find pairs that met in no band.
    least = components([(a, b + shift) for a, b, _ in scored])
    exactly = (
        exact(features, other, threshold=threshold).expand()
        if other is None
        else exact(features, other, threshold=threshold)
    )
    most = components(
        list(zip(exactly.left.tolist(), (exactly.right + np.uint32(shift)).tolist(), strict=True))
    )
    assert all(any(part <= whole for whole in parts) for part in least)
    assert all(any(part <= whole for whole in most) for part in parts)


def components(edges: list[tuple[int, int]]) -> list[set[int]]:
    parts: list[set[int]] = []
    for edge in edges:
        touched = [part for part in parts if part & set(edge)]
        parts = [part for part in parts if not part & set(edge)] + [set(edge).union(*touched)]
    return parts


sketch_lists = st.lists(st.lists(st.sampled_from([0, 1, 2, EMPTY]), min_size=6, max_size=6), max_size=12)


@settings(deadline=None, max_examples=150)
@given(
    sketch_lists,
    st.none() | sketch_lists,
    st.sampled_from(["0.1", "0.5", "0.6667", "0.8", "1"]),
    st.integers(1, 5),
)
def test_shared_values_equals_the_lecture(
    first: list[list[int]], second: list[list[int]] | None, threshold: str, block: int
) -> None:
    sketches = np.array(first, np.uint32).reshape(-1, 6)
    other = None if second is None else np.array(second, np.uint32).reshape(-1, 6)
    expected = twin.shared_values(sketches, other, threshold=threshold)
    for found in (
        shared_values(sketches, other, threshold=threshold),
        shared_values(sketches, other, threshold=threshold, block=block, threads=2),
    ):
        pairs = found.expand()
        assert [
            (int(a), int(b), Fraction(int(o), 6))
            for a, b, o in zip(pairs.left, pairs.right, pairs.overlap, strict=True)
        ] == expected
        np.testing.assert_array_equal(pairs.score, pairs.overlap / 6)
    whole = shared_values(sketches, other, threshold=threshold, output="forest")
    parts = shared_values(sketches, other, threshold=threshold, output="forest", block=block)
    np.testing.assert_array_equal(whole.left, parts.left)
    np.testing.assert_array_equal(whole.right, parts.right)

    # Unverified LSH with a band per slot compares all pairs that share a value.
    for limit in (module.BUCKET_LIMIT, 2):
        estimated = lsh(
            sketches,
            threshold=threshold,
            other=other,
            verify=False,
            banding=Banding(6, 1),
            bucket_limit=limit,
        )
        pairs = estimated.pairs.expand()
        assert [
            (int(a), int(b), Fraction(int(o), 6))
            for a, b, o in zip(pairs.left, pairs.right, pairs.overlap, strict=True)
        ] == expected
        assert set(estimated.columns()) == {"left", "right", "estimated"}


def test_slot_features_keep_slots_apart() -> None:
    features = slot_features(np.array([[1, 2], [2, 1], [EMPTY, EMPTY], [1, EMPTY]], np.uint32))
    assert features.offsets.tolist() == [0, 2, 4, 4, 6]
    assert len(set(features.keys.tolist())) == 5


def planted(pairs: int, shared: int, own: int, seed: int) -> Features:
    """2 * pairs documents; documents 2i and 2i + 1 share `shared` keys and have `own` each."""
    generator = np.random.default_rng(seed)
    size = shared + own
    common = generator.integers(0, 2**64, (pairs, shared), dtype=np.uint64)
    alone = generator.integers(0, 2**64, (pairs, 2, own), dtype=np.uint64)
    keys = np.concatenate([np.repeat(common[:, None], 2, axis=1), alone], axis=2).reshape(2 * pairs, size)
    keys.sort(axis=1)
    return Features(np.arange(2 * pairs + 1) * size, keys.ravel(), np.ones(keys.size, np.uint32))


@pytest.mark.parametrize(
    ("threshold", "shared", "own"),
    [(0.8, 80, 10), (0.5, 60, 30), (0.3, 60, 70), (0.9, 90, 5), (0.8, 85, 7), (0.5, 60, 20)],
)
@pytest.mark.parametrize("recall", [0.9, 0.99])
def test_recall_is_what_was_asked_for(threshold: float, shared: int, own: int, recall: float) -> None:
    pairs = 3000
    features = planted(pairs, shared, own, seed=shared)
    similarity = shared / (shared + 2 * own)
    assert similarity >= threshold
    found = lsh(twin.sketch(features, slots=128, seed=own), features, threshold=threshold, recall=recall)
    assert (found.pairs.left % 2 == 0).all()
    assert (found.pairs.right == found.pairs.left + 1).all()
    measured = len(found.pairs) / pairs
    expected = found.report.banding.probability(similarity)
    assert expected >= found.report.expected_recall >= recall
    # Four standard errors: the curve holds for hash functions that are random; these nearly are.
    error = 4 * math.sqrt(expected * (1 - expected) / pairs)
    assert expected - error <= measured <= expected + error
    assert measured >= recall - error
    assert f"expected recall at {threshold:g}" in str(found.report)


def test_unverified_recall_is_stated_too() -> None:
    pairs, slots = 3000, 128
    features = planted(pairs, 80, 10, seed=5)
    found = lsh(twin.sketch(features, slots=slots), threshold=0.8, verify=False)
    measured = len(found.pairs) / pairs
    assert found.report.expected_recall < 0.6  # half of the estimates of pairs at the threshold fall below it
    assert abs(measured - found.report.expected_recall) < 0.05
    assert estimates_reach(1.0, exact_threshold(0.5), slots) == 1.0
    assert estimates_reach(0.5, exact_threshold(1), 3) == pytest.approx(0.125)


def template(documents: int, alike: int, *, shared: int, own: int, seed: int = 0) -> Features:
    """`alike` documents that share one template among `documents` of keys of their own."""
    generator = np.random.default_rng(seed)
    size = shared + own
    keys = generator.integers(0, 2**64, (documents, size), dtype=np.uint64)
    places = generator.permutation(documents)[:alike]
    keys[places, :shared] = generator.integers(0, 2**64, shared, dtype=np.uint64)
    keys.sort(axis=1)
    return Features(np.arange(documents + 1) * size, keys.ravel(), np.ones(keys.size, np.uint32))


@pytest.mark.parametrize(("shared", "own"), [(30, 10), (35, 5)])  # 0.6 and 0.78 to each other
def test_template_below_the_threshold(shared: int, own: int) -> None:
    features = template(20_000, 8_000, shared=shared, own=own)
    found = lsh(twin.sketch(features, slots=64), features, threshold=0.8)
    assert found.report.large_buckets > 0
    assert found.report.candidates < 50 * len(features)
    assert len(found.pairs) == 0
    assert not found.report.linked


def test_template_above_the_threshold() -> None:
    features = template(20_000, 8_000, shared=38, own=2)  # 0.9 to each other: 32 million pairs
    sketches = twin.sketch(features, slots=64)
    with pytest.raises(TooManyPairs, match="forest"):
        lsh(sketches, features, threshold=0.8, max_pairs=1_000_000)
    found = lsh(sketches, features, threshold=0.8, output="forest")
    assert found.report.linked
    assert found.report.verified < 50 * len(features)
    assert len(found.pairs) == 7_999
    assert (found.pairs.score >= 0.8).all()
    assert len(components_of(found.pairs)) == 1
    # One thread or three.
    again = lsh(sketches, features, threshold=0.8, output="forest", threads=3)
    np.testing.assert_array_equal(found.pairs.left, again.pairs.left)
    np.testing.assert_array_equal(found.pairs.right, again.pairs.right)
    # Against another collection of the same template.
    half = len(features) // 2
    two = lsh(
        sketches[:half], features.rows(0, half), other=sketches[half:], other_features=features.rows(half, 2 * half),
        threshold=0.8, output="forest",
    )  # fmt: skip
    assert two.report.linked
    assert len(two.pairs) == 7_999


def components_of(pairs: Pairs) -> set[int]:
    labels = np.arange(len(pairs.sizes), dtype=np.int64)
    for _ in range(64):
        low = np.minimum(labels[pairs.left], labels[pairs.right])
        before = labels.copy()
        np.minimum.at(labels, pairs.left, low)
        np.minimum.at(labels, pairs.right, low)
        labels = labels[labels]
        if (labels == before).all():
            break
    return set(labels[pairs.left].tolist())


def test_identical_contents_cost_one_row() -> None:
    one = np.arange(20, dtype=np.uint64)
    copies = 100_000
    features = Features(np.arange(copies + 1) * 20, np.tile(one, copies), np.ones(20 * copies, np.uint32))
    sketches = np.tile(twin.sketch(features.rows(0, 1), slots=32), (copies, 1))
    for verify in (True, False):
        found = lsh(sketches, features, threshold=0.9, verify=verify)
        assert (found.report.contents, len(found.pairs)) == (1, 0)
        assert found.pairs.expanded_count() == copies * (copies - 1) // 2


def test_edges_and_refusals() -> None:
    features = template(5, 5, shared=3, own=0)
    sketches: Sketches = twin.sketch(features, slots=8)
    none = lsh(np.empty((0, 8), np.uint32), join_twin.make([]), threshold=0.5, recall=0.9)
    assert len(none.pairs) == 0
    empty = lsh(np.full((4, 8), EMPTY, np.uint32), join_twin.make([{}] * 4), threshold=0.5, recall=0.9)
    assert len(empty.pairs.expand()) == 0
    assert empty.report.contents == 0
    wrong = [
        ("features", {"features": None}),
        ("features", {"features": features.rows(0, 4)}),
        ("sketches", {"sketches": sketches.astype(np.int64)}),
        ("sketches", {"sketches": sketches[0]}),
        ("banding", {"banding": Banding(3, 3)}),
        ("slots", {"recall": 0.999999}),
        ("output", {"output": "graph"}),
        ("max_pairs", {"max_pairs": -1}),
        ("bucket_limit", {"bucket_limit": 1}),
        ("other", {"other": sketches[:, :4], "other_features": features}),
        ("features", {"other": sketches}),
    ]
    for name, change in wrong:
        arguments = {"sketches": sketches, "features": features, "threshold": 0.5, "recall": 0.9} | change
        with pytest.raises(SettingError, match=name):
            lsh(arguments.pop("sketches"), arguments.pop("features"), **arguments)
    with pytest.raises(SettingError, match="block"):
        shared_values(sketches, threshold=0.5, block=0)
    with pytest.raises(SettingError, match="other"):
        shared_values(sketches, sketches[:, :3], threshold=0.5)
    with pytest.raises(TooManyPairs):
        shared_values(np.eye(9, 6, dtype=np.uint32), threshold=0.1, max_pairs=3)


def test_kernel_refusals() -> None:
    features = template(3, 3, shared=3, own=0)
    sketches = twin.sketch(features, slots=8)
    arrays = (features.offsets, features.keys, features.counts, features.weights)
    documents = np.arange(3, dtype=np.uint32)
    good = [sketches, documents, arrays, None, None, None, 2, 4, 1, 2, True, 1, False, 9, 256, 64]
    assert len(_core.lsh_join(*good)[0][0]) == 3
    short = (features.offsets[:-1].copy(), *arrays[1:])
    unsorted = (features.offsets, features.keys[::-1].copy(), features.counts, None)
    for place, value in (
        (1, documents[::-1].copy()), (1, documents + np.uint32(1)), (2, short), (2, unsorted), (3, sketches), (3, sketches[:, :4].copy()),
        (6, 0), (6, 3), (7, 0), (8, 0), (8, 3), (11, 0), (14, 1),
    ):  # fmt: skip
        bad = list(good)
        bad[place] = value
        with pytest.raises(ValueError, match="expected"):
            _core.lsh_join(*bad)
    with pytest.raises(OverflowError):
        _core.lsh_join(*good[:13], 2, *good[14:])
    with pytest.raises(ValueError, match="threads"):
        _core.collapse_sketches(sketches, 0)


def test_default_banding_is_the_one_chosen() -> None:
    features = planted(10, 80, 10, seed=1)
    sketches = twin.sketch(features, slots=128)
    report = lsh(sketches, features, threshold=0.8).report
    assert report.banding == choose_banding(128, threshold=0.8)
    assert report.curve[0] == (0.0, 0.0)
    assert report.verified <= report.candidates
