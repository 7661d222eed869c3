"""The exact matcher: the same pairs as brute force, in near-linear time.

`docs/exact-matcher.md` derives it from the naive loop. In short: identical contents
collapse, keys with counts become ranked elements, and each content is counted against
inverted lists of the elements that a partner must share.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from samecore import _core
from samecore.errors import SamecoreError, SettingError, unknown_name
from samecore.features.csr import Features
from samecore.match.pairs import Documents, Pairs
from samecore.match.threshold import Number, Threshold, exact_threshold

NO_LIMIT = 2**64 - 1

# How many shared elements, beyond the first, a partner must show in the inverted lists
# before it is verified: 0 is the plain prefix filter. Measured with bench/join.py; the
# answer is the same for each.
SURE = 3


class TooManyPairs(SamecoreError):  # noqa: N818 - named for what happened
    """More pairs were found than `max_pairs` allows. Nothing is returned."""

    def __init__(self, max_pairs: int) -> None:
        super().__init__(
            f"pairs: expected at most {max_pairs}, found more; "
            "raise the threshold or the floor, or keep only what components need (match 'exact-forest')"
        )
        self.max_pairs = max_pairs


@dataclass(frozen=True, eq=False)
class Prepared:
    """Features made ready for joining at any threshold, by `prepare`."""

    content: Documents
    other_content: Documents | None
    sizes: Documents
    other_sizes: Documents | None
    ranked: tuple[Documents, Documents, npt.NDArray[np.int64], Documents, Documents, int]

    def __len__(self) -> int:
        """The number of distinct contents that will be probed."""
        return self.ranked[5]


@dataclass(frozen=True)
class Estimate:
    """A guess, from a sample, at the number of pairs of distinct contents.

    `low` and `high` lie three standard errors off; they are not bounds: a sample may
    miss a small, very dense group. With `sampled` = all contents the count is exact.
    """

    pairs: int
    low: int
    high: int
    sampled: int


def collapse(features: Features, *, multiset: bool = True, threads: int = 1) -> Documents:
    """For every document the first document with the same features.

    Equality is verified, not only hashed. Documents without features match nothing and
    stay themselves. Without `multiset` counts do not matter.
    """
    first: Documents = _core.collapse(features.offsets, features.keys, features.counts, multiset, threads)
    return first


def prepare(
    features: Features, other: Features | None = None, *, multiset: bool = True, threads: int = 1
) -> Prepared:
    """Collapse, count frequencies and rank, once for any number of joins."""
    content = collapse(features, multiset=multiset, threads=threads)
    if other is None:
        ranked = _core.rank_elements(*_arrays(features, content), multiset, threads)
        return Prepared(content, None, _sizes(content, ranked[0], ranked[1]), None, ranked)
    other_content = collapse(other, multiset=multiset, threads=threads)
    ranked = _core.rank_elements_of_two(
        *_arrays(features, content), *_arrays(other, other_content), multiset, threads
    )
    documents, sizes, left = ranked[0], ranked[1], ranked[5]
    return Prepared(
        content,
        other_content,
        _sizes(content, documents[:left], sizes[:left]),
        _sizes(other_content, documents[left:], sizes[left:]),
        ranked,
    )


def exact(
    features: Features,
    other: Features | None = None,
    *,
    threshold: Number | Threshold,
    multiset: bool = True,
    threads: int = 1,
    output: Literal["pairs", "forest"] = "pairs",
    max_pairs: int | None = None,
) -> Pairs:
    """All pairs with Jaccard >= threshold, or their maximum-score spanning forest.

    With `other`, pairs of one document from each. Identical contents are reported
    once; see `Pairs.expand`. Above `max_pairs` pairs of distinct contents the search
    stops with TooManyPairs (a forest is never larger than the collection). The result
    is the same for any number of threads.
    """
    prepared = prepare(features, other, multiset=multiset, threads=threads)
    return join(prepared, threshold=threshold, threads=threads, output=output, max_pairs=max_pairs)


def join(
    prepared: Prepared,
    *,
    threshold: Number | Threshold,
    threads: int = 1,
    output: Literal["pairs", "forest"] = "pairs",
    max_pairs: int | None = None,
) -> Pairs:
    """As `exact`, on features that `prepare` made ready."""
    tau = exact_threshold(threshold)
    if output not in ("pairs", "forest"):
        raise unknown_name("output", output, ("pairs", "forest"))
    if max_pairs is not None and max_pairs < 0:
        raise SettingError("max_pairs", found=max_pairs, expected="at least 0, or None")
    limit = NO_LIMIT if max_pairs is None else max_pairs
    two_sides = prepared.other_content is not None
    try:
        left, right, score, overlap = _core.join(
            *prepared.ranked, two_sides, tau.num, tau.den, threads, output == "forest", limit, SURE
        )
    except OverflowError:
        raise TooManyPairs(limit) from None
    return Pairs(
        left, right, score, overlap,
        prepared.sizes, prepared.other_sizes, prepared.content, prepared.other_content,
        forest=output == "forest",
    )  # fmt: skip


def estimate_pairs(
    prepared: Prepared, *, threshold: Number | Threshold, sample: int = 2000, seed: int = 0, threads: int = 1
) -> Estimate:
    """About how many pairs `join` would return, from the partners of a random sample."""
    tau = exact_threshold(threshold)
    total = len(prepared)
    chosen = np.arange(total, dtype=np.uint32)
    if sample < total:
        chosen = np.sort(np.random.default_rng(seed).choice(total, max(sample, 1), replace=False)).astype(
            np.uint32
        )
    two_sides = prepared.other_content is not None
    partners = _core.count_partners(
        *prepared.ranked, two_sides, tau.num, tau.den, threads, SURE, chosen
    ).astype(np.float64)
    if len(chosen) == total:
        count = int(partners.sum())
        return Estimate(count, count, count, total)
    # Sampling without replacement: the error vanishes as the sample nears the whole.
    spread = partners.std(ddof=1) / np.sqrt(len(chosen)) if len(chosen) > 1 else partners.mean()
    error = 3 * total * spread * np.sqrt(1 - len(chosen) / total)
    pairs = total * partners.mean()
    return Estimate(round(pairs), max(round(pairs - error), 0), round(pairs + error), len(chosen))


def _arrays(features: Features, content: Documents) -> tuple[Any, Any, Any, Any, Any]:
    distinct = np.flatnonzero(content == np.arange(len(content), dtype=np.uint32)).astype(np.uint32)
    return features.offsets, features.keys, features.counts, features.weights, distinct


def _sizes(content: Documents, documents: Documents, sizes: Documents) -> Documents:
    """The size of every document, from those of the distinct contents."""
    result = np.zeros(len(content), np.uint32)
    result[documents] = sizes
    return result[content]
