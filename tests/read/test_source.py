"""Ids, columns, batches, fetching and describing: what every format shares."""

from __future__ import annotations

import gzip
import json
import os
import time
from pathlib import Path
from typing import Any

import cramjam
import numpy as np
import orjson
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest

from samecore import read
from samecore.documents import REASONS, Limits
from samecore.errors import InputError, SettingError
from samecore.read import Source


def table_of(source: Source) -> pa.Table:
    return pa.concat_tables(
        [pa.Table.from_batches([b]) for b in source.batches()], promote_options="permissive"
    )


def pairs(source: Source) -> list[tuple[str, str]]:
    table = table_of(source)
    return list(zip(table["id"].to_pylist(), table["text"].to_pylist(), strict=True))


def all_inputs(folder: Path, rows: list[dict[str, Any]]) -> dict[str, Any]:
    lines = b"".join(orjson.dumps(row) + b"\n" for row in rows)
    table = pa.Table.from_pylist(rows)
    (folder / "r.jsonl").write_bytes(lines)
    (folder / "r.jsonl.gz").write_bytes(gzip.compress(lines[:40]) + gzip.compress(lines[40:]))
    (folder / "r.ndjson.zst").write_bytes(bytes(cramjam.zstd.compress(lines)))
    pq.write_table(table, folder / "r.parquet", row_group_size=2)
    pa_csv.write_csv(table, folder / "r.csv")
    paths = {name: folder / f"r.{name}" for name in ("jsonl", "jsonl.gz", "ndjson.zst", "parquet", "csv")}
    return {
        **paths,
        "table": table,
        "reader": table.to_reader(),
        "batch": table.to_batches()[0],
        "pandas": pd.DataFrame(rows),
        "polars": pl.DataFrame(rows),
        "dicts": rows,
        "pairs": [(row["id"], row["text"]) for row in rows],
        "generator": (row for row in rows),
    }


KINDS = [
    "jsonl", "jsonl.gz", "ndjson.zst", "parquet", "csv", "table", "reader", "batch", "pandas", "polars",
    "dicts", "pairs", "generator",
]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_every_format_gives_the_same_documents(kind: str, tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    source = read.open(all_inputs(tmp_path, rows)[kind])
    table = table_of(source)
    assert table.schema.field("id").type == pa.string()
    assert table.schema.field("text").type == pa.large_string()
    assert table["id"].to_pylist() == ["a", "b", "c"]
    assert table["text"].to_pylist() == [row["text"] for row in rows]
    assert source.skipped == []
    assert source.reiterable == (kind not in ("reader", "generator"))
    if not source.reiterable:
        with pytest.raises(InputError, match="cannot be read again"):
            next(source.batches())
        return
    assert table_of(source) == table
    assert source.fetch(["c", "a"])["text"].to_pylist() == [rows[2]["text"], rows[0]["text"]]
    with pytest.raises(InputError, match="'zzz'"):
        source.fetch(["a", "zzz"])


@pytest.mark.parametrize("kind", KINDS)
def test_row_numbers_are_the_default_ids(kind: str, tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    if kind == "pairs":
        return
    for row in rows:
        del row["id"]
    source = read.open(_without_ids(tmp_path, rows)[kind])
    assert [id for id, _ in pairs(source)] == ["0", "1", "2"]
    if source.reiterable:
        assert source.fetch(["2"])["text"].to_pylist() == [rows[2]["text"]]
        assert source.row_of("1") == (0, 1)


def _without_ids(tmp_path: Path, rows: list[dict[str, Any]]) -> dict[str, Any]:
    inputs = all_inputs(tmp_path, [{"id": "x", **row} for row in rows])
    table = pa.Table.from_pylist(rows)
    lines = b"".join(orjson.dumps(row) + b"\n" for row in rows)
    inputs["jsonl"].write_bytes(lines)
    inputs["jsonl.gz"].write_bytes(gzip.compress(lines))
    inputs["ndjson.zst"].write_bytes(bytes(cramjam.zstd.compress(lines)))
    pq.write_table(table, inputs["parquet"], row_group_size=1)
    pa_csv.write_csv(table, inputs["csv"])
    return {
        **inputs, "table": table, "reader": table.to_reader(), "batch": table.to_batches()[0],
        "pandas": pd.DataFrame(rows), "polars": pl.DataFrame(rows), "dicts": rows, "generator": iter(rows),
    }  # fmt: skip


def test_lists_of_strings() -> None:
    source = read.open(["one", "two \ud800 half", None, "", "five"])
    assert pairs(source) == [("0", "one"), ("1", "two \ufffd half"), ("4", "five")]
    assert [(s.id, s.reason) for s in source.skipped] == [("2", "empty"), ("3", "empty")]
    mixed = read.open(["one", 2, "three"])
    assert [id for id, _ in pairs(mixed)] == ["0", "2"]
    assert mixed.skipped[0].reason == "not-text"
    assert list(read.open([]).batches()) == []
    assert pairs(read.open(["one", "two \ud800 half"])) == [("0", "one"), ("1", "two \ufffd half")]
    many = [f"text {n}" for n in range(9000)]  # more than one portion, none of them odd
    many[5000] = b"bytes"  # type: ignore[call-overload]
    assert [text for _, text in pairs(read.open(many))] == [*many[:5000], "bytes", *many[5001:]]


@pytest.mark.parametrize("make", [list, iter, lambda items: (item for item in items)])
def test_a_list_may_begin_with_none(make: Any) -> None:
    """None was taken for the end: everything was lost, and nothing said so."""
    for items, expected in [
        ([None, "one", None, "two"], [("1", "one"), ("3", "two")]),
        ([None, {"text": "one"}, None, {"text": "two"}], [("1", "one"), ("3", "two")]),
        ([None, ("a", "one"), None, ("b", "two")], [("a", "one"), ("b", "two")]),
        ([None] * 5000 + ["one"], [("5000", "one")]),
        ([None] * 5000 + [{"text": "one"}], [("5000", "one")]),
    ]:
        source = read.open(make(items))
        assert pairs(source) == expected
        assert [s.reason for s in source.skipped] == ["empty"] * items.count(None)
    source = read.open(make([None, None]))
    assert list(source.batches()) == []
    assert [s.reason for s in source.skipped] == ["empty"] * 2
    series = read.open(pd.Series([None, "one", np.nan, pd.NA], dtype=object))
    assert pairs(series) == [("1", "one")]
    assert [s.reason for s in series.skipped] == ["empty"] * 3


@pytest.mark.parametrize(
    "make", [pl.Series, pd.Series, pa.array, lambda t: pa.chunked_array([t]), tuple, np.array]
)
def test_single_columns(make: Any, tmp_path: Path) -> None:
    data = make(["one", "two"])
    if make is tuple:
        with pytest.raises(InputError, match="no such file"):
            read.open(data)
    else:
        assert pairs(read.open(data)) == [("0", "one"), ("1", "two")]


def test_frames_with_an_index(rows: list[dict[str, Any]]) -> None:
    assert [id for id, _ in pairs(read.open(pd.DataFrame(rows, index=["x", "y", "z"])))] == ["a", "b", "c"]


@pytest.mark.parametrize("column", ["id", "text", "n", "with type"])
@pytest.mark.parametrize("values", [[1, "x"], ["x", 1], [b"x", "x", 1]])
def test_frames_with_mixed_columns(column: str, values: list[object]) -> None:
    """It was an ArrowTypeError with a traceback."""
    frame = pd.DataFrame({"id": ["a", "b", "c"], "text": ["one", "two", "three"]})[: len(values)]
    frame[column] = pd.Series(values, dtype=object)
    source = read.open(frame)
    with pytest.raises(
        InputError, match=f"^DataFrame: column '{column}' holds values of several kinds.*astype"
    ):
        list(source.batches())
    frame[column] = frame[column].astype("string")
    assert len(pairs(read.open(frame))) == len(values)


def test_unknown_things_are_named() -> None:
    with pytest.raises(InputError, match="cannot read a int"):
        read.open(3)
    with pytest.raises(SettingError, match="jsonl"):
        read.open("x", format="jsonk")
    with pytest.raises(SettingError):
        read.open(["a"], batch_bytes=0)


def test_missing_columns_list_those_there_are(tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    for kind, data in all_inputs(tmp_path, rows).items():
        if kind == "pairs":
            continue
        with pytest.raises(InputError, match=r"no text column 'words'.*id, text, url, n"):
            list(read.open(data, text_column="words").batches())
    with pytest.raises(InputError, match=r"no text column found; the columns there are: x, y"):
        list(read.open([{"x": "1", "y": "2"}]).batches())
    with pytest.raises(InputError, match="'n' holds int64"):
        list(read.open(pa.Table.from_pylist(rows), text_column="n").batches())
    with pytest.raises(InputError, match="no id column 'key'"):
        list(read.open(tmp_path / "r.parquet", id_column="key").batches())


def test_columns_are_found_renamed_and_carried(tmp_path: Path) -> None:
    rows = [{"key": 7, "content": "some text", "url": "u", "score": 0.5, "tags": ["x"]}]
    for data in (rows, pa.Table.from_pylist(rows)):
        table = table_of(read.open(data, id_column="key", columns=["score"]))
        assert table["id"].to_pylist() == ["7"]
        assert table["text"].to_pylist() == ["some text"]
        assert table["url"].to_pylist() == ["u"]
        assert table["score"].to_pylist() == [0.5]
        assert "tags" not in table.column_names
        assert "tags" in table_of(read.open(data, id_column="key", columns=None)).column_names
    html = table_of(read.open([{"html": "<p>x"}]))
    assert html["content_type"].to_pylist() == ["text/html"]
    assert table_of(read.open([{"text": "<p>x"}], html=True))["content_type"].to_pylist() == ["text/html"]


def test_extra_columns_keep_one_type() -> None:
    rows = [{"text": "t", "n": 1}] * 5000 + [{"text": "t", "n": "many"}, {"text": "t", "n": 2}]
    source = read.open(rows, columns=["n"], batch_bytes=1000)
    batches = list(source.batches())
    assert {batch.schema.field("n").type for batch in batches} == {pa.int64()}
    assert pa.Table.from_batches(batches)["n"].to_pylist()[-3:] == [1, None, 2]


def test_binary_bodies_and_broken_utf8_in_tables() -> None:
    table = pa.table({"body": pa.array([b"<p>x", None], pa.binary())})
    source = read.open(table)
    assert next(source.batches()).column("body").to_pylist() == [b"<p>x"]
    assert source.skipped[0].reason == "empty"
    broken = pa.Array.from_buffers(pa.string(), 1, pa.array([b"ab\xff"]).buffers())
    assert pairs(read.open(pa.table({"text": broken}))) == [("0", "ab\ufffd")]


def test_duplicate_ids_name_both_places_and_keep_the_first(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    path.write_text('{"id":1,"text":"first"}\n{"id":2,"text":"x"}\n{"id":"1","text":"again"}\n')
    source = read.open(path, duplicate_ids="skip")
    assert pairs(source) == [("1", "first"), ("2", "x")]
    (skip,) = source.skipped
    assert (skip.id, skip.reason) == ("1", "duplicate-id")
    assert "line 3" in skip.detail
    assert "line 1" in skip.detail
    renamed = read.open(path)
    assert pairs(renamed) == [("1", "first"), ("2", "x"), ("1#2", "again")]
    assert renamed.skipped == []
    assert renamed.renamed == 1
    assert renamed.fetch(["1#2"])["text"].to_pylist() == ["again"]


def test_one_id_for_all_documents_takes_linear_time() -> None:
    ids = ["x"] * 20_000 + ["x#7", "x#20003", "x"]
    started = time.perf_counter()
    found = [id for id, _ in pairs(read.open([{"id": id, "text": "t"} for id in ids]))]
    assert time.perf_counter() - started < 8, "it took 45 s when each counted from 2"
    assert found[:3] == ["x", "x#2", "x#3"]
    assert found[-4:] == ["x#20000", "x#7#2", "x#20003", "x#20001"]


def test_ids_of_several_inputs_are_made_unique(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.jsonl").write_text('{"id":"1","text":"a1"}\n{"id":"2","text":"a2"}\n')
    Path("b.jsonl").write_text(
        '{"id":"1","text":"b1"}\n{"id":"3","text":"b3"}\n{"id":"1","text":"b1 again"}\n'
    )
    Path("c.jsonl").write_text('{"text":"c0"}\nbroken\n')
    source = read.open(("a.jsonl", "b.jsonl", "c.jsonl"), duplicate_ids="skip")
    expected = [("1", "a1"), ("2", "a2"), ("b.jsonl:1", "b1"), ("3", "b3"), ("c.jsonl:0", "c0")]
    assert pairs(source) == expected
    assert [(s.id, s.reason) for s in source.skipped] == [
        ("b.jsonl:1", "duplicate-id"),
        ("c.jsonl, line 2", "bad-json"),
    ]
    for id, text in expected:
        assert source.fetch([id])["text"].to_pylist() == [text]
    assert source.row_of("b.jsonl:1") == (1, 0)


def test_missing_ids_fall_back_to_the_place() -> None:
    source = read.open([{"id": "x", "text": "1"}, {"id": None, "text": "2"}, {"text": "3"}])
    assert [id for id, _ in pairs(source)] == ["x", "list:1", "list:2"]


def test_batches_have_the_size_asked_for() -> None:
    table = pa.table({"text": ["x" * 1000] * 1000})
    sizes = [len(batch) for batch in read.open(table, batch_bytes=100_000).batches()]
    assert sum(sizes) == 1000
    assert max(sizes) <= 200
    assert len(list(read.open([f"t{i}" for i in range(20_000)]).batches())) == 1


def test_many_small_batches_take_linear_time() -> None:
    """The bytes held were added up anew for every batch: 30,000 of one row took minutes."""
    one = pa.RecordBatch.from_pydict({"text": ["a short text"]})
    reader = pa.RecordBatchReader.from_batches(one.schema, (one for _ in range(30_000)))
    start = time.perf_counter()
    assert [len(batch) for batch in read.open(reader).batches()] == [30_000]
    assert time.perf_counter() - start < 30


def test_too_large_documents_are_skipped() -> None:
    source = read.open(["small", "x" * 100, "y"], limits=Limits(max_document_bytes=50))
    assert [id for id, _ in pairs(source)] == ["0", "2"]
    assert source.skipped[0].reason == "too-large"
    assert "max_document_bytes" in source.skipped[0].detail


def test_describe_and_reopen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jsonl: Path) -> None:
    monkeypatch.chdir(tmp_path)
    other = tmp_path / "other.jsonl"
    other.write_text('{"text": "o"}\n')
    source = read.open(("rows.jsonl", "other.jsonl"), text_column="text")
    before = pairs(source)
    description = json.loads(json.dumps(source.describe()))
    assert description["format"] == "jsonl"
    assert pairs(read.reopen(description)) == before
    monkeypatch.chdir("/")
    assert pairs(read.reopen(description)) == before
    assert read.changed(description) == []
    other.write_text('{"text": "changed"}\n')
    assert read.changed(description) == ["other.jsonl"]
    other.unlink()
    assert read.changed(description) != []
    with pytest.raises(InputError, match="in memory"):
        read.reopen(read.open(["a"]).describe())


def test_describe_and_reopen_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "pages"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.html").write_text("<p>a")
    (folder / "sub" / "b.txt").write_text("b")
    monkeypatch.chdir(tmp_path)
    for asked in ("pages", ("pages/a.html", "pages/sub")):
        source = read.open(asked)
        ids = table_of(source)["id"].to_pylist()
        description = json.loads(json.dumps(source.describe()))
        monkeypatch.chdir("/")
        assert table_of(read.reopen(description))["id"].to_pylist() == ids
        assert read.changed(description) == []
        monkeypatch.chdir(tmp_path)
    os.utime(folder / "a.html", ns=(1, 1))
    assert read.changed(description) == ["pages/a.html"]
    assert read.changed(read.open("pages").describe()) == []


def test_size_hints(tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    inputs = all_inputs(tmp_path, rows)
    assert read.open(inputs["parquet"]).size_hint().documents == 3
    assert read.open(inputs["jsonl"]).size_hint().bytes == os.path.getsize(inputs["jsonl"])
    assert read.open(inputs["table"]).size_hint().documents == 3
    assert read.open((inputs["jsonl"], inputs["parquet"])).size_hint().documents is None
    assert read.open(rows).size_hint().documents == 3


def test_every_reason_is_documented() -> None:
    assert {"unreadable", "empty", "bad-json", "not-text", "too-large", "duplicate-id"} <= set(REASONS)


def test_public_names() -> None:
    assert all(hasattr(read, name) for name in read.__all__)
