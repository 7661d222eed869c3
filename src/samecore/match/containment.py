"""The exact matcher for containment: which documents lie in which, to a share of at least tau.

    C(A, B) = |A n B| / |A|

A pair is listed when the larger of C(A, B) and C(B, A) reaches the threshold, that is when
|A n B| / min(|A|, |B|) does: the smaller one is the contained. Found through inverted
lists of the rare end of every document, which a container must share; see
`docs/weighted-join.md`. Integers decide at the threshold.
"""

from __future__ import annotations

import numpy as np

from samecore import _core
from samecore.errors import SettingError
from samecore.features.csr import Features
from samecore.match.exact import NO_LIMIT, TooManyPairs
from samecore.match.pairs import Pairs, Scores
from samecore.match.threshold import Number, Threshold, exact_threshold
from samecore.similarity.jaccard import sizes

#: Documents indexed at a time. Bounds the memory of the lists; the answer does not depend on it.
BLOCK_ROWS = 2**18

#: Eighths of the needed overlap that are counted in the lists rather than verified; figures
#: in docs/weighted-join.md. The answer is the same for each.
SLACK = 1


def containment(
    features: Features,
    other: Features | None = None,
    *,
    threshold: Number | Threshold,
    multiset: bool = True,
    threads: int = 1,
    max_pairs: int | None = None,
) -> Pairs:
    """All pairs of which one document is in the other to a share of at least `threshold`.

    `score` is that share, of the smaller document; `containments` gives both directions.
    With `other`, pairs of one document from each. Identical contents are reported once;
    see `Pairs.expand`. Documents without features match nothing. Above `max_pairs` pairs
    of distinct contents the search stops with TooManyPairs. The result is the same for any
    number of threads.
    """
    tau = exact_threshold(threshold)
    if max_pairs is not None and max_pairs < 0:
        raise SettingError("max_pairs", found=max_pairs, expected="at least 0, or None")
    limit = NO_LIMIT if max_pairs is None else max_pairs
    try:
        left, right, overlap, left_share, right_share, content, other_content, _ = _core.containment_join(
            features.offsets, features.keys, features.counts, features.weights,
            None if other is None else other.offsets,
            None if other is None else other.keys,
            None if other is None else other.counts,
            None if other is None else other.weights,
            tau.num, tau.den, multiset, threads, limit, SLACK, BLOCK_ROWS,
        )  # fmt: skip
    except OverflowError:
        raise TooManyPairs(limit) from None
    return Pairs(
        left, right, np.maximum(left_share, right_share), overlap,
        sizes=sizes(features, multiset=multiset).astype(np.uint32),
        other_sizes=None if other is None else sizes(other, multiset=multiset).astype(np.uint32),
        content=content,
        other_content=None if other is None else other_content,
    )  # fmt: skip


def containments(pairs: Pairs) -> tuple[Scores, Scores]:
    """The share of each left document that is in its right one, and the other way round.

    Columns `containment_left` and `containment_right` of a result. Pairs of any matcher
    that counts overlaps will do, expanded or not.
    """
    right_sizes = pairs.sizes if pairs.other_sizes is None else pairs.other_sizes
    return pairs.overlap / pairs.sizes[pairs.left], pairs.overlap / right_sizes[pairs.right]
