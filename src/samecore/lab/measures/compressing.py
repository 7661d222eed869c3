"""What SigNCD costs and where plain NCD goes wrong: comparisons, seconds, growth, threads, long texts."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pyarrow as pa

from samecore.lab.data import Labelled, sweep
from samecore.lab.measures.common import recipe
from samecore.methods import Method
from samecore.methods import method as named
from samecore.pipeline import find
from samecore.similarity import compression
from samecore.text.modes import extract


def pruning(labelled: Labelled, settings: dict[str, Any]) -> list[dict[str, Any]]:
    """A row per distance: pairs compressed together, the share of all pairs that was spared, seconds, and F1.

    The comparisons with the pivots of P2 count too, so the share can fall below that of P1.
    Settings: a method of compression with its `options`; `distances`, as the paper writes thresholds.
    """
    made = recipe(settings)
    rows = []
    for distance in settings["distances"]:
        threshold = max(round(1 - distance, 6), 0.001)
        start = time.perf_counter()
        result = find(
            labelled.documents, method=made, threshold=threshold, floor=threshold, group="components"
        )
        seconds = time.perf_counter() - start
        compared, pairs = _compared(result.settings.notes)
        row = {"distance": distance, "compared": compared, "spared": 1 - compared / pairs if pairs else 0.0}
        found = sweep(result, labelled)
        at = len(found.f1) - 1
        rows.append(row | {"f1": float(found.f1[at]) if at >= 0 else 0.0, "seconds": seconds})
    return rows


def growth_of_time(labelled: Labelled, settings: dict[str, Any]) -> list[dict[str, Any]]:
    """A row per share of the documents: seconds, and their square root relative to that of the first row."""
    made = recipe(settings)
    chance = np.random.default_rng(settings.get("seed", 0)).permutation(labelled.documents.num_rows)
    rows: list[dict[str, Any]] = []
    for share in settings["shares"]:
        some = np.sort(chance[: round(share * len(chance))])
        documents = labelled.documents.take(pa.array(some))
        seconds = _seconds(documents, made, settings, threads=2)
        rows.append({"share": share, "documents": len(some), "seconds": seconds})
    first = rows[0]["seconds"] or 1e-9
    return [row | {"root of time": float(np.sqrt(row["seconds"] / first))} for row in rows]


def threads(labelled: Labelled, settings: dict[str, Any]) -> list[dict[str, Any]]:
    """A row per number of threads: seconds, best of three."""
    made = recipe(settings)
    return [
        {
            "threads": many,
            "seconds": min(_seconds(labelled.documents, made, settings, threads=many) for _ in range(3)),
        }
        for many in settings["threads"]
    ]


def skew(labelled: Labelled, settings: dict[str, Any]) -> list[dict[str, Any]]:
    """A row per length: the distance between the first n bytes of a long text and an equal copy.

    The text is all documents of the set, one after another. A perfect compressor says 0.
    """
    batches = labelled.documents.combine_chunks().to_batches()
    texts = [text for batch in batches for text in extract(batch, "signcd")[0].column("text").to_pylist()]
    whole = " ".join(texts).encode()
    strings = named("signcd").strings
    assert strings is not None
    compress = compression.compressor(settings.get("compressor", compression.DEFAULT))
    by_signatures = settings["of"] == "signatures"
    rows = []
    for kilobytes in settings["kilobytes"]:
        part = whole[: kilobytes * 1024]
        if len(part) < kilobytes * 1024:
            break
        if by_signatures:
            part = strings(pa.array([part.decode("utf-8", "ignore")], pa.large_string()))[0].as_py().encode()
        alone, twice = compress(part), compress(part + part)
        rows.append({"KB": kilobytes, "compressed bytes": alone, "distance": (twice - alone) / alone})
    return rows


def _seconds(documents: pa.Table, made: Method, settings: dict[str, Any], *, threads: int) -> float:
    threshold = settings.get("threshold", made.threshold)
    start = time.perf_counter()
    find(documents, method=made, threshold=threshold, floor=threshold, group="components", threads=threads)
    return time.perf_counter() - start


def _compared(notes: tuple[str, ...]) -> tuple[int, int]:
    """From the notes of a run: "12 of 345 pairs were compressed together", "P2: 6 comparisons with 3 pivots"."""
    compared = pairs = 0
    for note in notes:
        words = note.replace(",", "").split()
        if "compressed" in words and words[1:2] == ["of"]:
            compared, pairs = compared + int(words[0]), int(words[2])
        elif words[:1] == ["P2:"]:
            compared += int(words[1])
    return compared, pairs
