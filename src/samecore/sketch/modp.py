"""Broder's mod-m sketch: the shingles whose hash is a multiple of m.

Broder, Glassman, Manasse and Zweig, Syntactic Clustering of the Web (1997): 10-word shingles,
one in 25 kept. The sketch grows with the document, so it estimates containment as well as
resemblance; a short document may be left with nothing, and then resembles nothing.

    >>> texts = ["a rose is red a rose is white", "a rose is white a rose is red"]
    >>> kept = sketch(texts, width=4, modulus=1)
    >>> estimate(kept, kept, left_document=0, right_document=1)
    0.25
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

import samecore._core as _core
from samecore.features.csr import Features, Occurrence
from samecore.features.shingles import UNITS, Shingles
from samecore.similarity import jaccard
from samecore.sketch.mixing import check_whole
from samecore.text.tokens import CJK_MODES, Texts, buffers, check_seed, check_threads


@dataclass(frozen=True)
class ModP:
    """Samples of one in `modulus` features.

    modulus: 1 keeps everything.
    shingles: what is taken from texts; features are used as they are.
    seed: another seed, another sample.
    """

    modulus: int = 25
    shingles: Shingles = Shingles(width=10)  # noqa: RUF009 - frozen
    seed: int = 0

    def __post_init__(self) -> None:
        check_whole("modulus", self.modulus, 1, (1 << 64) - 1)
        check_seed(self.seed)

    def __call__(self, source: Texts | Features, *, threads: int = 1) -> Features:
        """The features of each document that belong to the sample, with their counts and weights."""
        check_threads(threads)
        if not isinstance(source, Features):
            data, offsets = buffers(source)
            found = _core.modp_texts(
                data,
                offsets,
                modulus=self.modulus,
                seed=self.seed,
                width=self.shingles.width,
                unit=UNITS[self.shingles.unit],
                shingle_seed=self.shingles.seed,
                cjk=CJK_MODES[self.shingles.cjk],
                threads=threads,
            )
            return Features(*found)
        kept = _core.modp_keys(source.keys, modulus=self.modulus, seed=self.seed).astype(np.bool_)
        before = np.concatenate(([0], np.cumsum(kept, dtype=np.int64)))
        weights = None if source.weights is None else source.weights[kept]
        return Features(before[source.offsets], source.keys[kept], source.counts[kept], weights)

    def occurrences(self, text: str) -> list[Occurrence]:
        """The sampled shingles of one text, in order, with the characters they cover."""
        sample = set(self([text]).keys.tolist())
        return [one for one in self.shingles.occurrences(text) if one.key in sample]


def sketch(
    source: Texts | Features,
    *,
    width: int = 10,
    modulus: int = 25,
    unit: Literal["words", "characters"] = "words",
    cjk: Literal["bigrams", "words"] = "bigrams",
    seed: int = 0,
    threads: int = 1,
) -> Features:
    """One in `modulus` shingles of every text (or features of every document), the same ones everywhere."""
    shingles = Shingles(width=width, unit=unit, cjk=cjk)
    return ModP(modulus=modulus, shingles=shingles, seed=seed)(source, threads=threads)


def estimate(left: Features, right: Features, *, left_document: int = 0, right_document: int = 0) -> float:
    """The resemblance of the two samples, in [0, 1]; 0.0 if neither has anything."""
    plain_left, plain_right = _unweighted(left, left_document), _unweighted(right, right_document)
    return jaccard.score(plain_left, plain_right, multiset=False)


def containment(left: Features, right: Features, *, left_document: int = 0, right_document: int = 0) -> float:
    """The share of the left sample that is in the right one, in [0, 1]; 0.0 if the left is empty."""
    own, other = left.keys[left.row(left_document)], right.keys[right.row(right_document)]
    return len(np.intersect1d(own, other, assume_unique=True)) / len(own) if len(own) else 0.0


def _unweighted(features: Features, document: int) -> Features:
    one = features.rows(document, document + 1)
    return Features(one.offsets, one.keys, one.counts)
