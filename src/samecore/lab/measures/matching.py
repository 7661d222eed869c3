"""What a matcher costs: seconds, pairs and comparisons over the threshold, and what it misses."""

from __future__ import annotations

import time
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from samecore.errors import unknown_name
from samecore.features.csr import Features
from samecore.lab.data import Labelled
from samecore.lab.measures.common import features_of, recipe
from samecore.match.exact import collapse, exact
from samecore.match.parts import Job
from samecore.match.sketched import Lsh
from samecore.match.spotsigs2008 import spotsigs2008
from samecore.methods import method

MATCHERS = ("exact", "spotsigs-2008", "no-partitions", "no-pruning", "lsh-s", "imatch-s")


def matchers(labelled: Labelled, settings: dict[str, Any]) -> list[dict[str, Any]]:
    """A row per threshold: seconds (best of `repeat`), pairs, comparisons, and recall of the exact pairs.

    The features are made beforehand and copies collapsed, so that only matching is timed. `limit` takes
    the first so many documents. Pairs of I-Match have no threshold: one row.
    """
    which = settings["matcher"]
    if which not in MATCHERS:
        raise unknown_name("matcher", which, MATCHERS)
    if "limit" in settings:
        labelled = replace(labelled, documents=labelled.documents.slice(0, settings["limit"]))
    features, _ = features_of(labelled, recipe(settings))
    first = collapse(features, threads=2)
    features = features.take(
        np.flatnonzero((first == np.arange(len(features))) & (np.diff(features.offsets) > 0))
    )
    rows = []
    for threshold in settings["thresholds"]:
        best, found, comparisons = float("inf"), set[int](), None
        for _ in range(settings.get("repeat", 1)):
            start = time.perf_counter()
            pairs, comparisons = _match(which, features, threshold)
            best = min(best, time.perf_counter() - start)
            found = pairs
        row = {"threshold": threshold, "documents": len(features), "seconds": best, "pairs": len(found)}
        if comparisons is not None:
            row["comparisons"] = comparisons
        if which == "lsh-s":
            all_pairs, _ = _match("exact", features, threshold)
            row["recall"] = len(found & all_pairs) / len(all_pairs) if all_pairs else 1.0
        rows.append(row)
    return rows


def _match(which: str, features: Features, threshold: float) -> tuple[set[int], int | None]:
    """The pairs, each as one number, and the comparisons where they are counted."""
    if which == "exact":
        found = exact(features, threshold=Fraction(str(threshold)), threads=2)
        return _numbers(found.left, found.right), None
    if which == "lsh-s":
        part = method("lsh-s").match
        assert isinstance(part, Lsh)
        scored = part(Job(features, None, threshold, True, 2))
        return _numbers(scored.left, scored.right), None
    if which == "imatch-s":
        scored = method("imatch-s").match(Job(features, None, 1.0, False, 2))
        return _numbers(scored.left, scored.right), None
    matched = spotsigs2008(
        features,
        threshold=Fraction(str(threshold)),
        partitions=which == "spotsigs-2008",
        pruning=which != "no-pruning",
        threads=2,
    )
    return _numbers(matched.pairs.left, matched.pairs.right), int(matched.comparisons.sum())


def _numbers(left: Any, right: Any) -> set[int]:
    return set((left.astype(np.int64) << 32 | right.astype(np.int64)).tolist())
