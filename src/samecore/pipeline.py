"""From a source to a result: `find`, `dedupe` and `compare`.

The way of the data is read -> text -> features -> weights -> match -> result. Texts are
streamed and let go; only features stay in memory.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from samecore import _core, read
from samecore.errors import InputError, SettingError, unknown_name
from samecore.explain import Explanation
from samecore.features.csr import Features, concatenate, none, replace_rows
from samecore.match import MATCHERS
from samecore.match.exact import collapse
from samecore.match.pairs import Pairs
from samecore.match.threshold import check_threshold
from samecore.methods import Method, method as named_method
from samecore.protocols import FeaturePart, Fittable
from samecore.result import Result, Settings
from samecore.text.modes import extract

#: What is kept of each document besides its features.
KEPT_COLUMNS = ("title", "url", "date", "source")

Progress = Callable[[str, int, int | None], None]


def find(
    source: Any,
    *,
    method: str | Method = "spotsigs",
    threshold: float | None = None,
    match: str | None = None,
    group: str = "average",
    keep: str = "first",
    floor: float | None = None,
    against: Any = None,
    output: str = "pairs",
    threads: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
    **reading: Any,
) -> Result:
    """Find the near-duplicates in `source`: a path, a list of texts, a table, anything `read.open` takes.

    method: a name from `samecore.METHODS` or a `Method` of your own.
    threshold: the inclusive minimum score of a match, in (0, 1]; the method's own by default.
    match: another matcher than the method's, such as "brute".
    group: how pairs become groups: "average", "complete", "components" or "leader".
    keep: which document represents a group: "first", "longest", "newest" or "column:NAME".
    floor: scores are kept down to here, so that `Result.at` can lower the threshold; half of it by default.
    against: a second source; then only pairs across the two are sought.
    output: "pairs", or "forest" for collections with huge groups: enough for components and leader-free views.
    threads: all processors by default; the result does not depend on it.
    seed: seeds every hash.
    reading: `text_column`, `id_column`, `format` and the like, for `read.open`.
    """
    recipe = (named_method(method) if isinstance(method, str) else method).seeded(seed)
    threshold = check_threshold(recipe.threshold if threshold is None else threshold)
    floor = check_floor(threshold / 2 if floor is None else floor, threshold)
    match = match or recipe.match
    if match not in MATCHERS:
        raise unknown_name("matcher", match, MATCHERS)
    threads = threads or os.cpu_count() or 1
    settings = Settings(recipe, threshold, floor, group, keep, match, output, seed)

    keep_columns = (keep.removeprefix("column:").lstrip("-"),) if keep.startswith("column:") else ()
    sources = tuple(read.open(one, **reading) for one in (source, against) if one is not None)
    collections = []
    for one in sources:
        collected = _collect(one, recipe, threads=threads, columns=keep_columns, progress=progress)
        recipe = collected.method  # fitted on the first collection, the same for the second
        collections.append(collected)
    return _match(settings, collections, sources, threads=threads, progress=progress)


def dedupe(source: Any, *, group: str = "leader", keep: str = "first", **settings: Any) -> Result:
    """`find` with groups by "leader": every removed document was verified against the one kept.

    `Result.kept` says which documents stay, `Result.ledger` names the partner and score of the others.
    """
    return find(source, group=group, keep=keep, **settings)


def compare(left: str | bytes, right: str | bytes, *, method: str | Method = "spotsigs", html: bool = False) -> Explanation:
    """How alike two texts (or pages, with `html=True` or as bytes) are, with the evidence.

    Parts that need a corpus, such as the idf range, are off for two documents; a note says so.
    """
    rows = [{"id": name, "text": text} for name, text in (("left", left), ("right", right))]
    recipe = named_method(method) if isinstance(method, str) else method
    result = find(rows, method=recipe, floor=min(recipe.threshold, 0.01), group="components", threads=1, html=html)
    return result.explain("left", "right")


# -- reading ------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Collection:
    """The documents of one source with their features, row by row."""

    method: Method
    documents: pa.Table
    features: Features


def _collect(
    source: read.Source,
    method: Method,
    *,
    threads: int,
    columns: tuple[str, ...],
    progress: Progress | None,
) -> _Collection:
    parts: list[Features] = []
    tables: list[pa.Table] = []
    skipped: list[tuple[str, str]] = []
    done = 0
    for batch in source.batches():
        batch, refused = extract(batch, method.text)
        skipped += [(one.id, one.reason) for one in refused]
        texts = batch["text"]
        if isinstance(method.features, Fittable):
            method = replace(method, features=method.features.fit(texts))
        features = method.features(texts, threads=threads)
        few = features.totals() < method.min_features
        if method.fallback is not None and few.any():
            features = replace_rows(features, np.flatnonzero(few), method.fallback(texts.filter(pa.array(few)), threads=threads))
        totals = features.totals()
        status = np.where(totals == 0, "skipped:no-words", np.where(few, "fallback", "ok"))
        parts.append(features)
        tables.append(_kept(batch, status, totals, columns))
        done += batch.num_rows
        if progress is not None:
            progress("read", done, source.size_hint().documents)
    skipped += [(one.id, one.reason) for one in source.skipped]
    tables.append(_rows_of_skipped(skipped))
    parts.append(none(len(skipped)))
    return _Collection(method, pa.concat_tables(tables, promote_options="default"), concatenate(parts))


def _kept(batch: pa.RecordBatch, status: npt.NDArray[np.str_], totals: npt.NDArray[np.int64], columns: tuple[str, ...]) -> pa.Table:
    texts = batch["text"]
    data, offsets = text_buffers(texts)
    table = {
        "id": batch["id"],
        "status": pa.array(status, pa.string()),
        "features": pa.array(totals),
        "length": pc.binary_length(texts),
        "text_hash": pa.array(_core.text_hashes(data, offsets)),
    }
    for name in (*KEPT_COLUMNS, *columns):
        if name in batch.schema.names:
            table[name] = batch[name]
    return pa.table(table)


def _rows_of_skipped(skipped: list[tuple[str, str]]) -> pa.Table:
    return pa.table(
        {
            "id": pa.array([id for id, _ in skipped], pa.string()),
            "status": pa.array([f"skipped:{reason}" for _, reason in skipped], pa.string()),
            "features": pa.array([0] * len(skipped), pa.int64()),
        }
    )


# -- matching -----------------------------------------------------------------------------


def _match(
    settings: Settings,
    collections: list[_Collection],
    sources: tuple[read.Source, ...],
    *,
    threads: int,
    progress: Progress | None,
) -> Result:
    method = collections[-1].method
    features = concatenate([one.features for one in collections])
    notes: list[str] = []
    for part in method.weights:
        features, note = _weighted(part, features, method.min_features, threads)
        notes += note
    content = np.full(len(features), -1, np.int64)
    filled = np.flatnonzero(np.diff(features.offsets) > 0)
    if progress is not None:
        progress("match", 0, len(filled))
    matcher = MATCHERS[settings.match]
    options = {"threshold": settings.floor, "multiset": method.multiset, "threads": threads}
    if len(collections) == 1:
        distinct, content[filled] = collapse(features.take(filled), multiset=method.multiset, threads=threads)
        found = matcher(distinct, **options)
        split = None
    else:
        split = len(collections[0].features)
        first, second = filled[filled < split], filled[filled >= split]
        left, content[first] = collapse(features.take(first), multiset=method.multiset, threads=threads)
        right, content[second] = collapse(features.take(second), multiset=method.multiset, threads=threads)
        content[second] += len(left)
        across = matcher(left, right, **options)
        found = Pairs(across.left, across.right + np.uint32(len(left)), across.score)
        distinct = concatenate([left, right])
    return Result(
        settings=replace(settings, method=method, notes=tuple(notes)),
        documents=pa.concat_tables([one.documents for one in collections], promote_options="default"),
        content=content,
        found=found,
        other_from=split,
        features=distinct if method.weights else None,
        sources=sources,
    )
