"""From texts to what an index stores: the features of `find`, weighed by a frozen table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from samecore import _core, read
from samecore.collect import features_of, weighted
from samecore.documents import Skipped
from samecore.errors import InputError, SettingError
from samecore.features.csr import Counts, Features, Keys, none
from samecore.frames.frozen import FrozenFrames
from samecore.index.dates import cell, microseconds
from samecore.match.hamming import max_bits_at
from samecore.match.sketched import SimHashBits
from samecore.methods import Method
from samecore.protocols import Fittable
from samecore.similarity.jaccard import sizes
from samecore.sketch.simhash import SimHash
from samecore.text.modes import extract
from samecore.text.tokens import text_hashes

#: Matchers whose score is the Jaccard of the features: the index gives it exactly, whatever they do.
JACCARD = ("exact", "brute", "spotsigs-2008", "lsh")
MAX_SIZE = 2**31 - 1
#: Documents of one transaction of answered adds: what they add must soon become a segment, or asking slows down.
PART_ROWS = 4_096

Table = tuple[Keys, Counts]


@dataclass(frozen=True, eq=False)
class Batch:
    """Documents ready to be stored or asked about: row by row the id, the date and the features.

    `features` are weighed, `raw` are not and are kept only where the method weighs; `prints` are the
    fingerprints, where the method goes by them (then `features` only tell which documents have none).
    """

    ids: list[str]
    dates: list[int]
    features: Features
    sizes: npt.NDArray[np.uint32]
    raw: Features | None = None
    prints: npt.NDArray[np.uint64] | None = None
    skipped: tuple[Skipped, ...] = ()
    recipe: Recipe | None = None

    def __len__(self) -> int:
        return len(self.sizes)

    def rows(self, start: int, stop: int) -> Batch:
        """Some of the documents."""
        if start == 0 and stop == len(self):
            return self
        return Batch(
            self.ids[start:stop],
            self.dates[start:stop],
            self.features.rows(start, stop),
            self.sizes[start:stop],
            None if self.raw is None else self.raw.rows(start, stop),
            None if self.prints is None else self.prints[start:stop],
            recipe=self.recipe,
        )

    def parts(self, most: int = PART_ROWS) -> Iterator[Batch]:
        """The same documents in batches of at most so many; the last has what was skipped."""
        last = max(len(self) - 1, 0) // most * most
        for start in range(0, last, most):
            yield self.rows(start, start + most)
        yield replace(self.rows(last, len(self)), skipped=self.skipped)

    def take(self, rows: npt.NDArray[np.int64]) -> Batch:
        """The documents at these rows."""
        return Batch(
            [self.ids[i] for i in rows.tolist()],
            [self.dates[i] for i in rows.tolist()],
            self.features.take(rows),
            self.sizes[rows],
            None if self.raw is None else self.raw.take(rows),
            None if self.prints is None else self.prints[rows],
            recipe=self.recipe,
        )

    def filled(self) -> Batch:
        """The documents that have features; the others are `skipped`."""
        empty = np.flatnonzero(self.sizes == 0).tolist()
        if not empty:
            return self
        skipped = [Skipped(self.ids[i], "empty", f"{self.ids[i]}: {self.why_empty(i)}") for i in empty]
        return replace(self.take(np.flatnonzero(self.sizes > 0)), skipped=(*self.skipped, *skipped))

    def why_empty(self, row: int) -> str:
        """Why a document has no features: it has no words, or the weights left nothing of it."""
        had_some = self.raw is not None and self.raw.offsets[row] < self.raw.offsets[row + 1]
        return "no features left by the weights" if had_some else "no words"


@dataclass(frozen=True, eq=False)
class Recipe:
    """A method as an index uses it, with the table of document frequencies it was frozen with.

    blocks: into how many keys a fingerprint is cut; 0 for Jaccard.
    frames: what hosts put around their pages; left out of those that come with an address.
    """

    method: Method
    threshold: float
    table: Table = (np.empty(0, np.uint64), np.empty(0, np.uint32))
    corpus: int = 0
    blocks: int = 0
    frames: FrozenFrames | None = None

    def __post_init__(self) -> None:
        match = self.method.match
        if not isinstance(match, SimHashBits) and match.name not in JACCARD:
            expected = "a method matched by Jaccard or by simhash; an index cannot answer for others yet"
            raise SettingError("method", found=self.method.name, expected=expected)

    @cached_property
    def simhash(self) -> SimHash | None:
        """The fingerprints of this method, if it goes by them."""
        match = self.method.match
        if not isinstance(match, SimHashBits):
            return None
        return SimHash(bits=match.bits, weighting=match.weighting, seed=match.seed)

    @cached_property
    def print_words(self) -> int:
        """Words of 64 bits in a fingerprint; 0 for Jaccard."""
        return 0 if self.simhash is None else self.simhash.bits // 64

    @property
    def weighs(self) -> bool:
        """Whether features depend on the frozen table."""
        return bool(self.method.weights)

    def batch(self, features: Features, *, ids: list[str], dates: list[int], threads: int = 1) -> Batch:
        """A batch of features as the method's feature part gives them, before weights."""
        if len(features) != len(ids) or len(ids) != len(dates):
            found = f"{len(features)} rows, {len(ids)} ids, {len(dates)} dates"
            raise SettingError("features", found=found, expected="an id and a date for every row")
        method = self.method
        effective = features
        if self.weighs:
            effective, _ = weighted(features, method, threads, table=self.table, corpus=self.corpus)
        prints = None if self.simhash is None else self.simhash(effective, threads=threads)
        if not method.multiset and self.simhash is None:
            effective = replace(effective, counts=np.ones(len(effective.keys), np.uint32))
        if effective.weights is None:  # counts of a set are all 1 by now
            weight = effective.totals()
        else:
            weight = sizes(effective, multiset=method.multiset or self.simhash is not None)
        if len(weight) and int(weight.max()) > MAX_SIZE:
            raise InputError(f"a document weighs {int(weight.max()):,}; expected less than 2**31")
        raw = features if self.weighs else None
        return Batch(ids, dates, effective, weight.astype(np.uint32), raw, prints, recipe=self)

    def current(self, batch: Batch) -> Batch:
        """The same batch weighed by this table, if it was weighed by an older one."""
        if batch.recipe is self or batch.raw is None:
            return batch
        again = self.batch(batch.raw, ids=batch.ids, dates=batch.dates)
        return replace(again, skipped=batch.skipped)

    def stored(self, batch: Batch) -> Features:
        """The keys under which contents are listed: their features, or the blocks of their fingerprints."""
        if batch.prints is None:
            return batch.features
        keys = _core.index_blocks(batch.prints, self.blocks)
        offsets = np.arange(len(batch) + 1, dtype=np.int64) * self.blocks
        return Features(offsets, keys, np.ones(len(keys), np.uint32))

    def read(self, source: read.Source, *, threads: int, now: int) -> Iterator[Batch]:
        """The documents of a source, batch by batch; those that cannot be read or have no features are `skipped`."""
        known = 0
        for found in source.batches():
            extracted, refused = extract(
                found, self.method.text, undisguise=self.method.undisguise, threads=threads
            )
            unread, known = source.skipped[known:], len(source.skipped)
            yield self.of_texts(extracted, refused=[*unread, *refused], threads=threads, now=now)
        if len(source.skipped) > known:
            yield replace(self.batch(none(0), ids=[], dates=[]), skipped=tuple(source.skipped[known:]))

    def of_texts(self, extracted: pa.RecordBatch, *, refused: list[Skipped], threads: int, now: int) -> Batch:
        """A batch of texts with ids and perhaps dates."""
        features, _, _ = features_of(self.method, extracted, threads)
        if self.frames is not None and "url" in extracted.schema.names:
            texts = text_hashes(extracted.column("text"))
            features = self.frames.cores(features, extracted.column("url"), texts)
        ids = extracted.column("id").to_pylist()
        dates = [now] * len(ids)
        if "date" in extracted.schema.names:
            dates = [microseconds(cell(one), default=now) for one in extracted.column("date")]
        batch = self.batch(features, ids=ids, dates=dates, threads=threads)
        return replace(batch, skipped=tuple(refused)).filled()

    def of_one(self, text: str | bytes, *, id: str, date: int, url: str | None = None) -> Batch:
        """A batch of one text, or of one page as bytes; empty if there are no words in it."""
        columns = {"id": pa.array([id], pa.string()), "url": pa.array([url], pa.string())}
        if isinstance(text, str):
            columns["text"] = pa.array([text.encode("utf-8", "replace").decode("utf-8")], pa.large_string())
        else:
            columns["body"] = pa.array([text], pa.large_binary())
        extracted, refused = extract(
            pa.RecordBatch.from_pydict(columns), self.method.text, undisguise=self.method.undisguise
        )
        return self.of_texts(extracted, refused=refused, threads=1, now=date)


def blocks_for(method: Method, threshold: float) -> int:
    """Into how many blocks fingerprints are cut, so that a match at the threshold shares one; 0 for Jaccard.

    Blocks narrower than 8 bits would list an eighth of all contents and more: comparing all is then better.
    """
    if not isinstance(method.match, SimHashBits):
        return 0
    bits = method.match.bits
    least = -(-bits // 56)
    return min(max(max_bits_at(threshold, bits) + 1, least), max(bits // 8, least), 255)


def fitted(method: Method, corpus: read.Source | None) -> Method:
    """The method fitted to a corpus, where it must be; SettingError without one."""
    if not isinstance(method.features, Fittable):
        return method
    if corpus is None:
        raise SettingError(
            "corpus", found=None, expected=f"documents from which {method.name} chooses its antecedents"
        )
    from samecore.collect import fit

    return fit(method, corpus, [])
