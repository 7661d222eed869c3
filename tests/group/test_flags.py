"""Flags: bridges as the twin finds them, and the examples the rules were made for."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from twins import groups as twin
from twins.graphs import THRESHOLDS, Graph, graph, graphs

from samecore import _core
from samecore.group import components, flags


@given(graphs())
def test_bridges_equal_twin(g: Graph) -> None:
    edges, parts, joints, joint_parts = _core.bridges(g.n, g.left, g.right)
    assert (edges.tolist(), parts.tolist()) == twin.bridges(g.n, *g.lists[1:3])
    assert (joints.tolist(), joint_parts.tolist()) == twin.joints(g.n, *g.lists[1:3])


def test_the_part_above_a_joint_counts_too() -> None:
    left, right = np.array([0, 0, 1, 1], np.uint32), np.array([1, 2, 3, 4], np.uint32)
    assert [out.tolist() for out in _core.bridges(5, left, right)[2:]] == [[0, 1], [1, 2]]


@given(graphs(), THRESHOLDS)
def test_facts_are_what_counting_gives(g: Graph, threshold: float) -> None:
    labels = components.group(*g.pairs, threshold=threshold)
    facts = flags.describe(*g.pairs, labels=labels, threshold=threshold, multiplicity=g.multiplicity)
    listed = dict(zip(zip(*g.lists[1:3], strict=True), g.lists[3], strict=True))
    assert facts.group.tolist() == sorted(set(labels.tolist()))
    for i, label in enumerate(facts.group.tolist()):
        members = [c for c in range(g.n) if labels[c] == label]
        scores = [listed.get(p, 0.0) for p in combinations(members, 2)]
        assert facts.contents[i] == len(members)
        assert facts.documents[i] == sum(g.multiplicity[c] for c in members)
        if len(members) == 1:
            assert np.isnan([facts.density[i], facts.mean[i], facts.weakest_link[i]]).all()
            continue
        assert facts.density[i] == pytest.approx(sum(s >= threshold for s in scores) / len(scores))
        assert facts.mean[i] == pytest.approx(sum(scores) / len(scores))
        weakest = float(facts.weakest_link[i])
        assert weakest in scores
        assert weakest >= threshold
        assert len({components.group(*g.pairs, threshold=weakest)[c] for c in members}) == 1
        if weakest < 1:
            above = components.group(*g.pairs, threshold=float(np.nextafter(weakest, 2)))
            assert len({above[c] for c in members}) > 1


def facts_of(g: Graph, threshold: float = 0.5) -> flags.GroupFacts:
    labels = components.group(*g.pairs, threshold=threshold)
    return flags.describe(*g.pairs, labels=labels, threshold=threshold)


def triangles(*links: tuple[int, int]) -> dict[tuple[int, int], float]:
    pairs = dict.fromkeys([*combinations(range(3), 2), *combinations(range(3, 6), 2)], 0.9)
    return pairs | dict.fromkeys(links, 0.6)


def test_two_groups_on_one_link_are_flagged() -> None:
    facts = facts_of(graph(6, triangles((1, 4))))
    assert facts.flags.tolist() == ["weak-bridge"]
    assert (facts.bridge_left[0], facts.bridge_right[0]) == (1, 4)
    assert facts.weakest_link[0] == 0.6


def test_two_groups_on_one_page_are_flagged() -> None:
    middle = {(a, 6): 0.6 for a in range(6)}
    assert facts_of(graph(7, triangles() | middle)).flags.tolist() == ["weak-joint"]


def test_two_links_or_a_small_part_are_not_flagged() -> None:
    assert facts_of(graph(6, triangles((1, 4), (2, 3)))).flags.tolist() == [""]
    tail = {p: s for p, s in triangles((1, 4)).items() if 5 not in p}
    facts = facts_of(graph(5, tail))
    assert facts.flags.tolist() == [""]
    assert facts.bridge_left[0] == -1


def test_the_most_even_bridge_is_named() -> None:
    chain = graph(8, {(i, i + 1): 0.9 for i in range(7)})
    facts = facts_of(chain)
    assert (facts.bridge_left[0], facts.bridge_right[0]) == (3, 4)
    assert facts.flags.tolist() == ["weak-bridge,loose"]


def test_a_hub_makes_a_loose_group() -> None:
    assert facts_of(graph(9, {(0, i): 0.6 for i in range(1, 9)})).flags.tolist() == ["loose"]


def test_giants_are_above_fifty_and_the_percolation_size() -> None:
    clique = dict.fromkeys(combinations(range(60), 2), 0.9)
    assert facts_of(graph(60, clique)).flags.tolist() == ["giant"]
    assert facts_of(graph(400, clique)).flags[0] == "giant"  # 400 ** (2/3) = 54.3
    assert facts_of(graph(500, clique)).flags[0] == ""  # 500 ** (2/3) = 63.0
    assert facts_of(graph(50, dict.fromkeys(combinations(range(50), 2), 0.9))).flags.tolist() == [""]


def test_a_long_chain_needs_no_recursion() -> None:
    n = 300_000
    left = np.arange(n - 1, dtype=np.uint32)
    edges, parts, joints, _ = _core.bridges(n, left, left + np.uint32(1))
    assert len(joints) == n - 2
    assert len(edges) == n - 1
    assert parts.max() == n // 2


def test_nothing_and_groups_that_no_pair_connects() -> None:
    empty = facts_of(graph(0, {}))
    assert len(empty.group) == 0
    assert len(empty.flags) == 0
    g = graph(3, {(0, 1): 0.9})
    facts = flags.describe(*g.pairs, labels=np.zeros(3, dtype=np.uint32), threshold=0.5)
    assert np.isnan(facts.weakest_link[0])


def test_edges_are_checked() -> None:
    with pytest.raises(ValueError, match="two different contents below 2"):
        _core.bridges(2, np.array([0], dtype=np.uint32), np.array([2], dtype=np.uint32))
