"""From texts to what an index stores: the features of `find`, weighed by a frozen table."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from samecore import _core, read
from samecore.collect import features_of, weighted
from samecore.documents import Skipped
from samecore.errors import InputError, SettingError
from samecore.features.csr import Counts, Features, Keys, none
from samecore.match.hamming import max_bits_at
from samecore.match.sketched import SimHashBits
from samecore.methods import Method
from samecore.protocols import Fittable
from samecore.similarity.jaccard import sizes
from samecore.sketch.simhash import SimHash
from samecore.text.modes import extract

#: Matchers whose score is the Jaccard of the features: the index gives it exactly, whatever they do.
JACCARD = ("exact", "brute", "spotsigs-2008", "lsh")
MAX_SIZE = 2**31 - 1

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
MICROSECOND = timedelta(microseconds=1)
#: The dates that can be told again: those of the years 1 to 9999, UTC.
FIRST_DATE = (datetime.min.replace(tzinfo=timezone.utc) - EPOCH) // MICROSECOND
LAST_DATE = (datetime.max.replace(tzinfo=timezone.utc) - EPOCH) // MICROSECOND

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

    def filled(self) -> Batch:
        """The documents that have features; the others are `skipped`."""
        empty = np.flatnonzero(self.sizes == 0)
        if not len(empty):
            return self
        skipped = [Skipped(self.ids[i], "empty", f"{self.ids[i]}: no words") for i in empty]
        kept = np.flatnonzero(self.sizes > 0)
        return Batch(
            [self.ids[i] for i in kept],
            [self.dates[i] for i in kept],
            self.features.take(kept),
            self.sizes[kept],
            None if self.raw is None else self.raw.take(kept),
            None if self.prints is None else self.prints[kept],
            skipped=(*self.skipped, *skipped),
            recipe=self.recipe,
        )


@dataclass(frozen=True, eq=False)
class Recipe:
    """A method as an index uses it, with the table of document frequencies it was frozen with.

    blocks: into how many keys a fingerprint is cut; 0 for Jaccard.
    """

    method: Method
    threshold: float
    table: Table = (np.empty(0, np.uint64), np.empty(0, np.uint32))
    corpus: int = 0
    blocks: int = 0

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
        ids = extracted.column("id").to_pylist()
        dates = [now] * len(ids)
        if "date" in extracted.schema.names:
            dates = [microseconds(_plain(one), default=now) for one in extracted.column("date")]
        batch = self.batch(features, ids=ids, dates=dates, threads=threads)
        return replace(batch, skipped=tuple(refused)).filled()

    def of_one(self, text: str | bytes, *, id: str, date: int) -> Batch:
        """A batch of one text, or of one page as bytes; empty if there are no words in it."""
        columns = {"id": pa.array([id], pa.string())}
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


def microseconds(value: Any, *, default: int) -> int:
    """A date as microseconds since 1970, UTC: a datetime, an ISO 8601 text, or seconds; else `default`.

    What lies outside the years 1 to 9999, such as milliseconds taken for seconds, is no date either.
    """
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.strip().replace("Z", "+00:00"))
        except ValueError:
            return default
    if hasattr(value, "year") and not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day)
    if isinstance(value, datetime):
        whole = value if value.tzinfo is not None else value.replace(tzinfo=timezone.utc)
        found = (whole - EPOCH) // MICROSECOND
    elif isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        found = math.floor(value * 1_000_000 + 0.5)
    else:
        return default
    return found if FIRST_DATE <= found <= LAST_DATE else default


def _plain(scalar: pa.Scalar) -> Any:
    """The value of a cell; None for a time that Python has no date for."""
    try:
        return scalar.as_py()
    except (OverflowError, ValueError):
        return None


def moment(date: int) -> datetime:
    """Microseconds since 1970 as a date again."""
    return EPOCH + date * MICROSECOND


DATES = "a datetime, an ISO 8601 text, or seconds since 1970, in the years 1 to 9999"


def asked_date(value: Any, *, name: str = "date") -> int:
    """A date that the caller gave; SettingError if it is none."""
    missing = -(2**63)
    found = microseconds(value, default=missing)
    if found == missing:
        raise SettingError(name, found=value, expected=DATES)
    return found
