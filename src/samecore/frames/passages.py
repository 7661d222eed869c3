"""What stands together on a page: the passages of its own, told from scattered edits."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

#: A passage has so many features of the page's own more than twice those of others in it.
MIN_OWN, OTHERS = 8, 2


def in_passages(offsets: npt.NDArray[np.int64], own: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Which entries of each page are in passages of its own. Entries are in the order of the text.

    Read in order, a page rises by one with each entry of its own and falls by `OTHERS` with each other, never
    below the ground. A passage is the way from the ground to the first summit of a hill of at least `MIN_OWN`.

    >>> pages = np.array([1] * 4 + [0] + [1] * 7 + [0, 1] * 6, np.bool_)
    >>> in_passages(np.array([0, 12, 24]), pages).sum(), in_passages(np.array([0, 4, 24]), pages).sum()
    (np.int64(12), np.int64(0))
    """
    size = np.diff(offsets)
    # All pages in one walk: before each a step down that is deeper than the page before can have risen.
    start = offsets[:-1] + np.arange(len(size))
    walk = np.empty(len(own) + len(size), np.int64)
    walk[start] = -1 - np.concatenate(([0], size[:-1])) if len(size) else 0
    inner = np.ones(len(walk), np.bool_)
    inner[start] = False
    walk[inner] = np.where(own, 1, -OTHERS)
    walk = np.cumsum(walk)
    height = walk - np.minimum.accumulate(walk)
    level = np.flatnonzero(height == 0)
    if len(level) == 0:
        return np.zeros(0, np.bool_)
    tops = np.maximum.reduceat(height, level)
    summits = np.flatnonzero(height == np.repeat(tops, np.diff(level, append=len(height))))
    high = tops >= MIN_OWN
    foot, top = level[high], summits[np.searchsorted(summits, level[high])]
    edges = np.zeros(len(walk) + 1, np.int8)
    edges[foot + 1] = 1
    edges[top + 1] -= 1  # there is ground between a summit and the next foot's first step
    return np.asarray(np.cumsum(edges[:-1], dtype=np.int8)[inner] > 0)
