"""Documents and contents: copies collapse into one content, and pairs expand again.

Everything between features and result works on distinct contents with multiplicities, so
a million copies of one page cost one comparison. These functions lead back to documents,
in bounded pieces.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from samecore.match.matches import Matches

Index = npt.NDArray[np.int64]
Rows = tuple[Index, Index, npt.NDArray[np.float64]]

#: Rows made at a time when pairs of contents are expanded to pairs of documents.
CHUNK_ROWS = 4_000_000


@dataclass(frozen=True, eq=False)
class Members:
    """The documents of each content: `documents[starts[c]:starts[c + 1]]`, in input order."""

    documents: Index
    starts: Index

    @staticmethod
    def of(content: Index, contents: int) -> Members:
        """From the content of each document; -1 marks a document without one."""
        kept = np.flatnonzero(content >= 0)
        documents = kept[np.argsort(content[kept], kind="stable")]
        return Members(documents, np.searchsorted(content[documents], np.arange(contents + 1)))

    @property
    def copies(self) -> Index:
        """How many documents each content has."""
        return np.diff(self.starts)


def count_rows(members: Members, pairs: Matches, *, copies: bool) -> int:
    """How many pairs of documents the pairs of contents stand for, with those of copies if asked."""
    many = members.copies.astype(object)  # Python integers cannot overflow
    across = sum((many[pairs.left] * many[pairs.right]).tolist())
    return across + (sum((many * (many - 1) // 2).tolist()) if copies else 0)


def expand(members: Members, pairs: Matches, *, copies: bool) -> Iterator[Rows]:
    """Matches of documents (left < right by input order) in pieces of at most `CHUNK_ROWS` rows."""
    many = members.copies
    for which, within in _pieces(many[pairs.left] * many[pairs.right]):
        left, right = pairs.left[which].astype(np.int64), pairs.right[which].astype(np.int64)
        first = members.documents[members.starts[left] + within // many[right]]
        second = members.documents[members.starts[right] + within % many[right]]
        yield np.minimum(first, second), np.maximum(first, second), pairs.score[which]
    if copies:
        for which, within in _pieces(many * (many - 1) // 2):
            low, high = _triangle(within)
            start = members.starts[which]
            yield members.documents[start + low], members.documents[start + high], np.ones(len(which))


def _pieces(rows: Index) -> Iterator[tuple[Index, Index]]:
    """Number all the rows and yield, piece by piece, which item each belongs to and its place in it."""
    ends = np.cumsum(rows, dtype=np.int64)
    total = int(ends[-1]) if len(ends) else 0
    for start in range(0, total, CHUNK_ROWS):
        row = np.arange(start, min(start + CHUNK_ROWS, total), dtype=np.int64)
        which = np.searchsorted(ends, row, side="right")
        yield which, row - (ends[which] - rows[which])


def _triangle(number: Index) -> tuple[Index, Index]:
    """The `number`-th pair (low, high), low < high, of the order (0,1), (0,2), (1,2), (0,3) ..."""
    high = ((1 + np.sqrt(1 + 8 * number.astype(np.float64))) / 2).astype(np.int64)
    high -= high * (high - 1) // 2 > number  # the square root may be off by one for large numbers
    high += (high + 1) * high // 2 <= number
    return number - high * (high - 1) // 2, high


def best_of(group: Index, rank: Index, *, groups: int) -> Index:
    """Per group the document with the smallest rank. Documents of group -1 take no part."""
    best = np.full(groups, -1, np.int64)
    order = np.argsort(-rank, kind="stable")
    order = order[group[order] >= 0]
    best[group[order]] = order  # later writes win, so the smallest rank stays
    return best


def best_partner(pairs: Matches, contents: int) -> tuple[Index, npt.NDArray[np.float64]]:
    """Per content its highest-scoring partner (-1: none; ties: the smaller number) and that score."""
    one = np.concatenate((pairs.left, pairs.right)).astype(np.int64)
    other = np.concatenate((pairs.right, pairs.left)).astype(np.int64)
    score = np.concatenate((pairs.score, pairs.score))
    order = np.lexsort((-other, score, one))  # the last row of each content is its best
    partner, best = np.full(contents, -1, np.int64), np.full(contents, np.nan)
    partner[one[order]], best[one[order]] = other[order], score[order]
    return partner, best
