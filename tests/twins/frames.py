"""A slow, obvious version of learning frames: dictionaries, sets and fractions."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

from twins.join import Row, jaccard

#: A page: how often it has each key, in the order in which the keys first stand there.
Page = dict[int, int]


def learn(documents: list[Page], sites: list[int], *, placed: bool = True) -> list[set[int]]:
    """The keys of each document that belong to the frame of its site, or of that of a copy of it."""
    pages: dict[int, list[Page]] = defaultdict(list)
    for page, site in zip(documents, sites, strict=True):
        if site >= 0 and page and page not in pages[site]:
            pages[site].append(page)
    frames = {site: _frame(different, placed) for site, different in pages.items()}
    found = [set(page) & frames.get(site, set()) for page, site in zip(documents, sites, strict=True)]
    return [
        set().union(*(marked for copy, marked in zip(documents, found, strict=True) if copy == page))
        for page in documents
    ]


def _frame(pages: list[Page], placed: bool) -> set[int]:
    best: dict[int, int] = {}  # core by number of the page
    for fifths in (1, 2):
        cores = _cores(pages, fifths, placed)
        if len(set(cores.values())) > len(set(best.values())):
            best = cores
    many = len(set(best.values()))
    voices: dict[int, set[int]] = defaultdict(set)
    for number, core in best.items():
        for key in pages[number]:
            voices[key].add(core)
    return {key for key, heard in voices.items() if len(heard) >= 3 and 5 * len(heard) >= many}


def _cores(pages: list[Page], fifths: int, placed: bool) -> dict[int, int]:
    """The pages that have a core, and a number that those with the same one share."""
    times = {key: sum(key in one for one in pages) for page in pages for key in page}
    common = {key for key, many in times.items() if many >= 3 and 5 * many >= fifths * len(pages)}
    own: dict[int, Row] = {}
    for number, page in enumerate(pages):
        mine = {key: (count, 1) for key, count in page.items() if key not in common}
        if placed:
            stand = together([key in mine for key in page])
            has = stand > 0 and (6 * stand >= len(page) or 7 * stand >= 6 * len(mine))
        else:
            has = len(mine) >= 8 and 3 * len(mine) >= len(page)
        if has:
            own[number] = mine
    core = {number: number for number in own}
    for one, left in own.items():
        for other, right in own.items():
            if one != other and jaccard(left, right) >= Fraction(14, 100):
                core = {at: core[other] if label == core[one] else label for at, label in core.items()}
    return core


def together(own: list[bool]) -> int:
    """How many of its own are in passages: from the ground to the summit of each hill that is 8 high."""
    total = height = top = mine = inside = 0
    for one in [*own, *[False] * len(own)]:  # down to the ground in the end
        height, mine = height + (1 if one else -2), mine + one
        if height > top:
            top, inside = height, mine
        if height <= 0:
            total += inside if top >= 8 else 0
            height = top = mine = inside = 0
    return total
