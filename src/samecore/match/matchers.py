"""The matchers by name, with one signature: features of distinct contents in, pairs out."""

from __future__ import annotations

from collections.abc import Callable

from samecore.features.csr import Features
from samecore.match.brute import brute
from samecore.match.exact import exact
from samecore.match.pairs import Pairs
from samecore.match.spotsigs2008 import spotsigs2008

#: (features, other features or None, threshold, multiset, threads) to pairs.
Matcher = Callable[[Features, "Features | None", float, bool, int], Pairs]


def _exact(features: Features, other: Features | None, threshold: float, multiset: bool, threads: int) -> Pairs:
    return exact(features, other, threshold=threshold, multiset=multiset, threads=threads)


def _forest(features: Features, other: Features | None, threshold: float, multiset: bool, threads: int) -> Pairs:
    return exact(features, other, threshold=threshold, multiset=multiset, threads=threads, output="forest")


def _brute(features: Features, other: Features | None, threshold: float, multiset: bool, threads: int) -> Pairs:
    return brute(features, other, threshold=threshold, multiset=multiset)


def _spotsigs_2008(features: Features, other: Features | None, threshold: float, multiset: bool, threads: int) -> Pairs:
    if other is not None:  # the paper matches a collection with itself; the exact join gives the same pairs
        return _exact(features, other, threshold, multiset, threads)
    return spotsigs2008(features, threshold=threshold, multiset=multiset, threads=threads).pairs


MATCHERS: dict[str, Matcher] = {
    "exact": _exact,
    "exact-forest": _forest,
    "brute": _brute,
    "spotsigs-2008": _spotsigs_2008,
}
