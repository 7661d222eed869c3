"""A new collection against an index: the result of `find`, with the stored documents as the second side."""

from __future__ import annotations

import os
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from samecore import read
from samecore.collect import Progress, collect, tell_apart
from samecore.errors import SettingError
from samecore.group import keep as keep_policies
from samecore.index.index import Index
from samecore.match.exact import collapse
from samecore.match.matches import Matches
from samecore.match.threshold import exact_threshold
from samecore.result import Result, Settings

_LIVE = (
    "SELECT id, date FROM documents WHERE number = ?1 AND content IS NULL "
    "UNION ALL SELECT id, date FROM documents WHERE content = ?1"
)


def find_against(
    source: Any,
    index: Index,
    *,
    threshold: float | None = None,
    floor: float | None = None,
    group: str | None = None,
    keep: str = "first",
    threads: int | None = None,
    progress: Progress | None = None,
    **reading: Any,
) -> Result:
    """Which documents of `source` are in the index, by its own method; `samecore.find(against=...)` for an index.

    The second side holds the stored documents that match; their texts are not kept, so `explain`
    cannot show them.
    """
    threshold = index.threshold if threshold is None else float(threshold)
    exact_threshold(threshold)
    approximate = index.recipe.simhash is not None
    if floor is None:
        floor = threshold if approximate else float(Decimal(str(threshold)) / 2)
    exact_threshold(floor, name="floor")
    if floor > threshold:
        raise SettingError("floor", found=floor, expected=f"at most the threshold, {threshold:g}")
    settings = Settings(index.method, threshold, floor, group or "average", keep)
    keep_policies.parse(keep)
    workers = threads or os.cpu_count() or 1
    opened = read.open(source, **reading)
    collection = collect(opened, index.method, threads=workers, progress=progress)
    features = collection.features
    if index.recipe.frames is not None and "url" in collection.documents.column_names:
        texts = pc.fill_null(collection.documents["text_hash"], 0).to_numpy()
        features = index.recipe.frames.cores(features, collection.documents["url"], texts)
        hosts = (
            f"the frames of {index.recipe.frames.sites:,} hosts were left out: scores are those of the cores"
        )
        settings = replace(settings, notes=(*settings.notes, hosts))
    first = collapse(features, multiset=index.method.multiset, threads=workers).astype(np.int64)
    filled = np.diff(features.offsets) > 0
    leads = np.flatnonzero(filled & (first == np.arange(len(features))))
    number = np.full(len(features), -1, np.int64)
    number[leads] = np.arange(len(leads))
    content = np.where(filled, number[first], -1)
    batch = index.recipe.batch(
        features.take(leads), ids=[""] * len(leads), dates=[0] * len(leads), threads=workers
    )
    ids: list[str] = []
    stored: list[int] = []
    shown: dict[int, int] = {}
    with index.reading():
        batch = index.recipe.current(batch)
        left, right, score = index.snapshot.search(batch, floor, threads=workers)
        for one in np.unique(right).tolist():
            live = index.database.execute(_LIVE, (one,)).fetchall()
            if live:  # a content whose documents were removed matches nothing
                shown[one] = len(leads) + len(shown)
                ids += [id for id, _ in live]
                stored += [shown[one]] * len(live)
    kept = np.isin(right, np.array(sorted(shown), np.uint32))
    to = np.array([shown[one] for one in right[kept].tolist()], np.uint32)
    found = Matches(left[kept], to, score[kept])
    if progress is not None:
        progress("match", len(features), len(features))
    second = tell_apart(collection.documents, _documents(ids))
    return Result(
        settings=settings,
        documents=pa.concat_tables([collection.documents, second], promote_options="permissive"),
        content=np.concatenate([content, np.array(stored, np.int64)]),
        found=found,
        other_from=len(features),
        sources=(opened, {"format": "index", "parts": [], "asked": None, "index": str(index.path)}),
    )


def _documents(ids: list[str]) -> pa.Table:
    """Stored documents as rows of a result; an index keeps no texts."""
    return pa.table(
        {
            "id": pa.array(ids, pa.string()),
            "status": pa.array(["ok"] * len(ids), pa.string()),
            "detail": pa.nulls(len(ids), pa.string()),
            "read": pa.array([False] * len(ids), pa.bool_()),
            "features": pa.nulls(len(ids), pa.int64()),
            "length": pa.nulls(len(ids), pa.int64()),
            "text_hash": pa.nulls(len(ids), pa.uint64()),
        }
    )
