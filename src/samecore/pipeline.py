"""From a source to a result: `find`, `dedupe` and `compare`.

The way of the data is read -> text -> features -> weights -> match -> result. Texts are
streamed and let go; only features stay in memory.
"""

from __future__ import annotations

import os
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from samecore import read
from samecore.collect import Collection, Progress, collect, tell_apart, weighted
from samecore.contents import best_of
from samecore.errors import InputError, SettingError, unknown_name
from samecore.explain import NO_FLOOR, Explanation
from samecore.features.csr import Features, concatenate, none
from samecore.frames.tell import Told, tell
from samecore.group import keep as keep_policies
from samecore.group.groupers import GROUPERS
from samecore.group.leaders import leaders
from samecore.match.exact import collapse
from samecore.match.matches import Matches
from samecore.match.parts import MATCHERS, Cosine, Exact, Job
from samecore.match.threshold import exact_threshold
from samecore.methods import FRAMED_THRESHOLD, Method
from samecore.methods import method as named_method
from samecore.plan import check_memory, pair_limit, plan_of
from samecore.result import FRAME_ONLY, Result, Settings

#: Removing wants more certainty than grouping: at half of all features shared, frames alone no longer match.
DEDUPE_THRESHOLD = 0.5


def find(
    source: Any,
    *,
    method: str | Method = "spotsigs",
    threshold: float | None = None,
    match: str | None = None,
    group: str | None = None,
    keep: str = "first",
    floor: float | None = None,
    frame: str | None = None,
    against: Any = None,
    threads: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
    **reading: Any,
) -> Result:
    """Find the near-duplicates in `source`: a path, a list of texts, a table, anything `read.open` takes.

    method: a name from `samecore.METHODS` or a `Method` of your own.
    threshold: the inclusive minimum score of a match, in (0, 1]; the method's own by default.
    match: another matcher than the method's: "brute", or "exact-forest" for collections with huge groups,
        which keeps only the pairs that connected components need at any threshold.
    group: how pairs become groups: "average", "complete", "components" or "leader". By default "average", or
        "components" with a matcher that keeps too few pairs for it.
    keep: which document represents a group: "first", "longest", "newest" or "column:NAME".
    floor: scores are kept down to here, so that `Result.at` can lower the threshold; half of it by default.
    frame: what to do about text that a site repeats on all its pages: "ignore" it, "report" how alike
        it is beside the score of the whole, or "off"; the method's own by default (docs/frames.md).
    against: a second source; then only pairs across the two are sought. Or a `samecore.Index`: then by its method.
    threads: all processors by default; the result does not depend on it.
    seed: seeds every hash.
    reading: `text_column`, `id_column`, `format` and the like, for `read.open`.
    """
    if (
        asked := getattr(against, "find_against", None)
    ) is not None:  # a samecore.Index has a method of its own
        found: Result = asked(
            source,
            method=None if method == "spotsigs" else method,
            threshold=threshold,
            floor=floor,
            group=group,
            keep=keep,
            threads=threads,
            progress=progress,
            **reading,
        )
        return found
    settings = settings_for(
        method=method,
        threshold=threshold,
        match=match,
        group=group,
        keep=keep,
        floor=floor,
        seed=seed,
        frame=frame,
    )
    sources = _open(settings, [source] if against is None else [source, against], reading)
    collections = _collect(settings, sources, threads=_threads(threads), progress=progress)
    return _match(
        settings,
        collections,
        sources,
        threads=_threads(threads),
        progress=progress,
        frame_asked=frame is not None,
    )


def dedupe(
    source: Any,
    *,
    method: str | Method = "spotsigs",
    threshold: float | None = None,
    match: str | None = None,
    group: str = "leader",
    keep: str = "first",
    frame: str | None = None,
    threads: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
    **reading: Any,
) -> Result:
    """`find` with groups by "leader": every removed document was verified against the one kept.

    threshold: by default the method's own, but with a Jaccard score not below 0.5.

    `Result.kept` says which documents stay, `Result.ledger` names the partner and score of the others.
    With the exact matcher only pairs with leaders are ever listed, so that a template shared by a
    million pages costs a million pairs; the result then stands for this threshold alone.
    """
    if threshold is None:
        threshold = dedupe_threshold(method)
    settings = settings_for(
        method=method,
        threshold=threshold,
        match=match,
        group=group,
        keep=keep,
        floor=threshold,
        seed=seed,
        frame=frame,
    )
    if group == "leader" and settings.method.match == Exact():
        settings = replace(settings, pairs="leaders")
    sources = _open(settings, [source], reading)
    collections = _collect(settings, sources, threads=_threads(threads), progress=progress)
    return _match(
        settings,
        collections,
        sources,
        threads=_threads(threads),
        progress=progress,
        frame_asked=frame is not None,
    )


def dedupe_threshold(method: str | Method) -> float:
    """The score from which `dedupe` removes a document, if none is given."""
    recipe = named_method(method) if isinstance(method, str) else method
    return max(recipe.threshold, DEDUPE_THRESHOLD) if recipe.match.measure == "jaccard" else recipe.threshold


def compare(
    left: str | bytes, right: str | bytes, *, method: str | Method = "spotsigs", html: bool = False
) -> Explanation:
    """How alike two texts (or pages, as bytes or with `html=True`) are, with the evidence.

    Parts that need a corpus, such as the idf range, are off for two documents; a note says so.
    """
    table = pa.table(
        {
            "id": ["left", "right"],
            "body": [
                one.encode("utf-8", "replace") if isinstance(one, str) else one for one in (left, right)
            ],
            "content_type": [
                "text/html" if html or isinstance(one, bytes) else "text/plain" for one in (left, right)
            ],
        }
    )
    return _two(table, method).explain("left", "right")


def compare_documents(
    left: str, right: str, *, inside: Any = None, method: str | Method = "spotsigs", **reading: Any
) -> Explanation:
    """`compare` for two files by path, or for two documents of a collection by id.

    A method that looks at frames has to read the whole collection to learn them.
    """
    recipe = named_method(method) if isinstance(method, str) else method
    if inside is not None and recipe.frame != "off":
        reading = {"spool": True, **reading}  # the two are read again to be quoted
        found = find(inside, method=recipe, threshold=1.0, floor=1.0, group="components", **reading)
        return replace(found.explain(left, right), threshold=recipe.threshold)
    if inside is not None:
        documents = read.open(inside, **reading).fetch([left, right])
    else:
        files = [_one_document(path, reading) for path in (left, right)]
        documents = pa.concat_tables(files, promote_options="permissive")
    names = [left, right] if left != right else ["left", "right"][: documents.num_rows]
    shown = _two(documents.set_column(0, "id", pa.array(names)), method).explain(names[0], names[-1])
    return replace(shown, left=replace(shown.left, id=left), right=replace(shown.right, id=right))


def _two(documents: pa.Table, method: str | Method) -> Result:
    """A result of two documents that has their score, however low; a Jaccard is computed in any case."""
    recipe = named_method(method) if isinstance(method, str) else method
    floor = None if recipe.match.measure == "jaccard" else NO_FLOOR
    notes: tuple[str, ...] = ()
    if isinstance(recipe.match, Cosine) and recipe.match.values == "tfidf":
        recipe = replace(recipe, match=replace(recipe.match, values="counts"))
        notes = ("idf is off: among two documents what both have would weigh nothing",)
    result = find(documents, method=recipe, group="components", floor=floor, threads=1, frame="off")
    return replace(result, settings=replace(result.settings, notes=(*notes, *result.settings.notes)))


def _one_document(path: str, reading: dict[str, Any]) -> pa.Table:
    """The one document of a file."""
    source = read.open((path,), **reading)
    batches = list(source.batches())
    rows = sum(batch.num_rows for batch in batches)
    if rows != 1:
        why = source.skipped[0].detail if source.skipped else f"found {rows} documents; name ids and use --in"
        raise InputError(f"expected a file with one document: {why}", where=path)
    return pa.Table.from_batches([batch for batch in batches if batch.num_rows])


# -- settings -----------------------------------------------------------------------------


def settings_for(
    *,
    method: str | Method,
    threshold: float | None,
    match: str | None,
    group: str | None,
    keep: str,
    floor: float | None,
    seed: int,
    frame: str | None = None,
) -> Settings:
    """All settings of a run, checked. What cannot work is refused here, before anything is read."""
    if not isinstance(method, (str, Method)):
        raise SettingError("method", found=method, expected="the name of a method, or a samecore.Method")
    recipe = (named_method(method) if isinstance(method, str) else method).seeded(seed)
    if match is not None:
        if match not in MATCHERS:
            raise unknown_name("matcher", match, MATCHERS)
        if MATCHERS[match].measure != recipe.match.measure:
            expected = f"a matcher for {recipe.match.measure}; {recipe.name} has only its own"
            raise SettingError("match", found=match, expected=expected)
        recipe = replace(recipe, match=MATCHERS[match], strings=None)  # none of these compares strings
    if frame is not None:
        recipe = replace(recipe, frame=frame)
    threshold = recipe.threshold if threshold is None else threshold
    exact_threshold(threshold)
    if floor is None:  # a sketch is made for one threshold; everything exact can look further down
        floor = threshold if recipe.match.approximate else float(Decimal(str(threshold)) / 2)
    exact_threshold(floor, name="floor")
    threshold, floor = float(threshold), float(floor)
    if floor > threshold:
        raise SettingError("floor", found=floor, expected=f"at most the threshold, {threshold:g}")
    if group is None:
        group = "average" if recipe.match.all_pairs else "components"
    if group not in GROUPERS:
        raise unknown_name("group", str(group), GROUPERS)
    if not recipe.match.all_pairs and group != "components":
        expected = "'components': a forest holds too few pairs for other groups"
        raise SettingError("group", found=group, expected=expected)
    keep_policies.parse(keep)
    pairs = "all" if recipe.match.all_pairs else "forest"
    return Settings(recipe, threshold, floor, group, keep, pairs, seed)


def _threads(threads: int | None) -> int:
    return threads or os.cpu_count() or 1


# -- the stages ---------------------------------------------------------------------------


def _keep_columns(settings: Settings) -> tuple[str, ...]:
    policy = keep_policies.parse(settings.keep)
    return (policy.key,) if policy.is_column and policy.key is not None else ()


def _open(settings: Settings, inputs: list[Any], reading: dict[str, Any]) -> tuple[read.Source, ...]:
    sources = tuple(read.open(one, columns=_keep_columns(settings), **reading) for one in inputs)
    check_memory(plan_of(list(sources), settings.method, settings.threshold))
    return sources


def _collect(
    settings: Settings, sources: tuple[read.Source, ...], *, threads: int, progress: Progress | None
) -> list[Collection]:
    method, collections = settings.method, []
    for source in sources:
        columns = _keep_columns(settings)
        collections.append(collect(source, method, threads=threads, columns=columns, progress=progress))
        method = collections[-1].method  # fitted on the first collection, the same for the second
    return collections


def _match(
    settings: Settings,
    collections: list[Collection],
    sources: tuple[read.Source, ...],
    *,
    threads: int,
    progress: Progress | None,
    frame_asked: bool = False,
) -> Result:
    method = collections[-1].method
    told = _told(collections, method, threads)
    features, notes = weighted(told.compared, method, threads)
    notes = [*(note for one in collections for note in one.notes), *notes]
    if told.frames is not None or frame_asked or any(one.pages for one in collections):
        notes += told.notes
    bare = len(features.keys) > 0 and not any(one.pages for one in collections)
    if settings.threshold == FRAMED_THRESHOLD and bare:
        notes.append(
            f"{FRAMED_THRESHOLD:g} suits pages in frames; for bare texts like these 0.5 is a safer start"
        )
    tables = [one.documents for one in collections]
    if len(tables) == 2:
        tables[1] = tell_apart(*tables)
    documents = pa.concat_tables(tables, promote_options="permissive")
    if told.bare is not None:
        documents = _with_status(documents, told.bare, FRAME_ONLY)
    rank = keep_policies.rank(
        documents, settings.keep
    )  # a policy that cannot work is refused before the match

    split = len(collections[0].features)
    sides = (
        [features]
        if len(collections) == 1
        else [features.rows(0, split), features.rows(split, len(features))]
    )
    if progress is not None:
        progress("match", 0, len(features))
    distinct, contents, strings = zip(
        *(
            _distinct(side, one.strings, method.multiset, threads)
            for side, one in zip(sides, collections, strict=True)
        ),
        strict=True,
    )
    shift = len(distinct[0]) if len(sides) == 2 else 0  # a second collection is numbered after the first
    content = np.concatenate([contents[0], *(np.where(one < 0, -1, one + shift) for one in contents[1:])])
    if settings.pairs == "leaders":
        order = np.argsort(rank[best_of(content, rank, groups=len(distinct[0]))], kind="stable")
        found = leaders(
            distinct[0], order=order, threshold=settings.threshold, multiset=method.multiset, threads=threads
        )
    else:
        other = distinct[1] if len(sides) == 2 else None
        job = Job(distinct[0], other, settings.floor, method.multiset, threads, pair_limit(), *strings)
        pairs = method.match(job)
        found = Matches(pairs.left, pairs.right + np.uint32(shift), pairs.score)
        notes += getattr(pairs, "notes", ())
    if progress is not None:
        progress("match", len(features), len(features))
    return Result(
        settings=replace(settings, method=method, notes=tuple(notes)),
        documents=documents,
        content=content,
        found=found,
        other_from=split if len(sides) == 2 else None,
        features=concatenate(distinct) if method.weights else None,
        sources=sources,
        frames=told.frames,
        cores=told.cores,
    )


def _told(collections: list[Collection], method: Method, threads: int) -> Told:
    """All features of all collections, with the frames of sites told from the cores as the method wants it."""
    features = concatenate([one.features for one in collections])
    if method.frame == "off":
        return Told(features)
    known = pa.concat_tables(
        [
            one.documents.select(
                [name for name in ("text_hash", "url") if name in one.documents.column_names]
            )
            for one in collections
        ],
        promote_options="permissive",
    )
    tags = [none(len(one.features)) if one.tags is None else one.tags for one in collections]
    return tell(
        features,
        known["url"] if "url" in known.column_names else None,
        concatenate(tags),
        ignore=method.frame == "ignore",
        texts=pc.fill_null(known["text_hash"], 0).to_numpy(),
        threads=threads,
    )


def _with_status(documents: pa.Table, rows: npt.NDArray[np.int64], status: str) -> pa.Table:
    mask = np.zeros(documents.num_rows, np.bool_)
    mask[rows] = True
    column = pc.if_else(pa.array(mask), pa.scalar(status), documents["status"])
    return documents.set_column(documents.column_names.index("status"), "status", column)


def _distinct(
    features: Features, strings: pa.LargeStringArray | None, multiset: bool, threads: int
) -> tuple[Features, npt.NDArray[np.int64], pa.LargeStringArray | None]:
    """The distinct contents in order of first appearance, the content of each document (-1: no features),
    and the strings of the contents. With strings it is they that tell contents apart."""
    filled = np.diff(features.offsets) > 0
    if strings is None:
        first = collapse(features, multiset=multiset, threads=threads).astype(np.int64)
    else:
        codes = strings.filter(pa.array(filled)).dictionary_encode().indices.to_numpy()
        first = np.arange(len(features))
        _, heads = np.unique(codes, return_index=True)  # codes count up in order of first appearance
        first[filled] = np.flatnonzero(filled)[heads[codes]]
    leads = filled & (first == np.arange(len(features)))
    rows = np.flatnonzero(leads)
    number = np.cumsum(leads) - 1
    kept = None if strings is None else strings.take(pa.array(rows))
    return features.take(rows), np.where(filled, number[first], -1), kept
