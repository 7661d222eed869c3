"""Vectors of k-grams with learned weights (ANDD, Hajishirzi, Yih and Kolcz 2010).

The weight of a k-gram is a sum of its features (`samecore.features.facts`), each times a learned number. Weights
below zero are cut off at zero. What comes out are `Features` whose counts are the weights in units of 2**-10, so
that every exact join, min-hash and simhash serves them unchanged.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

import samecore._core as _core
from samecore.errors import SettingError
from samecore.features.csr import Features, Occurrence
from samecore.features.facts import FACTS, Facts, Feature, check_k, facts, fields, named_features, reader
from samecore.features.frequencies import Frequencies
from samecore.features.shingles import Shingles
from samecore.text.tokens import Texts, check_threads

#: One unit of weight is 2**16 in the tables of the core and 2**10 in the counts that come out.
TABLE_BITS, PRODUCT_BITS, COUNT_BITS = 16, 15, 10
MAX_COUNT = (1 << 18) - 1
#: No weight may be larger in a model: the tables hold 32 bits.
MAX_WEIGHT = 1000.0


@dataclass(frozen=True)
class LearnedVectors:
    """K-grams weighted by a model. `weights` are (feature, number); `active` keeps only the so many heaviest k-grams.

    `functions` are features of one's own, which are named in `weights` and cannot be stored.
    """

    k: int
    weights: tuple[tuple[str, float], ...]
    grams: Frequencies = field(default_factory=Frequencies)
    words: Frequencies = field(default_factory=Frequencies)
    queries: Frequencies = field(default_factory=Frequencies)
    active: int = 0
    functions: tuple[Feature, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        check_k(self.k)
        if not isinstance(self.active, int) or self.active < 0:
            raise SettingError("active", found=self.active, expected="a number of k-grams, or 0 for all")
        for one in self.weights:
            fits = isinstance(one, tuple) and len(one) == 2 and isinstance(one[0], str)
            if not fits or not isinstance(one[1], int | float) or not abs(one[1]) <= MAX_WEIGHT:
                expected = f"pairs of a feature and a number from {-MAX_WEIGHT:g} to {MAX_WEIGHT:g}"
                raise SettingError("weights", found=one, expected=expected)
        _ = self._tables  # unknown features are reported here

    def __call__(self, texts: Texts, *, threads: int = 1) -> Features:
        """The vectors of texts that have no title and no address."""
        column = texts if isinstance(texts, pa.Array) else pa.array(texts, pa.large_string())
        return self.fielded(pa.RecordBatch.from_pydict({"text": column}), threads=threads)

    def fielded(self, batch: pa.RecordBatch, /, *, threads: int = 1) -> Features:
        """The vectors of a batch with `text` and, where known, `title` and `url`."""
        if self._own:
            return self.weigh(self.facts(batch, threads=threads))
        found = _core.weigh_facts(
            *fields(batch),
            reader()._compiled[1],
            self.grams.compiled,
            self.words.compiled,
            self.queries.compiled,
            *self._tables,
            k=self.k,
            active=self.active,
            threads=check_threads(threads),
        )
        return Features(*found)

    def facts(self, batch: pa.RecordBatch, *, threads: int = 1) -> Facts:
        """The facts of a batch, by the tables of this model."""
        return facts(
            batch, k=self.k, grams=self.grams, words=self.words, queries=self.queries, threads=threads
        )

    def weigh(self, found: Facts) -> Features:
        """The vectors of documents whose facts are known: what the core does, in numpy."""
        singles, pairs, products = self._tables
        sums = np.zeros(len(found.keys), np.int64)
        for fact in range(len(FACTS)):
            sums += singles[fact * 256 : fact * 256 + 256].astype(np.int64)[found.codes[:, fact]]
        for n, (left, right) in enumerate(pairs.reshape(-1, 2)):
            one, two = products[512 * n : 512 * n + 256], products[512 * n + 256 : 512 * n + 512]
            sums += (one.astype(np.int64)[found.codes[:, left]] * two[found.codes[:, right]]) >> PRODUCT_BITS
        for feature, weight in self._own:
            sums += np.rint(feature.values(found) * weight * (1 << TABLE_BITS)).astype(np.int64)
        shift = TABLE_BITS - COUNT_BITS
        counts = np.clip((sums + (1 << (shift - 1))) >> shift, 0, MAX_COUNT).astype(np.uint32)
        kept = counts > 0
        if self.active:
            kept &= _heaviest(found.offsets, counts, self.active)
        offsets = np.concatenate(([0], np.cumsum(kept)))[found.offsets].astype(np.int64)
        return Features(offsets, found.keys[kept], counts[kept])

    def occurrences(self, text: str) -> list[Occurrence]:
        """Every k-gram of a text that has a weight, where it stands. Title and address are not known here."""
        weighty = set(self([text]).keys.tolist())
        return [one for one in Shingles(width=self.k).occurrences(text) if one.key in weighty]

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if not name.startswith("_")}

    @cached_property
    def _own(self) -> list[tuple[Feature, float]]:
        features = named_features(tuple(name for name, _ in self.weights), self.functions)
        return [
            (one, weight)
            for one, (_, weight) in zip(features, self.weights, strict=True)
            if one.function is not None
        ]

    @cached_property
    def _tables(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        """Everything that depends on one fact alone in one table each; the products apart."""
        features = named_features(tuple(name for name, _ in self.weights), self.functions)
        singles = np.zeros((len(FACTS), 256))
        pairs: list[int] = []
        products: list[npt.NDArray[np.float64]] = []
        for feature, (_, weight) in zip(features, self.weights, strict=True):
            if feature.function is not None or weight == 0:
                continue
            if feature.by is None:
                singles[FACTS.index(feature.fact)] += weight * feature.table()
            else:
                pairs += [FACTS.index(feature.fact), FACTS.index(feature.by_fact)]
                products += [
                    np.rint(weight * feature.table() * (1 << TABLE_BITS)),
                    np.rint(feature.by_table() * (1 << PRODUCT_BITS)),
                ]
        return (
            np.rint(singles * (1 << TABLE_BITS)).astype(np.int32).ravel(),
            np.array(pairs, np.int64),
            np.concatenate(products).astype(np.int32) if products else np.zeros(0, np.int32),
        )


def _heaviest(
    offsets: npt.NDArray[np.int64], counts: npt.NDArray[np.uint32], active: int
) -> npt.NDArray[np.bool_]:
    """Which entries are among the `active` heaviest of their document; of equals the earlier."""
    owner = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    order = np.lexsort((np.arange(len(counts)), -counts.astype(np.int64), owner))
    rank = np.empty(len(counts), np.int64)
    rank[order] = np.arange(len(counts)) - offsets[owner]
    return rank < active
