"""Parquet files: one slice of a row group at a time, only the columns that are needed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from samecore.errors import InputError
from samecore.read.columns import Chosen, Options, as_strings, choose, standardise
from samecore.read.part import Note, Rows, SizeHint, file_facts

# Pages are read through a buffer instead of whole column chunks: half the memory, same speed.
READ_BUFFER_BYTES = 1 << 20
MAX_BATCH_ROWS = 1 << 16


class Parquet:
    """A Parquet file; ids are a column or the row, counted from 0."""

    format = "parquet"
    reiterable = True

    def __init__(self, path: str, name: str, options: Options, *, batch_bytes: int) -> None:
        self.path: str | None = path
        self.source, self.name, self.options, self.batch_bytes = path, name, options, batch_bytes

    def place(self, number: int) -> str:
        """Rows are counted from 0, as data frames do."""
        return f"{self.name}, row {number}"

    def open(self) -> pq.ParquetFile:
        """The file, ready to read; an InputError if it is not Parquet."""
        try:
            return pq.ParquetFile(self.source, buffer_size=READ_BUFFER_BYTES, pre_buffer=False)
        except (pa.ArrowInvalid, OSError) as error:
            raise InputError(f"not a readable Parquet file ({error})", where=self.name) from error

    def rows(self, wanted: frozenset[str] | None, note: Note) -> Iterator[Rows]:
        """The rows in order; with `wanted` only the row groups that hold one. See `Part`."""
        with self.open() as file:
            chosen = choose(file.schema_arrow.names, self.options, where=self.name)
            start = 0
            for group in range(file.metadata.num_row_groups):
                size = file.metadata.row_group(group).num_rows
                if wanted is None or self._holds(file, group, start, size, chosen, wanted):
                    yield from self._group(file, group, start, chosen, note)
                start += size

    def _group(
        self, file: pq.ParquetFile, group: int, start: int, chosen: Chosen, note: Note
    ) -> Iterator[Rows]:
        number = start
        try:
            batches = file.iter_batches(
                batch_size=_batch_rows(file, group, chosen, self.batch_bytes),
                columns=chosen.names,
                row_groups=[group],
                use_threads=False,
            )
            for batch in batches:
                rows = np.arange(number, number + len(batch), dtype=np.int64)
                number += len(batch)
                batch = standardise(batch, chosen, where=self.name)
                yield Rows(batch, rows)
                del batch
        except (pa.ArrowInvalid, OSError) as error:
            # A damaged group; the others can still be read.
            end = start + file.metadata.row_group(group).num_rows
            detail = f"{self.name}, row group {group}: rows {number} to {end - 1} were not read ({error})"
            note(f"{self.name}, row group {group}", "unreadable", detail)

    def _holds(
        self, file: pq.ParquetFile, group: int, start: int, size: int, chosen: Chosen, wanted: frozenset[str]
    ) -> bool:
        """Whether a row group has a document of these ids, or one that may have to do with their names."""
        numbers = [int(text) - start for text in wanted if text.isascii() and text.isdecimal()]
        numbers = [number for number in numbers if 0 <= number < size]
        if chosen.id is None:
            return bool(numbers)
        column = file.read_row_group(group, columns=[chosen.id], use_threads=False).column(0)
        ids = pa.chunked_array([as_strings(chunk) for chunk in column.chunks], pa.string())
        # Rows without an id are named by their number.
        if any(not ids[number].as_py() for number in numbers):
            return True
        # An id that is there as 'x#2' decides what a second 'x' is called.
        roots = pc.replace_substring_regex(ids, "(#[0-9]+)+$", "")
        names = pa.array(sorted(wanted), pa.string())
        return bool(pc.any(pc.is_in(ids, value_set=names)).as_py()) or bool(
            pc.any(pc.is_in(roots, value_set=names)).as_py()
        )

    def describe(self) -> dict[str, Any]:
        """Facts for the manifest, with the columns there are."""
        with self.open() as file:
            return {
                **file_facts(self.source),
                "rows": file.metadata.num_rows,
                "columns": {field.name: str(field.type) for field in file.schema_arrow},
            }

    def size_hint(self) -> SizeHint:
        """Rows, and the bytes of the columns that will be read, from the footer alone."""
        with self.open() as file:
            chosen = choose(file.schema_arrow.names, self.options, where=self.name)
            groups = range(file.metadata.num_row_groups)
            return SizeHint(sum(_group_bytes(file, g, chosen) for g in groups), file.metadata.num_rows)


def _group_bytes(file: pq.ParquetFile, group: int, chosen: Chosen) -> int:
    facts = file.metadata.row_group(group)
    columns = (facts.column(i) for i in range(facts.num_columns))
    wanted = set(chosen.names)
    return sum(int(c.total_uncompressed_size) for c in columns if c.path_in_schema.split(".")[0] in wanted)


def _batch_rows(file: pq.ParquetFile, group: int, chosen: Chosen, batch_bytes: int) -> int:
    rows = max(1, file.metadata.row_group(group).num_rows)
    average = max(1, _group_bytes(file, group, chosen) // rows)
    # A quarter of a batch: the decoder doubles its buffers as it goes, so small steps cost less memory.
    return int(max(1, min(MAX_BATCH_ROWS, batch_bytes // (4 * average))))
