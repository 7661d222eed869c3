"""Pairs of each document with its leader, without ever listing all pairs.

Deduplication keeps the first document of each star (see `samecore.group.leader`): in a given
order, a document joins the best-scoring earlier leader that it matches, or becomes a leader.
Only pairs with leaders matter for that, and leaders do not match each other, so there are few of
them even where a template makes millions of documents match one another.

Documents are taken in blocks. For each block, three exact joins say everything:

1. block x leaders so far: who matches an earlier leader;
2. the rest with itself: who leads among them, by the rule of stars;
3. block x new leaders: whether one of these, if it comes earlier, scores higher.

A block in which step 2 finds too many pairs is halved and tried again; while all goes well blocks
grow, because every block ranks the leaders anew.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from samecore.features.csr import Features
from samecore.group.leader import group as stars
from samecore.match.exact import TooManyPairs, exact
from samecore.match.matches import Matches

Index = npt.NDArray[np.int64]

FIRST_BLOCK = 2_000
#: Pairs one join may return. A block of `LEAST_BLOCK` documents has fewer pairs than this in any case.
MAX_PAIRS = 20_000_000
LEAST_BLOCK = 2_000


def leaders(
    features: Features, *, order: Index, threshold: float, multiset: bool = True, threads: int = 1
) -> Matches:
    """The pairs (document, leader), smaller number first, with their scores.

    `order` lists all documents, those to keep first. A document in no pair leads; the answer is
    that of `group.leader` on all pairs at or above the threshold.
    """
    place = np.empty(len(features), np.int64)
    place[order] = np.arange(len(features))
    chosen = np.full(len(features), -1, np.int64)
    best = np.zeros(len(features))
    local = np.empty(len(features), np.int64)
    lead = np.empty(0, np.int64)  # in order
    done, size = 0, FIRST_BLOCK

    def join(left: Index, right: Index | None) -> tuple[Index, Index, npt.NDArray[np.float64]]:
        other = None if right is None else features.take(right)
        found = exact(
            features.take(left),
            other,
            threshold=threshold,
            multiset=multiset,
            threads=threads,
            max_pairs=MAX_PAIRS,
        ).expand()
        return left[found.left], (left if right is None else right)[found.right], found.score

    def improve(document: Index, leader: Index, score: npt.NDArray[np.float64]) -> None:
        """Let each document have its best leader: the highest score, the earlier of equals."""
        by_merit = np.lexsort((-place[leader], score))  # the best of each document is written last
        document, leader, score = document[by_merit], leader[by_merit], score[by_merit]
        better = (score > best[document]) | (
            (score == best[document]) & (place[leader] < place[chosen[document]])
        )
        chosen[document[better]], best[document[better]] = leader[better], score[better]

    while done < len(order):
        block = order[done : done + size]
        try:
            improve(*join(block, lead))
            alone = block[chosen[block] < 0]
            left, right, score = join(alone, None)
            local[alone] = np.arange(len(alone))
            pairs = ordered(local[left], local[right], score)
            among = stars(len(alone), pairs.left, pairs.right, pairs.score, threshold=threshold)
            new = alone[among.leader == np.arange(len(alone), dtype=np.uint32)]
            document, leader, score = join(np.setdiff1d(block, new), new)
        except TooManyPairs:
            if size <= LEAST_BLOCK:
                raise
            chosen[block], best[block] = -1, 0.0
            size = max(size // 2, LEAST_BLOCK)
            continue
        earlier = place[leader] < place[document]
        improve(document[earlier], leader[earlier], score[earlier])
        lead = np.concatenate((lead, new))
        done += len(block)
        size *= 2
    member = np.flatnonzero(chosen >= 0)
    return ordered(member, chosen[member], best[member])


def ordered(one: Index, other: Index, score: npt.NDArray[np.float64]) -> Matches:
    """Pairs in any order as `Matches`: the smaller number left, sorted."""
    low, high = np.minimum(one, other).astype(np.uint32), np.maximum(one, other).astype(np.uint32)
    by_number = np.lexsort((high, low))
    return Matches(low[by_number], high[by_number], score[by_number])
