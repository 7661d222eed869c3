"""The shape all features share: rows taken, joined and summed, beside the obvious way to do it."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from samecore.features.csr import Features, concatenate, none, row_sums

documents = st.lists(st.dictionaries(st.integers(0, 9), st.integers(1, 5), max_size=4), max_size=6)
Documents = list[dict[int, int]]


def features(rows: Documents, *, weighted: bool = False, placed: bool = False) -> Features:
    entries = [entry for row in rows for entry in sorted(row.items())]
    keys = np.array([key for key, _ in entries], np.uint64)
    return Features(
        np.cumsum([0, *map(len, rows)], dtype=np.int64),
        keys,
        np.array([count for _, count in entries], np.uint32),
        (keys + np.uint64(1)).astype(np.uint32) if weighted else None,
        (keys + np.uint64(2)).astype(np.uint32) if placed else None,
    )


def rows_of(found: Features) -> Documents:
    rows = []
    for row in map(found.row, range(len(found))):
        rows.append(dict(zip(found.keys[row].tolist(), found.counts[row].tolist(), strict=True)))
        assert found.weights is None or (found.weights[row] == found.keys[row] + 1).all()
        assert found.places is None or (found.places[row] == found.keys[row] + 2).all()
    return rows


@given(documents, st.data(), st.booleans())
def test_rows_are_taken_in_the_order_asked_for(rows: Documents, data: st.DataObject, weighted: bool) -> None:
    wanted = data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=8) if rows else st.just([]))
    for order in (wanted, sorted(set(wanted)), list(range(len(rows)))):
        taken = features(rows, weighted=weighted, placed=True).take(np.array(order, np.int64))
        assert rows_of(taken) == [rows[row] for row in order]
        assert taken.places is not None


@given(st.lists(documents, max_size=4))
def test_parts_are_joined_in_order(parts: list[Documents]) -> None:
    assert rows_of(concatenate([features(part) for part in parts])) == [row for part in parts for row in part]
    assert rows_of(concatenate([none(0), *map(features, parts), none(2)])) == [
        *(row for part in parts for row in part),
        {},
        {},
    ]


@given(st.lists(st.tuples(documents, st.booleans()), max_size=4))
def test_places_are_kept_if_all_entries_have_them(parts: list[tuple[Documents, bool]]) -> None:
    found = concatenate([features(rows, placed=placed) for rows, placed in parts])
    assert rows_of(found) == [row for rows, _ in parts for row in rows]
    filled = [placed for rows, placed in parts if any(rows)]
    assert (found.places is not None) == all(filled) or not filled


@given(documents)
def test_sums_of_rows(rows: Documents) -> None:
    made = features(rows)
    assert row_sums(made.counts, made.offsets).tolist() == [sum(row.values()) for row in rows]
    assert made.totals().tolist() == [sum(row.values()) for row in rows]
