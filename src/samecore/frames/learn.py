"""Core and frame: which features of a page are its site's, and which its own.

A feature belongs to the frame of a site if it stands on at least a fifth of its pages, and on at
least three, *with different cores*. Pages are first stripped of what is that common; what is left
of two pages tells whether their cores differ. Versions or copies of one text are left with little
of their own, or with much in common, and speak with one voice or none: what they share stays core.
docs/frames.md says why each step is there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from samecore import _core
from samecore.features.csr import Features
from samecore.frames.sites import Sites
from samecore.group.components import group
from samecore.match.exact import collapse, exact
from samecore.sketch.mixing import mix

#: On how many pages with different cores a feature of the frame stands at least, and on one of how many.
MIN_CORES, SHARE = 3, 5

#: A page with fewer features of its own has no core.
MIN_OWN = 8

#: Neither has a version of another page: an edit puts one feature for another, so that the part that is its own is
#: hardly more than that by which its common part differs from the most similar one. A story comes on top.
OWN_FOR_OTHER = 2

#: But a page of which this part is its own is no version of another.
OWN_PART = 1 / 3

#: Below this similarity it is the whole of `OWN_PART` that is asked for.
NEAR = 0.83

#: Cores of one site that share this much of what is left of them are the same.
SAME_CORE = 0.14

#: A frame is learned from at most this many different pages of a site.
MAX_PAGES = 200

Mask = npt.NDArray[np.bool_]
Index = npt.NDArray[np.int64]
Keys = npt.NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Learned:
    """Which entries of the features are frame, and how many sites have one."""

    frame: Mask
    sites: int


def learn(features: Features, site: Sites, *, threads: int = 1) -> Learned:
    """The frames of all sites. `site[i]` is that of document `i`; -1 takes no part.

    Depends on the set of different pages of each site alone: neither their order nor copies matter.
    """
    rows = _sample(features, site)
    pages, of = _local(features.take(rows), site[rows], threads), site[rows]
    row = np.repeat(np.arange(len(rows)), np.diff(pages.offsets))
    times = _core.entry_frequencies(pages.offsets, pages.keys, pages.counts, threads)
    common = _often(times, _counts(of, of)[row])
    keys, first, entry = np.unique(pages.keys[common], return_index=True, return_inverse=True)
    row = row[common]
    where = of[row[first]] if len(first) else np.empty(0, np.int64)

    core, witness = _cores(_only(pages, ~common), _only(pages, common), threads)
    heard = witness[row]
    voices = np.unique(np.stack([entry[heard], core[row[heard]]]), axis=1)[0]
    cores = np.unique(np.stack([of[witness], core[witness]]), axis=1)[0]
    frame = _often(np.bincount(voices, minlength=len(keys)), _counts(cores, where))
    sites = np.unique(where[frame])
    marked = _marked(features, site, keys[frame], sites)
    return Learned(_on_copies(features, marked, threads) if len(sites) else marked, len(sites))


def split(features: Features, frame: Mask) -> tuple[Features, Features]:
    """The features that are core, and those that are frame, of the same documents."""
    return _only(features, ~frame), _only(features, frame)


def whole_hashes(features: Features) -> Keys:
    """A hash of all features of each document with their counts."""
    mixed = mix(mix(features.keys) + features.counts.astype(np.uint64))
    sums = np.concatenate((np.zeros(1, np.uint64), np.cumsum(mixed, dtype=np.uint64)))
    return mix(sums[features.offsets[1:]] - sums[features.offsets[:-1]])


def _sample(features: Features, site: Sites) -> Index:
    """Up to `MAX_PAGES` different pages of each site that has enough of them: those with the smallest hashes."""
    known = np.flatnonzero((site >= 0) & (np.diff(features.offsets) > 0))
    hashes = whole_hashes(features)[known]
    order = np.lexsort((hashes, site[known]))
    rows, hashes = known[order], hashes[order]
    new = np.ones(len(rows), np.bool_)
    new[1:] = (site[rows[1:]] != site[rows[:-1]]) | (hashes[1:] != hashes[:-1])
    rows = rows[new]
    _, start, size = np.unique(site[rows], return_index=True, return_counts=True)
    place = np.arange(len(rows)) - np.repeat(start, size)
    return np.sort(rows[(place < MAX_PAGES) & (np.repeat(size, size) >= MIN_CORES)])


def _local(pages: Features, site: Sites, threads: int) -> Features:
    """The same pages with keys that are of one site alone: a key on two sites is two different things."""
    keys = _salted(pages.keys, np.repeat(site, np.diff(pages.offsets)))
    order = _core.sort_rows(pages.offsets, keys, threads)
    return Features(pages.offsets, keys[order], pages.counts[order])


def _salted(keys: Keys, site: Sites) -> Keys:
    return mix(keys ^ mix(site.astype(np.uint64) + np.uint64(1)))


def _cores(own: Features, common: Features, threads: int) -> tuple[Index, Mask]:
    """Which pages have the same core, by what is their own; and which have one at all."""
    mine = np.diff(own.offsets)
    part = mine / np.maximum(mine + np.diff(common.offsets), 1)
    enough = np.minimum(OWN_PART, OWN_FOR_OTHER * (1 - _nearest(common, threads)))
    witness = (mine >= MIN_OWN) & (part >= enough - 1e-9)  # quotients of integers: equal is equal
    rows = np.flatnonzero(witness)
    pairs = exact(own.take(rows), threshold=SAME_CORE, threads=threads, output="forest").expand()
    core = np.arange(len(own))
    core[rows] = rows[group(len(rows), pairs.left, pairs.right, pairs.score, threshold=SAME_CORE)]
    return core, witness


def _nearest(pages: Features, threads: int) -> npt.NDArray[np.float64]:
    """The similarity of each page to the most similar one, 0 where that is too little to matter."""
    # A spanning forest of the highest scores has the highest score of every page.
    pairs = exact(pages, threshold=NEAR, threads=threads, output="forest").expand()
    nearest = np.zeros(len(pages))
    np.maximum.at(nearest, pairs.left, pairs.score)
    np.maximum.at(nearest, pairs.right, pairs.score)
    return nearest


def _often(times: npt.NDArray[np.integer], of: Index) -> Mask:
    """Whether something is there often enough, `times` out of `of`."""
    return np.asarray((times >= MIN_CORES) & (times.astype(np.int64) * SHARE >= of))


def _counts(labels: Index, asked: Index) -> Index:
    """How often each number that is asked for occurs among `labels`; none is negative."""
    size = 1 + max(labels.max(initial=0), asked.max(initial=0))
    return np.bincount(labels, minlength=size)[asked]


def _marked(features: Features, site: Sites, frame: Keys, sites: Sites) -> Mask:
    """Which entries of all documents are in the frame of their site."""
    marked = np.zeros(len(features.keys), np.bool_)
    if len(frame):
        of = np.repeat(site, np.diff(features.offsets))
        entries = np.flatnonzero(np.isin(site, sites).repeat(np.diff(features.offsets)))
        keys = _salted(features.keys[entries], of[entries])
        at = np.minimum(np.searchsorted(frame, keys), len(frame) - 1)
        marked[entries] = frame[at] == keys
    return marked


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
