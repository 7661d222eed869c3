"""The shape every kind of feature shares: one sorted list of keys per document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Keys = npt.NDArray[np.uint64]
Counts = npt.NDArray[np.uint32]
Offsets = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Occurrence:
    """One feature where it stands in a text: characters `start` to `end`, and its normalised words."""

    key: int
    start: int
    end: int
    words: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Features:
    """Keys and counts of `n` documents, row after row.

    Document `i` has the entries `offsets[i]:offsets[i + 1]`. Within a document keys
    are distinct and ascending, and every count is at least 1. `weights`, if present,
    holds the integer weight of one occurrence of each entry; the same key has the
    same weight everywhere. Without it every occurrence weighs 1. `places`, if present,
    holds the number of the word of the document at which each entry first stands; what
    has been weighed or left in part has none.
    """

    offsets: Offsets
    keys: Keys
    counts: Counts
    weights: Counts | None = None
    places: Counts | None = None

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def row(self, document: int) -> slice:
        """Where the entries of one document lie in `keys`, `counts` and `weights`."""
        return slice(int(self.offsets[document]), int(self.offsets[document + 1]))

    def totals(self) -> npt.NDArray[np.int64]:
        """How many features each document has, counted with repetitions."""
        return row_sums(self.counts, self.offsets)

    def rows(self, start: int, stop: int) -> Features:
        """The features of the documents `start` to `stop`, without a copy of their keys."""
        entries = slice(int(self.offsets[start]), int(self.offsets[stop]))
        offsets = self.offsets[start : stop + 1] - self.offsets[start]
        return self._only(entries, offsets)

    def take(self, rows: npt.NDArray[np.int64]) -> Features:
        """The features of some documents, in the order asked for; without a copy if these are all of them."""
        lengths = np.diff(self.offsets)
        if np.all(rows[1:] > rows[:-1]):  # some of them as they come: cheaper, and what is asked for most
            if len(rows) == len(self):
                return self
            kept = np.zeros(len(self), np.bool_)
            kept[rows] = True
            return self._only(np.repeat(kept, lengths), np.concatenate(([0], np.cumsum(lengths[rows]))))
        lengths = lengths[rows]
        offsets = np.concatenate(([0], np.cumsum(lengths)))
        at = np.arange(offsets[-1]) + np.repeat(self.offsets[:-1][rows] - offsets[:-1], lengths)
        return self._only(at, offsets)

    def _only(self, entries: slice | npt.NDArray[Any], offsets: Offsets) -> Features:
        """Some of the entries, as rows that end at `offsets`."""
        weights = None if self.weights is None else self.weights[entries]
        places = None if self.places is None else self.places[entries]
        return Features(offsets, self.keys[entries], self.counts[entries], weights, places)


def concatenate(parts: Sequence[Features]) -> Features:
    """The documents of all parts, one after another. Either all parts have weights or none; places are kept
    if all parts with entries have them.

    Nothing is copied if only one of them has documents."""
    filled = [part for part in parts if len(part)]
    if len(filled) == 1:
        return filled[0]
    lengths = [np.diff(part.offsets) for part in parts]
    offsets = np.concatenate(([0], np.cumsum(np.concatenate(lengths)))) if parts else np.zeros(1, np.int64)
    weights = [part.weights for part in parts if part.weights is not None]
    places = [part.places for part in parts if part.places is not None and len(part.keys)]
    placed = len(places) == sum(len(part.keys) > 0 for part in parts) > 0
    return Features(
        offsets.astype(np.int64),
        np.concatenate([part.keys for part in parts]) if parts else np.empty(0, np.uint64),
        np.concatenate([part.counts for part in parts]) if parts else np.empty(0, np.uint32),
        np.concatenate(weights) if weights else None,
        np.concatenate(places) if placed else None,
    )


def row_sums(values: npt.NDArray[Any], offsets: Offsets) -> npt.NDArray[np.int64]:
    """The sum of the values `offsets[i]:offsets[i + 1]` for each row i, 0 for an empty one."""
    sums = np.zeros(len(offsets) - 1, np.int64)
    filled = np.flatnonzero(offsets[1:] > offsets[:-1])
    if len(filled):
        sums[filled] = np.add.reduceat(values, offsets[filled], dtype=np.int64)
    return sums


def none(documents: int) -> Features:
    """Documents without any features."""
    return Features(np.zeros(documents + 1, np.int64), np.empty(0, np.uint64), np.empty(0, np.uint32))


def replace_rows(features: Features, rows: npt.NDArray[np.int64], by: Features) -> Features:
    """The same documents, with those numbered `rows` (ascending) given the features of `by` instead."""
    order = np.arange(len(features))
    order[rows] = len(features) + np.arange(len(rows))
    return concatenate([features, by]).take(order)
