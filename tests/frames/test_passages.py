"""What stands together on a page, beside a slow twin."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from twins import frames as twin

from samecore.frames.passages import in_passages

pages = st.lists(
    st.lists(st.sampled_from([True, True, True, False]), max_size=60) | st.lists(st.booleans(), max_size=30),
    max_size=8,
)


def found(pages: list[list[bool]]) -> list[list[bool]]:
    offsets = np.cumsum([0, *map(len, pages)]).astype(np.int64)
    inside = in_passages(offsets, np.array([one for page in pages for one in page], np.bool_)).tolist()
    return [inside[start:end] for start, end in pairwise(offsets.tolist())]


@given(pages)
def test_the_twin_finds_the_same_passages(pages: list[list[bool]]) -> None:
    assert found(pages) == [twin.together(page) for page in pages]


@pytest.mark.parametrize(
    ("page", "inside"),
    [
        ("", ""),
        ("+++++++", "......."),
        ("++++++++", "########"),
        ("++++-++++++", "###########"),  # a height of eight in spite of the one that is not its own
        ("++++-+++++", ".........."),
        ("++++++++-----++++++++", "########.....########"),  # down to the ground: two passages
        ("++++++++--++++++++", "##################"),  # not down to the ground: one
        ("++++++++-+", "########.."),  # after the summit nothing counts
        ("++++++++-++", "########..."),  # nor as high again
        ("+-" * 30, ".." * 30),
        ("----++++++++----", "....########...."),
    ],
)
def test_by_hand(page: str, inside: str) -> None:
    one, wanted = [sign == "+" for sign in page], [sign == "#" for sign in inside]
    assert found([one]) == [wanted]
    assert found([[True] * 20, one, [True] * 9]) == [[True] * 20, wanted, [True] * 9]
