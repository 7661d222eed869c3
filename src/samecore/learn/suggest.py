"""Which pairs a person should judge next: those whose label would teach the most."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from samecore.contents import expand
from samecore.errors import SettingError
from samecore.learn.labels import Labels
from samecore.learn.objective import Floats, Ints
from samecore.methods import Method, method
from samecore.pipeline import find

#: Two views of what is alike that go wrong in different places: running text, and frames included.
VIEWS = ("spotsigs", "tfidf-cosine")
#: Of these pairs, no more than this many share a document: one hard document must not fill the list.
PER_DOCUMENT = 2
#: Pairs looked at, the nearest to the cut of each view.
LOOKED_AT = 200_000


def suggest(
    source: Any,
    count: int,
    *,
    labels: Labels | None = None,
    methods: Sequence[str | Method] = VIEWS,
    threads: int = 1,
    seed: int = 0,
    **reading: Any,
) -> pa.Table:
    """`count` pairs to judge, the most telling first: left, right, same (to be filled in), why, and each method's score.

    Pairs score by how near they are to the cut of each method and by how much the methods disagree about them. Pairs
    that are labelled already, or whose answer follows from clusters, are left out.
    """
    if count < 1:
        raise SettingError("count", found=count, expected="at least 1 pair")
    recipes = [method(one) if isinstance(one, str) else one for one in methods]
    tables = [_scored(source, one, threads, seed, reading) for one in recipes]
    ids = tables[0][0]
    keys = np.unique(np.concatenate([key for _, key, _ in tables]))
    # How far above the cut each method puts a pair: 0.5 at the cut, 0 at half of it or less, 1 at the top.
    views = np.stack(
        [_view(keys, key, score, one.threshold) for one, (_, key, score) in zip(recipes, tables, strict=True)]
    )
    doubt = 1 - 2 * np.abs(views.mean(axis=0) - 0.5)
    quarrel = views.max(axis=0) - views.min(axis=0)
    worth = doubt + quarrel
    near = (1 - 2 * np.abs(views - 0.5)).mean(axis=0)  # opposite views are in doubt together, and near no cut
    order = np.argsort(-worth, kind="stable")
    rows: list[dict[str, Any]] = []
    used: dict[int, int] = {}
    for n in order:
        left, right = int(keys[n]) // len(ids), int(keys[n]) % len(ids)
        if worth[n] <= 0 or len(rows) == count:
            break
        if max(used.get(left, 0), used.get(right, 0)) >= PER_DOCUMENT or _known(
            labels, ids[left], ids[right]
        ):
            continue
        used[left], used[right] = used.get(left, 0) + 1, used.get(right, 0) + 1
        why = "the methods disagree" if quarrel[n] > near[n] else "near the cut"
        scores = {
            one.name: _score_of(int(keys[n]), key, score)
            for one, (_, key, score) in zip(recipes, tables, strict=True)
        }
        rows.append({"left": ids[left], "right": ids[right], "same": "", "why": why} | scores)
    names = [pa.field(name, pa.string()) for name in ("left", "right", "same", "why")]
    schema = pa.schema([*names, *(pa.field(one.name, pa.float64()) for one in recipes)])
    return pa.Table.from_pylist(rows, schema=schema)


def _scored(
    source: Any, recipe: Method, threads: int, seed: int, reading: dict[str, Any]
) -> tuple[list[str], Ints, Floats]:
    """Ids, keys of pairs (left * documents + right) ascending, and their scores: those nearest to the cut."""
    floor = max(recipe.threshold / 2, 0.01)
    found = find(
        source,
        method=recipe,
        threshold=floor,
        floor=floor,
        group="components",
        threads=threads,
        seed=seed,
        **reading,
    )
    size = np.int64(len(found))
    parts = list(expand(found.members, found.found, copies=False))
    left, right, score = (
        np.concatenate([np.zeros(0, kind), *(part[n] for part in parts)])
        for n, kind in ((0, np.int64), (1, np.int64), (2, np.float64))
    )
    if len(score) > LOOKED_AT:
        near = np.argsort(np.abs(score - recipe.threshold), kind="stable")[:LOOKED_AT]
        left, right, score = left[near], right[near], score[near]
    key = left * size + right
    order = np.argsort(key, kind="stable")
    return found.ids.to_pylist(), key[order], score[order]


def _view(keys: Ints, own: Ints, scores: Floats, threshold: float) -> Floats:
    values = np.zeros(len(keys))
    values[np.searchsorted(keys, own)] = scores
    low, high = threshold / 2, min(1.0, 2 * threshold)
    below = np.clip((values - low) / (threshold - low), 0, 1) / 2
    above = np.clip((values - threshold) / max(high - threshold, 1e-9), 0, 1) / 2
    return np.where(values < threshold, below, 0.5 + above)


def _known(labels: Labels | None, left: str, right: str) -> bool:
    if labels is None:
        return False
    if labels.clusters:
        return left in labels.clusters and right in labels.clusters
    return any({left, right} == {one, two} for one, two, _ in labels.judged)


def _score_of(key: int, own: Ints, scores: Floats) -> float | None:
    at = int(np.searchsorted(own, key))
    return round(float(scores[at]), 4) if at < len(own) and own[at] == key else None
