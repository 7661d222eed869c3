"""Documents whose sketches share enough values: the sorted list of the Lecture, made safe.

The Lecture lists (shingle value, document) for every value of every sketch, sorts the
list, expands each run of equal values to pairs of documents, counts the pairs and keeps
those with matches / m at or above a threshold. A value that lies in d documents costs d^2
triples, "not linear-time for the list of docs for one shingle value".

Here the same pairs come from the exact set join. A sketch of m slots is the set of its m
elements (slot, value). If k of them are shared, the two sets have the Jaccard similarity

    k / (m + m - k)

which rises with k. So matches / m >= t holds exactly if the Jaccard reaches K / (2m - K)
with K = ceil(t m), the least k that does; without rounding that is t / (2 - t). The join
never expands a common value: it looks at the rarest elements of each set first, and at only
as many as a partner cannot all miss.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Literal

import numpy as np

from samecore import _core
from samecore.errors import SettingError
from samecore.features.csr import Features
from samecore.match.exact import TooManyPairs, exact
from samecore.match.lsh import EMPTY, MAX_PAIRS, Sketches, check_sketches
from samecore.match.pairs import Documents, Pairs
from samecore.match.threshold import Number, Threshold, exact_threshold

#: Documents joined at a time: about 4 GB at the peak for sketches of 128 slots.
BLOCK = 1 << 20


def slot_features(sketches: Sketches) -> Features:
    """A sketch as the set of its (slot, value); nothing for the sketch of an empty document."""
    check_sketches(sketches, "sketches")
    filled = ~(sketches == EMPTY).all(axis=1)
    slots = np.arange(sketches.shape[1], dtype=np.uint64) << np.uint64(32)
    keys = (sketches[filled] | slots).ravel()
    offsets = np.concatenate(([0], np.cumsum(filled, dtype=np.int64) * sketches.shape[1])).astype(np.int64)
    return Features(offsets, keys, np.ones(len(keys), np.uint32))


def jaccard_of_matches(threshold: Number | Threshold, slots: int) -> Threshold:
    """The Jaccard threshold of sets of `slots` elements that means matches / slots >= threshold."""
    tau = exact_threshold(threshold)
    needed = -(-tau.num * slots // tau.den)
    return exact_threshold(Fraction(needed, 2 * slots - needed))


def shared_values(
    sketches: Sketches,
    other: Sketches | None = None,
    *,
    threshold: Number | Threshold,
    threads: int = 1,
    output: Literal["pairs", "forest"] = "pairs",
    max_pairs: int | None = MAX_PAIRS,
    block: int = BLOCK,
) -> Pairs:
    """All pairs of documents with matches / slots >= threshold, exactly, or their spanning forest.

    The score is the estimate matches / slots, `overlap` the number of matches. Identical
    sketches are reported once (`Pairs.expand`), sketches of nothing but `EMPTY` match nothing.
    Documents are joined `block` by `block`, so that memory depends on the block and the
    pairs alone; the answer does not depend on it. TooManyPairs above `max_pairs`.
    """
    if block < 1:
        raise SettingError("block", found=block, expected="at least 1")
    check_sketches(sketches, "sketches")
    slots = sketches.shape[1]
    if other is not None:
        check_sketches(other, "other")
        if other.shape[1] != slots:
            raise SettingError(
                "other", found=f"{other.shape[1]} slots", expected=f"{slots}, as the first have"
            )
    tau = jaccard_of_matches(threshold, slots)
    content, blocks = _blocks(sketches, block, threads)
    other_content, other_blocks = (None, blocks) if other is None else _blocks(other, block, threads)
    rows = sketches if other is None else other
    parts: list[tuple[Documents, Documents, Documents]] = []
    left_over = max_pairs
    for i, mine in enumerate(blocks):
        own = slot_features(sketches[mine])
        for j, theirs in enumerate(other_blocks):
            if other is None and j < i:
                continue
            within = other is None and i == j
            try:
                found = exact(
                    own, None if within else slot_features(rows[theirs]),
                    threshold=tau, multiset=False, threads=threads, output=output, max_pairs=left_over,
                )  # fmt: skip
            except TooManyPairs:
                assert max_pairs is not None
                raise TooManyPairs(max_pairs) from None
            if left_over is not None and output == "pairs":
                left_over -= len(found)
            parts.append((mine[found.left], theirs[found.right], found.overlap))
    left, right, overlap = (
        np.concatenate([np.empty(0, np.uint32), *(part[k] for part in parts)]) for k in range(3)
    )
    order = np.lexsort((right, left))
    pairs = Pairs(
        left[order], right[order], overlap[order] / slots, overlap[order],
        _sizes(sketches), None if other is None else _sizes(other), content, other_content,
        forest=output == "forest",
    )  # fmt: skip
    return _forest(pairs) if output == "forest" and len(parts) > 1 else pairs


def _blocks(sketches: Sketches, block: int, threads: int) -> tuple[Documents, list[Documents]]:
    content: Documents = _core.collapse_sketches(np.ascontiguousarray(sketches), threads)
    distinct = np.flatnonzero(content == np.arange(len(content), dtype=np.uint32)).astype(np.uint32)
    return content, [distinct[start : start + block] for start in range(0, len(distinct), block)]


def _sizes(sketches: Sketches) -> Documents:
    return np.where((sketches == EMPTY).all(axis=1), 0, sketches.shape[1]).astype(np.uint32)


def _forest(pairs: Pairs) -> Pairs:
    """The forest of the blocks' forests, which is that of all pairs."""
    two_sides = pairs.other_sizes is not None
    shift = len(pairs.sizes) if two_sides else 0
    vertices = len(pairs.sizes) + (0 if pairs.other_sizes is None else len(pairs.other_sizes))
    order = np.lexsort((pairs.right, pairs.left, -pairs.score))
    joins = _core.spanning_forest(vertices, pairs.left[order], pairs.right[order] + np.uint32(shift)).astype(
        np.bool_
    )
    kept = np.sort(order[joins])
    return replace(
        pairs,
        left=pairs.left[kept],
        right=pairs.right[kept],
        score=pairs.score[kept],
        overlap=pairs.overlap[kept],
    )
