"""Components, stars and linkage: equal to their twins, and lawful."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import groups as twin
from twins.graphs import THRESHOLDS, Graph, graph, graphs

from samecore import _core
from samecore.group import components, leader, linkage


@given(graphs(), THRESHOLDS)
def test_components_equal_twin(g: Graph, threshold: float) -> None:
    assert components.group(*g.pairs, threshold=threshold).tolist() == twin.components(*g.lists, threshold)


@given(graphs(), THRESHOLDS)
def test_spanning_forest_keeps_the_components_at_every_threshold(g: Graph, threshold: float) -> None:
    kept = components.maximum_spanning_forest(*g.pairs)
    left, right, score = g.left[kept], g.right[kept], g.score[kept]
    assert len(left) <= max(g.n - 1, 0)
    assert (
        components.group(g.n, left, right, score, threshold=threshold).tolist()
        == components.group(*g.pairs, threshold=threshold).tolist()
    )
    joins = _core.spanning_forest(g.n, g.left, g.right).tolist()
    assert joins == twin.spanning_forest(g.n, *g.lists[1:3])


@given(graphs(), THRESHOLDS, st.randoms(use_true_random=False))
def test_stars_equal_twin_and_every_member_is_verified(g: Graph, threshold: float, random: object) -> None:
    order = list(range(g.n))
    random.shuffle(order)  # type: ignore[attr-defined]
    stars = leader.group(*g.pairs, threshold=threshold, order=np.array(order, dtype=np.uint32))
    leaders, scores = twin.stars(*g.lists, threshold, order)
    assert stars.leader.tolist() == leaders
    assert stars.score.tolist() == scores
    listed = dict(zip(zip(*g.lists[1:3], strict=True), g.lists[3], strict=True))
    for content in range(g.n):
        head = leaders[content]
        members = [c for c in range(g.n) if leaders[c] == head]
        assert stars.labels[content] == min(members)
        if head != content:
            assert listed[min(head, content), max(head, content)] == stars.score[content] >= threshold
            assert leaders[head] == head


@settings(max_examples=300)
@given(graphs(), THRESHOLDS)
def test_average_linkage_equals_greedy_twin(g: Graph, threshold: float) -> None:
    expected = twin.average_linkage(*g.lists, threshold, g.multiplicity.tolist())
    for threads in (1, 3):
        found = linkage.average(*g.pairs, threshold=threshold, multiplicity=g.multiplicity, threads=threads)
        assert found.tolist() == expected


@settings(max_examples=300)
@given(graphs(), THRESHOLDS)
def test_complete_linkage_equals_greedy_twin(g: Graph, threshold: float) -> None:
    expected = twin.complete_linkage(*g.lists, threshold)
    for threads in (1, 3):
        assert linkage.complete(*g.pairs, threshold=threshold, threads=threads).tolist() == expected


@pytest.mark.parametrize("seed", range(12))
def test_linkage_equals_twin_on_larger_graphs(seed: int) -> None:
    """Enough merges for lists to be folded and the table of edges to be cleaned up."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(15, 32))
    values = [np.arange(1, 21) / 20, np.array([1 / 3, 2 / 3, 1.0, 0.5])][seed % 2]
    share = [0.15, 0.4, 1.0][seed % 3]
    every = [(a, b) for a in range(n) for b in range(a + 1, n) if rng.random() < share]
    g = graph(n, {p: float(rng.choice(values)) for p in every}, rng.choice([1, 1, 2, 7], n).tolist())
    for threshold in (0.2, 0.5):
        average = linkage.average(*g.pairs, threshold=threshold, multiplicity=g.multiplicity)
        assert average.tolist() == twin.average_linkage(*g.lists, threshold, g.multiplicity.tolist())
        complete = linkage.complete(*g.pairs, threshold=threshold)
        assert complete.tolist() == twin.complete_linkage(*g.lists, threshold)


@given(graphs(), THRESHOLDS)
def test_complete_groups_hold_no_pair_below_the_threshold(g: Graph, threshold: float) -> None:
    labels = linkage.complete(*g.pairs, threshold=threshold).tolist()
    good = {(a, b) for a, b, s in zip(*g.lists[1:], strict=True) if s >= threshold}
    assert twin.same_pairs(labels) <= good


@given(graphs(), THRESHOLDS)
def test_linkage_and_stars_divide_the_components(g: Graph, threshold: float) -> None:
    whole = components.group(*g.pairs, threshold=threshold)
    for labels in (
        linkage.average(*g.pairs, threshold=threshold, multiplicity=g.multiplicity),
        linkage.complete(*g.pairs, threshold=threshold),
        leader.group(*g.pairs, threshold=threshold).labels,
    ):
        assert (whole[labels] == whole).all()
        assert (labels[labels] == labels).all()
        assert (labels <= np.arange(g.n)).all()


@given(graphs(most=6), THRESHOLDS)
def test_multiplicity_is_what_copies_would_do(g: Graph, threshold: float) -> None:
    """Two copies as two contents with score 1 and the same other pairs give the same groups.

    Unless a tie at 1 lets an outsider in between the copies, so scores stay below 1.
    """
    pairs = {(a, b): min(s, 0.99) for a, b, s in zip(*g.lists[1:], strict=True)}
    copies = [int(m) for m in np.minimum(g.multiplicity, 2)]
    first = np.concatenate([[0], np.cumsum(copies)[:-1]]).astype(int).tolist() if g.n else []
    spread = {(first[c], first[c] + 1): 1.0 for c in range(g.n) if copies[c] == 2}
    for (a, b), s in pairs.items():
        spread |= {(first[a] + i, first[b] + j): s for i in range(copies[a]) for j in range(copies[b])}
    small, large = graph(g.n, pairs, copies), graph(sum(copies), spread)
    merged = linkage.average(*small.pairs, threshold=threshold, multiplicity=small.multiplicity)
    apart = linkage.average(*large.pairs, threshold=threshold)
    assert [first[x] for x in merged] == [int(apart[first[c]]) for c in range(g.n)]


def test_average_at_the_threshold_counts_though_floats_fall_short() -> None:
    # (0.7 + 0.1 + 0.4) / 3 is 0.4; the sum of the floats is below 1.2.
    g = graph(4, {(0, 1): 1.0, (0, 2): 1.0, (1, 2): 1.0, (0, 3): 0.7, (1, 3): 0.1, (2, 3): 0.4})
    assert linkage.average(*g.pairs, threshold=0.4).tolist() == [0, 0, 0, 0]
    assert linkage.average(*g.pairs, threshold=0.4 + 1e-12).tolist() == [0, 0, 0, 3]


def test_ties_go_to_the_earliest_pair() -> None:
    chain = graph(4, {(0, 1): 0.8, (1, 2): 0.8, (2, 3): 0.8})
    assert linkage.average(*chain.pairs, threshold=0.5).tolist() == [0, 0, 2, 2]
    assert linkage.complete(*chain.pairs, threshold=0.5).tolist() == [0, 0, 2, 2]


def test_sums_beyond_64_bits() -> None:
    g = graph(3, {(0, 1): 0.9, (0, 2): 0.3, (1, 2): 0.8}, [2**31, 2**30, 2**30 - 1])
    for threshold in (0.4, 0.5, 0.6):
        expected = twin.average_linkage(*g.lists, threshold, g.multiplicity.tolist())
        found = linkage.average(*g.pairs, threshold=threshold, multiplicity=g.multiplicity)
        assert found.tolist() == expected


def test_threads_do_not_matter_over_many_components() -> None:
    rng = np.random.default_rng(5)
    n = 60_000
    a = rng.integers(0, n, 200_000)
    b = np.minimum(a // 8 * 8 + rng.integers(0, 8, len(a)), n - 1)
    keys = np.unique((np.minimum(a, b) * n + np.maximum(a, b))[a != b])
    left, right = (keys // n).astype(np.uint32), (keys % n).astype(np.uint32)
    score = rng.choice(np.arange(1, 11) / 10, len(keys))
    one = linkage.average(n, left, right, score, threshold=0.5, threads=1)
    assert one.tobytes() == linkage.average(n, left, right, score, threshold=0.5, threads=4).tobytes()
    assert np.count_nonzero(one != np.arange(n)) > 0


WRONG = [
    ({"left": [1], "right": [1]}, "left < right < n"),
    ({"left": [0], "right": [3]}, "left < right < n"),
    ({"left": [1, 0], "right": [2, 1], "score": [0.5, 0.5]}, "sorted"),
    ({"left": [0, 0], "right": [1, 1], "score": [0.5, 0.5]}, "each once"),
    ({"score": [float("nan")]}, "scores from 0 to 1"),
    ({"score": [1.5]}, "scores from 0 to 1"),
    ({"score": [0.5, 0.5]}, "score: expected 1 entries, found 2"),
    ({"threshold": 0.0}, "threshold: expected above 0"),
    ({"threshold": float("nan")}, "threshold: expected above 0"),
    ({"multiplicity": [1, 0, 1]}, "expected at least 1, found 0 at content 1"),
    ({"multiplicity": [1, 1]}, "multiplicity: expected 3 entries"),
    ({"multiplicity": [2**32 - 1, 1, 1]}, "fewer than 2\\^32 documents"),
    ({"threads": 0}, "threads: expected 1 or more"),
]


@pytest.mark.parametrize(("change", "message"), WRONG)
def test_wrong_input_is_named(change: dict[str, object], message: str) -> None:
    values: dict[str, object] = {"left": [0], "right": [1], "score": [0.5], "multiplicity": [1, 1, 1]}
    values |= {"threshold": 0.5, "threads": 1} | change
    arrays = {k: np.array(values[k], dtype=np.uint32) for k in ("left", "right", "multiplicity")}
    with pytest.raises(ValueError, match=message):
        _core.average_linkage(
            3,
            arrays["left"],
            arrays["right"],
            np.array(values["score"], dtype=np.float64),
            values["threshold"],
            arrays["multiplicity"],
            values["threads"],
        )


@pytest.mark.parametrize("order", [[0, 1], [0, 1, 1], [0, 1, 3]])
def test_an_order_that_is_no_permutation_is_refused(order: list[int]) -> None:
    g = graph(3, {(0, 1): 0.5})
    with pytest.raises(ValueError, match="order: expected"):
        leader.group(*g.pairs, threshold=0.5, order=np.array(order, dtype=np.uint32))
