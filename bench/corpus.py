"""A seeded generator of signature corpora with planted near-duplicates.

Documents draw their signatures from a vocabulary that follows the Zipf-Mandelbrot law,
where the k-th most common one lies in top / (1 + k/q) documents, and from signatures of
their own. Planted documents copy another one and replace a known share of it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from samecore.features.csr import Features


@dataclass(frozen=True)
class Preset:
    unique: float  # share of a document's signatures that only it has
    exponent: float  # the most common signature lies in documents**exponent documents


PRESETS = {
    # Long chains: most signatures are unique, the shared ones are rare.
    "rare": Preset(unique=0.8, exponent=0.5),
    # Short chains within an idf range that starts at 0.2: few unique signatures, common
    # ones in up to N^0.8 documents. News pages with one-word chains look like this.
    "default-like": Preset(unique=0.05, exponent=0.8),
}

SPAN = 1500.0  # vocabulary / q


@dataclass(frozen=True, eq=False)
class Corpus:
    features: Features
    planted: npt.NDArray[np.uint32]  # rows (original, copy)
    kept: npt.NDArray[np.float64]  # share of the original's signatures in its copy


def make_corpus(
    documents: int, *, mean: int = 50, preset: str = "rare", planted: float = 0.2, seed: int = 0
) -> Corpus:
    """`documents` documents of about `mean` signatures; the last `planted` share are copies.

    A copy keeps each signature of its original with a probability drawn uniformly from
    [0.3, 1] and fills up with unique ones, so that a share q kept means a Jaccard of
    about q / (2 - q).
    """
    shape = PRESETS[preset]
    generator = np.random.default_rng(seed)
    copies = int(documents * planted)
    originals = documents - copies
    lengths = np.maximum(generator.gamma(4.0, mean / 4.0, originals).astype(np.int64), 4)
    owner = np.repeat(np.arange(originals), lengths)
    keys = _draw(generator, shape, documents, len(owner), float(np.mean(lengths)))
    alone = generator.random(len(owner)) < shape.unique
    keys[alone] = generator.integers(2**40, 2**63, int(alone.sum()), dtype=np.uint64)

    source = generator.integers(0, originals, copies)
    share = generator.uniform(0.3, 1.0, copies)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    copied = lengths[source]
    before = np.repeat(np.cumsum(copied) - copied - starts[source], copied)
    copy_keys = keys[np.arange(len(before)) - before]
    changed = generator.random(len(copy_keys)) >= np.repeat(share, copied)
    copy_keys[changed] = generator.integers(2**40, 2**63, int(changed.sum()), dtype=np.uint64)

    owner = np.concatenate([owner, np.repeat(np.arange(originals, documents), copied)])
    pairs = np.stack([source, np.arange(originals, documents)], axis=1).astype(np.uint32)
    return Corpus(_features(documents, owner, np.concatenate([keys, copy_keys])), pairs, share)


def _draw(
    generator: np.random.Generator, shape: Preset, documents: int, count: int, mean: float
) -> npt.NDArray[np.uint64]:
    """Signatures of the shared vocabulary, by inverting the (continuous) law."""
    top = documents**shape.exponent
    q = documents * mean * (1.0 - shape.unique) / (top * np.log1p(SPAN))
    rank = q * np.expm1(generator.random(count) * np.log1p(SPAN))
    # An odd multiplier spreads the ranks over all 64 bits, as hashes would be.
    return rank.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)


def _features(documents: int, owner: npt.NDArray[np.int64], keys: npt.NDArray[np.uint64]) -> Features:
    order = np.lexsort((keys, owner))
    owner, keys = owner[order], keys[order]
    first = np.ones(len(keys), np.bool_)
    first[1:] = (keys[1:] != keys[:-1]) | (owner[1:] != owner[:-1])
    places = np.flatnonzero(first)
    counts = np.diff(np.append(places, len(keys))).astype(np.uint32)
    offsets = np.searchsorted(owner[places], np.arange(documents + 1)).astype(np.int64)
    return Features(offsets, keys[places], counts)
