"""The documents of a corpus that training needs: the labelled ones whole, of all others only their frequencies."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from samecore import read
from samecore.errors import InputError
from samecore.features.csr import Counts, Features, Keys, concatenate
from samecore.features.facts import Facts, Feature, facts
from samecore.features.frequencies import MAX_KEYS, Frequencies
from samecore.features.shingles import Shingles
from samecore.text.modes import extract
from samecore.weights.idf import document_frequencies

COLUMNS = ("id", "text", "title", "url")


@dataclass(frozen=True, eq=False)
class Corpus:
    """The labelled documents as one batch with text, title and address, and `documents` in all.

    `frequencies[w]` are the keys of all w-grams, ascending, and in how many documents each is.
    """

    batch: pa.RecordBatch
    documents: int
    frequencies: dict[int, tuple[Keys, Counts]]
    text: str

    @property
    def ids(self) -> list[str]:
        """The ids of the labelled documents."""
        found: list[str] = self.batch.column("id").to_pylist()
        return found

    def table(self, width: int, *, max_keys: int = MAX_KEYS) -> Frequencies:
        """The table of document frequencies of w-grams that goes into a model."""
        return Frequencies.of_documents(*self.frequencies[width], self.documents, max_keys=max_keys)

    def facts(self, k: int, *, queries: Frequencies | None = None, threads: int = 1) -> Facts:
        """The facts of the labelled documents, by the corpus' own tables."""
        words = self.table(1) if k > 1 else None
        return facts(self.batch, k=k, grams=self.table(k), words=words, queries=queries, threads=threads)


def read_corpus(
    source: Any,
    wanted: Collection[str],
    *,
    widths: tuple[int, ...] = (1,),
    text: str = "marked",
    threads: int = 1,
    **reading: Any,
) -> Corpus:
    """The documents of `source` whose ids are `wanted`, and the frequencies of the w-grams of all of them."""
    opened = source if isinstance(source, read.Source) else read.open(source, **reading)
    ids = set(wanted)
    parts: list[pa.RecordBatch] = []
    grams: dict[int, list[Features]] = {width: [] for width in {1, *widths}}
    documents = 0
    example: str | None = None
    for found in opened.batches():
        batch, _ = extract(found, text)
        texts = batch.column("text")
        for width, taken in grams.items():
            taken.append(Shingles(width=width)(texts, threads=threads))
        documents += batch.num_rows
        names = batch.column("id").cast(pa.string()).to_pylist()
        example = example or (names[0] if names else None)
        chosen = pa.array([name in ids for name in names], pa.bool_())
        parts.append(_narrow(batch).filter(chosen))
    if documents == 0:
        raise InputError("the corpus has no documents", where=", ".join(part.name for part in opened.parts))
    whole = pa.Table.from_batches(parts).combine_chunks()
    if whole.num_rows == 0:
        raise _unlabelled(ids, example)
    return Corpus(
        whole.to_batches()[0],
        documents,
        {width: document_frequencies(concatenate(taken), threads=threads) for width, taken in grams.items()},
        text,
    )


def read_ids(source: Any, wanted: Collection[str], **reading: Any) -> list[str]:
    """Those of the `wanted` ids that the documents of `source` have, in their order."""
    opened = source if isinstance(source, read.Source) else read.open(source, **reading)
    ids = set(wanted)
    found: list[str] = []
    example: str | None = None
    for batch in opened.batches():
        names = batch.column("id").cast(pa.string()).to_pylist()
        example = example or (names[0] if names else None)
        found += [id for id in names if id in ids]
    if not found:
        raise _unlabelled(ids, example)
    return found


def _unlabelled(ids: set[str], example: str | None) -> InputError:
    return InputError(
        f"no labelled id is among the documents: labels have {min(ids, default=None)!r}, documents {example!r}"
    )


def _narrow(batch: pa.RecordBatch) -> pa.RecordBatch:
    types = (pa.string(), pa.large_string(), pa.string(), pa.string())
    columns = [batch.column(name).cast(kind) for name, kind in zip(COLUMNS, types, strict=True)]
    return pa.RecordBatch.from_arrays(columns, names=list(COLUMNS))


def useful(found: Facts, features: tuple[Feature, ...]) -> tuple[Feature, ...]:
    """The features that are not the same for every k-gram here; the bias stays."""
    kept = []
    for feature in features:
        values = feature.values(found)
        if feature.name == "bias" or (len(values) and np.ptp(values) > 0):
            kept.append(feature)
    return tuple(kept)
