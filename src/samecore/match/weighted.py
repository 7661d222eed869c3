"""Min-hash of weighted vectors, as parts of a recipe: the paper's, and one that verifies.

A weight is cut into `levels` steps and k-gram g with weight w becomes the elements (g, 1) ... (g, w): Gionis' unary
code, of which the paper speaks. Min-hash of these elements estimates the weighted Jaccard
sum min(x, y) / sum max(x, y). That is not the extended Jaccard x.y / (|x|^2 + |y|^2 - x.y) the weights were learned
for: the paper's method is an estimate of another thing, and the other matcher verifies.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from samecore.errors import SettingError, unknown_name
from samecore.features.csr import Features
from samecore.match.banding import DEFAULT_RECALL, choose_banding
from samecore.match.lsh import lsh
from samecore.match.parts import Job, Scored
from samecore.match.shared_values import shared_values
from samecore.match.sketched import Found
from samecore.similarity.cosine import MEASURES, Measure
from samecore.sketch.minhash import MinHash

MAX_LEVELS = 1 << 12


def in_levels(features: Features, levels: int, *, most: int) -> Features:
    """The same entries with counts from 1 to `levels`: count / most in steps, rounded up."""
    steps = -(-features.counts.astype(np.int64) * levels // max(most, 1))
    return Features(features.offsets, features.keys, np.minimum(steps, levels).astype(np.uint32))


def heaviest(sides: list[Features]) -> int:
    """The weight that stands for the highest level: 99 % of all entries weigh less."""
    counts = np.concatenate([side.counts for side in sides])
    return int(np.quantile(counts, 0.99, method="higher")) if len(counts) else 1


def _check_levels(levels: int) -> None:
    if isinstance(levels, bool) or not isinstance(levels, int) or not 1 <= levels <= MAX_LEVELS:
        raise SettingError("levels", found=levels, expected=f"an integer from 1 to {MAX_LEVELS}")


@dataclass(frozen=True)
class BucketedMinHash:
    """ANDD-LSH-Jacc as printed: linear functions modulo a prime over the unary code of the weights, all pairs by the
    share of `slots` that agree, an estimate."""

    slots: int = 80
    levels: int = 16
    seed: int = 0
    name: ClassVar[str] = "bucketed-minhash"
    measure: ClassVar[str] = "minhash"
    all_pairs: ClassVar[bool] = True
    approximate: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _check_levels(self.levels)
        MinHash(slots=self.slots, seed=self.seed)

    def __call__(self, job: Job) -> Scored:
        sides = [job.features] if job.other is None else [job.features, job.other]
        rows = [self.sketch(side, most=heaviest(sides), threads=job.threads) for side in sides]
        other = rows[1] if job.other is not None else None
        found = shared_values(
            rows[0], other, threshold=job.threshold, threads=job.threads, max_pairs=job.limit
        ).expand()
        note = f"scores are estimates of the weighted Jaccard: the share of {self.slots} min-hash values that agree"
        return Found(found.left, found.right, found.score, (note,))

    def sketch(self, features: Features, *, most: int, threads: int = 1) -> npt.NDArray[np.uint32]:
        """The min-hash values of each document, their low 32 bits."""
        minhash = MinHash(slots=self.slots, family="mod-prime", multiset=True, seed=self.seed)
        made = minhash(in_levels(features, self.levels, most=most), threads=threads)
        return np.ascontiguousarray(made.astype(np.uint32))


@dataclass(frozen=True)
class WeightedLsh:
    """Min-hash bands of the weights bring pairs together; each is verified on the vectors.

    candidates: the bands are chosen to find a share `recall` of the pairs with this weighted Jaccard.
    """

    similarity: Measure = "jaccard"
    candidates: float = 0.2
    recall: float = DEFAULT_RECALL
    slots: int = 128
    levels: int = 32
    seed: int = 0
    name: ClassVar[str] = "weighted-lsh"
    measure: ClassVar[str] = "cosine"
    all_pairs: ClassVar[bool] = True
    approximate: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _check_levels(self.levels)
        if self.similarity not in MEASURES:
            raise unknown_name("similarity", self.similarity, MEASURES)
        MinHash(slots=self.slots, seed=self.seed)

    def __call__(self, job: Job) -> Scored:
        sides = [job.features] if job.other is None else [job.features, job.other]
        most = heaviest(sides)
        levels = [in_levels(side, self.levels, most=most) for side in sides]
        banding = choose_banding(self.slots, threshold=self.candidates, recall=self.recall)
        minhash = MinHash(slots=banding.slots, multiset=True, seed=self.seed)
        rows = [np.ascontiguousarray(minhash(side, threads=job.threads).astype(np.uint32)) for side in levels]
        two = job.other is not None
        near = lsh(
            rows[0],
            levels[0],
            threshold=self.candidates,
            banding=banding,
            other=rows[1] if two else None,
            other_features=levels[1] if two else None,
            multiset=True,
            threads=job.threads,
            max_pairs=job.limit,
        ).pairs.expand()
        score = score_pairs(sides[0], sides[-1], near.left, near.right, measure=self.similarity)
        kept = score >= job.threshold
        note = (
            f"{banding.bands} bands of {banding.rows}: {banding.expected_recall(self.candidates):.1%} of the pairs with a "
            f"weighted Jaccard of {self.candidates:g} are expected to be compared, more above; pairs below it are not; "
            f"{len(near):,} candidates, all verified"
        )
        return Found(near.left[kept], near.right[kept], score[kept], (note,))


def score_pairs(
    left: Features,
    right: Features,
    left_rows: npt.NDArray[np.uint32],
    right_rows: npt.NDArray[np.uint32],
    *,
    measure: Measure,
    block: int = 1 << 22,
) -> npt.NDArray[np.float64]:
    """The similarity of each pair of rows of whole-number vectors.

    The products are whole numbers whose sums are exact, so that the scores are those of
    `samecore.similarity.cosine.score` whatever the order.
    """
    squares = [_squares(side) for side in (left, right)]
    keys, numbers = np.unique(np.concatenate([left.keys, right.keys]), return_inverse=True)
    numbers = numbers.reshape(-1)
    own, other = numbers[: len(left.keys)], numbers[len(left.keys) :]
    # All entries of the right side as one ascending list of (row, key): a search finds the partner of an entry.
    rows = np.repeat(np.arange(len(right)), np.diff(right.offsets))
    listed = rows * np.int64(len(keys)) + other
    lengths = np.diff(left.offsets)[left_rows]
    dots = np.zeros(len(left_rows))
    ends = np.cumsum(lengths)
    start = 0
    while start < len(left_rows):
        done = ends[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, done + block)))
        some = lengths[start:stop]
        pair = np.repeat(np.arange(start, stop), some)
        first = np.repeat(left.offsets[:-1][left_rows[start:stop]] - (np.cumsum(some) - some), some)
        entry = np.arange(len(pair)) + first
        wanted = right_rows[pair].astype(np.int64) * len(keys) + own[entry]
        at = np.minimum(np.searchsorted(listed, wanted), max(len(listed) - 1, 0))
        hit = listed[at] == wanted if len(listed) else np.zeros(len(wanted), np.bool_)
        products = left.counts[entry[hit]].astype(np.float64) * right.counts[at[hit]]
        dots += np.bincount(pair[hit], products, len(dots))
        start = stop
    one, two = squares[0][left_rows], squares[1][right_rows]
    below = np.sqrt(one * two) if measure == "cosine" else one + two - dots
    return np.minimum(np.divide(dots, below, out=np.zeros(len(dots)), where=below > 0), 1.0)


def _squares(features: Features) -> npt.NDArray[np.float64]:
    owner = np.repeat(np.arange(len(features)), np.diff(features.offsets))
    sums: npt.NDArray[np.float64] = np.zeros(len(features))
    sums += np.bincount(owner, features.counts.astype(np.float64) ** 2, len(features))
    return sums
