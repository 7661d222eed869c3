"""Leader (star) groups: every member was verified against the one that leads.

Contents are visited in a given order, the ones to keep first. A content that reaches
the threshold with one or more leaders visited before it joins the one with the
highest score (the earlier visited among equals); any other becomes a leader. So every
member has a listed pair with its leader at or above the threshold, no leader has one
with an earlier leader, and what `dedupe` removes was compared with what it keeps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from samecore import _core

Numbers = npt.NDArray[np.uint32]
Scores = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Stars:
    """Groups with a leader each; all arrays have one entry per content."""

    labels: Numbers
    """Group: the smallest content in it, which need not be the leader."""
    leader: Numbers
    """The content that leads; its own number for a leader."""
    score: Scores
    """Score with the leader, at least the threshold; 1.0 for a leader."""


def group(
    n: int, left: Numbers, right: Numbers, score: Scores, *, threshold: float, order: Numbers | None = None
) -> Stars:
    """Stars over `n` contents, visited in `order` (a permutation; by number if None).

    Pairs have `left < right`, are sorted and listed once.

    >>> pairs = np.uint32([0, 1]), np.uint32([1, 2]), np.array([0.9, 0.9])
    >>> group(3, *pairs, threshold=0.5).leader.tolist()
    [0, 0, 2]
    >>> group(3, *pairs, threshold=0.5, order=np.uint32([1, 0, 2])).leader.tolist()
    [1, 1, 1]
    """
    if order is None:
        order = np.arange(n, dtype=np.uint32)
    leaders, scores = _core.stars(n, left, right, score, threshold, order)
    smallest = np.full(n, n, dtype=np.uint32)
    np.minimum.at(smallest, leaders, np.arange(n, dtype=np.uint32))
    return Stars(smallest[leaders], leaders, scores)
