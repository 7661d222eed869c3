"""Which column is the text, which the id; and any Arrow batch brought into the shape of `documents`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from samecore.documents import STANDARD_COLUMNS
from samecore.errors import InputError

# Tried in this order when no text column is named.
TEXT_NAMES = (
    "text", "body", "content", "html", "raw_content", "raw_html", "document", "article", "message",
)  # fmt: skip
HTML_NAMES = ("html", "raw_html")
CARRIED = ("content_type", "url", "title", "date", "source")
STRINGS = ("id", "content_type", "url", "title", "source")


@dataclass(frozen=True)
class Options:
    """What the caller said about columns.

    `columns` names what to carry besides the standard columns: a tuple of names, or None for all.
    `html` says that the text column holds HTML (True) or does not (False); None: as its name
    or a `content_type` column says.
    """

    text_column: str | None = None
    id_column: str | None = None
    html: bool | None = None
    columns: tuple[str, ...] | None = ()


@dataclass(frozen=True)
class Chosen:
    """The columns to read of one input: `text`, perhaps `id`, and the `others` by name."""

    text: str
    id: str | None
    others: tuple[str, ...]
    html: bool | None

    @property
    def names(self) -> list[str]:
        """Every column to read, each once."""
        return list(dict.fromkeys([self.text, *([self.id] if self.id else []), *self.others]))


def choose(names: Sequence[str], options: Options, *, where: str) -> Chosen:
    """The columns to take out of `names`; an InputError that lists them if the wanted one is missing."""
    if options.text_column is not None:
        text = _named(options.text_column, names, what="text", where=where)
    else:
        found = next((name for name in TEXT_NAMES if name in names), None)
        if found is None:
            raise InputError(
                f"no text column found; the columns there are: {_listed(names)}; "
                "name one with text_column (--text-column)",
                where=where,
            )
        text = found
    if options.id_column is not None:
        key: str | None = _named(options.id_column, names, what="id", where=where)
    else:
        key = "id" if "id" in names else None
    html = options.html
    if html is None and "content_type" not in names:
        html = True if text in HTML_NAMES else None
    if options.columns is None:
        extras = [name for name in names if name not in STANDARD_COLUMNS]
    else:
        extras = [_named(name, names, what="extra", where=where) for name in options.columns]
    others = [name for name in (*CARRIED, *extras) if name in names and name not in (text, key)]
    return Chosen(text, key, tuple(dict.fromkeys(others)), html)


def standardise(batch: pa.RecordBatch, chosen: Chosen, *, where: str) -> pa.RecordBatch:
    """`batch` with the column names and types of `documents`; text is not copied."""
    arrays: list[pa.Array] = []
    names: list[str] = []
    if chosen.id is not None:
        arrays.append(as_strings(batch.column(chosen.id)))
        names.append("id")
    text = batch.column(chosen.text)
    kind = text.type.value_type if pa.types.is_dictionary(text.type) else text.type
    if _is_string(kind):
        arrays.append(_valid(text.cast(pa.large_string())))
        names.append("text")
    elif _is_binary(kind):
        arrays.append(text.cast(pa.large_binary()))
        names.append("body")
    elif pa.types.is_null(kind):
        arrays.append(pa.nulls(len(text), pa.large_string()))
        names.append("text")
    else:
        raise InputError(f"column {chosen.text!r} holds {kind}; expected strings or bytes", where=where)
    for name in chosen.others:
        if name == "content_type" and chosen.html is not None:
            continue
        column = batch.column(name)
        arrays.append(as_strings(column) if name in STRINGS else column)
        names.append(name)
    if chosen.html is not None:
        kind_name = "text/html" if chosen.html else "text/plain"
        arrays.append(pa.repeat(pa.scalar(kind_name, pa.string()), len(batch)))
        names.append("content_type")
    return pa.RecordBatch.from_arrays(arrays, names=names)


def _named(name: str, names: Sequence[str], *, what: str, where: str) -> str:
    if name not in names:
        raise InputError(f"no {what} column {name!r}; the columns there are: {_listed(names)}", where=where)
    return name


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:50]) + (", ..." if len(names) > 50 else "") if names else "none"


def _is_string(kind: pa.DataType) -> bool:
    # Views by name: pyarrow before 16 does not know them.
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or str(kind) == "string_view")


def _is_binary(kind: pa.DataType) -> bool:
    tests = (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_fixed_size_binary)
    return any(test(kind) for test in tests) or str(kind) == "binary_view"


def as_strings(column: pa.Array) -> pa.Array:
    """Any column as strings: numbers by their digits, what cannot be cast by its Python form.

    What a value becomes does not depend on the values beside it: ids are made of it.
    """
    if isinstance(column, pa.ExtensionArray):
        if _is_binary(column.storage.type):  # a UUID
            return pa.array([None if v is None else str(v) for v in column.to_pylist()], pa.string())
        column = column.storage
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if _is_binary(column.type):
        raw = column.cast(pa.large_binary()).to_pylist()
        # Not by U+FFFD, which would give many ids of bytes the same name.
        texts = [None if v is None else v.decode("utf-8", "backslashreplace") for v in raw]
        return pa.array(texts, pa.string())
    try:
        return _valid(column.cast(pa.string()))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return pa.array([None if value is None else str(value) for value in column.to_pylist()], pa.string())


def _valid(column: pa.Array) -> pa.Array:
    """`column` itself if it is sound UTF-8 (files can lie about it), else a repaired copy."""
    try:
        column.validate(full=True)
    except pa.ArrowInvalid:
        raw = column.cast(pa.large_binary()).to_pylist()
        fixed = [None if value is None else value.decode("utf-8", "replace") for value in raw]
        return pa.array(fixed, column.type)
    return column
