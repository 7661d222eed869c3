"""What stands together on a page, beside a slow twin."""

from __future__ import annotations

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


def found(pages: list[list[bool]]) -> list[int]:
    offsets = np.cumsum([0, *map(len, pages)]).astype(np.int64)
    return in_passages(offsets, np.array([one for page in pages for one in page], np.bool_)).tolist()


@given(pages)
def test_the_twin_finds_the_same_passages(pages: list[list[bool]]) -> None:
    assert found(pages) == [twin.together(page) for page in pages]


@pytest.mark.parametrize(
    ("page", "inside"),
    [
        ("", 0),
        ("+++++++", 0),
        ("++++++++", 8),
        ("++++-++++++", 10),  # a height of eight in spite of the one that is not its own
        ("++++-+++++", 0),
        ("++++++++-----++++++++", 16),  # down to the ground: two passages
        ("++++++++--++++++++", 16),  # not down to the ground: one
        ("++++++++-+", 8),  # after the summit nothing counts
        ("+-" * 30, 0),
        ("----++++++++----", 8),
    ],
)
def test_by_hand(page: str, inside: int) -> None:
    assert found([[one == "+" for one in page]]) == [inside]
    assert found([[True] * 20, [one == "+" for one in page], [True] * 9]) == [20, inside, 9]
