"""A slow, obvious version of learning frames: dictionaries, sets and fractions."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

from twins.groups import average_linkage
from twins.join import Row, jaccard, make

from samecore.frames.learn import whole_hashes

#: A page: how often it has each key, in the order in which the keys first stand there.
Page = dict[int, int]


def learn(documents: list[Page], sites: list[int], *, placed: bool = True) -> list[set[int]]:
    """The keys of each document that belong to the frame of its site, or of that of a copy of it."""
    pages: dict[int, list[Page]] = defaultdict(list)
    for page, site in zip(documents, sites, strict=True):
        if site >= 0 and page and page not in pages[site]:
            pages[site].append(page)
    # Ties between cores are decided by the order of the hashes, whatever these are.
    ordered = {
        site: sorted(some, key=lambda page: int(whole_hashes(make([page]))[0]))
        for site, some in pages.items()
    }
    frames = {site: _frame(different, placed) for site, different in ordered.items()}
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
    times = _times(pages)
    heard: dict[int, list[int]] = defaultdict(list)
    loud: dict[int, list[int]] = defaultdict(list)
    for number, core in best.items():
        inside = together([times[key] >= 3 for key in pages[number]])
        for key, stands in zip(pages[number], inside, strict=True):
            heard[key].append(core)
            if stands and placed:
                loud[key].append(core)
    frame = {key for key, cores in heard.items() if len(set(cores)) >= 3 and 5 * len(set(cores)) >= many}
    rare = {
        key
        for key, cores in loud.items()
        if times[key] >= 3 and len(set(cores)) >= 3 and 3 * len(set(cores)) >= len(cores)
    }
    return frame | rare


def _times(pages: list[Page]) -> dict[int, int]:
    return {key: sum(key in one for one in pages) for page in pages for key in page}


def _cores(pages: list[Page], fifths: int, placed: bool) -> dict[int, int]:
    """The pages that have a core, and a number that those with the same one share."""
    common = {key for key, many in _times(pages).items() if many >= 3 and 5 * many >= fifths * len(pages)}
    own: dict[int, Row] = {}
    for number, page in enumerate(pages):
        mine = {key: (count, 1) for key, count in page.items() if key not in common}
        if placed:
            inside = together([key in mine for key in page])
            stand = sum(key in mine for key, stands in zip(page, inside, strict=True) if stands)
            has = stand > 0 and (6 * stand >= len(page) or 7 * stand >= 6 * len(mine))
        else:
            has = len(mine) >= 8 and 3 * len(mine) >= len(page)
        if has:
            own[number] = mine
    numbers = list(own)
    scores = [
        (one, other, float(score))
        for one, left in enumerate(own.values())
        for other, right in enumerate(own.values())
        if one < other and (score := jaccard(left, right)) >= Fraction(7, 100)
    ]
    left, right, score = zip(*scores, strict=True) if scores else ((), (), ())
    labels = average_linkage(len(own), left, right, score, 0.14, [1] * len(own))
    return {number: numbers[label] for number, label in zip(numbers, labels, strict=True)}


def together(own: list[bool]) -> list[bool]:
    """Which are in passages: from the ground to the first summit of each hill that is 8 high."""
    inside = [False] * len(own)
    height = top = foot = summit = 0
    for at, one in enumerate([*own, *[False] * len(own)]):  # down to the ground in the end
        height += 1 if one else -2
        if height > top:
            top, summit = height, at + 1
        if height <= 0:
            if top >= 8:
                inside[foot:summit] = [True] * (summit - foot)
            height, top, foot = 0, 0, at + 1
    return inside
