"""The scores that any recipe gives to labelled pairs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from samecore.contents import expand
from samecore.learn.objective import Floats, Ints
from samecore.methods import Method, method
from samecore.pipeline import find

#: Pairs are looked for down to this score; below it they count as 0.
FLOOR = 0.01


def method_scores(
    source: Any, recipe: str | Method, ids: Sequence[str], *, threads: int = 1, seed: int = 0, **reading: Any
) -> Callable[[Ints, Ints], Floats]:
    """A function that gives the score of pairs of the documents with these ids, by their numbers; 0 below the floor.

    The recipe is run once over the whole source, so that what it counts in a corpus is counted there.
    """
    chosen = method(recipe) if isinstance(recipe, str) else recipe
    floor = chosen.threshold if chosen.match.approximate and chosen.match.measure != "simhash" else FLOOR
    floor = 0.55 if chosen.match.measure == "simhash" else floor
    found = find(
        source,
        method=chosen,
        threshold=floor,
        floor=floor,
        group="components",
        threads=threads,
        seed=seed,
        **reading,
    )
    number = {id: n for n, id in enumerate(ids)}
    place = np.array([number.get(id, -1) for id in found.ids.to_pylist()], np.int64)
    size = np.int64(len(ids))
    keys: list[Ints] = []
    scores: list[Floats] = []
    for left, right, score in expand(found.members, found.found, copies=True):
        one, two = place[left], place[right]
        known = (one >= 0) & (two >= 0)
        one, two = one[known], two[known]
        keys.append(np.minimum(one, two) * size + np.maximum(one, two))
        scores.append(np.asarray(score, np.float64)[known])
    listed = np.concatenate([np.zeros(0, np.int64), *keys])
    values = np.concatenate([np.zeros(0), *scores])
    order = np.argsort(listed, kind="stable")
    listed, values = listed[order], values[order]

    def look_up(left: Ints, right: Ints) -> Floats:
        wanted = np.minimum(left, right) * size + np.maximum(left, right)
        if len(listed) == 0:
            return np.zeros(len(wanted))
        at = np.minimum(np.searchsorted(listed, wanted), len(listed) - 1)
        return np.where(listed[at] == wanted, values[at], 0.0)

    return look_up
