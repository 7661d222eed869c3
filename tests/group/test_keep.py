"""Keep policies: the right document, nulls last, ties first."""

from __future__ import annotations

from datetime import date

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

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


def test_rank_is_the_place_under_the_policy() -> None:
    documents = pa.table({"id": ["a", "b", "c"], "length": [5, 9, 7], "keep:price": [2.0, None, 1.0]})
    assert keep.rank(documents, "first").tolist() == [0, 1, 2]
    assert keep.rank(documents, "longest").tolist() == [2, 0, 1]
    assert keep.rank(documents, "column:-price").tolist() == [1, 2, 0]


def test_numbers_written_as_text_are_numbers() -> None:
    documents = pa.table({"id": ["a", "b", "c"], "keep:n": ["4", "31", ""], "keep:word": ["4", "31", "x"]})
    assert keep.rank(documents, "column:n").tolist() == [1, 0, 2]
    assert keep.rank(documents, "column:word").tolist() == [1, 2, 0]


def test_a_missing_column_lists_those_there_are() -> None:
    with pytest.raises(InputError, match="needs a column 'date'"):
        keep.rank(pa.table({"id": ["a"], "length": [1]}), "newest")


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


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("999999999", "1000000000"),
        ("Tue, 15 Nov 1994 08:12:31 +0000", "Mon, 16 Nov 2020 08:12:31 +0000"),
        ("2020-01-09", "2020-01-10"),
        ("2019-12-31T23:30:00-02:00", "2020-01-01T02:00:00Z"),
        ("n/a", "2019-01-01"),
        ("", "1"),
    ],
)
def test_newest_reads_dates_and_does_not_compare_letters(older: str, newer: str) -> None:
    documents = pa.table({"id": ["a", "b"], "date": [older, newer]})
    assert keep.rank(documents, "newest").tolist() == [1, 0]
