"""The shape every kind of feature shares: one sorted list of keys per document."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Keys = npt.NDArray[np.uint64]
Counts = npt.NDArray[np.uint32]
Offsets = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Features:
    """Keys and counts of `n` documents, row after row.

    Document `i` has the entries `offsets[i]:offsets[i + 1]`. Within a document keys
    are distinct and ascending, and every count is at least 1. `weights`, if present,
    holds the integer weight of one occurrence of each entry; the same key has the
    same weight everywhere. Without it every occurrence weighs 1.
    """

    offsets: Offsets
    keys: Keys
    counts: Counts
    weights: Counts | None = None

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def row(self, document: int) -> slice:
        """Where the entries of one document lie in `keys`, `counts` and `weights`."""
        return slice(int(self.offsets[document]), int(self.offsets[document + 1]))
