"""JSON lines, plain or compressed, and text with one document per line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import orjson
import pyarrow as pa

from samecore.documents import Limits
from samecore.errors import InputError
from samecore.read.columns import Options
from samecore.read.compressed import CHUNK_BYTES, CutShort, codec_of, read_chunks
from samecore.read.part import Note, Rows, SizeHint, file_facts
from samecore.read.records import Record, Records

# Typical of text under gzip or zstd; only for estimates.
COMPRESSION_RATIO = 4
SHOWN_ERROR_CHARACTERS = 120

TOO_LONG = None


def split_lines(
    path: str, *, max_line_bytes: int, chunk_bytes: int = CHUNK_BYTES
) -> Iterator[list[bytes | None]]:
    """The lines of `path` without their ends, in lists; `TOO_LONG` stands for a line over the limit.

    Never holds more than one line and one chunk. Raises `CutShort` (with nothing left
    over) after the last good line of a broken stream.
    """
    pieces: list[bytes] = []
    held = 0
    overlong = False
    cut: CutShort | None = None
    chunks = read_chunks(path, chunk_bytes=chunk_bytes)
    while True:
        try:
            chunk = next(chunks, b"")
        except CutShort as error:
            cut, chunk = error, error.rest
        if not chunk:
            break
        end = chunk.find(b"\n")
        if end < 0:
            held += len(chunk)
            overlong = overlong or held > max_line_bytes
            if overlong:
                pieces.clear()
            else:
                pieces.append(chunk)
        else:
            lines: list[bytes | None] = list(chunk.split(b"\n"))
            last = lines.pop()
            first = lines[0] or b""
            if pieces or overlong:
                overlong = overlong or held + len(first) > max_line_bytes
                lines[0] = TOO_LONG if overlong else b"".join([*pieces, first])
            yield lines
            assert last is not None
            pieces, held, overlong = ([last] if last else []), len(last), False
        if cut is not None:
            raise CutShort(str(cut), b"") from cut
    if cut is not None:
        raise CutShort(str(cut), b"") from cut
    if pieces or overlong:
        yield [TOO_LONG if overlong else b"".join(pieces)]


def parse_line(line: bytes) -> Any:
    """The JSON value of a line; raises ValueError. Forgives broken UTF-8, lone surrogates and NaN."""
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError as first:
        try:
            # Slower but more tolerant; surrogates are repaired when the column is built.
            return json.loads(line.decode("utf-8", "replace"), strict=False)
        except (ValueError, RecursionError):
            raise ValueError(str(first)) from first


class JsonLines:
    """A file of JSON objects, one per line; ids are an `id` key or the line, counted from 0."""

    format = "jsonl"

    def __init__(self, path: str, name: str, options: Options, limits: Limits) -> None:
        self.path: str | None = path
        self.source, self.name, self.options, self.limits = path, name, options, limits
        self.reiterable = path != "-"

    def place(self, number: int) -> str:
        """Lines are counted from 1, as editors do."""
        return f"{self.name}, line {number + 1}"

    def rows(self, wanted: frozenset[str] | None, note: Note) -> Iterator[Rows]:
        """The objects in order; see `Part`."""
        builder = Records(self.options, where=self.name, place=self.place)
        number = 0
        try:
            for lines in split_lines(self.source, max_line_bytes=self.limits.max_line_bytes):
                records: list[Record] = []
                numbers: list[int] = []
                if number == 0 and lines[0]:
                    lines[0] = lines[0].removeprefix(b"\xef\xbb\xbf")
                    _refuse_array(lines[0], self.name)
                    if self.name == "-":
                        _refuse_other_format(lines[0])
                for line in lines:
                    if line is TOO_LONG:
                        detail = f"{self.place(number)}: longer than {self.limits.max_line_bytes} bytes"
                        note(self.place(number), "too-large", f"{detail} (max_line_bytes)")
                    elif line and not line.isspace():
                        try:
                            record = parse_line(line)
                        except ValueError as error:
                            self._bad(number, str(error), note)
                        else:
                            if isinstance(record, dict):
                                records.append(record)
                                numbers.append(number)
                            else:
                                self._bad(number, f"expected an object, found {type(record).__name__}", note)
                    number += 1
                if records:
                    yield builder.rows(records, numbers, note)
        except CutShort as error:
            detail = f"{self.name}: everything after line {number} was not read; the stream breaks ({error})"
            note(f"{self.name}, after line {number}", "unreadable", detail)

    def _bad(self, number: int, message: str, note: Note) -> None:
        place = self.place(number)
        note(place, "bad-json", f"{place}: {message[:SHOWN_ERROR_CHARACTERS]}", number)

    def describe(self) -> dict[str, Any]:
        """Facts for the manifest."""
        return file_facts(self.source)

    def size_hint(self) -> SizeHint:
        """The size of the file; how many lines it has is not known."""
        return _size_hint(self.source)


class TextLines(JsonLines):
    """A text file in which every line is a document; ids are the lines, counted from 0."""

    format = "lines"

    def rows(self, wanted: frozenset[str] | None, note: Note) -> Iterator[Rows]:
        """The lines in order, blank ones left out; see `Part`."""
        number = 0
        try:
            for lines in split_lines(self.source, max_line_bytes=self.limits.max_line_bytes):
                texts: list[str] = []
                numbers: list[int] = []
                for line in lines:
                    if line is TOO_LONG:
                        detail = f"{self.place(number)}: longer than {self.limits.max_line_bytes} bytes"
                        note(self.place(number), "too-large", f"{detail} (max_line_bytes)")
                    elif line and not line.isspace():
                        texts.append(line.removesuffix(b"\r").decode("utf-8", "replace"))
                        numbers.append(number)
                    number += 1
                if texts:
                    batch = pa.RecordBatch.from_arrays([pa.array(texts, pa.large_string())], names=["text"])
                    yield Rows(batch, np.asarray(numbers, dtype=np.int64))
        except CutShort as error:
            detail = f"{self.name}: everything after line {number} was not read; the stream breaks ({error})"
            note(f"{self.name}, after line {number}", "unreadable", detail)


def _refuse_array(line: bytes, name: str) -> None:
    start = line.strip()
    if start.startswith(b"[") and start[1:].lstrip()[:1] in (b"", b"{"):
        raise InputError(
            "expected one JSON object per line, found an array; convert it, for example with jq -c '.[]'",
            where=f"{name}, line 1",
        )


_BEGINNINGS = {
    b"WARC/": "warc", b"filedesc://": "arc", b"PK\x03\x04": "wacz", b"From ": "mbox", b"PAR1": "parquet",
    b"<DOC>": "sgml", b"<!DOCTYPE lewis": "sgml",
}  # fmt: skip


def _refuse_other_format(line: bytes) -> None:
    """Standard input has no name that tells its format, and line by line an archive is only noise."""
    for beginning, format in _BEGINNINGS.items():
        if line.startswith(beginning):
            raise InputError(
                f"expected one JSON object per line, found what looks like {format}; say so with format "
                f"(--format {format})",
                where="standard input",
            )


def _size_hint(path: str) -> SizeHint:
    if path == "-":
        return SizeHint(None, None)
    size: int = file_facts(path)["size"]
    return SizeHint(size * (1 if codec_of(path) is None else COMPRESSION_RATIO), None)
