"""SimHash: random projections of a document's vector, one bit each.

Charikar (2002), as in Henzinger (2006) and the Lecture. Every key has a random sign for each
bit; a bit is 1 if the weights of its positive keys exceed those of its negative ones, else 0.
Two vectors at an angle t differ in a bit with probability t / pi, so the Hamming distance
estimates the angle and its cosine.

    >>> rows = sketch(["the same core", "the same core, the same frame"], bits=256)
    >>> 0.5 < estimate(rows[0], rows[1]) < 1.0
    True
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

import samecore._core as _core
from samecore.errors import SettingError
from samecore.features.csr import Features
from samecore.features.shingles import UNITS, Shingles
from samecore.text.tokens import CJK_MODES, Texts, buffers, check_seed, check_threads

Fingerprints: TypeAlias = npt.NDArray[np.uint64]
Weighting: TypeAlias = Literal["unit", "tf", "idf"]

WEIGHTINGS: dict[str, int] = {"unit": 0, "tf": 1, "idf": 2}
MAX_BITS = 4096

_ONES = np.array([bin(byte).count("1") for byte in range(256)], np.uint16)


@dataclass(frozen=True)
class SimHash:
    """Fingerprints of `bits` bits.

    bits: a multiple of 64 up to 4096. A shorter fingerprint is the beginning of a longer one.
    weighting: a key weighs 1 ("unit"), its count ("tf"), or its count times its weight ("idf":
        features with weights, see `samecore.weights.idf.idf_weights`).
    shingles: what is taken from texts, by default single words; features are used as they are.
    seed: another seed, other hyperplanes.
    """

    bits: int = 64
    weighting: Weighting = "tf"
    shingles: Shingles = Shingles(width=1)  # noqa: RUF009 - frozen
    seed: int = 0

    def __post_init__(self) -> None:
        whole = isinstance(self.bits, int) and not isinstance(self.bits, bool)
        if not whole or not 64 <= self.bits <= MAX_BITS or self.bits % 64:
            raise SettingError("bits", found=self.bits, expected=f"a multiple of 64 from 64 to {MAX_BITS}")
        if self.weighting not in WEIGHTINGS:
            raise SettingError("weighting", found=self.weighting, expected="'unit', 'tf' or 'idf'")
        check_seed(self.seed)

    def __call__(self, source: Texts | Features, *, threads: int = 1) -> Fingerprints:
        """One row of words per document, [n, bits / 64]; zeros for a document without features.

        Bit b of the fingerprint is bit b % 64 of word b // 64.
        """
        check_threads(threads)
        if self.weighting == "unit" and not isinstance(source, Features):
            source = self.shingles(source, threads=threads)  # repeated shingles must be found first
        if isinstance(source, Features):
            return self._of_features(source, threads)
        if self.weighting == "idf":
            expected = "features with weights (a text alone has no idf; see samecore.weights.idf.idf_weights)"
            raise SettingError("source", found="texts", expected=expected)
        data, offsets = buffers(source)
        rows: Fingerprints = _core.simhash_texts(
            data,
            offsets,
            bits=self.bits,
            seed=self.seed,
            width=self.shingles.width,
            unit=UNITS[self.shingles.unit],
            shingle_seed=self.shingles.seed,
            cjk=CJK_MODES[self.shingles.cjk],
            threads=threads,
        )
        return rows

    def _of_features(self, features: Features, threads: int) -> Fingerprints:
        if self.weighting == "idf" and features.weights is None:
            expected = "features with weights (see samecore.weights.idf.idf_weights)"
            raise SettingError("source", found="features without weights", expected=expected)
        rows: Fingerprints = _core.simhash_keys(
            features.offsets,
            features.keys,
            features.counts,
            np.zeros(0, np.uint32) if features.weights is None else features.weights,
            weighing=WEIGHTINGS[self.weighting],
            bits=self.bits,
            seed=self.seed,
            threads=threads,
        )
        return rows


def sketch(
    source: Texts | Features,
    *,
    bits: int = 64,
    weighting: Weighting = "tf",
    width: int = 1,
    unit: Literal["words", "characters"] = "words",
    cjk: Literal["bigrams", "words"] = "bigrams",
    seed: int = 0,
    threads: int = 1,
) -> Fingerprints:
    """The fingerprint of every text or document, uint64 [n, bits / 64]."""
    shingles = Shingles(width=width, unit=unit, cjk=cjk)
    part = SimHash(bits=bits, weighting=weighting, shingles=shingles, seed=seed)
    return part(source, threads=threads)


def distance(left: Fingerprints, right: Fingerprints) -> int:
    """In how many bits two fingerprints differ."""
    if left.shape != right.shape:
        raise SettingError("bits", found=(left.shape, right.shape), expected="fingerprints of the same width")
    return int(_ONES[np.ascontiguousarray(left ^ right).view(np.uint8)].sum())


def estimate(left: Fingerprints, right: Fingerprints) -> float:
    """1 - distance / bits, in [0, 1]: 1 minus the angle between the vectors over pi."""
    return 1.0 - distance(left, right) / (64 * left.size)


def cosine(left: Fingerprints, right: Fingerprints) -> float:
    """The cosine that the distance implies, in [-1, 1]."""
    return math.cos(math.pi * distance(left, right) / (64 * left.size))
