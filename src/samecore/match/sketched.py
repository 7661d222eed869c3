"""Matchers that go by sketches, as parts of a recipe.

Where the pairs a sketch brings together are verified, the score is the true Jaccard of the
features, and what may be missed is said: the recall expected at the threshold. Where the method is
an estimate or a yes or no by definition, `measure` says so.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from samecore.errors import SettingError
from samecore.features.csr import Features, concatenate
from samecore.match import hamming
from samecore.match.banding import DEFAULT_RECALL, Banding, choose_banding
from samecore.match.exact import exact
from samecore.match.lsh import lsh
from samecore.match.parts import Job, Scored
from samecore.match.shared_values import shared_values
from samecore.sketch import minhash as minima
from samecore.sketch import simhash as fingerprints
from samecore.sketch.imatch import IMatch, Signatures
from samecore.sketch.minhash import Family, MinHash
from samecore.sketch.simhash import SimHash, Weighting
from samecore.sketch.supershingles import NONE, Fingerprints, SuperShingles


@dataclass(frozen=True, eq=False)
class Found:
    """Pairs with their scores, and what a person should know about them."""

    left: npt.NDArray[np.uint32]
    right: npt.NDArray[np.uint32]
    score: npt.NDArray[np.float64]
    notes: tuple[str, ...] = field(default=())


@dataclass(frozen=True)
class Lsh:
    """Min-hash bands bring pairs together, which are verified on the features.

    recall: the bands are chosen so that this share of the pairs at the threshold is found; or `bands` and
        `rows` are given (6 and 14 are the supershingles of ANDD, 32 and 6 are LSH-S).
    slots: how many minima there are to choose from.
    family: the random functions, see `samecore.sketch.minhash`.
    """

    recall: float = DEFAULT_RECALL
    slots: int = 128
    bands: int | None = None
    rows: int | None = None
    family: Family = "multiply"
    seed: int = 0
    name: ClassVar[str] = "lsh"
    measure: ClassVar[str] = "jaccard"
    all_pairs: ClassVar[bool] = True
    approximate: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if (self.bands is None) != (self.rows is None):
            raise SettingError(
                "bands", found=(self.bands, self.rows), expected="both bands and rows, or neither"
            )

    def banding(self, threshold: float) -> Banding:
        """The bands for this threshold; a SettingError says how many slots would do if these do not."""
        if self.bands is not None and self.rows is not None:
            return Banding(bands=self.bands, rows=self.rows)
        return choose_banding(self.slots, threshold=threshold, recall=self.recall)

    def __call__(self, job: Job) -> Scored:
        banding = self.banding(job.threshold)
        minhash = MinHash(slots=banding.slots, family=self.family, multiset=job.multiset, seed=self.seed)

        def sketches(features: Features) -> npt.NDArray[np.uint32]:
            return np.ascontiguousarray(minhash(features, threads=job.threads), np.uint32)

        found = lsh(
            sketches(job.features),
            job.features,
            threshold=job.threshold,
            banding=banding,
            other=None if job.other is None else sketches(job.other),
            other_features=job.other,
            multiset=job.multiset,
            threads=job.threads,
            max_pairs=job.limit,
            distinct=True,
        )
        recall = banding.expected_recall(job.threshold)
        note = (
            f"{banding.bands} bands of {banding.rows}: {recall:.1%} of the pairs at {job.threshold:g} are expected to be "
            f"found, more above; {found.report.candidates:,} candidates, all verified"
        )
        curve = ", ".join(f"{chance:.0%} at {j:.1f}" for j, chance in banding.curve(steps=10))
        notes = (note, f"chance that a pair is compared, by its similarity: {curve}")
        return Found(found.pairs.left, found.pairs.right, found.pairs.score, notes)

    def estimates(self, two: Features, *, multiset: bool) -> dict[str, float]:
        """What all slots together say of two documents."""
        slots = self.slots if self.bands is None or self.rows is None else self.bands * self.rows
        own = MinHash(slots=slots, family=self.family, multiset=multiset, seed=self.seed)(two)
        return {f"minhash, {slots} slots": minima.estimate(own[0], own[1])}


@dataclass(frozen=True)
class SharedValues:
    """The Lecture's sorted list of sketch values: all pairs by the share of slots in which they agree, an estimate."""

    slots: int = 128
    seed: int = 0
    name: ClassVar[str] = "shared-values"
    measure: ClassVar[str] = "minhash"
    all_pairs: ClassVar[bool] = True
    approximate: ClassVar[bool] = True

    def __call__(self, job: Job) -> Scored:
        minhash = MinHash(slots=self.slots, multiset=job.multiset, seed=self.seed)
        own = np.asarray(minhash(job.features, threads=job.threads), np.uint32)
        other = None if job.other is None else np.asarray(minhash(job.other, threads=job.threads), np.uint32)
        pairs = shared_values(
            own, other, threshold=job.threshold, threads=job.threads, max_pairs=job.limit
        ).expand()
        note = f"scores are estimates: the share of {self.slots} slots that agree"
        return Found(pairs.left, pairs.right, pairs.score, (note,))

    def estimates(self, two: Features, *, multiset: bool) -> dict[str, float]:
        """The score of two documents, which is an estimate."""
        return Lsh(slots=self.slots, seed=self.seed).estimates(two, multiset=multiset)


@dataclass(frozen=True)
class SimHashBits:
    """All pairs of simhash fingerprints within the bits that the threshold allows, exactly: 1 - bits / width."""

    bits: int = 64
    weighting: Weighting = "tf"
    seed: int = 0
    name: ClassVar[str] = "hamming"
    measure: ClassVar[str] = "simhash"
    all_pairs: ClassVar[bool] = True
    approximate: ClassVar[bool] = True

    def __post_init__(self) -> None:
        SimHash(bits=self.bits, weighting=self.weighting, seed=self.seed)

    def __call__(self, job: Job) -> Scored:
        simhash = SimHash(bits=self.bits, weighting=self.weighting, seed=self.seed)
        max_bits = hamming.max_bits_at(Fraction(str(job.threshold)), self.bits)
        limit = job.limit or hamming.MAX_PAIRS
        own = simhash(job.features, threads=job.threads)
        if job.other is None:
            found = hamming.join(own, max_bits=max_bits, max_pairs=limit, threads=job.threads)
        else:
            other = simhash(job.other, threads=job.threads)
            found = hamming.look_up(own, other, max_bits=max_bits, max_pairs=limit, threads=job.threads)
        pairs = found.expand(max_pairs=limit, threads=job.threads)
        return Found(
            pairs.left, pairs.right, pairs.score, ("scores are estimates: 1 - differing bits / width",)
        )

    def estimates(self, two: Features, *, multiset: bool) -> dict[str, float]:
        """What the fingerprints of two documents say of their angle."""
        own = SimHash(bits=self.bits, weighting=self.weighting, seed=self.seed)(two)
        return {f"cosine by simhash, {self.bits} bits": max(0.0, fingerprints.cosine(own[0], own[1]))}


@dataclass(frozen=True)
class Agreement:
    """Pairs that have at least `required` signatures of a sketch in common: 1.0, or nothing.

    sketch: `IMatch` signatures or `SuperShingles`.
    """

    sketch: IMatch | SuperShingles = field(default_factory=IMatch)
    required: int = 1
    name: ClassVar[str] = "agreement"
    measure: ClassVar[str] = "agreement"
    all_pairs: ClassVar[bool] = True
    approximate: ClassVar[bool] = True

    def __call__(self, job: Job) -> Scored:
        # Both collections are signed together: what is common enough for a lexicon is a matter of both.
        together = job.features if job.other is None else concatenate([job.features, job.other])
        signed = self._signatures(together, job.threads)
        split = len(job.features)
        rows = [signed] if job.other is None else [signed.rows(0, split), signed.rows(split, len(signed))]
        width = max(int(np.diff(one.offsets).max(initial=1)) for one in rows)
        if not 1 <= self.required <= width:
            raise SettingError("required", found=self.required, expected=f"1 to {width} signatures")
        # Rows have at most `width` signatures, so whoever shares `required` of them has at least this Jaccard.
        least = Fraction(self.required, 2 * width - self.required)
        other = rows[1] if job.other is not None else None
        pairs = exact(
            rows[0], other, threshold=least, multiset=False, threads=job.threads, max_pairs=job.limit
        ).expand()
        agree = pairs.overlap >= self.required
        ones = np.ones(int(agree.sum()))
        return Found(
            pairs.left[agree], pairs.right[agree], ones, ("a score of 1 says that signatures agree, no more",)
        )

    def _signatures(self, features: Features, threads: int) -> Features:
        """The signatures of each document as a set of keys."""
        if isinstance(self.sketch, IMatch):
            return _as_features(_numbered(self.sketch(features, threads=threads)))
        return _as_features(self.sketch(features, threads=threads))


def _numbered(signatures: Signatures) -> Fingerprints:
    """The first 8 bytes of each digest, made different for each lexicon; `NONE` for no signature."""
    numbers = np.ascontiguousarray(signatures[:, :, :8]).view(np.uint64)[:, :, 0]
    lexicon = np.arange(numbers.shape[1], dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return np.where(signatures.any(axis=2), numbers ^ lexicon, NONE)


def _as_features(rows: Fingerprints) -> Features:
    """Each row as a set: sorted, every value once, `NONE` left out."""
    ordered = np.sort(rows, axis=1)
    new = np.ones(ordered.shape, np.bool_)
    new[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    new &= ordered != NONE
    offsets = np.concatenate(([0], np.cumsum(new.sum(axis=1)))).astype(np.int64)
    keys = ordered[new]
    return Features(offsets, keys, np.ones(len(keys), np.uint32))
