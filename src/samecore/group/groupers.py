"""The groupings by name, with one signature."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from samecore.group import components, leader, linkage
from samecore.match.matches import Matches

Numbers = npt.NDArray[np.uint32]

#: (contents, pairs down to the floor, threshold, copies of each content, order of keeping, threads)
#: to the group of each content.
Grouper = Callable[[int, Matches, float, Numbers, Numbers, int], Numbers]


def _components(
    n: int, pairs: Matches, threshold: float, copies: Numbers, order: Numbers, threads: int
) -> Numbers:
    return components.group(n, pairs.left, pairs.right, pairs.score, threshold=threshold)


def _leader(
    n: int, pairs: Matches, threshold: float, copies: Numbers, order: Numbers, threads: int
) -> Numbers:
    return leader.group(n, pairs.left, pairs.right, pairs.score, threshold=threshold, order=order).labels


def _average(
    n: int, pairs: Matches, threshold: float, copies: Numbers, order: Numbers, threads: int
) -> Numbers:
    return linkage.average(
        n, pairs.left, pairs.right, pairs.score, threshold=threshold, multiplicity=copies, threads=threads
    )


def _complete(
    n: int, pairs: Matches, threshold: float, copies: Numbers, order: Numbers, threads: int
) -> Numbers:
    return linkage.complete(n, pairs.left, pairs.right, pairs.score, threshold=threshold, threads=threads)


GROUPERS: dict[str, Grouper] = {
    "average": _average,
    "complete": _complete,
    "components": _components,
    "leader": _leader,
}
