"""Core and frame: which features of a page are its site's, and which its own.

A feature belongs to the frame of a site if it stands on at least half of its pages, and on at
least three, *with different cores*. Pages are first stripped of what is that common; what is left
of two pages tells whether their cores differ. Versions or copies of one text are left with nothing
of their own, or with much in common, and speak with one voice or none: what they share stays core.
docs/frames.md says why each step is there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from samecore.features.csr import Features
from samecore.frames.sites import Sites
from samecore.group.components import group
from samecore.match.exact import exact
from samecore.sketch.mixing import mix

#: On how many pages with different cores a feature must stand at least, and on what part of them.
MIN_CORES, SHARE = 3, 2

#: Left with fewer features, or a smaller part of the page, a page has no core of its own and is no witness.
MIN_OWN, OWN_PART = 8, 10

#: Cores of one site that share this much of what is left of them are the same.
SAME_CORE = 0.14

#: A frame is learned from at most this many different pages of a site.
MAX_PAGES = 200

Mask = npt.NDArray[np.bool_]
Rows = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Learned:
    """Which entries of the features are frame, and how many sites have one."""

    frame: Mask
    sites: int


def learn(features: Features, site: Sites, *, threads: int = 1) -> Learned:
    """The frames of all sites. `site[i]` is that of document `i`; -1 takes no part.

    Depends on the set of different pages of each site alone: neither their order nor copies matter.
    """
    nothing = np.zeros(len(features.keys), np.bool_)
    rows = _sample(features, site)
    if len(rows) == 0:
        return Learned(nothing, 0)
    pages, of = features.take(rows), site[rows]
    table, code = np.unique(pages.keys, return_inverse=True)
    # The same key on two sites is two different things. Ascending within a page, as the join wants it.
    row = np.repeat(np.arange(len(rows)), np.diff(pages.offsets))
    local, entry = np.unique(_local(of[row], code), return_inverse=True)
    pages = Features(pages.offsets, local[entry], pages.counts)

    where = (local >> np.uint64(32)).astype(np.int64)
    common = _often(np.bincount(entry), _counts(of, where))[entry]
    core, witness = _cores(pages, common, threads)
    voices = np.unique(np.stack([entry, core[row]])[:, common & witness[row]], axis=1)[0]
    cores = np.unique(np.stack([of, core])[:, witness], axis=1)[0]
    frame = local[_often(np.bincount(voices, minlength=len(local)), _counts(cores, where))]
    if len(frame) == 0:
        return Learned(nothing, 0)
    sites = len(np.unique(frame >> np.uint64(32)))
    return Learned(_marked(features, site, table[frame & np.uint64(0xFFFFFFFF)], frame, table), sites)


def split(features: Features, frame: Mask) -> tuple[Features, Features]:
    """The features that are core, and those that are frame, of the same documents."""
    return _only(features, ~frame), _only(features, frame)


def whole_hashes(features: Features) -> Numbers:
    """A hash of all features of each document with their counts; 0 for a document without any."""
    mixed = mix(mix(features.keys) + features.counts.astype(np.uint64))
    sums = np.concatenate((np.zeros(1, np.uint64), np.cumsum(mixed, dtype=np.uint64)))
    return mix(sums[features.offsets[1:]] - sums[features.offsets[:-1]])


def _sample(features: Features, site: Sites) -> Rows:
    """Up to `MAX_PAGES` different pages of each site that has enough of them: those with the smallest hashes."""
    known = np.flatnonzero((site >= 0) & (np.diff(features.offsets) > 0))
    hashes = whole_hashes(features)[known]
    order = np.lexsort((hashes, site[known]))
    rows, hashes = known[order], hashes[order]
    new = np.ones(len(rows), np.bool_)
    new[1:] = (site[rows][1:] != site[rows][:-1]) | (hashes[1:] != hashes[:-1])
    rows = rows[new]
    _, start, size = np.unique(site[rows], return_index=True, return_counts=True)
    place = np.arange(len(rows)) - np.repeat(start, size)
    return np.sort(rows[(place < MAX_PAGES) & (np.repeat(size, size) >= MIN_CORES)])


def _cores(pages: Features, common: Mask, threads: int) -> tuple[Rows, Mask]:
    """Which pages have the same core, by what is left without what is common; and which have one at all."""
    own = _only(pages, ~common)
    witness = own.totals() >= np.maximum(MIN_OWN, -(-pages.totals() // OWN_PART))
    rows = np.flatnonzero(witness)
    pairs = exact(own.take(rows), threshold=SAME_CORE, threads=threads, output="forest").expand()
    core = np.arange(len(pages))
    core[rows] = rows[group(len(rows), pairs.left, pairs.right, pairs.score, threshold=SAME_CORE)]
    return core, witness


def _often(times: npt.NDArray[np.int64], of: npt.NDArray[np.int64]) -> Mask:
    """Whether something is there often enough, `times` out of `of`."""
    return np.asarray((times >= MIN_CORES) & (times * SHARE >= of))


def _counts(labels: npt.NDArray[np.int64], asked: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """How often each label that is asked for occurs among `labels`."""
    values, counts = np.unique(labels, return_counts=True)
    at = np.minimum(np.searchsorted(values, asked), max(len(values) - 1, 0))
    return np.where(values[at] == asked, counts[at], 0) if len(values) else np.zeros(len(asked), np.int64)


def _local(site: Sites, code: npt.NDArray[np.int64]) -> Numbers:
    return site.astype(np.uint64) << np.uint64(32) | code.astype(np.uint64)


def _marked(features: Features, site: Sites, keys: Numbers, frame: Numbers, table: Numbers) -> Mask:
    """Which entries of all documents are in the frame of their site."""
    keys = np.unique(keys)
    at = np.minimum(np.searchsorted(keys, features.keys), len(keys) - 1)
    entries = np.flatnonzero(keys[at] == features.keys)  # most keys are in no frame at all
    of = np.repeat(site, np.diff(features.offsets))[entries]
    entries, of = entries[of >= 0], of[of >= 0]
    marked = np.zeros(len(features.keys), np.bool_)
    marked[entries] = np.isin(_local(of, np.searchsorted(table, features.keys[entries])), frame)
    return marked


def _only(features: Features, mask: Mask) -> Features:
    """The entries where `mask` is true, of the same documents."""
    kept = np.concatenate((np.zeros(1, np.int64), np.cumsum(mask, dtype=np.int64)))
    return Features(kept[features.offsets], features.keys[mask], features.counts[mask])
