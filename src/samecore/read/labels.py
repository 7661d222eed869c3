"""Files with labels: the cluster of each document, or judged pairs, as CSV, TSV or Parquet."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from samecore.errors import InputError

#: Names under which the columns are known.
ID_COLUMNS = ("id", "doc", "document", "path")
CLUSTER_COLUMNS = ("cluster", "label", "group", "campaign")
SAME_COLUMNS = ("same", "label")
YES = frozenset({"1", "true", "yes", "y", "dup", "duplicate", "same"})
NO = frozenset({"0", "false", "no", "n", "different", "negative", "template_negative"})


@dataclass(frozen=True)
class LabelRows:
    """What a file says, row by row, without blanks around: (id, cluster), or (left, right, judgement)."""

    clusters: tuple[tuple[str, str], ...] = ()
    judged: tuple[tuple[str, str, str], ...] = ()
    pairs: bool = False
    """Whether the file has pairs; it may have no rows."""


def label_rows(path: str | Path) -> LabelRows:
    """The rows of a file with columns (id, cluster), or (left, right, same), or others of their usual names."""
    path = Path(path)
    if not path.exists():
        raise InputError("expected a file with labels, found none", where=str(path))
    try:
        table = pq.read_table(path) if path.suffix == ".parquet" else _read_csv(path)
    except pa.ArrowInvalid as error:
        raise InputError(f"is not a readable table of labels: {error}", where=str(path)) from None
    if {"left", "right"} <= set(table.column_names):
        names = ("left", "right", _column(table, SAME_COLUMNS, path))
        return LabelRows(judged=tuple(zip(*(_texts(table, name) for name in names), strict=True)), pairs=True)
    names2 = (_column(table, ID_COLUMNS, path), _column(table, CLUSTER_COLUMNS, path))
    return LabelRows(clusters=tuple(zip(*(_texts(table, name) for name in names2), strict=True)))


def is_same(word: str) -> bool | None:
    """Whether a judgement says that two documents are the same; None if it says neither yes nor no."""
    word = word.strip().lower()
    return True if word in YES else False if word in NO else None


def _read_csv(path: Path) -> pa.Table:
    """A CSV or TSV with every column as text: an id such as 007 is not a number."""
    tabs = path.suffix in (".tsv", ".tab")
    options = pacsv.ParseOptions(delimiter="\t" if tabs else ",", quote_char=False if tabs else '"')
    if path.stat().st_size == 0:
        raise InputError("the file with labels is empty", where=str(path))
    with pacsv.open_csv(path, parse_options=options) as reader:
        names = reader.schema.names
    types = pacsv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()))
    return pacsv.read_csv(path, parse_options=options, convert_options=types)


def _column(table: pa.Table, names: tuple[str, ...], path: Path) -> str:
    for name in names:
        if name in table.column_names:
            return name
    there = ", ".join(table.column_names)
    raise InputError(f"expected a column named {' or '.join(names)}, found {there}", where=str(path))


def _texts(table: pa.Table, name: str) -> list[str]:
    return ["" if value is None else str(value).strip() for value in table[name].to_pylist()]
