"""Copies collapse and expand again: checked against the naive double loop."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samecore import contents
from samecore.contents import Members, best_of, best_partner, count_rows, expand
from samecore.match.matches import Matches


@st.composite
def worlds(draw: st.DrawFn) -> tuple[np.ndarray, int, Matches]:
    """The content of some documents, -1 for skipped ones, and pairs of contents with scores."""
    number = draw(st.integers(1, 6))
    content = draw(st.lists(st.integers(-1, number - 1), max_size=14))
    possible = list(itertools.combinations(range(number), 2))
    chosen = sorted(draw(st.sets(st.sampled_from(possible)))) if possible else []
    scores = [draw(st.sampled_from([0.1, 0.5, 0.75, 1.0])) for _ in chosen]
    left, right = (np.array([pair[side] for pair in chosen], np.uint32) for side in (0, 1))
    return np.array(content, np.int64), number, Matches(left, right, np.array(scores))


@given(worlds(), st.booleans(), st.integers(1, 7))
def test_expand_equals_the_double_loop(
    world: tuple[np.ndarray, int, Matches], copies: bool, chunk: int
) -> None:
    content, number, pairs = world
    listed = {
        (int(a), int(b)): float(s) for a, b, s in zip(pairs.left, pairs.right, pairs.score, strict=True)
    }
    expected = []
    for one, other in itertools.combinations(range(len(content)), 2):
        low, high = sorted((int(content[one]), int(content[other])))
        if low >= 0 and low == high and copies:
            expected.append((one, other, 1.0))
        elif (low, high) in listed:
            expected.append((one, other, listed[low, high]))
    members = Members.of(content, number)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(contents, "CHUNK_ROWS", chunk)
        pieces = list(expand(members, pairs, copies=copies))
    rows = [row for piece in pieces for row in zip(*(column.tolist() for column in piece), strict=True)]
    assert sorted(rows) == expected
    assert count_rows(members, pairs, copies=copies) == len(expected)
    assert all(len(piece[0]) <= chunk for piece in pieces)


def test_counting_does_not_overflow() -> None:
    many = Members(np.empty(0, np.int64), np.array([0, 5_000_000_000, 10_000_000_000]))
    pair = Matches(np.array([0], np.uint32), np.array([1], np.uint32), np.array([1.0]))
    assert count_rows(many, pair, copies=False) == 5_000_000_000**2


@given(st.integers(0, 2**40))
def test_triangle_numbers_every_pair_once(number: int) -> None:
    low, high = contents._triangle(np.array([number]))
    assert 0 <= low[0] < high[0]
    assert high[0] * (high[0] - 1) // 2 + low[0] == number


@given(worlds())
def test_best_partner_equals_the_loop(world: tuple[np.ndarray, int, Matches]) -> None:
    _, number, pairs = world
    partner, score = best_partner(pairs, number)
    for one in range(number):
        mine = [
            (-s, b if a == one else a)
            for a, b, s in zip(pairs.left, pairs.right, pairs.score, strict=True)
            if one in (a, b)
        ]
        if mine:
            assert (-score[one], partner[one]) == min(mine)
        else:
            assert partner[one] == -1
            assert np.isnan(score[one])


def test_best_of_takes_the_smallest_rank() -> None:
    group = np.array([0, 0, -1, 1, 1, 0])
    rank = np.array([5, 2, 0, 4, 3, 9])
    assert best_of(group, rank, groups=2).tolist() == [1, 4]


@given(worlds())
def test_look_up_finds_listed_pairs_in_either_order(world: tuple[np.ndarray, int, Matches]) -> None:
    _, number, pairs = world
    listed = {(int(a), int(b)): s for a, b, s in zip(pairs.left, pairs.right, pairs.score, strict=True)}
    for one, other in itertools.product(range(number), repeat=2):
        score = pairs.look_up(np.array([one]), np.array([other]))[0]
        expected = 1.0 if one == other else listed.get((min(one, other), max(one, other)), np.nan)
        assert np.array_equal(score, expected, equal_nan=True)
