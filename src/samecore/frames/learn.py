"""Core and frame: which features of a page are its site's, and which its own.

A feature belongs to the frame of a site if it stands on at least three of its pages *with different
cores*, and these are a fifth of all its cores or a third of the pages with this feature. What a page has
of its own, and what stands together there, tells whether it has a core. Copies and versions of one text are
left with scattered edits, and with no voice: what they share stays core. docs/frames.md says why each step is there.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from samecore import _core
from samecore.features.csr import Features, row_sums
from samecore.frames.passages import MIN_OWN, in_passages
from samecore.frames.sites import Sites
from samecore.group.linkage import average
from samecore.match.exact import collapse, exact
from samecore.sketch.mixing import mix

#: On how many pages with different cores a feature of the frame stands at least, and on one of how many.
MIN_CORES, SHARE = 3, 5

#: What is rarer (a teaser of another story) brings different cores together: one on so many of the pages it is on.
RARE_SHARE = 3

#: What is its own of a page stands on fewer than this many fifths of the pages. Where a few stories stand in
#: several versions each, a fifth of the pages have the same story: then two fifths tell more cores apart.
COMMON_FIFTHS = (1, 2)

#: A page has a core if one of so many features is its own and in a passage, or so many in so many of its own.
#: Edits are scattered over a page; a story stands together, however small a part of the page it is.
CORE_SHARE, OWN_SHARE = 6, (6, 7)

#: Where nobody knows what stands together, this share of a page has to be its own.
UNPLACED_SHARE = 3

#: Cores of one site that on average share this much of what is left of them are the same.
SAME_CORE = 0.14

#: A frame is learned from at most this many different pages of a site.
MAX_PAGES = 200

#: Sites are compared together up to so many squares of their pages, which bounds the pairs that are held.
MAX_SQUARES = 20_000_000

Mask = npt.NDArray[np.bool_]
Index = npt.NDArray[np.int64]
Keys = npt.NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Learned:
    """Which entries of the features are frame, how many sites have one, and the keys of all frames, marked."""

    frame: Mask
    sites: int
    keys: Keys


def learn(features: Features, site: Sites, *, marks: Keys | None = None, threads: int = 1) -> Learned:
    """The frames of all sites. `site[i]` is that of document `i`; -1 takes no part.

    marks: a number for each site that its keys are mixed with; its own number by default.

    Depends on the set of different pages of each site alone: neither their order nor copies matter.
    """
    if marks is None:
        marks = np.arange(1 + site.max(initial=-1)).astype(np.uint64)
    rows = _sample(features, site)
    if not len(rows):
        return Learned(np.zeros(len(features.keys), np.bool_), 0, np.empty(0, np.uint64))
    pages, of = _local(features.take(rows), marks[site[rows]], threads), site[rows]
    times = _core.entry_frequencies(pages.offsets, pages.keys, pages.counts, threads).astype(np.int64)
    order = None
    if pages.places is not None:
        order = _core.sort_rows(pages.offsets, pages.places.astype(np.uint64), threads)
    core = _cores(pages, of, times, order, threads)
    keys, where = _frames(pages, of, times, order, core)
    sites = np.unique(where)
    known = np.isin(site, sites)
    marked = framed(features, marks[np.where(known, site, 0)], keys, known)
    return Learned(_on_copies(features, marked, threads) if len(sites) else marked, len(sites), keys)


def _frames(pages: Features, of: Sites, times: Index, order: Index | None, core: Index) -> tuple[Keys, Sites]:
    """The keys that are frame, ascending, and the site of each; by the different cores they stand with."""
    row = np.repeat(np.arange(len(pages)), np.diff(pages.offsets))
    heard = np.flatnonzero((times >= MIN_CORES) & (core[row] >= 0))
    keys, first, key = np.unique(pages.keys[heard], return_index=True, return_inverse=True)
    where = of[row[heard][first]]
    voices = _voices(key, core[row[heard]], len(keys))
    frame = (voices >= MIN_CORES) & (voices * SHARE >= _counts(of[np.unique(core[core >= 0])], where))
    if order is not None:
        # A phrase that three stories happen to have in common stands alone, a teaser together.
        together = np.zeros(len(row), np.bool_)
        together[order] = in_passages(pages.offsets, times[order] >= MIN_CORES)
        loud = together[heard]
        voices = _voices(key[loud], core[row[heard[loud]]], len(keys))
        standing = np.bincount(key[loud], minlength=len(keys))
        frame |= (voices >= MIN_CORES) & (voices * RARE_SHARE >= standing)
    return keys[frame], where[frame]


def _voices(key: Index, core: Index, keys: int) -> Index:
    """How many different cores each key is said by, `key[i]` by `core[i]`."""
    many = 1 + core.max(initial=0)
    return np.bincount(np.unique(key * many + core) // many, minlength=keys)


def framed(features: Features, marks: Keys, keys: Keys, known: Mask) -> Mask:
    """Which entries are in frames with these `keys`, each mixed with the mark of its site; ascending.

    `marks` has that of each document, `known` says of which there is one at all.
    """
    sizes = np.diff(features.offsets)
    found = np.zeros(len(features.keys), np.bool_)
    entries = np.flatnonzero(known.repeat(sizes))
    if len(keys) and len(entries):
        asked = _mixed(features.keys[entries], marks.repeat(sizes)[entries])
        at = np.minimum(np.searchsorted(keys, asked), len(keys) - 1)
        found[entries] = keys[at] == asked
    return found


def split(features: Features, frame: Mask) -> tuple[Features, Features]:
    """The features that are core, and those that are frame, of the same documents."""
    return _only(features, ~frame), _only(features, frame)


def whole_hashes(features: Features) -> Keys:
    """A hash of all features of each document with their counts."""
    return _summed(features, mix(mix(features.keys) + features.counts.astype(np.uint64)))


def _summed(features: Features, hashes: Keys) -> Keys:
    """A hash of the hashes of the entries of each document, whatever their order."""
    sums = np.concatenate((np.zeros(1, np.uint64), np.cumsum(hashes, dtype=np.uint64)))
    return mix(sums[features.offsets[1:]] - sums[features.offsets[:-1]])


def _sample(features: Features, site: Sites) -> Index:
    """Up to `MAX_PAGES` different pages of each site that has enough of them: those with the smallest hashes.

    They come in the order of their hashes, so that ties between cores do not depend on that of the documents.
    """
    known = np.flatnonzero((site >= 0) & (np.diff(features.offsets) > 0))
    hashes = whole_hashes(features)[known]
    # Of pages with the same features in another order the same one is taken, whichever comes first.
    turns = hashes
    if features.places is not None:
        turns = _summed(features, features.keys * (features.places + np.uint64(1)))[known]
    order = np.lexsort((turns, hashes, site[known]))
    rows, hashes = known[order], hashes[order]
    new = np.ones(len(rows), np.bool_)
    new[1:] = (site[rows[1:]] != site[rows[:-1]]) | (hashes[1:] != hashes[:-1])
    rows = rows[new]
    _, start, size = np.unique(site[rows], return_index=True, return_counts=True)
    place = np.arange(len(rows)) - np.repeat(start, size)
    return rows[(place < MAX_PAGES) & (np.repeat(size, size) >= MIN_CORES)]


def _local(pages: Features, marks: Keys, threads: int) -> Features:
    """The same pages with keys that are of one site alone: a key on two sites is two different things."""
    keys = _mixed(pages.keys, np.repeat(marks, np.diff(pages.offsets)))
    order = _core.sort_rows(pages.offsets, keys, threads)
    places = None if pages.places is None else pages.places[order]
    return Features(pages.offsets, keys[order], pages.counts[order], places=places)


def _mixed(keys: Keys, marks: Keys) -> Keys:
    return mix(keys ^ mix(marks + np.uint64(1)))


def _cores(pages: Features, of: Sites, times: Index, order: Index | None, threads: int) -> Index:
    """For each page the number of one with the same core, and of that one its own; -1 if it has no core.

    Of the ways to say what is common that one counts which tells most cores of a site apart, the first of equals.
    Cores are the same by average linkage: a chain of pages each of which shows some of the next one's teasers is none.
    """
    row = np.repeat(np.arange(len(pages)), np.diff(pages.offsets))
    size = _counts(of, of)
    best, most = np.full(len(pages), -1), np.zeros(1 + of.max(initial=0), np.int64)
    for fifths in COMMON_FIFTHS:
        own = (times < MIN_CORES) | (times * 5 < fifths * size[row])
        having = np.flatnonzero(_has_core(pages.offsets, own, order))
        core = np.full(len(pages), -1)
        core[having] = having[_same(_only(pages, own).take(having), of[having], threads)]
        told = np.bincount(of[np.unique(core[having])], minlength=len(most))
        best = np.where((told > most)[of], core, best)
        most = np.maximum(told, most)
    return best


def _same(cores: Features, of: Sites, threads: int) -> Index:
    """For each core the first of its site that is the same; cores come site by site."""
    start = np.flatnonzero(np.diff(of, prepend=-1))
    squares = np.cumsum(np.diff(start, append=len(of)) ** 2)
    block = np.flatnonzero(np.diff(squares // MAX_SQUARES, prepend=-1))  # of sites
    ends = [*start[block].tolist(), len(of)]
    same = np.arange(len(of))
    for first, last in pairwise(ends):
        some = cores.rows(first, last)
        pairs = exact(some, threshold=SAME_CORE / 2, threads=threads).expand()
        labels = average(
            len(some), pairs.left, pairs.right, pairs.score, threshold=SAME_CORE, threads=threads
        )
        same[first:last] = first + labels.astype(np.int64)
    return same


def _has_core(offsets: Index, own: Mask, order: Index | None) -> Mask:
    """Which pages have a core, by which of their entries are their own; `order` is that of the text."""
    size, mine = np.diff(offsets), row_sums(own, offsets)
    if order is None:
        return np.asarray((mine >= MIN_OWN) & (mine * UNPLACED_SHARE >= size))
    together = row_sums(in_passages(offsets, own[order]) & own[order], offsets)
    few, of = OWN_SHARE
    return np.asarray((together > 0) & ((together * CORE_SHARE >= size) | (together * of >= mine * few)))


def _counts(labels: Index, asked: Index) -> Index:
    """How often each number that is asked for occurs among `labels`; none is negative."""
    size = 1 + max(labels.max(initial=0), asked.max(initial=0))
    return np.bincount(labels, minlength=size)[asked]


def _on_copies(features: Features, marked: Mask, threads: int) -> Mask:
    """The same entries marked on all copies of a page: what is frame on one site is no core of its copy on another."""
    sizes = np.diff(features.offsets)
    first = collapse(features, threads=threads).astype(np.int64)
    shift = features.offsets[:-1] - features.offsets[first]
    entry = np.arange(len(marked)) - np.repeat(shift, sizes)  # the same one of the first copy
    frame = np.zeros_like(marked)
    frame[entry[marked]] = True
    return frame[entry]


def _only(features: Features, mask: Mask) -> Features:
    """The entries where `mask` is true, of the same documents."""
    kept = np.concatenate((np.zeros(1, np.int64), np.cumsum(mask, dtype=np.int64)))
    return Features(kept[features.offsets], features.keys[mask], features.counts[mask])
