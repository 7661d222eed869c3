"""Document frequencies, the range of normalised idf, and idf as integer weights.

Normalised idf runs from 0 (in every document) to 1 (in one):

    paper   ln(N / df) / ln(N)            SpotSigs 2008, section 5.1
    code    ln((N + 1) / df) / ln(N + 1)  the authors' released code

N counts documents, duplicates included.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from samecore import _core
from samecore.errors import SettingError, unknown_name
from samecore.features.csr import Counts, Features, Keys

MIN_CORPUS = 20  # below this, frequencies say nothing and the idf range is off

Form = Literal["paper", "code"]


def document_frequencies(features: Features, *, threads: int = 1) -> tuple[Keys, Counts]:
    """All keys, ascending, and the number of documents that have each."""
    keys, frequencies = _core.document_frequencies(features.offsets, features.keys, features.counts, threads)
    return keys, frequencies


def range_applies(documents: int) -> bool:
    """Is a corpus of this many documents large enough for an idf range?"""
    return documents >= MIN_CORPUS


def normalised_idf(frequency: int, documents: int, *, form: Form = "paper") -> float:
    """The normalised idf of a key in `frequency` of `documents`; 1.0 in a corpus of one."""
    if form not in ("paper", "code"):
        raise unknown_name("form", form, ("paper", "code"))
    total = documents + 1 if form == "code" else documents
    return math.log(total / frequency) / math.log(total) if total > 1 else 1.0


def frequency_bounds(low: float, high: float, documents: int, *, form: Form = "paper") -> tuple[int, int]:
    """The least and the most documents a key may be in for low <= idf <= high.

    Empty ranges come back with least > most. idf falls with the frequency, so that two
    searches replace a logarithm per entry.
    """
    if not low <= high:
        raise SettingError("idf range", found=(low, high), expected="low <= high")
    least = _first(documents, lambda frequency: normalised_idf(frequency, documents, form=form) <= high)
    most = _first(documents, lambda frequency: normalised_idf(frequency, documents, form=form) < low) - 1
    return least, most


def idf_range(
    features: Features,
    low: float,
    high: float,
    *,
    form: Form = "paper",
    table: tuple[Keys, Counts] | None = None,
    documents: int | None = None,
    threads: int = 1,
) -> Features:
    """The features whose normalised idf lies in [low, high].

    Frequencies are those of `features` itself, or of `table` (ascending keys and their
    frequencies in a corpus of `documents`; a key that is not in it counts as in one
    document). In a corpus smaller than MIN_CORPUS nothing is dropped and `features`
    itself comes back; ask `range_applies`.
    """
    corpus = _corpus(features, table, documents)
    least, most = frequency_bounds(low, high, max(corpus, 1), form=form)
    if not range_applies(corpus):
        return features
    frequencies = entry_frequencies(features, table=table, threads=threads)
    kept = (frequencies >= least) & (frequencies <= most)
    offsets = np.zeros(len(kept) + 1, np.int64)
    np.cumsum(kept, out=offsets[1:])
    return Features(
        offsets=offsets[features.offsets],
        keys=features.keys[kept],
        counts=features.counts[kept],
        weights=None if features.weights is None else features.weights[kept],
    )


def idf_weights(
    features: Features,
    *,
    scale: int = 1000,
    form: Form = "paper",
    table: tuple[Keys, Counts] | None = None,
    documents: int | None = None,
    threads: int = 1,
) -> Features:
    """The same features with integer weights max(1, round(scale * normalised idf)).

    Collections that will be matched with each other need the same `table`.
    """
    if scale < 1:
        raise SettingError("scale", found=scale, expected="at least 1")
    corpus = _corpus(features, table, documents)
    frequencies = entry_frequencies(features, table=table, threads=threads)
    distinct, at = np.unique(frequencies, return_inverse=True)
    by_frequency = [max(1, round(scale * normalised_idf(int(df), corpus, form=form))) for df in distinct]
    return replace(features, weights=np.array(by_frequency, np.uint32)[at])


def entry_frequencies(
    features: Features, *, table: tuple[Keys, Counts] | None = None, threads: int = 1
) -> npt.NDArray[np.uint32]:
    """The document frequency of the key of every entry, from `table` or the features."""
    if table is None:
        own: Counts = _core.entry_frequencies(features.offsets, features.keys, features.counts, threads)
        return own
    keys, frequencies = table
    if len(keys) == 0:
        return np.ones(len(features.keys), np.uint32)
    at = np.minimum(np.searchsorted(keys, features.keys), len(keys) - 1)
    return np.where(keys[at] == features.keys, frequencies[at], np.uint32(1))


def _corpus(features: Features, table: tuple[Keys, Counts] | None, documents: int | None) -> int:
    if (table is None) != (documents is None):
        raise SettingError(
            "documents", found=documents, expected="the size of the corpus of `table`, if one is given"
        )
    return len(features) if documents is None else documents


def _first(documents: int, holds: Callable[[int], bool]) -> int:
    """The least frequency in 1 .. documents for which `holds`; documents + 1 for none."""
    low, high = 1, documents + 1
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low
