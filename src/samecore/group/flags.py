"""Which groups deserve a second look: weak bridges, loose groups, giants.

All is counted on distinct contents, because a thousand copies of one page say nothing
about whether two different pages belong together:

- `weak-bridge`: among the pairs at or above the threshold one single pair holds
  together two parts of at least `BRIDGED_PART` contents each. Two pages and their one
  link, or a page hanging on a group, are ordinary; two groups on one link are not.
- `weak-joint`: likewise, but one single content holds them together by several pairs,
  as a page that quotes two stories does.
- `loose`: the mean score over all pairs of contents in the group, unlisted ones as 0,
  is below `LOOSE_SHARE` of the threshold, in groups of at least `LOOSE_CONTENTS`.
  That is what chaining through hubs and along short-cuts looks like.
- `giant`: more contents than `max(GIANT_CONTENTS, n ** (2 / 3))` of the `n` there are.
  When links arise by accident, groups stay small until the accidents are frequent
  enough to join everything; at that point of percolation the largest group of a
  random graph is of the order n^(2/3). A group above it is where chaining has won.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from samecore import _core
from samecore.group.components import maximum_spanning_forest

Numbers = npt.NDArray[np.uint32]
Scores = npt.NDArray[np.float64]

BRIDGED_PART = 3
LOOSE_SHARE = 0.5
LOOSE_CONTENTS = 4
GIANT_CONTENTS = 50


@dataclass(frozen=True, eq=False)
class GroupFacts:
    """One entry per group, by ascending label."""

    group: Numbers
    """The label: the smallest content."""
    contents: Numbers
    """Distinct contents."""
    documents: npt.NDArray[np.uint64]
    """Documents, copies counted."""
    density: Scores
    """Pairs at or above the threshold among all pairs of contents; NaN for one content."""
    mean: Scores
    """Mean score over all pairs of contents, unlisted ones as 0; NaN for one content."""
    weakest_link: Scores
    """The highest threshold at which the group is still connected: the lowest score on
    its maximum spanning tree. NaN for one content, and where not even the listed pairs
    connect the group."""
    bridge_left: npt.NDArray[np.int64]
    bridge_right: npt.NDArray[np.int64]
    """The contents of the weak bridge with the largest smaller part; -1 if there is none."""
    flags: npt.NDArray[np.str_]
    """'', or names joined by commas, in the order weak-bridge, weak-joint, loose, giant."""


def describe(
    n: int,
    left: Numbers,
    right: Numbers,
    score: Scores,
    *,
    labels: Numbers,
    threshold: float,
    multiplicity: Numbers | None = None,
) -> GroupFacts:
    """Facts and flags of the groups `labels` (of any grouping) over `n` contents."""
    roots, number = np.unique(labels, return_inverse=True)
    groups = len(roots)
    contents = np.bincount(number, minlength=groups)
    copies = np.ones(n) if multiplicity is None else multiplicity
    documents = np.bincount(number, weights=copies, minlength=groups).astype(np.uint64)

    inside = np.flatnonzero(number[left] == number[right])
    of_pair, value = number[left[inside]], score[inside]
    linked = value >= threshold
    with np.errstate(invalid="ignore"):
        possible = contents * (contents - 1.0) / 2
        possible[contents < 2] = np.nan
        density = np.bincount(of_pair[linked], minlength=groups) / possible
        mean = np.bincount(of_pair, weights=value, minlength=groups) / possible

    tree = inside[maximum_spanning_forest(n, left[inside], right[inside], value)]
    weakest = np.full(groups, np.inf)
    np.minimum.at(weakest, number[left[tree]], score[tree])
    joined = np.bincount(number[left[tree]], minlength=groups)
    weakest[(contents < 2) | (joined < contents - 1)] = np.nan

    edges = inside[linked]
    bridge, part, joint, joint_part = _core.bridges(n, left[edges], right[edges])
    weak = part >= BRIDGED_PART
    bridge, part = edges[bridge[weak]], part[weak]
    # Smallest part first and last pair first, so that the last one written is the
    # most even bridge and among equals the earliest.
    by_part = np.lexsort((-bridge, part))
    bridge_of = np.full(groups, -1, dtype=np.int64)
    bridge_of[number[left[bridge[by_part]]]] = bridge[by_part]
    bridged = bridge_of >= 0
    jointed = np.zeros(groups, np.bool_)
    jointed[number[joint[joint_part >= BRIDGED_PART]]] = True
    jointed &= ~bridged  # the ends of a bridge are joints too; one name is enough

    with np.errstate(invalid="ignore"):
        loose = (mean < LOOSE_SHARE * threshold) & (contents >= LOOSE_CONTENTS)
    giant = contents > max(GIANT_CONTENTS, n ** (2 / 3))
    return GroupFacts(
        group=roots.astype(np.uint32),
        contents=contents.astype(np.uint32),
        documents=documents,
        density=density,
        mean=mean,
        weakest_link=weakest,
        bridge_left=_or_none(left, bridge_of),
        bridge_right=_or_none(right, bridge_of),
        flags=_names(bridged, jointed, loose, giant),
    )


def _or_none(values: Numbers, at: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    found = np.full(len(at), -1, dtype=np.int64)
    found[at >= 0] = values[at[at >= 0]]
    return found


def _names(*raised: npt.NDArray[np.bool_]) -> npt.NDArray[np.str_]:
    """All combinations are few, so each group picks its own by number."""
    names = ("weak-bridge", "weak-joint", "loose", "giant")
    texts = np.array(
        [
            ",".join(name for bit, name in enumerate(names) if code >> bit & 1)
            for code in range(2 ** len(names))
        ]
    )
    codes = sum((flag.astype(np.int64) << bit for bit, flag in enumerate(raised)), np.int64(0))
    chosen: npt.NDArray[np.str_] = texts[codes]
    return chosen
