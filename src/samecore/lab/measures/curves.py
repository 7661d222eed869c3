"""Quality of a method: at its best and at the paper's threshold, and over all thresholds."""

from __future__ import annotations

from typing import Any

import numpy as np

from samecore.lab import metrics
from samecore.lab.bootstrap import interval
from samecore.lab.data import Labelled, sweep
from samecore.lab.measures.common import FLOOR, features_of, recipe, signatures, timed_find
from samecore.methods import method
from samecore.similarity.cosine import tfidf
from samecore.weights.idf import document_frequencies

#: Where `cluster_cosine` has the mean over all clusters.
MEAN = "mean of clusters"
#: Thresholds of a drawn curve.
GRID = tuple(round(step / 50, 2) for step in range(1, 51))


def quality(labelled: Labelled, settings: dict[str, Any]) -> list[dict[str, Any]]:
    """One row: the best threshold with its precision, recall, F1 and B-cubed, sizes and times.

    `at`: a threshold to report beside the best, as "f1 at" (nothing below the floor of the run). B-cubed and ARI
    are those of the groups at the best threshold for pairs. The interval of F1 comes from drawing clusters
    anew, a thousand times.
    """
    made = recipe(settings)
    wanted = settings.get("floor", FLOOR)
    floor = None if made.match.approximate else wanted
    run = timed_find(labelled, made, floor=floor)
    found = sweep(run.result, labelled)
    row: dict[str, Any] = {
        "threshold": found.threshold,
        "precision": found.best.precision,
        "recall": found.best.recall,
        "f1": found.best.f1,
    }
    low, high = interval(run.result, labelled, found.threshold)
    row |= {"f1 low": low, "f1 high": high}
    if not labelled.truth.judged:
        at = max(found.threshold, run.result.settings.floor)
        groups = run.result.at(at).groups["group"].to_pylist()
        alone = [f"alone: {n}" if one is None else str(one) for n, one in enumerate(groups)]
        labels = labelled.labels(run.result.ids.to_pylist())
        row |= {
            "b3": metrics.bcubed(alone, labels).f1,
            "ari": metrics.adjusted_rand(alone, labels),
        }
    if "at" in settings:
        told = settings["at"] >= run.result.settings.floor
        row |= {"at": settings["at"], "f1 at": found.at(settings["at"]).f1 if told else None}
    return [
        row
        | {
            "signatures": signatures(labelled, made),
            "reading s": run.reading,
            "matching s": run.matching,
        }
    ]


def curve(labelled: Labelled, settings: dict[str, Any]) -> list[dict[str, Any]]:
    """Precision, recall and F1 at thresholds from 0.02 to 1, by steps of 0.02, but none below the floor of the run."""
    made = recipe(settings)
    wanted = settings.get("floor", FLOOR)
    floor = None if made.match.approximate else wanted
    result = timed_find(labelled, made, floor=floor).result
    found = sweep(result, labelled)
    known = [(threshold, found.at(threshold)) for threshold in GRID if threshold >= result.settings.floor]
    return [
        {"threshold": threshold, "precision": at.precision, "recall": at.recall, "f1": at.f1}
        for threshold, at in known
    ]


def cluster_cosine(labelled: Labelled, settings: dict[str, Any]) -> list[dict[str, Any]]:
    """A row per cluster of two or more: the mean cosine of all its pairs, by tf-idf of single words.

    The last row is the mean over the clusters, each counting once: the paper's macro-average.
    """
    features, ids = features_of(labelled, method("tfidf-cosine", k=1))
    table = document_frequencies(features, threads=2)
    vectors = tfidf(features, table=table, documents=len(features), threads=2)
    members: dict[str, list[int]] = {}
    for row, label in enumerate(labelled.labels(ids)):
        if label is not None:
            members.setdefault(label, []).append(row)
    rows: list[dict[str, Any]] = []
    for cluster, documents in sorted(members.items()):
        if len(documents) < 2:
            continue
        # The sum over all pairs of unit vectors is (|sum of them|^2 - n) / 2, n being those that are not empty.
        total: dict[int, float] = {}
        full = 0
        for document in documents:
            entries = slice(int(vectors.offsets[document]), int(vectors.offsets[document + 1]))
            values = vectors.values[entries].astype(np.float64)
            norm = float(np.sqrt((values**2).sum())) or 1.0
            full += bool(values.any())
            for key, value in zip(vectors.keys[entries].tolist(), (values / norm).tolist(), strict=True):
                total[key] = total.get(key, 0.0) + value
        n = len(documents)
        mean = (sum(value**2 for value in total.values()) - full) / (n * (n - 1))
        rows.append({"cluster": cluster, "documents": n, "cosine": min(max(mean, 0.0), 1.0)})
    if rows:
        mean = float(np.mean([row["cosine"] for row in rows]))
        rows.append({"cluster": MEAN, "documents": sum(row["documents"] for row in rows), "cosine": mean})
    return rows
