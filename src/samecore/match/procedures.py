"""Full, Incremental and Seeded matching: the procedures of SpotSigs 2007 on a collection in memory.

Documents meet an index of signatures. Two documents *collide* if they share a signature, and one is a
*duplicate* of another if their Jaccard overlap reaches the threshold (inclusive, unlike in the paper).

    full         two passes: all documents enter the index, then each is matched with all the others
    incremental  one pass: a document enters the index unless it is a duplicate of one that is there
    seeded       as incremental, with known examples in the index from the start

First Guess takes the first colliding document that reaches the threshold, Best Guess the most similar
(the one that entered the index earlier, of equals). Figure 8 of the paper, as printed, adds a document
that it has just declared a duplicate; here it does not, unless `add_duplicates` asks for it.

The index that lives on disk, `samecore.Index`, answers the same questions for good.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from samecore import _core
from samecore.errors import InputError, SettingError, unknown_name
from samecore.features.csr import Features
from samecore.match.threshold import Number, Threshold, exact_threshold
from samecore.similarity.jaccard import sizes
from samecore.sketch.mixing import drawn, mix

Order: TypeAlias = npt.NDArray[np.uint32]
Guess: TypeAlias = Literal["first", "best"]
GUESSES = ("first", "best")


@dataclass(frozen=True, eq=False)
class Matched:
    """What became of each document; every array has one entry per document."""

    order: Order
    """The documents in the order in which they were taken, seeds first."""
    partner: npt.NDArray[np.int64]
    """The document that this one is a duplicate of; -1 if it is new, or a seed."""
    score: npt.NDArray[np.float64]
    """Jaccard overlap with the partner; 0 without one."""
    collisions: npt.NDArray[np.uint32]
    """Documents in the index that share a signature with this one, as far as they were looked at."""
    compared: npt.NDArray[np.uint32]
    """Collisions for which the overlap was counted: those the size bound does not rule out."""
    indexed: npt.NDArray[np.bool_]
    """Whether the document is in the index at the end."""
    seconds: npt.NDArray[np.float64]
    """Time spent on the document; the only figure here that differs from run to run."""

    @property
    def duplicates(self) -> npt.NDArray[np.int64]:
        """The documents that have a partner."""
        return np.flatnonzero(self.partner >= 0)

    def index_sizes(self) -> npt.NDArray[np.int64]:
        """How many documents the index holds after each step of `order`."""
        return np.cumsum(self.indexed[self.order])


def full(
    features: Features,
    *,
    threshold: Number | Threshold,
    guess: Guess = "best",
    multiset: bool = True,
    size_bound: bool = True,
    order: Order | None = None,
) -> Matched:
    """Match every document with all others. Best Guess is the best partner there is."""
    return _run(features, threshold, guess, multiset, size_bound, order, full=True)


def incremental(
    features: Features,
    *,
    threshold: Number | Threshold,
    guess: Guess = "best",
    multiset: bool = True,
    size_bound: bool = True,
    add_duplicates: bool = False,
    order: Order | None = None,
) -> Matched:
    """Take documents one by one; each is matched with those that entered the index before it."""
    return _run(features, threshold, guess, multiset, size_bound, order, add_duplicates=add_duplicates)


def seeded(
    features: Features,
    seeds: Sequence[int] | npt.NDArray[np.int64],
    *,
    threshold: Number | Threshold,
    guess: Guess = "best",
    multiset: bool = True,
    size_bound: bool = True,
    add_duplicates: bool = False,
    order: Order | None = None,
) -> Matched:
    """As `incremental`, with the documents numbered `seeds` in the index at the outset, unmatched."""
    given = np.asarray(seeds, np.int64).reshape(-1)
    if len(np.unique(given)) != len(given) or ((given < 0) | (given >= len(features))).any():
        raise SettingError(
            "seeds", found=given.tolist()[:10], expected=f"different documents, 0 to {len(features) - 1}"
        )
    rest = np.arange(len(features)) if order is None else np.asarray(order, np.int64)
    order = np.concatenate((given, rest[~np.isin(rest, given)])).astype(np.uint32)
    return _run(
        features,
        threshold,
        guess,
        multiset,
        size_bound,
        order,
        add_duplicates=add_duplicates,
        seeds=len(given),
    )


def shuffled(documents: int, seed: int) -> Order:
    """All document numbers in an order that depends on `seed` alone."""
    numbers = np.arange(documents, dtype=np.uint64) ^ drawn(seed, 0)
    return np.argsort(mix(numbers), kind="stable").astype(np.uint32)


def _run(
    features: Features,
    threshold: Number | Threshold,
    guess: Guess,
    multiset: bool,
    size_bound: bool,
    order: Order | None,
    *,
    full: bool = False,
    add_duplicates: bool = False,
    seeds: int = 0,
) -> Matched:
    if guess not in GUESSES:
        raise unknown_name("guess", guess, GUESSES)
    if features.weights is not None:
        raise InputError("the procedures compare counts; expected features without weights")
    tau = exact_threshold(threshold)
    elements, ids = np.unique(features.keys, return_inverse=True)
    counts = features.counts if multiset else np.ones(len(features.keys), np.uint32)
    if order is None:
        order = np.arange(len(features), dtype=np.uint32)
    partner, overlap, collisions, compared, indexed, seconds = _core.match_in_order(
        features.offsets,
        ids.astype(np.uint32),
        counts,
        len(elements),
        order,
        tau.num,
        tau.den,
        full,
        guess == "best",
        add_duplicates,
        size_bound,
        seeds,
    )
    size = sizes(features, multiset=multiset)
    union = np.where(partner >= 0, size + size[partner] - overlap.astype(np.int64), 1)
    return Matched(order, partner, overlap / union, collisions, compared, indexed.astype(np.bool_), seconds)
