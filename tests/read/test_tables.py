"""Parquet and CSV."""

from __future__ import annotations

import datetime
import gzip
import uuid
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from samecore import read
from samecore.errors import InputError
from samecore.read.parquet import Parquet


def documents(source: read.Source) -> dict[str, str]:
    return {
        id: text
        for batch in source.batches()
        for id, text in zip(batch.column("id").to_pylist(), batch.column("text").to_pylist(), strict=True)
    }


def test_parquet_types(tmp_path: Path) -> None:
    for kind in (pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())):
        table = pa.table({"id": pa.array([1, 2], pa.int32()), "text": pa.array(["x", "y"]).cast(kind)})
        pq.write_table(table, tmp_path / "x.parquet")
        assert documents(read.open(tmp_path / "x.parquet")) == {"1": "x", "2": "y"}


NOW = datetime.datetime(2020, 1, 2, 3, 4, 5, 678)
IDS = {
    "string": pa.array(["a", None, "", "é", "3", "a", "x#2", "a#2", "b.parquet:5", "a#2#2"]),
    "large_string": pa.array(["a", None, ""], pa.large_string()),
    "dictionary": pa.array(["a", None, "", "a"]).dictionary_encode(),
    "null": pa.nulls(4),
    "bool": pa.array([True, False, None, True]),
    "int8": pa.array([-1, 0, None, 1, 0], pa.int8()),
    "uint64": pa.array([2**64 - 1, 0, None, 5, 2], pa.uint64()),
    "float64": pa.array([1.0, 0.1, 1e300, -0.0, 1e-7, float("nan"), float("inf"), None, 2.0**53]),
    "float32": pa.array([1.0, 0.1, 1e30, None], pa.float32()),
    "decimal": pa.array([Decimal("1.50"), Decimal("-2.00"), None]),
    "binary": pa.array([b"a", b"\xff", b"", None, b"caf\xc3\xa9"]),
    "fixed_size_binary": pa.array([b"ab", None, b"\xff\xfe"], pa.binary(2)),
    "date32": pa.array([NOW.date(), None]),
    "time64": pa.array([NOW.time(), None]),
    "timestamp_s": pa.array([NOW, None], pa.timestamp("s")),
    "timestamp_ms": pa.array([NOW, None], pa.timestamp("ms")),
    "timestamp_us": pa.array([NOW, None], pa.timestamp("us")),
    "timestamp_ns": pa.array([1, None, 10**18], pa.timestamp("ns")),
    "timestamp_tz": pa.array([NOW, None], pa.timestamp("us", tz="Europe/Berlin")),
    "duration": pa.array([1, None], pa.duration("s")),
    "list": pa.array([[1, 2], [], None]),
    "struct": pa.array([{"x": 1}, None]),
    "uuid": pa.array([b"0123456789abcdef", None], pa.uuid()),
}


@pytest.mark.parametrize("kind", IDS)
@pytest.mark.parametrize("group", [1, 3, 100])
def test_every_id_of_parquet_can_be_fetched(tmp_path: Path, kind: str, group: int) -> None:
    """Only ids whose Python form was the same as Arrow's were found, and no row without one."""
    for name in ("a.parquet", "b.parquet"):
        texts = [f"{name} {i}" for i in range(len(IDS[kind]))]
        table = pa.table({"id": IDS[kind], "text": texts})
        pq.write_table(table, tmp_path / name, row_group_size=group, store_schema=True)
    for asked in (tmp_path / "a.parquet", tmp_path):
        for rename in ("rename", "skip"):
            source = read.open(asked, duplicate_ids=rename)
            found = documents(source)
            assert len(found) == (1 + (asked == tmp_path)) * len(IDS[kind]) - len(source.skipped)
            for id, text in found.items():
                assert source.fetch([id])["text"].to_pylist() == [text]
            assert source.fetch(reversed(found))["text"].to_pylist() == list(found.values())[::-1]


def test_ids_of_bytes_stay_apart(tmp_path: Path) -> None:
    """What one became depended on whether another in the same batch was no UTF-8."""
    ids = [b"plain", b"\xff", b"\xfe", b"caf\xc3\xa9"]
    pq.write_table(pa.table({"id": ids, "text": ["t"] * 4}), tmp_path / "x.parquet")
    assert list(documents(read.open(tmp_path / "x.parquet"))) == ["plain", "\\xff", "\\xfe", "café"]
    uuids = pa.array([uuid.UUID(int=1).bytes, uuid.UUID(int=2**128 - 1).bytes], pa.uuid())
    pq.write_table(pa.table({"id": uuids, "text": ["t"] * 2}), tmp_path / "x.parquet")
    assert list(documents(read.open(tmp_path / "x.parquet"))) == [
        "00000000-0000-0000-0000-000000000001",
        "ffffffff-ffff-ffff-ffff-ffffffffffff",
    ]


def test_fetching_reads_only_the_groups_it_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = pa.table({"id": [f"id{i}" for i in range(10)], "text": [f"t{i}" for i in range(10)]})
    pq.write_table(table, tmp_path / "x.parquet", row_group_size=1)
    read_group, groups = Parquet._group, []

    def count(self: Parquet, file: pq.ParquetFile, group: int, *rest: Any) -> Any:
        groups.append(group)
        return read_group(self, file, group, *rest)

    monkeypatch.setattr(Parquet, "_group", count)
    assert read.open(tmp_path / "x.parquet").fetch(["id3", "id7"])["text"].to_pylist() == ["t3", "t7"]
    assert groups == [3, 7]


def test_a_damaged_row_group_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    texts = [f"text number {i} " * 20 for i in range(300)]
    pq.write_table(
        pa.table({"text": texts}), path, row_group_size=100, compression="zstd", use_dictionary=False
    )
    column = pq.ParquetFile(path).metadata.row_group(1).column(0)
    data = bytearray(path.read_bytes())
    start = column.data_page_offset
    data[start : start + column.total_compressed_size] = b"\xff" * column.total_compressed_size
    path.write_bytes(data)
    source = read.open(path)
    found = documents(source)
    assert list(found) == [str(i) for i in [*range(100), *range(200, 300)]]
    (skip,) = source.skipped
    assert skip.reason == "unreadable"
    assert "row group 1" in skip.detail


def test_a_file_that_is_no_parquet(tmp_path: Path) -> None:
    (tmp_path / "x.parquet").write_bytes(b"not parquet at all")
    with pytest.raises(InputError, match="Parquet"):
        documents(read.open(tmp_path / "x.parquet"))
    pq.write_table(pa.table({"text": ["good"]}), tmp_path / "y.parquet")
    source = read.open(tmp_path)
    assert list(documents(source).values()) == ["good"]
    assert [s.reason for s in source.skipped] == ["unreadable"]


def test_nested_folders_of_parquet(tmp_path: Path) -> None:
    for part in ("2020/a", "2021/b"):
        (tmp_path / part).parent.mkdir()
        pq.write_table(pa.table({"text": [part]}), tmp_path / f"{part}.parquet")
    assert documents(read.open(tmp_path)) == {"2020/a.parquet:0": "2020/a", "2021/b.parquet:0": "2021/b"}


def test_csv_quirks(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(
        b'\xef\xbb\xbfid,text,n\n007,"a, ""quoted""\nsecond line",1\n'
        b"008,too,many,fields\n009,caf\xe9,2\n010,,3\n"
    )
    source = read.open(path, columns=["n"])
    assert documents(source) == {"007": 'a, "quoted"\nsecond line', "009": "caf\ufffd"}
    assert sorted((s.id, s.reason) for s in source.skipped) == sorted(
        [("010", "empty"), (f"{path}, record 3", "bad-row")]
    )


@pytest.mark.parametrize(("name", "delimiter"), [("x.csv", ";"), ("x.tsv", "\t"), ("x.csv", "|")])
def test_delimiters(tmp_path: Path, name: str, delimiter: str) -> None:
    (tmp_path / name).write_text(f"id{delimiter}text\n1{delimiter}one, two\n")
    assert documents(read.open(tmp_path / name)) == {"1": "one, two"}


def test_csv_compressed_empty_and_huge_rows(tmp_path: Path) -> None:
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"text\nzipped\n"))
    assert documents(read.open(tmp_path / "a.csv.gz")) == {"0": "zipped"}
    (tmp_path / "e.csv").write_bytes(b"")
    with pytest.raises(InputError, match="header"):
        documents(read.open(tmp_path / "e.csv"))
    with open(tmp_path / "huge.csv", "w") as file:
        file.write("id,text\n" + "".join(f"{i},small\n" for i in range(1000)))
        file.write("big," + "word " * 6_000_000 + "\nlast,end\n")
    found = documents(read.open(tmp_path / "huge.csv"))
    assert len(found) == 1002
    assert len(found["big"]) == 30_000_000
    assert found["last"] == "end"


def test_csv_columns_that_change_their_kind_late(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first block decided on integers; at the first word after it all other documents were lost."""
    monkeypatch.setattr("samecore.read.csv.BLOCK_BYTES", 1000)
    with open(tmp_path / "x.csv", "w") as file:
        file.write("id,text,n,flag\n" + "".join(f"{i},text {i},{i},true\n" for i in range(1000)))
        file.write("".join(f"{i},text {i},unknown,2020-01-01\n" for i in range(1000, 5000)))
    source = read.open(tmp_path / "x.csv", columns=None)
    table = pa.Table.from_batches(source.batches())
    assert source.skipped == []
    assert len(table) == 5000
    assert table["n"].to_pylist()[998:1001] == ["998", "999", "unknown"]
    assert table["flag"].to_pylist()[998:1001] == ["true", "true", "2020-01-01"]


def test_csv_that_stops_in_the_middle_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """'cannot be read after row 8' could be taken for one row that is missing."""
    monkeypatch.setattr("samecore.read.csv.BLOCK_BYTES", 1000)
    data = "id,text\n" + "".join(f"{i},{i * 7919 % 10007} {i * 104729 % 10009}\n" for i in range(200_000))
    (tmp_path / "x.csv.gz").write_bytes(gzip.compress(data.encode())[:-200_000])
    source = read.open(tmp_path / "x.csv.gz")
    count = len(documents(source))
    assert 0 < count < 200_000
    (skip,) = source.skipped
    assert skip.reason == "unreadable"
    assert f"x.csv.gz: everything after row {count - 1} was not read (" in skip.detail


def test_rows_without_id_and_text_are_named_by_their_place(tmp_path: Path) -> None:
    """They were called by their row number, which another document may have as its id."""
    table = pa.table({"id": ["1", None, "2", ""], "text": ["one", None, "two", ""]})
    pq.write_table(table, tmp_path / "x.parquet")
    (tmp_path / "x.csv").write_text('id,text\n1,one\n,""\n2,two\n,\n')
    for data, name in [
        (table, "table"),
        (tmp_path / "x.parquet", tmp_path / "x.parquet"),
        (tmp_path / "x.csv", tmp_path / "x.csv"),
    ]:
        source = read.open(data)
        assert documents(source) == {"1": "one", "2": "two"}
        assert [s.id for s in source.skipped] == [f"{name}, row 1", f"{name}, row 3"]
        assert [s.detail for s in source.skipped] == [f"{name}, row {i}: no text" for i in (1, 3)]
    plain = read.open(table.select(["text"]))
    documents(plain)
    assert [s.id for s in plain.skipped] == ["1", "3"], "where ids are row numbers, these are theirs"
