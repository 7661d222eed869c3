"""What is already in memory: Arrow tables and streams, data frames, lists of strings or records."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice, repeat
from typing import Any

import numpy as np
import pyarrow as pa

from samecore.errors import InputError
from samecore.read.columns import Options, choose, standardise
from samecore.read.part import Note, Rows, SizeHint
from samecore.read.records import Records, repair

LIST_ROWS = 4096


class Arrow:
    """A table, a record batch, or anything that offers the Arrow C stream protocol (pandas, polars)."""

    format = "arrow"
    path: str | None = None

    def __init__(self, data: Any, name: str, options: Options) -> None:
        self.data, self.name, self.options = data, name, options
        # A reader can be read once; a table or a frame gives a new stream each time.
        self.reiterable = not isinstance(data, pa.RecordBatchReader)

    def place(self, number: int) -> str:
        """Rows are counted from 0."""
        return f"{self.name}, row {number}"

    def batches(self) -> tuple[pa.Schema, Iterable[pa.RecordBatch]]:
        """The schema and the batches as they are."""
        data = self.data
        if isinstance(data, pa.RecordBatch):
            return data.schema, [data]
        if isinstance(data, pa.Table):
            return data.schema, data.to_batches()
        if isinstance(data, pa.RecordBatchReader):
            return data.schema, data
        with _conversion(self.name):
            if not hasattr(data, "__arrow_c_stream__"):  # pandas before 2.2
                table = pa.Table.from_pandas(data, preserve_index=False)
                return table.schema, table.to_batches()
            reader = pa.RecordBatchReader.from_stream(data)
        return reader.schema, reader

    def rows(self, wanted: frozenset[str] | None, note: Note) -> Iterator[Rows]:
        """The rows in order; see `Part`."""
        schema, batches = self.batches()
        chosen = choose(schema.names, self.options, where=self.name)
        number = 0
        for batch in batches:
            rows = np.arange(number, number + len(batch), dtype=np.int64)
            number += len(batch)
            yield Rows(standardise(batch.select(chosen.names), chosen, where=self.name), rows)

    def describe(self) -> dict[str, Any]:
        """The columns; data in memory cannot be opened again from this."""
        schema = getattr(self.data, "schema", None)
        return {"columns": list(schema.names) if isinstance(schema, pa.Schema) else None}

    def size_hint(self) -> SizeHint:
        """Rows and bytes of a table; a frame's rows; nothing of a stream."""
        if isinstance(self.data, pa.Table | pa.RecordBatch):
            return SizeHint(self.data.nbytes, self.data.num_rows)
        try:
            return SizeHint(None, len(self.data))
        except TypeError:
            return SizeHint(None, None)


class Items:
    """A list or other iterable of strings, of dicts, or of (id, text) pairs; one kind throughout."""

    format = "list"
    path: str | None = None

    def __init__(self, items: Iterable[Any], name: str, options: Options) -> None:
        self.items, self.name, self.options = items, name, options
        self.reiterable = iter(items) is not items if not isinstance(items, Iterator) else False

    def place(self, number: int) -> str:
        """Items are counted from 0."""
        return f"{self.name}, item {number}"

    def rows(self, wanted: frozenset[str] | None, note: Note) -> Iterator[Rows]:
        """The items in order; the first that is not None says of which kind they are. See `Part`."""
        items = iter(self.items)
        missing = 0
        for first in items:
            if not _is_missing(first):
                break
            missing += 1
        else:
            first = None
        items = chain(repeat(None, missing), [first] if first is not None else [], items)
        build = self._records if isinstance(first, Mapping) else self._texts
        yield from build(items, note, pairs=isinstance(first, tuple))

    def _records(self, items: Iterator[Any], note: Note, *, pairs: bool) -> Iterator[Rows]:
        builder = Records(self.options, where=self.name, place=self.place)
        number = 0
        while some := list(islice(items, LIST_ROWS)):
            good = [
                i
                for i, item in enumerate(some)
                if isinstance(item, Mapping) or self._odd(number + i, item, note, self.place(number + i))
            ]
            if good:
                yield builder.rows([some[i] for i in good], [number + i for i in good], note)
            number += len(some)

    def _texts(self, items: Iterator[Any], note: Note, *, pairs: bool) -> Iterator[Rows]:
        number = 0
        html = {True: "text/html", False: "text/plain"}.get(self.options.html)  # type: ignore[arg-type]
        while some := list(islice(items, LIST_ROWS)):
            ids: list[str] = []
            texts: list[str] = []
            numbers: list[int] = []
            column = None if pairs else _plain(some)
            if (
                column is not None
            ):  # nothing odd among them: most lists are like this, and it is five times quicker
                numbers.extend(range(number, number + len(some)))
                some = []
            for i, item in enumerate(some, start=number):
                good = not pairs or (isinstance(item, tuple) and len(item) == 2)
                text = item[1] if pairs and good else item
                if isinstance(text, bytes):
                    text = text.decode("utf-8", "replace")
                if not good or not isinstance(text, str):
                    id = (repair(str(item[0])) if good else self.place(i)) if pairs else None
                    self._odd(i, text if good else item, note, id)
                    continue
                texts.append(repair(text))
                numbers.append(i)
                if pairs:
                    ids.append(repair(str(item[0])))
            number += len(some) if column is None else len(column)
            columns = {"id": pa.array(ids, pa.string())} if pairs else {}
            columns["text"] = pa.array(texts, pa.large_string()) if column is None else column
            if html is not None:
                columns["content_type"] = pa.array([html] * len(numbers), pa.string())
            yield Rows(pa.RecordBatch.from_pydict(columns), np.asarray(numbers, dtype=np.int64))

    def _odd(self, number: int, item: object, note: Note, id: str | None) -> bool:
        if _is_missing(item):
            note(id, "empty", f"{self.place(number)}: no text", number)
        else:
            detail = f"{self.place(number)}: a {type(item).__name__} among strings, dicts or (id, text) pairs"
            note(id, "not-text", detail, number)
        return False

    def describe(self) -> dict[str, Any]:
        """Nothing but that it was a list."""
        return {}

    def size_hint(self) -> SizeHint:
        """The length, if the iterable has one."""
        try:
            return SizeHint(None, len(self.items))  # type: ignore[arg-type]
        except TypeError:
            return SizeHint(None, None)


@contextlib.contextmanager
def _conversion(name: str) -> Iterator[None]:
    """Errors of turning a frame into Arrow as an InputError that names the column."""
    try:
        yield
    except pa.ArrowException as error:
        said = " ".join(str(part) for part in error.args)
        found = re.search("for column (.+) with type", said)
        column = found[1] if found else None
        where = "a column" if column is None else f"column {column!r}"
        advice = (
            "" if column is None else f", for example frame[{column!r}] = frame[{column!r}].astype('string')"
        )
        raise InputError(
            f"{where} holds values of several kinds ({error.args[0]}); make them one kind{advice}, "
            "or leave the column out",
            where=name,
        ) from error


def _plain(items: list[Any]) -> pa.LargeStringArray | None:
    """The items as a column if all are strings that can be written as UTF-8, else None."""
    if set(map(type, items)) != {str}:
        return None
    try:
        return pa.array(items, pa.large_string())
    except UnicodeError:
        return None


def _is_missing(item: object) -> bool:
    """None, and what stands for it in a column of a frame."""
    return item is None or (isinstance(item, float) and item != item) or type(item).__name__ == "NAType"


def part_of(data: Any, options: Options) -> Arrow | Items:
    """The part for something in memory; an InputError names its type if it is nothing we know."""
    if isinstance(data, pa.Table | pa.RecordBatch | pa.RecordBatchReader):
        return Arrow(data, "table", options)
    if isinstance(data, pa.Array | pa.ChunkedArray):
        return Arrow(pa.table({"text": data}), "array", options)
    if hasattr(data, "to_list") and not hasattr(data, "columns"):  # one column of a frame
        return Items(data.to_list(), type(data).__name__, options)
    if hasattr(data, "__arrow_c_stream__") or type(data).__module__.startswith("pandas"):
        return Arrow(data, f"{type(data).__name__}", options)
    if isinstance(data, Iterable) and not isinstance(data, str | bytes | Mapping):
        return Items(data, "list" if isinstance(data, list) else type(data).__name__, options)
    raise InputError(
        f"cannot read a {type(data).__name__}; expected paths, an Arrow table or stream, a pandas or polars "
        "frame, or a list of strings, dicts or (id, text) pairs"
    )
