"""The procedures of SpotSigs 2007: quality by its strict recall, work, and how the index grows."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from samecore.errors import unknown_name
from samecore.features.csr import Features
from samecore.lab.data import Labelled
from samecore.lab.measures.common import features_of
from samecore.match import procedures as ways
from samecore.methods import method

KINDS = ("full", "incremental", "seeded")


def procedures(labelled: Labelled, settings: dict[str, Any]) -> list[dict[str, Any]]:
    """A row per threshold: strict precision and recall, the size of the index, collisions and seconds.

    Settings: `kind`, `guess`, `spots` (as "is(2)"), `size_bound`, `add_duplicates`, `thresholds`,
    `repeat` (orders drawn at random, over which figures are averaged).
    """
    features, cluster = _corpus(labelled, settings)
    rows = []
    for threshold in settings["thresholds"]:
        runs = [
            _figures(_run(features, cluster, settings, threshold, seed), cluster, settings)
            for seed in range(settings.get("repeat", 3))
        ]
        rows.append(
            {"threshold": threshold} | {name: float(np.mean([run[name] for run in runs])) for name in runs[0]}
        )
    return rows


def growth(labelled: Labelled, settings: dict[str, Any]) -> list[dict[str, Any]]:
    """A row per batch of documents taken: size of the index, false matches and all mistakes in the batch.

    Settings as for `procedures`, with one `threshold` and the size of a `batch`.
    """
    features, cluster = _corpus(labelled, settings)
    step, repeat = settings.get("batch", 100), settings.get("repeat", 3)
    columns = ("index", "false matches", "mistakes", "seconds")
    total = np.zeros((-(-len(features) // step), len(columns)))
    for seed in range(repeat):
        matched = _run(features, cluster, settings, settings["threshold"], seed)
        order = matched.order.astype(np.int64)
        declared = matched.partner[order] >= 0
        right = declared & (cluster[order] == cluster[matched.partner[order]])
        due = _due(cluster, matched, full=False)[order]
        wrong, missed = declared & ~right, due & ~declared
        sizes = matched.index_sizes()
        for batch in range(len(total)):
            part = slice(batch * step, (batch + 1) * step)
            total[batch] += (
                sizes[part][-1],
                wrong[part].sum(),
                wrong[part].sum() + missed[part].sum(),
                matched.seconds[order][part].sum(),
            )
    return [
        {"documents": min((batch + 1) * step, len(features)), **dict(zip(columns, row, strict=True))}
        for batch, row in enumerate((total / repeat).tolist())
    ]


def _corpus(labelled: Labelled, settings: dict[str, Any]) -> tuple[Features, npt.NDArray[np.int64]]:
    options = {"spots": tuple(settings["spots"])} if "spots" in settings else {}
    features, ids = features_of(labelled, method(settings.get("method", "spotsigs-2007"), **options))
    names: dict[str, int] = {}
    labels = [
        names.setdefault(label or f"alone: {id}", len(names))
        for id, label in zip(ids, labelled.labels(ids), strict=True)
    ]
    return features, np.array(labels, np.int64)


def _run(
    features: Features,
    cluster: npt.NDArray[np.int64],
    settings: dict[str, Any],
    threshold: float,
    seed: int,
) -> ways.Matched:
    kind = settings.get("kind", "incremental")
    order = ways.shuffled(len(features), seed)
    shared: dict[str, Any] = {
        "threshold": threshold,
        "guess": settings.get("guess", "best"),
        "multiset": False,
        "size_bound": settings.get("size_bound", True),
        "order": order,
    }
    add_duplicates = settings.get("add_duplicates", False)
    if kind == "full":
        return ways.full(features, **shared)
    shared["add_duplicates"] = add_duplicates
    if kind == "incremental":
        return ways.incremental(features, **shared)
    if kind == "seeded":  # one example of each cluster, the first in the drawn order
        _, first = np.unique(cluster[order], return_index=True)
        return ways.seeded(features, order[np.sort(first)].astype(np.int64), **shared)
    raise unknown_name("kind", kind, KINDS)


def _due(cluster: npt.NDArray[np.int64], matched: ways.Matched, *, full: bool) -> npt.NDArray[np.bool_]:
    """Which documents are duplicates: of any other one, or of one taken before."""
    if full:
        due: npt.NDArray[np.bool_] = np.bincount(cluster)[cluster] > 1
        return due
    _, first = np.unique(cluster[matched.order], return_index=True)
    due = np.ones(len(cluster), np.bool_)
    due[matched.order[first]] = False
    return due


def _figures(
    matched: ways.Matched, cluster: npt.NDArray[np.int64], settings: dict[str, Any]
) -> dict[str, float]:
    declared = matched.duplicates
    right = int((cluster[declared] == cluster[matched.partner[declared]]).sum())
    due = int(_due(cluster, matched, full=settings.get("kind") == "full").sum())
    precision, recall = right / len(declared) if len(declared) else 1.0, right / due if due else 1.0
    return {
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / (precision + recall) if precision + recall else 0.0,
        "index": float(matched.indexed.sum()),
        "collisions": float(matched.collisions.sum()),
        "compared": float(matched.compared.sum()),
        "seconds": float(matched.seconds.sum()),
    }
