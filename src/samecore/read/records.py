"""Rows of dictionaries (JSON objects, lists of dicts) into record batches of one fixed schema."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import orjson
import pyarrow as pa

from samecore.read.columns import CARRIED, Chosen, Options, choose
from samecore.read.part import Note, Rows

Record = Mapping[str, Any]

_SURROGATES = re.compile("[\ud800-\udfff]")


class Records:
    """Turns lists of records into `Rows`; the first list decides the columns and their types.

    Standard columns are always present (null where a record has none), so that a key that first
    appears late is not lost. An extra column takes its type from the first list: booleans,
    integers, numbers or strings, and JSON text for the rest; a later value of another kind
    becomes null. `place` names a row in messages.
    """

    def __init__(self, options: Options, *, where: str, place: Callable[[int], str]) -> None:
        self.options, self.where, self.place = options, where, place
        self.chosen: Chosen | None = None
        self.types: dict[str, pa.DataType] = {}

    def rows(self, records: Sequence[Record], numbers: Sequence[int], note: Note) -> Rows:
        """The batch of `records`; a record whose text is no string is noted and left out."""
        if self.chosen is None:
            self._choose(records)
        chosen = self.chosen
        assert chosen is not None
        values = [record.get(chosen.text) for record in records]
        name = "text"
        try:
            text = pa.array(values, pa.large_string())
        except (pa.ArrowInvalid, pa.ArrowTypeError, UnicodeError):
            if any(isinstance(value, bytes | bytearray | memoryview) for value in values):
                name = "body"
            keep = [i for i, value in enumerate(values) if self._usable(value, records[i], numbers[i], note)]
            records, numbers = [records[i] for i in keep], [numbers[i] for i in keep]
            usable: list[Any] = [values[i] for i in keep]
            repaired = [repair(value) if isinstance(value, str) else value for value in usable]
            if name == "body":
                text = pa.array([_bytes(value) for value in repaired], pa.large_binary())
            else:
                text = pa.array(repaired, pa.large_string())
        arrays, names = [text], [name]
        if chosen.id is not None:
            arrays.insert(0, _strings([record.get(chosen.id) for record in records]))
            names.insert(0, "id")
        for column in chosen.others:
            if column == "content_type" and chosen.html is not None:
                continue
            cells = [record.get(column) for record in records]
            arrays.append(self._column(column, cells))
            names.append(column)
        if chosen.html is not None:
            kind = "text/html" if chosen.html else "text/plain"
            arrays.append(pa.repeat(pa.scalar(kind, pa.string()), len(records)))
            names.append("content_type")
        return Rows(pa.RecordBatch.from_arrays(arrays, names=names), np.asarray(numbers, dtype=np.int64))

    def _choose(self, records: Sequence[Record]) -> None:
        names = list(dict.fromkeys(key for record in records for key in record))
        found = choose(names, self.options, where=self.where)
        extras = [name for name in found.others if name not in CARRIED]
        others = [name for name in CARRIED if name not in (found.text, found.id)] + extras
        html = found.html
        self.chosen = Chosen(found.text, found.id, tuple(others), html)

    def _usable(self, value: object, record: Record, number: int, note: Note) -> bool:
        if value is None or isinstance(value, str | bytes | bytearray | memoryview):
            return True
        assert self.chosen is not None
        place = self.place(number)
        id = (_string(record.get(self.chosen.id)) or place) if self.chosen.id else None
        detail = f"{place}: {self.chosen.text!r} is a {type(value).__name__}, not a string"
        note(id, "not-text", detail, number)
        return False

    def _column(self, name: str, values: list[Any]) -> pa.Array:
        if name in CARRIED:
            return _strings(values)
        kind = self.types.get(name)
        if kind is None:
            kind = self.types[name] = _type_of(values)
        return pa.array([_fit(value, kind) for value in values], kind)


def repair(text: str) -> str:
    """`text` with lone surrogates replaced by U+FFFD, so that it can be written as UTF-8."""
    if text.isascii():  # known without looking
        return text
    return _SURROGATES.sub("\ufffd", text)


def _bytes(value: Any) -> bytes | None:
    if value is None:
        return None
    return value.encode() if isinstance(value, str) else bytes(value)


def _strings(values: list[Any]) -> pa.Array:
    try:
        return pa.array(values, pa.string())
    except (pa.ArrowInvalid, pa.ArrowTypeError, UnicodeError):
        return pa.array([_string(value) for value in values], pa.string())


def _string(value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, str):
        return value if value.isascii() else repair(value)
    return str(value) if isinstance(value, int | float) else _json(value)


def _json(value: Any) -> str:
    try:
        return orjson.dumps(value, default=str).decode()
    except TypeError:  # surrogates or integers beyond 64 bits inside
        return repair(str(value))


def _type_of(values: list[Any]) -> pa.DataType:
    kinds = {type(value) for value in values if value is not None}
    if kinds == {bool}:
        return pa.bool_()
    if kinds == {int} and all(-(2**63) <= value < 2**63 for value in values if value is not None):
        return pa.int64()
    return pa.float64() if kinds and kinds <= {int, float} else pa.string()


def _fit(value: Any, kind: pa.DataType) -> Any:
    if value is None or kind == pa.string():
        return _string(value)
    if isinstance(value, bool) or kind == pa.bool_():
        return value if isinstance(value, bool) and kind == pa.bool_() else None
    if kind == pa.int64():
        return value if isinstance(value, int) and -(2**63) <= value < 2**63 else None
    return float(value) if isinstance(value, int | float) and abs(value) < 1e308 else None
