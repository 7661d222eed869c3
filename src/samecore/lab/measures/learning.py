"""ANDD's design: random halves of the clusters, one to learn from, all pairs of the other to measure on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from samecore.lab.data import Labelled
from samecore.learn.experiment import experiment
from samecore.learn.labels import Labels, clusters, judged_pairs
from samecore.learn.train import Training
from samecore.methods import Method, method


def andd(labelled: Labelled, settings: dict[str, Any]) -> list[dict[str, Any]]:
    """Rows of three kinds: a mean MaxF1 per method with its t-test, one per number of training documents, and one
    per size of signature.

    Settings: `runs` (halves drawn), `grams` (values of k), `preferences` (pairs of pairs), and whether to measure
    `signatures`. Signature systems of the paper's Tables 3 and 5 run with its settings.
    """
    found = experiment(
        _labels(labelled),
        labelled.documents,
        training=Training(preferences=settings.get("preferences", 80_000)),
        runs=settings.get("runs", 5),
        grams=tuple(settings.get("grams", (1, 3))),
        others=("spotsigs", "spotsigs-2008", *_systems()),
        signatures=settings.get("signatures", True),
        threads=2,
    )
    rows: list[dict[str, Any]] = [
        {
            "case": row["method"],
            "f1": row["max_f1"],
            "error": row["error"],
            "ANDD gains": row["andd_gains"],
            "p": row["p_value"],
        }
        for row in found.summary.to_pylist()
    ]
    rows += [
        {"case": "training documents", "documents": row["documents"], "learned f1": row["max_f1"]}
        for row in found.curve.to_pylist()
    ]
    rows += [
        {"case": row["signature"], "size": row["size"], "signature f1": row["max_f1"]}
        for row in found.signatures.to_pylist()
        if row["size"]
    ]
    return rows


def _systems() -> Sequence[Method]:
    """The signature systems that ANDD is compared with, by their names in the paper."""
    return (
        replace(method("minhash-estimate", width=1, slots=84, threshold=0.05), name="Shingles, 84 values"),
        replace(method("simhash", bits=384), name="Charikar, 384 bits"),
        replace(method("supershingles-sorted", width=1), name="1-Shingles"),
        replace(method("imatch"), name="I-Match"),
    )


def _labels(labelled: Labelled) -> Labels:
    if labelled.truth.judged:
        return judged_pairs((a, b, "yes" if same else "no") for a, b, same in labelled.truth.judged)
    return clusters(labelled.truth.clusters.items())
