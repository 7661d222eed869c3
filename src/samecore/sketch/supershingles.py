"""Supershingles (DSC-SS): a few fingerprints of a MinHash sketch; documents match on one in common.

Two forms. "blocks" (ANDD, Henzinger 2006): the minima are cut into equal blocks, each with a
fingerprint of its own: 84 minima, 6 supershingles. A block agrees with probability J^14, at
least one of six with 1 - (1 - J^14)^6. "sorted" (the Lecture): the minima are sorted and every
run of them is a supershingle; runs that hold only shared minima survive.

    >>> rows = sketch(["one two three four five six seven"] * 2)
    >>> estimate(rows[0], rows[1])
    1.0
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from samecore.errors import SettingError
from samecore.features.csr import Features
from samecore.features.shingles import Shingles
from samecore.sketch.minhash import MAX_SLOTS, MinHash
from samecore.sketch.mixing import check_whole, drawn, mix
from samecore.text.tokens import Texts, check_seed

Fingerprints: TypeAlias = npt.NDArray[np.uint64]
Form: TypeAlias = Literal["blocks", "sorted"]

NONE = np.uint64((1 << 64) - 1)
"""In every place of a document without features; equal to nothing."""


@dataclass(frozen=True)
class SuperShingles:
    """Supershingles over `slots` minima.

    form: "blocks" gives `count` fingerprints of slots / count minima each; "sorted" gives
        slots - run + 1 fingerprints of `run` minima each, ascending.
    shingles: what is taken from texts; features are used as they are.
    seed: of the minima and of the fingerprints.
    """

    form: Form = "blocks"
    slots: int = 84
    count: int = 6
    run: int = 14
    shingles: Shingles = Shingles()  # noqa: RUF009 - frozen
    seed: int = 0

    def __post_init__(self) -> None:
        if self.form not in ("blocks", "sorted"):
            raise SettingError("form", found=self.form, expected="'blocks' or 'sorted'")
        check_whole("slots", self.slots, 1, MAX_SLOTS)
        if self.form == "sorted":
            check_whole("run", self.run, 1, self.slots)
        elif self.slots % check_whole("count", self.count, 1, self.slots):
            raise SettingError("count", found=self.count, expected=f"a divisor of the {self.slots} slots")
        check_seed(self.seed)

    def __call__(self, source: Texts | Features, *, threads: int = 1) -> Fingerprints:
        """One row of supershingles per document; `NONE` everywhere without features."""
        minima = MinHash(slots=self.slots, shingles=self.shingles, seed=self.seed)(source, threads=threads)
        return self.of_minima(minima)

    def of_minima(self, minima: npt.NDArray[np.unsignedinteger]) -> Fingerprints:
        """The supershingles of sketches that are there already, [n, slots]."""
        if minima.ndim != 2 or minima.shape[1] != self.slots:
            raise SettingError("slots", found=minima.shape, expected=f"sketches of {self.slots} slots")
        empty = np.all(minima == np.iinfo(minima.dtype).max, axis=1)
        values = minima.astype(np.uint64)
        if self.form == "blocks":
            runs = values.reshape(len(values), self.count, self.slots // self.count)
            starts = np.array([drawn(self.seed, block) for block in range(self.count)], np.uint64)
        else:
            runs = np.lib.stride_tricks.sliding_window_view(np.sort(values, axis=1), self.run, axis=1)
            starts = np.full(self.slots - self.run + 1, drawn(self.seed, 0))
        found = np.broadcast_to(starts, runs.shape[:2])
        for i in range(runs.shape[2]):
            found = mix(found ^ runs[:, :, i])
        found = np.minimum(found, NONE - np.uint64(1))
        found[empty] = NONE
        return np.sort(found, axis=1) if self.form == "sorted" else found


def sketch(
    source: Texts | Features,
    *,
    width: int = 5,
    form: Form = "blocks",
    slots: int = 84,
    count: int = 6,
    run: int = 14,
    unit: Literal["words", "characters"] = "words",
    cjk: Literal["bigrams", "words"] = "bigrams",
    seed: int = 0,
    threads: int = 1,
) -> Fingerprints:
    """The supershingles of every text or document, uint64 [n, count] or [n, slots - run + 1]."""
    shingles = Shingles(width=width, unit=unit, cjk=cjk)
    part = SuperShingles(form=form, slots=slots, count=count, run=run, shingles=shingles, seed=seed)
    return part(source, threads=threads)


def common(left: Fingerprints, right: Fingerprints) -> int:
    """How many supershingles two rows have in common."""
    shared = np.intersect1d(left, right)
    return int(np.count_nonzero(shared != NONE))


def estimate(left: Fingerprints, right: Fingerprints, *, required: int = 1) -> float:
    """1.0 if two rows have at least `required` supershingles in common, else 0.0."""
    return 1.0 if common(left, right) >= check_whole("required", required, 1, MAX_SLOTS) else 0.0
