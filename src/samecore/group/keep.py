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

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from samecore.errors import InputError, SettingError, unknown_name

Numbers = npt.NDArray[np.uint32]
Scores = npt.NDArray[np.float64]

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


def content_order(document_order: Numbers, content: Numbers, n: int) -> Numbers:
    """The order of `n` distinct contents by their best documents.

    `content` is the content of each document; every content has at least one.
    """
    return order(n, _best_rank(document_order, content, n), smallest=True)


def representatives(labels: Numbers, document_order: Numbers) -> Numbers:
    """For each document the document that represents its group: the first in the order.

    `labels` are groups per document, any numbers below the number of documents.
    """
    groups = int(labels.max()) + 1 if len(labels) else 0
    best = _best_rank(document_order, labels, groups)
    return document_order[best[labels]]


def pair_scores(one: Numbers, other: Numbers, left: Numbers, right: Numbers, score: Scores) -> Scores:
    """Score of the contents `one[i]` and `other[i]`, looked up in the sorted pairs.

    1.0 where both are the same content, NaN where the pair is not listed (its score is
    below the floor, and unknown).
    """
    found = np.where(one == other, 1.0, np.nan)
    if len(left) == 0:
        return found
    wanted = _keys(np.minimum(one, other), np.maximum(one, other))
    listed = _keys(left, right)
    at = np.minimum(np.searchsorted(listed, wanted), len(listed) - 1)
    hit = listed[at] == wanted
    found[hit] = score[at[hit]]
    return found


def _best_rank(document_order: Numbers, group: Numbers, groups: int) -> npt.NDArray[np.int64]:
    """Place in the order of the first document of each group (the order's length if it has none)."""
    best = np.full(groups, len(document_order), dtype=np.int64)
    # Of repeated places numpy keeps what was written last, so the order runs backwards.
    best[group[document_order[::-1]]] = np.arange(len(document_order))[::-1]
    return best


def _keys(left: Numbers, right: Numbers) -> npt.NDArray[np.uint64]:
    return left.astype(np.uint64) << np.uint64(32) | right.astype(np.uint64)
