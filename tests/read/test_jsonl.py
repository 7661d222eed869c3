"""JSON lines: broken lines, broken streams, endless lines, standard input."""

from __future__ import annotations

import gzip
import io
import os
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import cramjam
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samecore import read
from samecore.documents import Limits
from samecore.errors import InputError
from samecore.read.jsonl import split_lines


def documents(source: read.Source) -> dict[str, str]:
    return {
        id: text
        for batch in source.batches()
        for id, text in zip(batch.column("id").to_pylist(), batch.column("text").to_pylist(), strict=True)
    }


def test_broken_lines_are_named_by_number(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(
        b'\xef\xbb\xbf{"text": "0"}\r\n'
        b"\n"
        b'{"text": "broken"\n'
        b'["a list"]\n'
        b'{"text": "caf\xe9 4"}\n'
        b'{"text": "half \\ud800 5"}\n'
        b'{"text": "pair \\ud83d\\ude00 6", "x": NaN}\n'
        b'{"text": 7}\n'
        b'{"text": null}\n'
        b'{"other": 9}\n'
        b'{"text": "a\\u0000b"}\n'
        b"[" * 1 + b"[" * 5000 + b"\n"
        b'{"text": "no newline at the end"}'
    )
    source = read.open(path)
    assert documents(source) == {
        "0": "0",
        "4": "caf\ufffd 4",
        "5": "half \ufffd 5",
        "6": "pair 😀 6",
        "10": "a\0b",
        "12": "no newline at the end",
    }
    assert sorted((s.id, s.reason) for s in source.skipped) == [
        (f"{path}, line 12", "bad-json"), (f"{path}, line 3", "bad-json"), (f"{path}, line 4", "bad-json"),
        ("7", "not-text"), ("8", "empty"), ("9", "empty"),
    ]  # fmt: skip
    details = {s.id: s.detail for s in source.skipped}
    assert "x.jsonl, line 8" in details["7"]
    assert "expected an object, found list" in details[f"{path}, line 4"]


def test_what_has_no_id_is_named_by_its_place(tmp_path: Path) -> None:
    """The third line, broken, was called '2', which is the id of the first."""
    path = tmp_path / "x.jsonl"
    path.write_text(
        '{"id": "2", "text": "first"}\n{"text": ""}\n{broken\n{"text": 7}\n{"id": "e", "text": ""}\n'
        '{"id": "3", "text": "second"}\n'
    )
    source = read.open(path)
    assert documents(source) == {"2": "first", "3": "second"}
    assert sorted((s.id, s.reason) for s in source.skipped) == [
        (f"{path}, line 2", "empty"),
        (f"{path}, line 3", "bad-json"),
        (f"{path}, line 4", "not-text"),
        ("e", "empty"),
    ]
    assert all(s.detail.startswith(f"{path}, line ") for s in source.skipped)


def test_an_array_is_refused_with_advice(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text('[\n{"text": "a"}\n]')
    with pytest.raises(InputError, match="jq"):
        list(read.open(path).batches())


@pytest.mark.parametrize("codec", ["gz", "zst"])
@pytest.mark.parametrize("cut", [0.3, 0.9, -3])
def test_truncated_streams_keep_every_complete_line(tmp_path: Path, codec: str, cut: float) -> None:
    lines = [b'{"text": "%s"}' % os.urandom(40).hex().encode() for _ in range(20_000)]
    data = b"\n".join(lines) + b"\n"
    packed = gzip.compress(data, 1) if codec == "gz" else bytes(cramjam.zstd.compress(data, 1))
    path = tmp_path / f"x.jsonl.{codec}"
    path.write_bytes(packed[: int(cut) if cut < 0 else int(len(packed) * cut)])
    source = read.open(path)
    found = documents(source)
    assert list(found.values()) == [line[10:-2].decode() for line in lines[: len(found)]]
    (skip,) = source.skipped
    assert skip.reason == "unreadable"
    assert f"after line {len(found)}" in skip.detail
    if codec == "gz":  # nothing that could be decompressed is lost
        import zlib

        whole = zlib.decompressobj(31).decompress(path.read_bytes()).count(b"\n")
        assert len(found) == whole
    assert len(found) > (0 if cut < 0 or cut > 0.5 else -1)


def test_garbage_after_a_good_stream(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"text": "good"}\n') + b"garbage")
    source = read.open(path)
    assert list(documents(source).values()) == ["good"]
    assert [s.reason for s in source.skipped] == ["unreadable"]


def test_lines_over_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(
        b'{"text": "a"}\n{"text": "' + b"x" * 9_000_000 + b'"}\n{"text": "c"}\n{"text": "' + b"y" * 9_000_000
    )
    source = read.open(path, limits=Limits(max_line_bytes=5_000_000))
    assert documents(source) == {"0": "a", "2": "c"}
    assert [(s.id, s.reason) for s in source.skipped] == [
        (f"{path}, line 2", "too-large"),
        (f"{path}, line 4", "too-large"),
    ]


def test_one_line_of_200_megabytes(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    with open(path, "wb") as file:
        file.write(b'{"text": "small"}\n{"text": "')
        for _ in range(200):
            file.write(b"word " * 200_000)
        file.write(b'"}\n{"text": "after"}\n')
    start = time.perf_counter()
    found = documents(read.open(path))
    assert [len(text) for text in found.values()] == [5, 200_000_000, 5]
    assert time.perf_counter() - start < 20


@given(
    st.lists(st.binary(max_size=12).filter(lambda b: b"\n" not in b), max_size=8),
    st.integers(1, 9),
    st.booleans(),
)
def test_lines_are_split_the_same_in_any_chunks(lines: list[bytes], chunk: int, end: bool) -> None:
    import tempfile

    data = b"\n".join(lines) + (b"\n" if end else b"")
    if data[:4] in (b"\x28\xb5\x2f\xfd",) or data[:2] == b"\x1f\x8b":
        return
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        found = [
            line for some in split_lines(file.name, max_line_bytes=8, chunk_bytes=chunk) for line in some
        ]
    expected = data.split(b"\n")
    if not expected[-1]:
        expected.pop()
    # Only a line that spans chunks is measured: what fits into one chunk is in memory anyhow.
    assert [line if line is not None else None for line in found] == [
        None if got is None and len(want) > 8 else want for got, want in zip(found, expected, strict=True)
    ]


def feed(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BufferedReader(io.BytesIO(data))))  # type: ignore[arg-type]


@pytest.mark.parametrize("pack", [lambda b: b, gzip.compress, lambda b: bytes(cramjam.zstd.compress(b))])
def test_standard_input(monkeypatch: pytest.MonkeyPatch, pack) -> None:  # type: ignore[no-untyped-def]
    data = pack(b'{"id": "a", "text": "one"}\n{"id": "b", "text": "two"}\n')
    feed(monkeypatch, data)
    source = read.open("-")
    assert not source.reiterable
    assert documents(source) == {"a": "one", "b": "two"}
    with pytest.raises(InputError, match="again"):
        documents(source)
    feed(monkeypatch, data)
    spooled = read.open("-", spool=True)
    assert spooled.reiterable
    assert documents(spooled) == documents(spooled) == {"a": "one", "b": "two"}


def test_standard_input_in_other_formats(monkeypatch: pytest.MonkeyPatch) -> None:
    feed(monkeypatch, b"first line\n\nthird \xff line\n")
    assert documents(read.open("-", format="lines")) == {"0": "first line", "2": "third \ufffd line"}
    feed(monkeypatch, b"first line\nsecond line\n")
    (batch,) = read.open("-", format="text").batches()
    assert batch.column("body").to_pylist() == [b"first line\nsecond line\n"]
    feed(monkeypatch, b"id,text\n1,one\n2,two\n")
    assert documents(read.open("-", format="csv")) == {"1": "one", "2": "two"}


@pytest.mark.parametrize(
    ("data", "format"),
    [
        (b"WARC/1.1\r\nWARC-Type: warcinfo\r\n", "warc"),
        (gzip.compress(b"WARC/1.0\r\n"), "warc"),
        (b"From joe Fri Aug 23 11:03:33 2002\nSubject: x\n\n", "mbox"),
        (b"<DOC>\n<DOCNO>1</DOCNO>\n", "sgml"),
    ],
)
def test_what_is_no_json_names_its_format(monkeypatch: pytest.MonkeyPatch, data: bytes, format: str) -> None:
    feed(monkeypatch, data)
    with pytest.raises(InputError, match=f"--format {format}"):
        documents(read.open("-"))


def test_standard_input_can_be_named_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second reading met a closed file, with a traceback."""
    for asked in (("-", "-"), ["-", "-"]):
        for format in (None, "text", "csv"):
            with pytest.raises(InputError, match="standard input can be named only once"):
                read.open(asked, format=format)
    feed(monkeypatch, b'{"text": "one"}\n')
    assert documents(read.open("-")) == {"0": "one"}
    with pytest.raises(InputError, match="standard input was read already"):
        documents(read.open("-"))
    feed(monkeypatch, b'{"text": "one"}\n')
    assert documents(read.open("-", spool=True)) == {"0": "one"}
    with pytest.raises(InputError, match="standard input was read already"):
        read.open("-", spool=True)
