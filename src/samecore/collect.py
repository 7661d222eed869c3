"""From a source to features: read, take the text, take the features, let the text go."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from samecore import read
from samecore.documents import Skipped
from samecore.errors import InputError
from samecore.features.any_language import AnyLanguage
from samecore.features.csr import Counts, Features, Keys, concatenate, none, replace_rows
from samecore.features.spots import SpotFeatures
from samecore.frames.sites import page_tags
from samecore.group.keep import COLUMN_PREFIX
from samecore.methods import Method
from samecore.protocols import FeaturePart, FieldedPart, Fittable, PlacedPart
from samecore.text.modes import extract, is_html_type
from samecore.text.tokens import text_hashes
from samecore.weights.idf import range_applies
from samecore.weights.parts import IdfRange

#: What is kept of each document besides its features, where the source has it. Dates stay as they are written.
KEPT_COLUMNS = ("title", "url", "date", "source")

#: Called with (stage, done, total or None) while a run goes on.
Progress = Callable[[str, int, "int | None"], None]


@dataclass(frozen=True, eq=False)
class Collection:
    """The documents of one source with their features, row by row; those that could not be read come last.

    `method` is the recipe with whatever had to be fitted to the documents; `notes` say what a person
    should know, `pages` whether any of them came as HTML or could have. `strings` are kept only for
    methods that compare strings, `tags` of pages without an address only for those that look at frames.
    """

    method: Method
    documents: pa.Table
    features: Features
    notes: tuple[str, ...] = ()
    pages: bool = False
    strings: pa.LargeStringArray | None = None
    tags: Features | None = None


def collect(
    source: read.Source,
    method: Method,
    *,
    threads: int,
    columns: tuple[str, ...] = (),
    progress: Progress | None = None,
) -> Collection:
    """All documents of a source as features by `method`. `columns` are carried along for a keep policy."""
    notes: list[str] = []
    if isinstance(method.features, Fittable):
        method = fit(method, source, notes)
    parts: list[Features] = []
    strings: list[pa.LargeStringArray] = []
    tags: list[Features] = []
    tables: list[pa.Table] = []
    refused: list[Skipped] = []
    done, pages = 0, False
    for found in source.batches():
        batch, without_text = extract(found, method.text, undisguise=method.undisguise, threads=threads)
        refused += without_text
        features, few, language = features_of(method, batch, threads)
        totals = features.totals()
        status = np.where(totals == 0, "skipped:no-words", np.where(few, "fallback", "ok"))
        parts.append(features)
        if method.strings is not None:
            strings.append(method.strings(batch.column("text"), threads=threads))
        if method.frame != "off":
            tags.append(page_tags(found, batch))
        tables.append(_table(batch, status, totals, columns, language))
        done += found.num_rows
        pages |= "content_type" in found.schema.names and any(
            map(is_html_type, found["content_type"].unique().to_pylist())
        )
        if progress is not None:
            progress("read", done, source.size_hint().documents)
    if source.renamed:
        notes.append(
            f"{source.renamed:,} documents have the id of an earlier one and are called 'id#2' and so on"
        )
    if passed := source.passed_over():
        most = ", ".join(f"{count:,} {what}" for what, count in passed.most_common(5))
        rest = len(passed) - 5
        notes.append(
            f"{passed.total():,} records of the archives were not asked for: {most}"
            + (f", and {rest} other kinds" if rest > 0 else "")
        )
    documents = _joined(tables) if tables else _nothing([], read=True)
    taken = set(documents["id"].to_pylist()) if refused or source.skipped else set()
    extra = [
        _nothing(_unique(refused, taken), read=True),
        _nothing(_unique(source.skipped, taken), read=False),
    ]
    parts.append(none(sum(table.num_rows for table in extra)))
    if method.strings is not None:
        strings.append(pa.array([""] * len(parts[-1]), pa.large_string()))
    if method.frame != "off":
        tags.append(none(len(parts[-1])))
    return Collection(
        method,
        _joined([documents, *extra]),
        concatenate(parts),
        tuple(notes),
        pages,
        pa.concat_arrays(strings) if strings else None,
        concatenate(tags) if tags else None,
    )


def features_of(
    method: Method, batch: pa.RecordBatch, threads: int
) -> tuple[Features, npt.NDArray[np.bool_], pa.StringArray | None]:
    """The features of each document, where they are those of the fallback, and its language if it was guessed."""
    texts = batch.column("text")
    if isinstance(method.features, FieldedPart):
        features = method.features.fielded(batch, threads=threads)
    else:
        features = _taken(method.features, method, texts, threads)
    guessed = isinstance(features, SpotFeatures) and len(features.names) > 1
    language = features.languages() if guessed else None  # type: ignore[attr-defined]
    if method.fallback is None:
        return features, np.zeros(len(features), np.bool_), language
    few = features.totals() < method.min_features
    if few.any():
        others = _taken(method.fallback, method, texts.filter(pa.array(few)), threads)
        features = replace_rows(features, np.flatnonzero(few), others)
    return features, few, language


def _taken(part: FeaturePart, method: Method, texts: pa.LargeStringArray, threads: int) -> Features:
    """The features by one part of a recipe, with their places if frames are to be learned by them."""
    if method.frame != "off" and isinstance(part, PlacedPart):
        return part.placed(texts, threads=threads)
    return part(texts, threads=threads)


def weighted(
    features: Features,
    method: Method,
    threads: int,
    *,
    table: tuple[Keys, Counts] | None = None,
    corpus: int | None = None,
) -> tuple[Features, list[str]]:
    """The features as the weights leave them. A document they would leave with too few keeps all of its own.

    Frequencies are those of the features, or of `table` in a corpus of so many documents.
    """
    notes: list[str] = []
    size = len(features) if corpus is None else corpus
    for part in method.weights:
        if isinstance(part, IdfRange) and not range_applies(size):
            notes.append(f"the idf range is off: {size} documents are too few to tell common from rare")
        if table is None:
            weighed = part(features, threads=threads)
        else:
            weighed = part(features, threads=threads, table=table, documents=corpus)
        lost = np.flatnonzero((weighed.totals() < method.min_features) & (features.totals() > 0))
        if len(lost) and weighed.weights is None:
            notes.append(
                f"{len(lost):,} documents have only very common or very rare features; the idf range spares them"
            )
            weighed = replace_rows(weighed, lost, features.take(lost))
        features = weighed
    return features, notes


def fit(method: Method, source: read.Source, notes: list[str]) -> Method:
    """The recipe fitted to a sample of the whole source, or of what is in its first batch if it cannot be read twice."""
    assert isinstance(method.features, Fittable)
    if not source.reiterable and isinstance(method.features, AnyLanguage):
        notes.append("a pipe is read only once, so nothing was learned for languages without lists")
        return replace(method, features=method.features.listed)
    if not source.reiterable:
        raise InputError(
            "antecedents are chosen from all documents, which a pipe gives only once; save it to a file first"
        )
    sample = []
    for batch in source.batches():
        some = batch.take(pa.array(range(0, len(batch), max(1, len(batch) // 200))))
        sample.append(extract(some, method.text, undisguise=method.undisguise)[0].column("text"))
    try:
        part = method.features.fit(pa.concat_arrays(sample) if sample else pa.array([], pa.large_string()))
    except InputError as error:
        if method.fallback is None:
            raise
        notes.append(f"{error}; all documents were compared by the fallback")
        return replace(method, features=method.fallback)
    return replace(method, features=part)


def _table(
    batch: pa.RecordBatch,
    status: npt.NDArray[np.str_],
    totals: npt.NDArray[np.int64],
    columns: tuple[str, ...],
    language: pa.StringArray | None,
) -> pa.Table:
    texts = batch.column("text")
    table = {
        "id": batch.column("id").cast(pa.string()),
        "status": pa.array(status, pa.string()),
        "detail": pa.nulls(len(texts), pa.string()),
        "read": pa.array(np.ones(len(texts), np.bool_)),
        "features": pa.array(totals),
        "length": pc.binary_length(texts),
        "text_hash": pa.array(text_hashes(texts)),
    }
    if language is not None:
        table["language"] = language
    for name in KEPT_COLUMNS:
        if name in batch.schema.names:
            table[name] = batch.column(name).cast(pa.string())
    for name in columns:
        if name in batch.schema.names:
            table[COLUMN_PREFIX + name] = batch.column(name)
    return pa.table(table)


def _nothing(skipped: Iterable[Skipped], *, read: bool) -> pa.Table:
    """Rows for documents that have no features; `read` says whether they can be read again by their id."""
    rows = list(skipped)
    return pa.table(
        {
            "id": pa.array([one.id for one in rows], pa.string()),
            "status": pa.array([f"skipped:{one.reason}" for one in rows], pa.string()),
            "detail": pa.array([one.detail for one in rows], pa.string()),
            "read": pa.array([read] * len(rows), pa.bool_()),
            "features": pa.array([0] * len(rows), pa.int64()),
            "length": pa.nulls(len(rows), pa.int64()),
            "text_hash": pa.nulls(len(rows), pa.uint64()),
        }
    )


def _unique(skipped: Iterable[Skipped], taken: set[str]) -> Iterable[Skipped]:
    """The skipped documents, renamed where their id is taken, so that ids stay unique."""
    for one in skipped:
        id, number = one.id, 1
        while id in taken:
            id, number = f"{one.id} (skipped{f' {number}' if number > 1 else ''})", number + 1
        taken.add(id)
        yield replace(one, id=id)


def _joined(tables: list[pa.Table]) -> pa.Table:
    """One table after another; a column that changes its type on the way becomes text."""
    try:
        return pa.concat_tables(tables, promote_options="permissive")
    except (pa.ArrowTypeError, pa.ArrowInvalid):
        names = {name for table in tables for name in table.column_names if name.startswith(COLUMN_PREFIX)}
        for name in names:
            tables = [
                table.set_column(table.column_names.index(name), name, table[name].cast(pa.string()))
                if name in table.column_names
                else table
                for table in tables
            ]
        return pa.concat_tables(tables, promote_options="permissive")


def tell_apart(first: pa.Table, second: pa.Table) -> pa.Table:
    """The second collection with ids that the first does not have; `source_id` keeps the id of its source."""
    taken = pc.is_in(second["id"], value_set=first["id"].combine_chunks())
    if not pc.any(taken).as_py():
        return second
    renamed = pc.if_else(
        taken, pc.binary_join_element_wise(pa.scalar("against:"), second["id"], ""), second["id"]
    )
    own = pc.if_else(taken, second["id"], pa.scalar(None, pa.string()))
    return second.set_column(0, "id", renamed).append_column("source_id", own)
