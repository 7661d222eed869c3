"""MinHash: a fixed number of slots per document; two agree in the share of them that they resemble.

Broder (1997). Slot i holds the least value of the i-th random function over the document's
shingles, or over any other features. The estimate is right on average and its variance is
J (1 - J) / slots: a standard error of 0.035 at 0.8 with 128 slots.

    >>> rows = sketch(["a rose is red a rose is white", "a rose is white a rose is red"], width=4, slots=4096)
    >>> abs(estimate(rows[0], rows[1]) - 0.25) < 0.03
    True

Two families of functions. "multiply" keeps 32 bits a slot and runs at the speed of the
tokeniser. "mod-prime" are the linear functions (a x + b) mod P of the SpotSigs paper (LSH-S),
with P = 2**61 - 1 and 64 bits a slot. See docs/sketches.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

import samecore._core as _core
from samecore.errors import SettingError
from samecore.features.csr import Features
from samecore.features.shingles import UNITS, Shingles
from samecore.sketch.mixing import check_whole
from samecore.text.tokens import CJK_MODES, Texts, buffers, check_seed, check_threads

Minima: TypeAlias = "npt.NDArray[np.uint32] | npt.NDArray[np.uint64]"
Family: TypeAlias = Literal["multiply", "mod-prime"]

MAX_SLOTS = 1 << 16


@dataclass(frozen=True)
class MinHash:
    """Sketches of `slots` minima.

    slots: from 1 to 65536. A shorter sketch is the beginning of a longer one.
    shingles: what is taken from texts; features are used as they are.
    family: "multiply" (uint32) or "mod-prime" (uint64).
    multiset: whether occurrences count: the i-th occurrence of a key is an element of its own.
    seed: another seed, other functions.
    """

    slots: int = 128
    shingles: Shingles = Shingles()  # noqa: RUF009 - frozen
    family: Family = "multiply"
    multiset: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        check_whole("slots", self.slots, 1, MAX_SLOTS)
        if self.family not in ("multiply", "mod-prime"):
            raise SettingError("family", found=self.family, expected="'multiply' or 'mod-prime'")
        check_seed(self.seed)

    def __call__(self, source: Texts | Features, *, threads: int = 1) -> Minima:
        """One row of minima per document, [n, slots]. Without features a row is all ones."""
        check_threads(threads)
        prime = self.family == "mod-prime"
        if self.multiset and not isinstance(source, Features):
            source = self.shingles(source, threads=threads)  # occurrences must be counted first
        if isinstance(source, Features):
            of_keys = _core.minhash_prime_keys if prime else _core.minhash_keys
            keyed: Minima = of_keys(
                source.offsets,
                source.keys,
                source.counts,
                slots=self.slots,
                seed=self.seed,
                multiset=self.multiset,
                threads=threads,
            )
            return keyed
        data, offsets = buffers(source)
        of_texts = _core.minhash_prime_texts if prime else _core.minhash_texts
        rows: Minima = of_texts(
            data,
            offsets,
            slots=self.slots,
            seed=self.seed,
            width=self.shingles.width,
            unit=UNITS[self.shingles.unit],
            shingle_seed=self.shingles.seed,
            cjk=CJK_MODES[self.shingles.cjk],
            threads=threads,
        )
        return rows


def sketch(
    source: Texts | Features,
    *,
    width: int = 5,
    slots: int = 128,
    unit: Literal["words", "characters"] = "words",
    cjk: Literal["bigrams", "words"] = "bigrams",
    family: Family = "multiply",
    multiset: bool = False,
    seed: int = 0,
    threads: int = 1,
) -> Minima:
    """The minima of every text over its shingles, or of every document of `source` over its features.

    Returns [n, slots], uint32 or, for "mod-prime", uint64. The sketch of texts is that of
    their `Shingles(width, unit, cjk)`, made without storing them.
    """
    shingles = Shingles(width=width, unit=unit, cjk=cjk)
    part = MinHash(slots=slots, shingles=shingles, family=family, multiset=multiset, seed=seed)
    return part(source, threads=threads)


def estimate(left: Minima, right: Minima) -> float:
    """The share of slots in which two rows agree, in [0, 1]; 0.0 if a document has no features."""
    return float(estimates(left.reshape(1, -1), [0], [0], other=right.reshape(1, -1))[0])


def estimates(
    sketches: Minima,
    left: npt.ArrayLike,
    right: npt.ArrayLike,
    *,
    other: Minima | None = None,
    threads: int = 1,
) -> npt.NDArray[np.float64]:
    """The estimate of each pair of documents `left[i]`, `right[i]` (a row of `other`, if given)."""
    against = sketches if other is None else other
    if sketches.shape[1] != against.shape[1] or sketches.dtype != against.dtype:
        found = f"{sketches.shape[1]} of {sketches.dtype} and {against.shape[1]} of {against.dtype}"
        raise SettingError("slots", found=found, expected="sketches made with the same settings")
    kernel = _core.equal_slots_prime if sketches.dtype == np.uint64 else _core.equal_slots
    equal = kernel(
        np.ascontiguousarray(sketches),
        np.ascontiguousarray(against),
        np.ascontiguousarray(left, np.int64),
        np.ascontiguousarray(right, np.int64),
        threads=check_threads(threads),
    )
    return np.asarray(equal / sketches.shape[1], np.float64)
