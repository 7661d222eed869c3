"""A slow, obvious version of learning frames: dictionaries, sets and fractions."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

from twins.join import Row, jaccard, rows

from samecore.features.csr import Features


def learn(features: Features, sites: list[int]) -> list[set[int]]:
    """The keys of each document that belong to the frame of its site, or of that of a copy of it."""
    documents = rows(features)
    pages: dict[int, list[Row]] = defaultdict(list)
    for page, site in zip(documents, sites, strict=True):
        if site >= 0 and page and page not in pages[site]:
            pages[site].append(page)
    frames = {site: _frame(different) for site, different in pages.items()}
    found = [set(page) & frames.get(site, set()) for page, site in zip(documents, sites, strict=True)]
    return [
        set().union(*(marked for copy, marked in zip(documents, found, strict=True) if copy == page))
        for page in documents
    ]


def _frame(pages: list[Row]) -> set[int]:
    common = {key for page in pages for key in page if _often(sum(key in one for one in pages), len(pages))}
    witnesses = []
    for page in pages:
        own = {key: value for key, value in page.items() if key not in common}
        nearest = max(_alike(page, other, common) for other in pages if other is not page or len(pages) == 1)
        part = Fraction(len(own), len(page))
        version = part < Fraction(1, 3) and part < 2 * (1 - nearest)
        if len(own) >= 8 and not version:
            witnesses.append((page, own))
    core = list(range(len(witnesses)))
    for i, (_, one) in enumerate(witnesses):
        for j, (_, other) in enumerate(witnesses[:i]):
            if jaccard(one, other) >= Fraction(14, 100):
                core = [core[j] if label == core[i] else label for label in core]
    return {
        key
        for key in common
        if _often(len({core[i] for i, (page, _) in enumerate(witnesses) if key in page}), len(set(core)))
    }


def _alike(page: Row, other: Row, common: set[int]) -> Fraction:
    one, two = ({key: value for key, value in side.items() if key in common} for side in (page, other))
    return jaccard(one, two) if one or two else Fraction(0)


def _often(times: int, of: int) -> bool:
    return times >= 3 and 5 * times >= of
