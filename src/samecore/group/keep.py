"""Keep policies: which document of a group represents it.

A policy orders the documents, the one to keep first; the representative of a group is
its first document in that order. The same order, carried over to distinct contents,
is the one in which `leader` visits them.

| policy         | first comes                                    |
|----------------|------------------------------------------------|
| `first`        | the earlier in the input                       |
| `longest`      | the longer text                                |
| `newest`       | the later date, documents without a date last  |
| `column:NAME`  | the larger value of a column, nulls last       |
| `column:-NAME` | the smaller value, nulls last                  |

Ties go to the earlier in the input.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from samecore.errors import InputError, SettingError, unknown_name

Numbers = npt.NDArray[np.uint32]

#: Before the name of a user's own column, so that it cannot be mistaken for one of ours.
COLUMN_PREFIX = "keep:"

POLICIES = ("first", "longest", "newest", "column:NAME", "column:-NAME")


@dataclass(frozen=True)
class Policy:
    """A parsed policy: `key` is None (input order), 'length', 'date' or a column's name."""

    text: str
    key: str | None
    smallest: bool = False
    is_column: bool = False


def parse(text: str) -> Policy:
    """The policy a user wrote, or a SettingError that names the known ones.

    >>> parse("column:-price")
    Policy(text='column:-price', key='price', smallest=True, is_column=True)
    """
    if text == "first":
        return Policy(text, None)
    if text == "longest":
        return Policy(text, "length")
    if text == "newest":
        return Policy(text, "date")
    kind, colon, name = text.partition(":")
    if kind != "column" or not colon:
        raise unknown_name("keep", text, POLICIES)
    smallest = name.startswith("-")
    name = name[1:] if smallest else name
    if not name:
        raise SettingError("keep", found=text, expected="a column's name after 'column:'")
    return Policy(text, name, smallest, True)


def order(n: int, key: Any = None, *, smallest: bool = False) -> Numbers:
    """Numbers of `n` documents, the one to keep first.

    `key` is anything Arrow makes a column of (numbers, dates, strings, booleans), with
    one value per document: the largest comes first, or the `smallest`; nulls and NaN
    come last, ties in input order. Without a key it is the input order.

    >>> order(4, [3, None, 7, 3]).tolist()
    [2, 0, 3, 1]
    """
    if key is None:
        return np.arange(n, dtype=np.uint32)
    column = key.combine_chunks() if isinstance(key, pa.ChunkedArray) else key
    if not isinstance(column, pa.Array):
        column = pa.array(column, from_pandas=True)
    if len(column) != n:
        raise InputError(f"a keep key needs one value per document: expected {n}, found {len(column)}")
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_null(column.type):
        return np.arange(n, dtype=np.uint32)
    if pa.types.is_floating(column.type):  # NaN is no value
        column = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
    try:
        ranked = pc.array_sort_indices(
            column, order="ascending" if smallest else "descending", null_placement="at_end"
        )
    except pa.ArrowNotImplementedError as error:
        raise InputError(
            f"a keep key needs values that can be ordered (numbers, dates, text), found {column.type}"
        ) from error
    numbers: Numbers = ranked.to_numpy(zero_copy_only=False).astype(np.uint32)
    return numbers


def rank(documents: pa.Table, policy: str) -> npt.NDArray[np.int64]:
    """The place of each document under a policy as a user wrote it: 0 is kept before all others.

    `documents` has the columns the policy needs: `length` for longest, `date` for newest; a column of
    the user's own is there with `COLUMN_PREFIX` before its name.
    """
    asked = parse(policy)
    name = COLUMN_PREFIX + asked.key if asked.is_column and asked.key is not None else asked.key
    if name is not None and name not in documents.column_names and len(documents):
        raise InputError(f"keep {policy!r} needs a column {asked.key!r}, which no document has")
    key = None if name is None or name not in documents.column_names else documents[name]
    if key is not None and policy == "newest":
        key = moments(key)
        if len(key) and np.isnan(key).all():
            raise InputError("keep 'newest' needs dates in the column 'date', and none of them can be read")
    elif key is not None and asked.is_column:
        key = _numbers_if_all(key)
    place = np.empty(len(documents), np.int64)
    place[order(len(documents), key, smallest=asked.smallest)] = np.arange(len(documents))
    return place


def _numbers_if_all(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Text that is all numbers, as a CSV file has them, as numbers: 31 is more than 4."""
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return column
    try:
        return pc.if_else(pc.equal(column, ""), None, column).cast(pa.float64())
    except pa.ArrowInvalid:
        return column


def moments(dates: pa.ChunkedArray) -> npt.NDArray[np.float64]:
    """Dates as seconds since 1970, NaN where none can be read.

    Understood are ISO 8601 with or without a time and zone (UTC if none), the form of mail headers,
    and seconds since 1970 as a number.
    """
    return np.array([_moment(value) for value in dates.cast(pa.string()).to_pylist()], np.float64)


def _moment(written: str | None) -> float:
    text = (written or "").strip()
    for read in (_iso, parsedate_to_datetime):
        try:
            moment = read(text)
        except (ValueError, TypeError, IndexError):
            continue
        return (moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)).timestamp()
    try:
        return float(text)
    except ValueError:
        return math.nan


def _iso(text: str) -> datetime:
    if not text[:4].isdigit() or text[4:5] != "-":  # a bare number would be taken for a day
        raise ValueError(text)
    return datetime.fromisoformat(text.replace("Z", "+00:00").replace("/", "-"))
