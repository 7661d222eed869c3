"""Common blocks: the suffix automaton against looking at every run, and the similarity against its definition."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samecore.similarity.blocks import Block, Suffixes, blocks, covered, score

sequences = st.text(st.sampled_from("abc"), max_size=14).map(list)


def runs(symbols: list[str]) -> set[tuple[str, ...]]:
    n = len(symbols)
    return {tuple(symbols[a:b]) for a in range(n) for b in range(a + 1, n + 1)}


@given(sequences, sequences)
def test_the_longest_runs_are_those_of_brute_force(own: list[str], other: list[str]) -> None:
    known = runs(other)
    expected = [
        max(length for length in range(end + 1) if length == 0 or tuple(own[end - length : end]) in known)
        for end in range(1, len(own) + 1)
    ]
    assert Suffixes(other).longest(own) == expected


@given(sequences, sequences, st.integers(1, 4))
def test_blocks_are_maximal_and_cover_what_they_should(own: list[str], other: list[str], least: int) -> None:
    known = runs(other)
    suffixes = Suffixes(other)
    found = blocks(own, suffixes, least=least)
    for one in found:
        assert one.end - one.start >= least
        assert tuple(own[one.start : one.end]) in known
        assert one.start == 0 or tuple(own[one.start - 1 : one.end]) not in known
        assert one.end == len(own) or tuple(own[one.start : one.end + 1]) not in known
    inside = {place for one in found for place in range(one.start, one.end)}
    windows = [a for a in range(len(own) - least + 1) if tuple(own[a : a + least]) in known]
    assert inside == {a + i for a in windows for i in range(least)}
    assert covered(own, suffixes, block=least) == Counter(own[place] for place in inside)


@given(sequences, sequences)
def test_blocks_of_one_are_the_multiset_jaccard(left: list[str], right: list[str]) -> None:
    one, two = Counter(left), Counter(right)
    union = (one | two).total()
    assert score(left, right) == ((one & two).total() / union if union else 0.0)


@given(sequences, sequences, st.integers(1, 4))
def test_longer_blocks_never_score_more(left: list[str], right: list[str], block: int) -> None:
    value = score(left, right, block=block)
    assert value == score(right, left, block=block)
    assert left == right or value <= score(left, right)


def test_weights_count() -> None:
    weights = {"a": 10, "b": 1, "c": 1}
    assert score(["a", "b"], ["a", "c"], weights=weights) == pytest.approx(10 / 12)
    assert blocks(list("xabcy"), Suffixes(list("abc")), least=2) == [Block(1, 4)]
