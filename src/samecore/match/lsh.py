"""Locality-sensitive hashing: documents whose sketches agree in a band are compared.

The banding is chosen for a recall (`banding.py`), every candidate is verified on the
real features, and no bucket is so large that its pairs are listed one by one: see
docs/lsh.md. The answer is the exact one but for the pairs no band brings together.

    >>> import numpy as np
    >>> from samecore.features.csr import Features
    >>> features = Features(np.array([0, 3, 6]), np.array([1, 2, 3, 1, 2, 4], np.uint64), np.ones(6, np.uint32))
    >>> sketches = np.array([[7, 1, 9], [7, 2, 9]], np.uint32)
    >>> found = lsh(sketches, features, banding=Banding(bands=3, rows=1), threshold=0.5)
    >>> found.pairs.score.tolist(), found.report.candidates
    ([0.5], 1)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from samecore import _core
from samecore.errors import SettingError, unknown_name
from samecore.features.csr import Features
from samecore.match.banding import DEFAULT_RECALL, Banding, choose_banding
from samecore.match.exact import TooManyPairs, collapse
from samecore.match.pairs import Documents, Pairs
from samecore.match.threshold import Number, Threshold, exact_threshold
from samecore.similarity.jaccard import sizes

Sketches = npt.NDArray[np.uint32]  # [documents, slots]

#: The sketch of a document without features has this value in every slot.
EMPTY = 2**32 - 1

#: Pairs of distinct contents a call returns unless told otherwise, about 5 GB at the peak.
MAX_PAIRS = 100_000_000

#: Buckets with more pairs than this many contents have are left to the exact join. Measured: with
#: remainders of their own it wins from 32 contents on, with a common vocabulary later.
BUCKET_LIMIT = 64

_ROWS = 1 << 16


@dataclass(frozen=True)
class LshReport:
    """What a run did, and what it should have found."""

    banding: Banding
    threshold: float
    expected_recall: float  # of the pairs exactly at the threshold; higher above it
    verified_by: Literal["features", "sketches"]
    contents: int  # distinct, non-empty; of both sides
    candidates: int  # pairs of contents that met in a bucket within the limit, each counted once
    verified: int  # those of a possible length, whose similarity was computed
    pairs: int  # those that reached the threshold, and those of the exact join
    largest_bucket: int
    large_buckets: int  # above the limit
    joined: int  # contents of large buckets: all pairs of these were found, by the exact join
    linked: bool  # large buckets gave a forest with the right components, but not of maximum score

    @property
    def curve(self) -> tuple[tuple[float, float], ...]:
        """(J, probability that a pair of similarity J is compared)."""
        return self.banding.curve()

    def __str__(self) -> str:
        banding = self.banding
        curve = "  ".join(f"{j:.1f}: {p:.3f}" for j, p in banding.curve(steps=10))
        lines = [
            f"{banding.bands} bands of {banding.rows} rows; compared by similarity  {curve}",
            f"expected recall at {self.threshold:g}: {self.expected_recall:.4f}",
            f"{self.contents} contents, {self.candidates} candidates, {self.verified} verified on "
            f"{self.verified_by}, {self.pairs} pairs",
        ]
        if self.large_buckets:
            how = "linked by pivots and the exact join" if self.linked else "joined exactly"
            lines.append(
                f"{self.large_buckets} large buckets (up to {self.largest_bucket}), {self.joined} contents {how}"
            )
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class LshPairs:
    """The pairs, and how they were found.

    Where candidates were not verified on features, `pairs.score` is the estimate
    matches / slots, `pairs.overlap` counts the equal slots and `pairs.sizes` the slots.
    """

    pairs: Pairs
    report: LshReport

    @property
    def estimated(self) -> npt.NDArray[np.float64] | None:
        """The estimates of unverified pairs; None if the scores are exact."""
        return None if self.report.verified_by == "features" else self.pairs.score

    def columns(self) -> dict[str, npt.NDArray[Any]]:
        """left, right and score; an estimate is called `estimated` instead."""
        name = "score" if self.estimated is None else "estimated"
        return {"left": self.pairs.left, "right": self.pairs.right, name: self.pairs.score}


def lsh(
    sketches: Sketches,
    features: Features | None = None,
    *,
    threshold: Number | Threshold,
    banding: Banding | None = None,
    recall: float = DEFAULT_RECALL,
    other: Sketches | None = None,
    other_features: Features | None = None,
    verify: bool = True,
    multiset: bool = True,
    threads: int = 1,
    output: Literal["pairs", "forest"] = "pairs",
    max_pairs: int | None = MAX_PAIRS,
    bucket_limit: int = BUCKET_LIMIT,
    distinct: bool = False,
) -> LshPairs:
    """Pairs with Jaccard >= threshold that agree in at least one band.

    sketches: uint32 [documents, slots] of min-hash values; a row of `EMPTY` matches nothing.
    features: what the sketches were made of, to verify on. The collision curve holds for the
        Jaccard the sketches were made for: for multisets, those of occurrences.
    banding: by default `choose_banding` for `recall` at the threshold.
    other, other_features: a second collection; pairs are then of one document from each.
    verify: False to go by the share of equal slots, without features.
    output: "forest" for a spanning forest of the pairs: the same components, never more
        edges than documents. It is the one of maximum score unless `report.linked`.
    max_pairs: TooManyPairs when there are more pairs of distinct contents (not for a forest).
    bucket_limit: buckets with more pairs than so many contents have are joined exactly.
    distinct: the documents are known to be distinct contents, so that they need not be collapsed.

    Identical contents are reported once; see `Pairs.expand`. The result is the same
    for any number of threads.
    """
    tau = exact_threshold(threshold)
    _check(sketches, other, verify, features, other_features, output, max_pairs, bucket_limit)
    banding = choose_banding(sketches.shape[1], threshold=tau, recall=recall) if banding is None else banding
    if banding.slots > sketches.shape[1]:
        raise SettingError(
            "banding", found=banding, expected=f"at most {sketches.shape[1]} slots, as the sketches have"
        )
    left, right = (
        None if rows is None else _Side.of(rows, own if verify else None, multiset, threads, distinct)
        for rows, own in ((sketches, features), (other, other_features))
    )
    assert left is not None
    limit = 2**64 - 1 if max_pairs is None else max_pairs
    try:
        found, counts = _core.lsh_join(
            left.sketches, left.distinct, left.features,
            None if right is None else right.sketches,
            None if right is None else right.distinct,
            None if right is None else right.features,
            banding.bands, banding.rows, tau.num, tau.den, multiset, threads,
            output == "forest", limit, bucket_limit, forest_budget(len(sketches) + (0 if other is None else len(other))),
        )  # fmt: skip
    except OverflowError:
        raise TooManyPairs(limit) from None
    pairs = Pairs(
        *found, left.sizes, None if right is None else right.sizes,
        left.content, None if right is None else right.content,
        forest=output == "forest",
    )  # fmt: skip
    candidates, verified, largest, large, joined, linked = counts
    report = LshReport(
        banding=banding,
        threshold=tau.num / tau.den,
        expected_recall=_expected_recall(banding, tau, sketches.shape[1], verify),
        verified_by="features" if verify else "sketches",
        contents=len(left.distinct) + (0 if right is None else len(right.distinct)),
        candidates=candidates,
        verified=verified,
        pairs=len(pairs),
        largest_bucket=largest,
        large_buckets=large,
        joined=joined,
        linked=linked,
    )
    return LshPairs(pairs, report)


def forest_budget(documents: int) -> int:
    """From how many pairs of large buckets a forest is taken; if there are more, from pivots."""
    return max(16 * documents, 1 << 22)


def estimates_reach(similarity: float, tau: Threshold, slots: int) -> float:
    """How likely the share of equal slots of a pair of this similarity is at least `tau`."""
    if similarity >= 1:
        return 1.0
    needed = -(-tau.num * slots // tau.den)
    log_choose = [
        math.lgamma(slots + 1) - math.lgamma(k + 1) - math.lgamma(slots - k + 1)
        for k in range(needed, slots + 1)
    ]
    equal, differs = math.log(similarity), math.log1p(-similarity)
    chances = (
        c + k * equal + (slots - k) * differs
        for k, c in zip(range(needed, slots + 1), log_choose, strict=True)
    )
    return min(math.fsum(math.exp(chance) for chance in chances), 1.0)


def _expected_recall(banding: Banding, tau: Threshold, slots: int, verify: bool) -> float:
    recall = banding.expected_recall(tau)
    # Agreeing slots help both to meet in a band and to pass, so that the product is a lower bound.
    return recall if verify else recall * estimates_reach(tau.num / tau.den, tau, slots)


@dataclass(frozen=True, eq=False)
class _Side:
    """One collection with identical contents collapsed and empty documents left out."""

    sketches: Sketches
    features: tuple[Any, Any, Any, Any] | None
    content: Documents
    distinct: Documents
    sizes: Documents

    @staticmethod
    def of(
        sketches: Sketches, features: Features | None, multiset: bool, threads: int, distinct: bool
    ) -> _Side:
        rows = np.ascontiguousarray(sketches)
        if features is None:
            content: Documents = _core.collapse_sketches(rows, threads)
            filled = ~(rows == EMPTY).all(axis=1)
            weight = np.where(filled, rows.shape[1], 0).astype(np.uint32)
            arrays = None
        else:
            content = np.arange(len(rows), dtype=np.uint32)
            if not distinct:
                content = collapse(features, multiset=multiset, threads=threads)
            filled = np.diff(features.offsets) > 0
            weight = _sizes(features, multiset)
            arrays = (features.offsets, features.keys, features.counts, features.weights)
        first = content == np.arange(len(content), dtype=np.uint32)
        return _Side(rows, arrays, content, np.flatnonzero(first & filled).astype(np.uint32), weight)


def _sizes(features: Features, multiset: bool) -> Documents:
    """Block by block: the sums need sixteen bytes an entry for a while."""
    blocks = [features.rows(at, min(at + _ROWS, len(features))) for at in range(0, len(features), _ROWS)]
    return np.concatenate(
        [np.empty(0, np.uint32), *(sizes(block, multiset=multiset) for block in blocks)]
    ).astype(np.uint32)


def _check(
    sketches: Sketches,
    other: Sketches | None,
    verify: bool,
    features: Features | None,
    other_features: Features | None,
    output: str,
    max_pairs: int | None,
    bucket_limit: int,
) -> None:
    if output not in ("pairs", "forest"):
        raise unknown_name("output", output, ("pairs", "forest"))
    if max_pairs is not None and max_pairs < 0:
        raise SettingError("max_pairs", found=max_pairs, expected="at least 0, or None")
    if bucket_limit < 2:
        raise SettingError("bucket_limit", found=bucket_limit, expected="at least 2")
    for name, matrix, its_features in (("sketches", sketches, features), ("other", other, other_features)):
        if matrix is None:
            continue
        check_sketches(matrix, name)
        if matrix.shape[1] != sketches.shape[1]:
            raise SettingError(
                name, found=f"{matrix.shape[1]} slots", expected=f"{sketches.shape[1]}, as the first have"
            )
        if not verify:
            continue
        if its_features is None:
            raise SettingError(
                "features",
                found=None,
                expected=f"those of {name} to verify on, or verify=False for estimates",
            )
        if len(its_features) != len(matrix):
            raise SettingError(
                "features",
                found=f"{len(its_features)} documents",
                expected=f"{len(matrix)}, one per row of {name}",
            )


def check_sketches(matrix: Sketches, name: str) -> None:
    """SettingError unless it is a matrix of min-hash values."""
    if matrix.dtype != np.uint32 or matrix.ndim != 2 or matrix.shape[1] == 0:
        raise SettingError(
            name,
            found=f"{matrix.dtype} of shape {matrix.shape}",
            expected="uint32 [documents, slots], at least one slot",
        )
