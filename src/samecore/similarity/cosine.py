"""Cosine and extended Jaccard of weighted vectors, as in Hajishirzi, Yih and Kolcz (2010).

    cosine  = x.y / sqrt(|x|^2 |y|^2)
    jaccard = x.y / (|x|^2 + |y|^2 - x.y)

over non-negative values. On values 0 and 1 the second is the Jaccard coefficient of sets.

The score is defined to the last bit, so that a threshold has one meaning: values are
float32, whose products are exact in double precision; the three sums run in ascending
order of the keys, in double precision; the result is cut off at 1. Equal vectors score
exactly 1. With whole numbers for values (binary or term counts) the sums are exact, and
a pair that truly reaches a decimal threshold reaches it here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from samecore.errors import SettingError, unknown_name
from samecore.features.csr import Counts, Features, Keys, Offsets
from samecore.weights.idf import entry_frequencies

Values = npt.NDArray[np.float32]
Measure = Literal["cosine", "jaccard"]
MEASURES = ("cosine", "jaccard")


@dataclass(frozen=True, eq=False)
class Vectors:
    """Sparse vectors, row after row: row `i` has the entries `offsets[i]:offsets[i + 1]`.

    Within a row keys are distinct and ascending. Values are finite and not negative; a
    value of 0 counts as no entry.
    """

    offsets: Offsets
    keys: Keys
    values: Values

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def row(self, document: int) -> slice:
        """Where the entries of one document lie in `keys` and `values`."""
        return slice(int(self.offsets[document]), int(self.offsets[document + 1]))


def binary(features: Features) -> Vectors:
    """Every key a document has counts 1."""
    return Vectors(features.offsets, features.keys, np.ones(len(features.keys), np.float32))


def term_counts(features: Features) -> Vectors:
    """Every key counts as often as it occurs, times its weight if there are weights."""
    mass = features.counts.astype(np.float64)
    if features.weights is not None:
        mass *= features.weights
    return Vectors(features.offsets, features.keys, mass.astype(np.float32))


def tfidf(
    features: Features,
    *,
    table: tuple[Keys, Counts] | None = None,
    documents: int | None = None,
    threads: int = 1,
) -> Vectors:
    """Term count times ln(documents / document frequency), the classic weight.

    `table` gives ascending keys and the number of documents that have each, out of
    `documents` in all; without it they are counted in `features`. Collections that will be
    matched with each other need the same table; a key it does not list counts as seen in
    one document. Keys in every document get 0, which is the same as leaving them out.
    """
    if (table is None) != (documents is None):
        expected = "the size of the corpus of `table`, if one is given"
        raise SettingError("documents", found=documents, expected=expected)
    frequency = entry_frequencies(features, table=table, threads=threads)
    total = len(features) if documents is None else documents
    idf = np.log(np.maximum(total / frequency.astype(np.float64), 1.0))
    return Vectors(features.offsets, features.keys, (features.counts * idf).astype(np.float32))


def as_vectors(rows: Vectors | Features) -> Vectors:
    """Vectors as they are; features as their term counts."""
    return term_counts(rows) if isinstance(rows, Features) else rows


def score(
    left: Vectors | Features,
    right: Vectors | Features,
    *,
    left_document: int = 0,
    right_document: int = 0,
    measure: Measure = "cosine",
    min_score: float = 0.0,
) -> float:
    """The similarity of one row of `left` and one of `right`, in [0, 1]; symmetric.

    0.0 when it is below `min_score`, and for rows without positive values: those match
    nothing, not even each other.
    """
    one_keys, one = _row(left, left_document)
    two_keys, two = _row(right, right_document)
    _, at_one, at_two = np.intersect1d(one_keys, two_keys, assume_unique=True, return_indices=True)
    value = combine(_sum(one[at_one] * two[at_two]), square(one), square(two), measure=measure)
    return value if value >= min_score else 0.0


def combine(dot: float, left_square: float, right_square: float, *, measure: Measure = "cosine") -> float:
    """The similarity from x.y, |x|^2 and |y|^2; 0.0 if a square is 0."""
    if measure not in MEASURES:
        raise unknown_name("measure", measure, MEASURES)
    if left_square <= 0 or right_square <= 0:
        return 0.0
    if measure == "cosine":
        return min(1.0, dot / math.sqrt(left_square * right_square))
    return min(1.0, dot / (left_square + right_square - dot))


def upper_bound(
    left: Vectors | Features,
    right: Vectors | Features,
    *,
    left_document: int = 0,
    right_document: int = 0,
    measure: Measure = "cosine",
) -> float:
    """What the similarity can be at most, from each row's length, sum and largest value alone.

    x.y is at most |x| |y|, at most sum(x) max(y) and at most max(x) sum(y). Never below
    `score`, at most 1; 0.0 if a row is empty.
    """
    _, one = _row(left, left_document)
    _, two = _row(right, right_document)
    if not one.any() or not two.any():
        return 0.0
    squares = square(one), square(two)
    dot = min(math.sqrt(squares[0] * squares[1]), float(one.sum() * two.max()), float(one.max() * two.sum()))
    # Both similarities grow with x.y; the margin is wider than any rounding of the sums.
    return min(1.0, combine(dot, *squares, measure=measure) * (1 + 1e-9))


def square(values: npt.NDArray[np.float64]) -> float:
    """|x|^2, added up in order."""
    return _sum(values * values)


def _row(rows: Vectors | Features, document: int) -> tuple[Keys, npt.NDArray[np.float64]]:
    """Keys and values of one row; of features, the row's term counts alone are made."""
    place = rows.row(document)
    if isinstance(rows, Vectors):
        return rows.keys[place], rows.values[place].astype(np.float64)
    weights = None if rows.weights is None else rows.weights[place]
    ends = np.array([0, place.stop - place.start])
    counted = term_counts(Features(ends, rows.keys[place], rows.counts[place], weights))
    return counted.keys, counted.values.astype(np.float64)


def _sum(products: npt.NDArray[np.float64]) -> float:
    # numpy's own sum adds in pairs; cumsum adds from left to right, as the definition says.
    return float(np.cumsum(products)[-1]) if len(products) else 0.0
