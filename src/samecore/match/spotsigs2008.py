"""The matcher of SpotSigs (SIGIR 2008), sections 4.2 and 4.3, as Algorithm 1.

Documents fall into partitions by length, so that partners are in the same or the next
one. Each partition has inverted lists by descending length; a document reads the lists
of its signatures, rarest first, and two bounds stop it early. As printed, line 17
breaks too early when a document meets shorter ones and `>=` in line 25 can lose a pair
at exactly the threshold; here both tests are the same bound, in integers: a document
of length L that shares nothing with the part of d read so far (weight delta1) has a
Jaccard of at most m / (|d| + L - m), where m = min(|d| - delta1, L).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from samecore import _core
from samecore.features.csr import Features
from samecore.match.pairs import Documents, Pairs
from samecore.match.threshold import Number, Threshold, exact_threshold
from samecore.similarity.jaccard import sizes


@dataclass(frozen=True, eq=False)
class Matched:
    """The pairs, and what it took to find them."""

    pairs: Pairs
    comparisons: Documents  # Jaccard computations made for each document
    partitions: int  # partitions up to the longest document


def spotsigs2008(
    features: Features,
    *,
    threshold: Number | Threshold,
    multiset: bool = True,
    partitions: bool = True,
    pruning: bool = True,
    threads: int = 1,
) -> Matched:
    """All pairs with Jaccard >= threshold, equal to brute force for every switch.

    Without `partitions` all lengths share one; without `pruning` every document of
    every list is compared. Identical documents are not collapsed.
    """
    tau = exact_threshold(threshold)
    (left, right, score, overlap), comparisons, count = _core.match_2008(
        features.offsets, features.keys, features.counts, features.weights,
        tau.num, tau.den, multiset, partitions, pruning, threads,
    )  # fmt: skip
    own_sizes = sizes(features, multiset=multiset).astype(np.uint32)
    return Matched(Pairs(left, right, score, overlap, own_sizes), comparisons, count)


def partition_bounds(threshold: Number | Threshold, longest: int) -> npt.NDArray[np.uint64]:
    """The lower bounds 1 = p_0 < p_1 < ... <= longest of the printed rule.

    p_{k+1} is the least integer with p_{k+1} - p_k > (1 - tau) p_{k+1}.
    """
    tau = exact_threshold(threshold)
    bounds: npt.NDArray[np.uint64] = _core.partition_bounds(tau.num, tau.den, longest)
    return bounds
