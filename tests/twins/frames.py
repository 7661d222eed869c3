"""A slow, obvious version of learning frames: dictionaries, sets and fractions."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

from twins.join import Row, jaccard, rows

from samecore.features.csr import Features


def learn(features: Features, sites: list[int]) -> list[set[int]]:
    """The keys of each document that belong to the frame of its site."""
    documents = rows(features)
    pages: dict[int, list[Row]] = defaultdict(list)
    for page, site in zip(documents, sites, strict=True):
        if site >= 0 and page and page not in pages[site]:
            pages[site].append(page)
    frames = {site: _frame(different) for site, different in pages.items()}
    return [set(page) & frames.get(site, set()) for page, site in zip(documents, sites, strict=True)]


def _frame(pages: list[Row]) -> set[int]:
    common = {key for page in pages for key in page if _often(sum(key in one for one in pages), len(pages))}
    witnesses = []
    for page in pages:
        own = {key: value for key, value in page.items() if key not in common}
        if len(own) >= 8 and len(own) >= 4 * len(common - page.keys()):
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


def _often(times: int, of: int) -> bool:
    return times >= 3 and 2 * times >= of
