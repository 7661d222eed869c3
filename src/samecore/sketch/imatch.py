"""I-Match: one SHA-1 over the sorted terms that a lexicon retains; documents match if it is equal.

Chowdhury, Frieder, Grossman and McCabe (2002); over spot signatures it is the SpotSigs paper's
I-Match-S. The lexicon holds the terms whose normalised idf lies in a range. Kolcz, Chowdhury
and Alspector (2004) add random sub-lexicons: a changed term spoils only the signatures of the
lexicons that hold it.

    >>> rows = sketch(["five words are in here", "In here are five words!"])
    >>> estimate(rows[0], rows[1])
    1.0
"""

from __future__ import annotations

import hashlib
import numbers
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from samecore.errors import SettingError
from samecore.features.csr import Counts, Features, Keys
from samecore.features.shingles import Shingles
from samecore.sketch.mixing import check_whole, drawn, mix
from samecore.text.tokens import Texts, check_seed
from samecore.weights.idf import Form, idf_range

Signatures: TypeAlias = npt.NDArray[np.uint8]

MAX_LEXICONS = 1 << 12
DIGEST_BYTES = 20


@dataclass(frozen=True)
class IMatch:
    """One signature per lexicon.

    idf: the range of normalised idf that the lexicon holds (the papers: 0.4 to 0.75), or None
        for every term. The corpus is the source itself, unless a table of frequencies is given.
    form: how idf is normalised, see `samecore.weights.idf`.
    min_terms, min_share: a document that retains fewer terms, or a smaller share of its
        distinct terms, gets no signature and matches nothing.
    lexicons: how many; the first is the whole lexicon, every other one a random subset of it.
    keep: the share of the lexicon in a subset.
    shingles: what is taken from texts, by default single words; features are used as they are.
    seed: of the subsets.
    """

    idf: tuple[float, float] | None = None
    form: Form = "paper"
    min_terms: int = 4
    min_share: float = 0.0
    lexicons: int = 1
    keep: float = 2 / 3
    shingles: Shingles = Shingles(width=1)  # noqa: RUF009 - frozen
    seed: int = 0

    def __post_init__(self) -> None:
        if self.idf is not None and not (len(self.idf) == 2 and self.idf[0] <= self.idf[1]):
            raise SettingError("idf", found=self.idf, expected="None or (low, high) with low <= high")
        check_whole("min_terms", self.min_terms, 1, 1 << 32)
        check_whole("lexicons", self.lexicons, 1, MAX_LEXICONS)
        if not isinstance(self.min_share, numbers.Real) or not 0.0 <= self.min_share <= 1.0:
            raise SettingError("min_share", found=self.min_share, expected="a number from 0 to 1")
        if not isinstance(self.keep, numbers.Real) or not 0.0 < self.keep <= 1.0:
            raise SettingError("keep", found=self.keep, expected="a number above 0, up to 1")
        check_seed(self.seed)

    def __call__(
        self,
        source: Texts | Features,
        *,
        table: tuple[Keys, Counts] | None = None,
        documents: int | None = None,
        threads: int = 1,
    ) -> Signatures:
        """SHA-1 digests, uint8 [n, lexicons, 20]; zeros where there is no signature.

        `table` (ascending keys and their frequencies in a corpus of `documents`) fixes the
        lexicon, so that documents sketched at different times can match.
        """
        terms = source if isinstance(source, Features) else self.shingles(source, threads=threads)
        kept = terms
        if self.idf is not None:
            low, high = self.idf
            kept = idf_range(
                terms, low, high, form=self.form, table=table, documents=documents, threads=threads
            )
        unique, retained = np.diff(terms.offsets), np.diff(kept.offsets)
        signed = np.flatnonzero((retained >= self.min_terms) & (retained >= self.min_share * unique))
        signatures = np.zeros((len(kept), self.lexicons, DIGEST_BYTES), np.uint8)
        for lexicon in range(self.lexicons):
            offsets, keys = self._within(kept, lexicon)
            for document in signed.tolist():
                own = keys[offsets[document] : offsets[document + 1]]
                if len(own):
                    digest = hashlib.sha1(own.tobytes(), usedforsecurity=False).digest()
                    signatures[document, lexicon] = np.frombuffer(digest, np.uint8)
        return signatures

    def _within(self, features: Features, lexicon: int) -> tuple[npt.NDArray[np.int64], Keys]:
        """The offsets and keys of the terms that one lexicon holds. Whether it does depends on
        the term, the lexicon and the seed alone, so that every run agrees."""
        keys = features.keys.astype("<u8", copy=False)
        if lexicon == 0 or self.keep == 1:
            return features.offsets, keys
        held = mix(features.keys ^ drawn(self.seed, lexicon)) < np.uint64(int(self.keep * 2**64))
        before = np.concatenate(([0], np.cumsum(held, dtype=np.int64)))
        return before[features.offsets], keys[held]


def sketch(
    source: Texts | Features,
    *,
    idf: tuple[float, float] | None = None,
    form: Form = "paper",
    min_terms: int = 4,
    min_share: float = 0.0,
    lexicons: int = 1,
    keep: float = 2 / 3,
    width: int = 1,
    unit: Literal["words", "characters"] = "words",
    cjk: Literal["bigrams", "words"] = "bigrams",
    table: tuple[Keys, Counts] | None = None,
    documents: int | None = None,
    seed: int = 0,
    threads: int = 1,
) -> Signatures:
    """The signatures of every text over its words, or of every document over its features."""
    shingles = Shingles(width=width, unit=unit, cjk=cjk)
    part = IMatch(idf, form, min_terms, min_share, lexicons, keep, shingles, seed)
    return part(source, table=table, documents=documents, threads=threads)


def agreeing(left: Signatures, right: Signatures) -> int:
    """In how many lexicons two documents have the same signature."""
    if left.shape != right.shape:
        raise SettingError("lexicons", found=(len(left), len(right)), expected="as many on both sides")
    return int(np.count_nonzero(np.all(left == right, axis=-1) & np.any(left, axis=-1)))


def estimate(left: Signatures, right: Signatures, *, required: int = 1) -> float:
    """1.0 if at least `required` signatures of two documents agree, else 0.0."""
    return 1.0 if agreeing(left, right) >= check_whole("required", required, 1, MAX_LEXICONS) else 0.0
