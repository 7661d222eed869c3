"""What stands together on a page: the passages of its own, told from scattered edits."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

#: A passage has so many features of the page's own more than twice those of others in it.
MIN_OWN, OTHERS = 8, 2


def in_passages(offsets: npt.NDArray[np.int64], own: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """How many entries of its own each page has in passages. Entries are in the order of the text.

    Read in order, a page rises by one with each entry of its own and falls by `OTHERS` with each other, never
    below the ground. A passage is the way from the ground to the first summit of a hill of at least `MIN_OWN`.

    >>> in_passages(np.array([0, 12, 24]), np.array([1] * 4 + [0] + [1] * 7 + [0, 1] * 6, np.bool_)).tolist()
    [11, 0]
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
        return np.zeros(len(size), np.int64)
    tops = np.maximum.reduceat(height, level)
    summits = np.flatnonzero(height == np.repeat(tops, np.diff(level, append=len(height))))
    steps = summits[np.searchsorted(summits, level)] - level
    inside = (tops + OTHERS * steps) // (
        1 + OTHERS
    )  # so many steps end so high if so many of them were upwards
    page = np.searchsorted(start, level, side="right") - 1
    counted = np.where(tops >= MIN_OWN, inside, 0)
    return np.bincount(page, weights=counted, minlength=len(size)).astype(np.int64)
