"""Pairs by normalised compression distance: all of them, or greedily as Algorithm 1 of SigNCD (2016).

Contents are put in order by compressed size, so that Lemma 3 (P1) leaves each one a stretch of partners that
begins right behind it. What numbers can tell is settled first, on arrays; only then is anything compressed.

P1: NCD(x, y) >= 1 - C(x) / C(y) for C(x) <= C(y), if C(xy) is never below C(y).
P2: NCD(x, y) >= |NCD(x, z) - NCD(y, z)|, if the triangle inequality holds.

Real compressors keep neither rule always. P1 loses nothing here all the same, because the joint size counts as at
least that of the larger text (`monotone`); P2 may, and `slack` makes both more careful (docs/compression.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from samecore.errors import InputError
from samecore.match.exact import TooManyPairs
from samecore.match.threshold import Threshold
from samecore.similarity.compression import Compressor, first_of

Numbers: TypeAlias = npt.NDArray[np.int64]

#: Compressed together at a time; the pieces do not depend on the number of threads.
PIECE = 16_384
#: A greedy block looks this many comparisons ahead, before it knows which of them turn out to be needless.
GREEDY_PIECE = 4_096
#: About three hours of compressing on one processor; more than that is refused before it starts.
MAX_COMPARISONS = 10**10
#: P2 is told from floats; a bound this little above the threshold does not count as above it.
ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Sorted:
    """The contents of one collection or two by (compressed size, length, bytes), the order of concatenation."""

    strings: list[bytes]
    size: Numbers
    content: Numbers  # the number of each in its own collection
    second: npt.NDArray[np.bool_]  # of the second collection
    compress: Compressor
    monotone: bool
    two_sides: bool

    @staticmethod
    def of(
        strings: pa.LargeStringArray,
        other: pa.LargeStringArray | None,
        compress: Compressor,
        *,
        monotone: bool,
        threads: int,
    ) -> Sorted:
        sides = [strings] if other is None else [strings, other]
        texts = [text for side in sides for text in side.cast(pa.large_binary()).to_pylist()]
        pieces = [texts[at : at + PIECE] for at in range(0, len(texts), PIECE)]
        sizes = [
            size for piece in _each(lambda own: list(map(compress, own)), pieces, threads) for size in piece
        ]
        order = sorted(range(len(texts)), key=lambda i: (sizes[i], *first_of(texts[i])))
        place = np.array(order, np.int64)
        split = len(strings)
        return Sorted(
            [texts[i] for i in order],
            np.array(sizes, np.int64)[place],
            np.where(place < split, place, place - split),
            place >= split,
            compress,
            monotone,
            other is not None,
        )

    def __len__(self) -> int:
        return len(self.strings)

    @cached_property
    def same_as_next(self) -> npt.NDArray[np.bool_]:
        """Equal texts stand beside each other; within one collection there are none."""
        own = self.strings
        return np.array([one == two for one, two in pairwise(own)] + [False], np.bool_)

    def joint(self, first: Numbers, second: Numbers) -> Numbers:
        """The compressed size of each pair, `first` before `second`."""
        own, compress = self.strings, self.compress
        pairs = zip(first.tolist(), second.tolist(), strict=True)
        joint = np.array([compress(own[a] + own[b]) for a, b in pairs], np.int64)
        return np.maximum(joint, self.size[second]) if self.monotone else joint

    def shared(self, first: Numbers, second: Numbers) -> Numbers:
        """What compressing each pair together saves, in bytes; all of it for equal texts."""
        large = self.size[second]
        saved = large + self.size[first] - self.joint(first, second)
        return np.where(self.same_as_next[first] & (second == first + 1), large, saved)

    def partners(self, least: Fraction) -> Numbers:
        """Up to where the partners of each reach by P1: sizes of which its own is the share `least`."""
        if least <= 0:
            return np.full(len(self), len(self), np.int64)
        reach = [size * least.denominator // least.numerator for size in self.size.tolist()]
        return np.searchsorted(self.size, np.minimum(reach, 1 << 62).astype(np.int64), side="right")


@dataclass(frozen=True, eq=False)
class Found:
    """Places of pairs in the order of `Sorted`, their scores, and how many pairs were compressed."""

    first: Numbers
    second: Numbers
    score: npt.NDArray[np.float64]
    comparisons: int


def all_pairs(
    ordered: Sorted,
    *,
    threshold: Threshold,
    reach: Numbers,
    bound: Bound | None,
    limit: int | None,
    threads: int,
) -> Found:
    """Every pair at or above the threshold among those that `reach` and `bound` leave."""
    total = int(np.maximum(reach - np.arange(len(reach)) - 1, 0).sum())
    if total > MAX_COMPARISONS:
        raise InputError(
            f"{total:,} pairs would have to be compressed; raise the threshold, or let candidates decide "
            "which pairs are worth it (method 'signcd-candidates')"
        )

    def piece(rows: range) -> Found:
        first, second = _stretches(np.arange(rows.start, rows.stop), reach)
        if ordered.two_sides:
            first, second = _select(first, second, ordered.second[first] != ordered.second[second])
        if bound is not None:
            first, second = _select(first, second, bound.allows(first, second))
        return scored(ordered, first, second, threshold)

    return _gather(_each(piece, list(_rows(reach, PIECE)), threads), limit)


def candidate_pairs(
    ordered: Sorted,
    first: Numbers,
    second: Numbers,
    *,
    threshold: Threshold,
    reach: Numbers,
    limit: int | None,
    threads: int,
    piece: int = PIECE,
) -> Found:
    """Every pair at or above the threshold among those given that `reach` leaves."""
    first, second = _select(first, second, second < reach[first])
    pieces = [slice(at, at + piece) for at in range(0, len(first), piece)]
    return _gather(
        _each(lambda own: scored(ordered, first[own], second[own], threshold), pieces, threads), limit
    )


def greedy_pairs(
    ordered: Sorted, *, threshold: Threshold, reach: Numbers, bound: Bound | None, threads: int
) -> Found:
    """Algorithm 1: in order of size each content takes the later ones that match it; what is taken is not compared again.

    As if one content were looked at after another: blocks of them are compressed ahead of time, and what an
    earlier one has taken is dropped. `comparisons` are those that the algorithm asks for.
    """
    taken = np.zeros(len(ordered), np.bool_)
    found: list[Found] = []
    comparisons = 0
    for block in _rows(reach, GREEDY_PIECE):
        heads = np.arange(block.start, block.stop)
        first, second = _stretches(heads[~taken[heads]], reach)
        first, second = _select(first, second, ~taken[second])
        if bound is not None:
            first, second = _select(first, second, bound.allows(first, second))
        ahead = candidate_pairs(
            ordered, first, second, threshold=threshold, reach=reach, limit=None, threads=threads, piece=512
        )
        starts = np.searchsorted(first, heads)
        ends = np.searchsorted(first, heads, side="right")
        for head, start, end in zip(heads.tolist(), starts, ends, strict=True):
            if taken[head]:
                continue
            comparisons += int((~taken[second[start:end]]).sum())
            own = slice(*np.searchsorted(ahead.first, (head, head + 1)))
            new = ~taken[ahead.second[own]]
            taken[ahead.second[own][new]] = True
            found.append(Found(ahead.first[own][new], ahead.second[own][new], ahead.score[own][new], 0))
    return Found(*_columns(found), comparisons)


def scored(ordered: Sorted, first: Numbers, second: Numbers, threshold: Threshold) -> Found:
    """The pairs that reach the threshold. Integers decide: saved / larger size >= num / den."""
    saved, large = ordered.shared(first, second), ordered.size[second]
    kept = (saved * threshold.den >= threshold.num * large) & (large > 0)
    score = np.minimum(saved[kept] / large[kept], 1.0)
    return Found(first[kept], second[kept], score, len(first))


@dataclass(frozen=True, eq=False)
class Bound:
    """P2 with a few pivots: the distances of all contents to them say which pairs are too far apart."""

    distance: npt.NDArray[np.float64]  # a row per pivot; NaN where P1 has pruned, or before the pivot
    most: float

    @staticmethod
    def of(ordered: Sorted, *, pivots: int, reach: Numbers, most: float, threads: int) -> tuple[Bound, int]:
        """Pivots evenly over the order, and how many comparisons they took. `most` is the largest bound that is let pass."""
        places = np.unique(
            np.linspace(0, max(len(ordered) - 1, 0), min(pivots, len(ordered))).astype(np.int64)
        )

        def row(place: int) -> npt.NDArray[np.float64]:
            distance = np.full(len(ordered), np.nan)
            second = np.arange(place + 1, reach[place])
            large = np.maximum(ordered.size[second], 1)
            saved = ordered.shared(np.full(len(second), place), second)
            distance[second] = 1.0 - saved / large
            return distance

        rows = list(_each(row, places.tolist(), threads))
        table = np.array(rows).reshape(len(places), len(ordered))
        return Bound(table, most), int(np.count_nonzero(~np.isnan(table)))

    def allows(self, first: Numbers, second: Numbers) -> npt.NDArray[np.bool_]:
        """False where some pivot that both have been compared with shows that they are too far apart."""
        allowed = np.ones(len(first), np.bool_)
        for row in self.distance:
            with np.errstate(invalid="ignore"):  # comparisons with NaN are false, which is what is wanted
                allowed &= ~(np.abs(row[first] - row[second]) > self.most + ROUNDING)
        return allowed


# -- the pieces ---------------------------------------------------------------------------


def _rows(reach: Numbers, piece: int) -> Iterator[range]:
    """Rows in stretches of about `piece` comparisons, at least one row each."""
    ends = np.cumsum(np.maximum(reach - np.arange(len(reach)) - 1, 0))
    start = 0
    while start < len(reach):
        done = int(ends[start - 1]) if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, done + piece, side="right")))
        yield range(start, stop)
        start = stop


def _stretches(heads: Numbers, reach: Numbers) -> tuple[Numbers, Numbers]:
    """Each head with every place behind it up to its reach."""
    lengths = np.maximum(reach[heads] - heads - 1, 0)
    first = np.repeat(heads, lengths)
    within = np.arange(len(first)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return first, first + 1 + within


def _select(first: Numbers, second: Numbers, mask: npt.NDArray[np.bool_]) -> tuple[Numbers, Numbers]:
    return first[mask], second[mask]


def _each(function: Callable[..., object], items: list, threads: int) -> Iterator:  # type: ignore[type-arg]
    """The function of every item, in order, on several threads."""
    if threads == 1 or len(items) < 2:
        yield from map(function, items)
        return
    with ThreadPoolExecutor(threads) as pool:
        yield from pool.map(function, items)


def _gather(pieces: Iterator[Found], limit: int | None) -> Found:
    found, pairs, comparisons = [], 0, 0
    for piece in pieces:
        found.append(piece)
        pairs += len(piece.first)
        comparisons += piece.comparisons
        if limit is not None and pairs > limit:
            raise TooManyPairs(limit)
    return Found(*_columns(found), comparisons)


def _columns(found: list[Found]) -> tuple[Numbers, Numbers, npt.NDArray[np.float64]]:
    return (
        np.concatenate([np.empty(0, np.int64), *(one.first for one in found)]),
        np.concatenate([np.empty(0, np.int64), *(one.second for one in found)]),
        np.concatenate([np.empty(0), *(one.score for one in found)]),
    )
