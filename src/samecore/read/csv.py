"""CSV and TSV files, streamed in blocks."""

from __future__ import annotations

import csv as standard_csv
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv

from samecore.errors import InputError
from samecore.read.columns import Options, choose, standardise
from samecore.read.compressed import codec_of, open_stream
from samecore.read.jsonl import COMPRESSION_RATIO
from samecore.read.part import Note, Rows, SizeHint, file_facts

BLOCK_BYTES = 8 << 20
HEADER_BYTES = 1 << 20
MAX_BLOCK_BYTES = 1 << 30  # the parser counts the bytes of a block in 32 bits


class Csv:
    """A table of separated values with a header line; ids are a column or the row, counted from 0."""

    format = "csv"
    reiterable = True

    def __init__(self, path: str, name: str, options: Options, *, delimiter: str | None) -> None:
        self.path: str | None = path
        self.source, self.name, self.options = path, name, options
        self.given_delimiter = delimiter
        self.reiterable = path != "-"

    def place(self, number: int) -> str:
        """Rows are counted from 0, the header apart."""
        return f"{self.name}, row {number}"

    def rows(self, wanted: frozenset[str] | None, note: Note) -> Iterator[Rows]:
        """The rows in order; a row with too many or too few fields is noted. See `Part`."""
        delimiter, names = self.header()
        chosen = choose(names, self.options, where=self.name)
        number = 0
        for batch in self.batches(delimiter, chosen.names, chosen.text, note):
            rows = np.arange(number, number + len(batch), dtype=np.int64)
            number += len(batch)
            yield Rows(standardise(batch, chosen, where=self.name), rows)

    def header(self) -> tuple[str, list[str]]:
        """The delimiter (guessed from the header unless given) and the column names."""
        try:
            with open_stream(self.source) as stream:
                head: bytes = stream.read(HEADER_BYTES)
        except OSError as error:
            raise InputError(str(error), where=self.name) from error
        text = head.decode("utf-8-sig", "replace")
        first = text.split("\n", 1)[0].rstrip("\r")
        if not first.strip():
            raise InputError("expected a header line with column names, found none", where=self.name)
        delimiter = self.given_delimiter or max(",;\t|", key=first.count)
        names = next(standard_csv.reader(text.splitlines(keepends=True), delimiter=delimiter))
        return delimiter, names

    def batches(self, delimiter: str, wanted: list[str], text: str, note: Note) -> Iterator[pa.RecordBatch]:
        """Raw batches of the `wanted` columns, all of them strings: "007" stays "007".

        A guessed type is a trap: pyarrow guesses from the first block, and stops where
        a later one does not agree.
        """
        convert = pa_csv.ConvertOptions(
            check_utf8=False,  # repaired by `standardise`
            include_columns=wanted,
            column_types={name: pa.large_string() if name == text else pa.string() for name in wanted},
            strings_can_be_null=False,
            auto_dict_encode=False,
        )

        noted: set[int | None] = set()

        def bad_row(row: Any) -> str:
            if row.number not in noted:
                noted.add(row.number)
                where = self.name if row.number is None else f"{self.name}, record {row.number}"
                expected, found, start = row.expected_columns, row.actual_columns, (row.text or "")[:40]
                detail = f"{where}: expected {expected} fields, found {found} (it begins {start!r})"
                note(where, "bad-row", detail)
            return "skip"

        parse = pa_csv.ParseOptions(
            delimiter=delimiter, newlines_in_values=True, invalid_row_handler=bad_row, ignore_empty_lines=True
        )
        done = 0
        block = BLOCK_BYTES
        # Arrow reads ahead in a thread of its own, also when it has given up: streams stay open until the end, lest a
        # late read of the last attempt takes bytes from the file that the next one has opened under the same number.
        with ExitStack() as streams:
            while True:
                # One thread: bad rows then come with their number, and one block at a time is in memory.
                read = pa_csv.ReadOptions(use_threads=False, block_size=block)
                skip = done
                try:
                    stream = streams.enter_context(open_stream(self.source))
                    with pa_csv.open_csv(
                        stream, read_options=read, parse_options=parse, convert_options=convert
                    ) as reader:
                        for batch in reader:
                            if skip < len(batch):
                                done += len(batch) - skip
                                yield batch.slice(skip)
                            skip = max(0, skip - len(batch))
                    return
                except (pa.ArrowInvalid, OSError) as error:
                    if "straddling" in str(error) and block < MAX_BLOCK_BYTES:
                        block = min(block * 8, MAX_BLOCK_BYTES)  # a row must fit into a block
                        continue
                    after = f"everything after row {done - 1}" if done else "nothing"
                    was = "was not read" if done else "was read"
                    note(self.name, "unreadable", f"{self.name}: {after} {was} ({error})")
                    return

    def describe(self) -> dict[str, Any]:
        """Facts for the manifest, with the columns there are."""
        return {**file_facts(self.source), "columns": self.header()[1]}

    def size_hint(self) -> SizeHint:
        """The size of the file; how many rows it has is not known."""
        size: int = file_facts(self.source)["size"]
        return SizeHint(size * (1 if codec_of(self.source) is None else COMPRESSION_RATIO), None)
