"""Keep policies: the right document, nulls last, ties first."""

from __future__ import annotations

from datetime import date

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from twins.graphs import Graph, graphs

from samecore.errors import InputError, SettingError
from samecore.group import keep

KEYS = st.lists(st.one_of(st.none(), st.integers(-3, 3)), max_size=12)


@given(KEYS, st.booleans())
def test_order_is_a_stable_sort_with_nulls_last(key: list[int | None], smallest: bool) -> None:
    def rank(i: int) -> tuple[bool, int]:
        value = key[i]
        return value is None, 0 if value is None else value if smallest else -value

    expected = sorted(range(len(key)), key=rank)
    assert keep.order(len(key), key, smallest=smallest).tolist() == expected
    floats = np.array([np.nan if k is None else k for k in key], dtype=np.float64)
    assert keep.order(len(key), floats, smallest=smallest).tolist() == expected
    assert keep.order(
        len(key), pa.chunked_array([pa.array(key, pa.int64())]), smallest=smallest
    ).tolist() == (expected)


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ([date(2020, 1, 1), None, date(2021, 1, 1)], [2, 0, 1]),
        (["b", "a", "é", None], [2, 0, 1, 3]),
        ([True, False, True], [0, 2, 1]),
        ([None, None], [0, 1]),
        (pa.array(["x", "y", "x"]).dictionary_encode(), [1, 0, 2]),
        (pa.array([1.0, float("nan"), None, 2.0]), [3, 0, 1, 2]),
        ([], []),
    ],
)
def test_order_takes_any_column(key: object, expected: list[int]) -> None:
    assert keep.order(len(expected), key).tolist() == expected


@given(st.lists(st.tuples(st.integers(0, 4), st.one_of(st.none(), st.integers(0, 3))), max_size=14))
def test_representatives_are_the_best_of_their_groups(rows: list[tuple[int, int | None]]) -> None:
    label = [r[0] for r in rows]
    key = [r[1] for r in rows]
    order = keep.order(len(rows), pa.array(key, pa.int64()))
    found = keep.representatives(np.array(label, dtype=np.uint32), order).tolist()
    for document, representative in enumerate(found):
        members = [d for d in range(len(rows)) if label[d] == label[document]]
        assert representative == min(members, key=lambda d: (key[d] is None, -(key[d] or 0), d))


def test_content_order_follows_the_best_document() -> None:
    content = np.array([0, 1, 0, 2, 1], dtype=np.uint32)
    order = keep.order(5, [1, 5, 9, 7, 8])
    assert keep.content_order(order, content, 3).tolist() == [0, 1, 2]
    assert keep.content_order(keep.order(5, [1, 5, 2, 7, 6]), content, 3).tolist() == [2, 1, 0]


@given(graphs())
def test_pair_scores_are_looked_up(g: Graph) -> None:
    listed = dict(zip(zip(*g.lists[1:3], strict=True), g.lists[3], strict=True))
    one, other = (np.array(x, dtype=np.uint32) for x in np.indices((g.n, g.n)).reshape(2, -1))
    found = keep.pair_scores(one, other, g.left, g.right, g.score)
    for a, b, s in zip(one.tolist(), other.tolist(), found.tolist(), strict=True):
        expected = 1.0 if a == b else listed.get((min(a, b), max(a, b)), float("nan"))
        assert s == expected or (np.isnan(s) and np.isnan(expected))


def test_policies_are_parsed() -> None:
    assert keep.parse("first").key is None
    assert keep.parse("longest").key == "length"
    assert keep.parse("newest").key == "date"
    assert keep.parse("column:length") == keep.Policy("column:length", "length", False, True)
    assert keep.parse("column:-a:b").key == "a:b"


@pytest.mark.parametrize(
    ("text", "message"), [("longst", "did you mean 'longest'"), ("column:-", "a column's name")]
)
def test_wrong_policies_are_named(text: str, message: str) -> None:
    with pytest.raises(SettingError, match=message):
        keep.parse(text)


def test_wrong_keys_are_named() -> None:
    with pytest.raises(InputError, match="expected 3, found 1"):
        keep.order(3, [1])
    with pytest.raises(InputError, match="can be ordered"):
        keep.order(1, [[1, 2]])
