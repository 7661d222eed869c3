"""Connected components: whatever is linked, by any chain, is one group.

The loosest grouping and the quickest. Two documents can share a group without any
likeness, if a chain of others leads from one to the other; `flags` names the groups
where that is to be feared, and `leader` and `linkage` do not let it happen.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from samecore import _core

Numbers = npt.NDArray[np.uint32]
Scores = npt.NDArray[np.float64]


def group(n: int, left: Numbers, right: Numbers, score: Scores, *, threshold: float) -> Numbers:
    """Group of each of `n` contents: the smallest content of its component.

    Pairs have `left < right`, are sorted and listed once; those with
    `score >= threshold` link. A content without such a pair is its own group.

    >>> group(4, np.uint32([0, 1]), np.uint32([1, 3]), np.array([0.9, 0.5]), threshold=0.5).tolist()
    [0, 0, 2, 0]
    """
    labels: Numbers = _core.components(n, left, right, score, threshold)
    return labels


def maximum_spanning_forest(n: int, left: Numbers, right: Numbers, score: Scores) -> npt.NDArray[np.bool_]:
    """Which pairs are enough to find the components at any threshold.

    True for the pairs of the maximum-score spanning forest, at most `n - 1`; among
    equal scores earlier pairs come first.
    """
    by_score = np.argsort(-score, kind="stable")
    chosen = np.zeros(len(score), dtype=np.bool_)
    chosen[by_score] = _core.spanning_forest(n, left[by_score], right[by_score])
    return chosen
