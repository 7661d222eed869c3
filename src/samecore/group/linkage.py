"""Average and complete linkage: groups whose members are alike as a whole.

Groups start as single contents and the two most similar are merged as long as their
similarity reaches the threshold. docs/grouping.md says how this stays near-linear.

Ties go to the two groups that hold the earliest listed pair. Nothing is merged across
the connected components at the threshold; linkage only ever divides them.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from samecore import _core

Numbers = npt.NDArray[np.uint32]
Scores = npt.NDArray[np.float64]


def average(
    n: int,
    left: Numbers,
    right: Numbers,
    score: Scores,
    *,
    threshold: float,
    multiplicity: Numbers | None = None,
    threads: int = 1,
) -> Numbers:
    """Group of each of `n` contents by average linkage: the smallest content in it.

    The similarity of two groups is the mean score over all pairs of documents across,
    where content `c` stands for `multiplicity[c]` documents (1 if None) and a pair that
    is not listed counts as 0. Scores count in steps of 2**-48, so that no order of
    additions matters; a mean within two steps of the threshold has reached it.

    Pairs have `left < right`, are sorted and listed once; those below the threshold
    matter too, because they lift the means above what 0 would give.

    >>> pairs = np.uint32([0, 0, 1]), np.uint32([1, 2, 2]), np.array([0.9, 0.6, 0.4])
    >>> average(3, *pairs, threshold=0.5).tolist()
    [0, 0, 0]
    >>> average(3, *pairs, threshold=0.55).tolist()
    [0, 0, 2]
    """
    if multiplicity is None:
        multiplicity = np.ones(n, dtype=np.uint32)
    labels: Numbers = _core.average_linkage(n, left, right, score, threshold, multiplicity, threads)
    return labels


def complete(
    n: int, left: Numbers, right: Numbers, score: Scores, *, threshold: float, threads: int = 1
) -> Numbers:
    """Group of each of `n` contents by complete linkage: the smallest content in it.

    The similarity of two groups is the lowest score across, 0 if one pair is not
    listed: in the end all pairs inside a group reach the threshold. How many documents
    share a content makes no difference.

    >>> pairs = np.uint32([0, 0, 1]), np.uint32([1, 2, 2]), np.array([0.9, 0.6, 0.4])
    >>> complete(3, *pairs, threshold=0.5).tolist()
    [0, 0, 2]
    """
    labels: Numbers = _core.complete_linkage(n, left, right, score, threshold, threads)
    return labels
