"""The matcher of the 2008 paper: its own examples, and brute force."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import join as twin

from samecore.features.csr import Features
from samecore.match.brute import brute
from samecore.match.spotsigs2008 import partition_bounds, spotsigs2008
from tests.match.test_exact import THRESHOLDS, corpora, random_corpus, same


@pytest.mark.parametrize(("threshold", "count"), [(1.0, 1000), (0.9, 49), (0.1, 3)])
def test_partitions_of_the_printed_rule(threshold: float, count: int) -> None:
    assert len(partition_bounds(threshold, 1000)) == count


@pytest.mark.parametrize("threshold", ["0.1", "0.35", "0.6667", "0.9", "1"])
def test_each_bound_is_the_least(threshold: str) -> None:
    tau = twin.Fraction(threshold)
    bounds = [int(bound) for bound in partition_bounds(threshold, 500)]
    assert bounds[0] == 1
    for low, high in itertools.pairwise(bounds):
        assert high - low > (1 - tau) * high
        assert high - 1 - low <= (1 - tau) * (high - 1)


@pytest.mark.parametrize("partitions", [True, False])
def test_the_example_of_section_4_3_2(partitions: bool) -> None:
    """The paper supposes one partition; by its own rule d3 begins the next, with the same outcome."""
    features = twin.make([{1: 5, 2: 4, 3: 4}, {1: 8, 2: 4}, {1: 4, 2: 5, 3: 5}])
    matched = spotsigs2008(features, threshold=0.8, partitions=partitions)
    assert (matched.pairs.left.tolist(), matched.pairs.right.tolist()) == ([0], [2])
    assert matched.pairs.score.tolist() == [0.8]
    assert matched.comparisons[0] == 1


@settings(max_examples=300)
@given(
    corpora(),
    st.sampled_from(THRESHOLDS),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.sampled_from([1, 2, 3]),
)
def test_it_is_brute_force(
    made: list[Features], threshold: str, multiset: bool, partitions: bool, pruning: bool, threads: int
) -> None:
    matched = spotsigs2008(
        made[0],
        threshold=threshold,
        multiset=multiset,
        partitions=partitions,
        pruning=pruning,
        threads=threads,
    )
    assert same(matched.pairs, brute(made[0], threshold=threshold, multiset=multiset))


@pytest.mark.parametrize("threshold", [0.1, 0.44, 0.8])
def test_switches_change_the_work_only(threshold: float) -> None:
    features = random_corpus(4, 300, skew=1.4, length=60)
    expected = brute(features, threshold=threshold)
    work = {}
    for partitions in (True, False):
        for pruning in (True, False):
            matched = spotsigs2008(
                features, threshold=threshold, partitions=partitions, pruning=pruning, threads=2
            )
            assert same(matched.pairs, expected)
            work[partitions, pruning] = int(matched.comparisons.sum())
            assert (matched.partitions == 1) or partitions
    assert work[True, True] < work[True, False] <= work[False, False]
    assert work[False, True] < work[False, False]
