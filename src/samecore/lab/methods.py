"""Every method on one labelled collection, side by side."""

from __future__ import annotations

import time
from typing import Any

import pyarrow as pa

from samecore.lab.evaluate import Truth, evaluate
from samecore.methods import METHODS, method
from samecore.pipeline import find

#: How far down scores are looked at for the best threshold, by methods that can.
FLOOR = 0.02


def compare_methods(
    source: Any, truth: Truth, *, group: str | None = None, threads: int | None = None, **reading: Any
) -> pa.Table:
    """One row per method: best pair F1 and best group F1 with their thresholds, and the seconds it took.

    Methods made for one threshold, such as LSH, are measured from their own threshold up. One that does not list
    all pairs, such as Algorithm 1 of SigNCD, has no row.
    """
    rows = []
    for name in METHODS:
        recipe = method(name)
        if not recipe.match.all_pairs:
            continue
        start = time.perf_counter()
        floor = None if recipe.match.approximate else FLOOR
        result = find(source, method=recipe, floor=floor, group=group, threads=threads, **reading)
        figures = evaluate(result, truth)
        rows.append(
            {
                "method": name,
                "pair F1": figures.best_pairs.f1,
                "at": figures.best_pair_threshold,
                "precision": figures.best_pairs.precision,
                "recall": figures.best_pairs.recall,
                f"groups F1 ({figures.grouping})": figures.best_groups.f1,
                "groups at": figures.best_group_threshold,
                "seconds": time.perf_counter() - start,
            }
        )
    return pa.Table.from_pylist(rows)
