"""From a source to a result: `find`, `dedupe` and `compare`.

The way of the data is read -> text -> features -> weights -> match -> result. Texts are
streamed and let go; only features stay in memory.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from samecore import read
from samecore.errors import InputError, SettingError, unknown_name
from samecore.explain import Explanation
from samecore.features.csr import Features, concatenate, none, replace_rows
from samecore.group.keep import parse as keep_policy
from samecore.match.exact import collapse
from samecore.match.matches import Matches
from samecore.match.parts import MATCHERS, Job
from samecore.match.threshold import exact_threshold
from samecore.methods import Method
from samecore.methods import method as named_method
from samecore.plan import check_memory, pair_limit, plan_of
from samecore.protocols import Fittable
from samecore.result import Result, Settings
from samecore.text.modes import extract
from samecore.text.tokens import text_hashes
from samecore.weights.idf import range_applies
from samecore.weights.parts import IdfRange

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
    threads: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
    **reading: Any,
) -> Result:
    """Find the near-duplicates in `source`: a path, a list of texts, a table, anything `read.open` takes.

    method: a name from `samecore.METHODS` or a `Method` of your own.
    threshold: the inclusive minimum score of a match, in (0, 1]; the method's own by default.
    match: another matcher than the method's: "brute", or "exact-forest" for collections with huge groups, which
        keeps only the pairs that connected components need at any threshold.
    group: how pairs become groups: "average", "complete", "components" or "leader".
    keep: which document represents a group: "first", "longest", "newest" or "column:NAME".
    floor: scores are kept down to here, so that `Result.at` can lower the threshold; half of it by default.
    against: a second source; then only pairs across the two are sought.
    threads: all processors by default; the result does not depend on it.
    seed: seeds every hash.
    reading: `text_column`, `id_column`, `format` and the like, for `read.open`.
    """
    recipe = (named_method(method) if isinstance(method, str) else method).seeded(seed)
    threshold = recipe.threshold if threshold is None else threshold
    exact_threshold(threshold)
    floor = float(Decimal(str(threshold)) / 2) if floor is None else floor
    exact_threshold(floor, name="floor")
    if floor > threshold:
        raise SettingError("floor", found=floor, expected=f"at most the threshold, {threshold:g}")
    if match is not None and match not in MATCHERS:
        raise unknown_name("matcher", match, MATCHERS)
    if match is not None:
        if MATCHERS[match].measure != recipe.match.measure:
            expected = f"a matcher for {recipe.match.measure}; {recipe.name} has only its own"
            raise SettingError("match", found=match, expected=expected)
        recipe = replace(recipe, match=MATCHERS[match])
    if not recipe.match.all_pairs and group != "components":
        raise SettingError(
            "group", found=group, expected="'components': a forest holds too few pairs for other groups"
        )
    threads = threads or os.cpu_count() or 1
    settings = Settings(recipe, threshold, floor, group, keep, seed)

    kept = keep_policy(keep)
    keep_columns = (kept.key,) if kept.is_column and kept.key is not None else ()
    sources = tuple(
        read.open(one, columns=keep_columns, **reading) for one in (source, against) if one is not None
    )
    check_memory(plan_of(list(sources), recipe, threshold))
    collections = []
    for one in sources:
        collected = _collect(one, recipe, threads=threads, columns=keep_columns, progress=progress)
        recipe = collected.method  # fitted on the first collection, the same for the second
        collections.append(collected)
    return _match(settings, collections, sources, threads=threads, progress=progress)


#: Removing wants more certainty than grouping: at half of all features shared, frames alone no longer match.
DEDUPE_THRESHOLD = 0.5


def dedupe(
    source: Any,
    *,
    threshold: float = DEDUPE_THRESHOLD,
    group: str = "leader",
    keep: str = "first",
    **settings: Any,
) -> Result:
    """`find` with groups by "leader": every removed document was verified against the one kept.

    `Result.kept` says which documents stay, `Result.ledger` names the partner and score of the others.
    """
    return find(source, threshold=threshold, group=group, keep=keep, **settings)


def compare(
    left: str | bytes, right: str | bytes, *, method: str | Method = "spotsigs", html: bool = False
) -> Explanation:
    """How alike two texts (or pages, with `html=True` or as bytes) are, with the evidence.

    Parts that need a corpus, such as the idf range, are off for two documents; a note says so.
    """
    pages = [one.encode() if isinstance(one, str) else one for one in (left, right)]
    kind = "text/html" if html or isinstance(left, bytes) else "text/plain"
    table = pa.table({"id": ["left", "right"], "body": pages, "content_type": [kind, kind]})
    return find(table, method=method, group="components", threads=1).explain("left", "right")


def compare_documents(
    left: str, right: str, *, inside: Any = None, method: str | Method = "spotsigs", **reading: Any
) -> Explanation:
    """`compare` for two files by path, or for two documents of a collection by id."""
    if inside is not None:
        documents = read.open(inside, **reading).fetch([left, right])
    else:
        documents = pa.concat_tables(
            [_renamed(read.open(path, **reading), path) for path in (left, right)],
            promote_options="permissive",
        )
    return find(documents, method=method, group="components", threads=1).explain(left, right)


def _renamed(source: read.Source, path: str) -> pa.Table:
    """The one document of a file, with the path as its id."""
    table = pa.Table.from_batches(list(source.batches()))
    if table.num_rows != 1:
        raise InputError(
            f"expected a file with one document, found {table.num_rows}; name ids and use --in", where=path
        )
    return table.set_column(0, "id", pa.array([path]))


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
            features = replace_rows(
                features, np.flatnonzero(few), method.fallback(texts.filter(pa.array(few)), threads=threads)
            )
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


def _kept(
    batch: pa.RecordBatch,
    status: npt.NDArray[np.str_],
    totals: npt.NDArray[np.int64],
    columns: tuple[str, ...],
) -> pa.Table:
    texts = batch["text"]
    table = {
        "id": batch["id"],
        "status": pa.array(status, pa.string()),
        "features": pa.array(totals),
        "length": pc.binary_length(texts),
        "text_hash": pa.array(text_hashes(texts)),
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
    features, notes = _weighted(concatenate([one.features for one in collections]), method, threads)
    renamed = sum(source.renamed for source in sources)
    if renamed:
        notes.append(f"{renamed:,} documents have the id of an earlier one and are called 'id#2' and so on")
    split = len(collections[0].features)
    sides = (
        [features]
        if len(collections) == 1
        else [features.rows(0, split), features.rows(split, len(features))]
    )
    if progress is not None:
        progress("match", 0, len(features))
    distinct, contents = zip(*(_distinct(side, method.multiset, threads) for side in sides), strict=True)
    other = distinct[1] if len(sides) == 2 else None
    pairs = method.match(Job(distinct[0], other, settings.floor, method.multiset, threads, pair_limit()))
    if progress is not None:
        progress("match", len(features), len(features))
    shift = (
        len(distinct[0]) if len(sides) == 2 else 0
    )  # contents of a second collection are numbered after the first
    content = np.concatenate([contents[0], *(np.where(one < 0, -1, one + shift) for one in contents[1:])])
    return Result(
        settings=replace(settings, method=method, notes=tuple(notes)),
        documents=pa.concat_tables([one.documents for one in collections], promote_options="default"),
        content=content,
        found=Matches(pairs.left, pairs.right + np.uint32(shift), pairs.score),
        other_from=split if len(sides) == 2 else None,
        features=concatenate(distinct) if method.weights else None,
        sources=sources,
    )


def _weighted(features: Features, method: Method, threads: int) -> tuple[Features, list[str]]:
    """The features as the weights leave them. A document they would leave with too few keeps all of its own."""
    notes: list[str] = []
    for part in method.weights:
        if isinstance(part, IdfRange) and not range_applies(len(features)):
            notes.append(
                f"the idf range is off: {len(features)} documents are too few to tell common from rare"
            )
        weighed = part(features, threads=threads)
        lost = np.flatnonzero((weighed.totals() < method.min_features) & (features.totals() > 0))
        if len(lost) and weighed.weights is None:
            notes.append(
                f"{len(lost):,} documents have only very common or very rare features; the idf range spares them"
            )
            weighed = replace_rows(weighed, lost, features.take(lost))
        features = weighed
    return features, notes


def _distinct(features: Features, multiset: bool, threads: int) -> tuple[Features, npt.NDArray[np.int64]]:
    """The distinct contents in order of first appearance, and the content of each document (-1: no features)."""
    first = collapse(features, multiset=multiset, threads=threads)
    filled = np.diff(features.offsets) > 0
    leads = filled & (first == np.arange(len(features), dtype=np.uint32))
    number = np.cumsum(leads) - 1
    return features.take(np.flatnonzero(leads)), np.where(filled, number[first], -1)
