"""Two algorithms that must agree: pairs by shingles, filtered by a simhash of the words (Henzinger, 2006).

Shingles see the order of words and miss what is moved; a simhash of words does not see the order. What
one takes for a copy by mistake the other seldom does.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import pyarrow as pa

from samecore.errors import SettingError
from samecore.features.csr import Features
from samecore.features.shingles import Shingles
from samecore.match.parts import Job, Scored
from samecore.match.sketched import Found, Lsh
from samecore.sketch.simhash import Fingerprints, SimHash


@dataclass(frozen=True)
class Henzinger:
    """Pairs that resemble each other by shingles *and* agree in at least `agreeing` bits of a simhash of words.

    The score is the Jaccard similarity of the shingles. Words count as often as they occur.
    """

    lsh: Lsh = field(default_factory=Lsh)
    bits: int = 384
    agreeing: int = 372
    seed: int = 0
    name: ClassVar[str] = "henzinger"
    measure: ClassVar[str] = "jaccard"
    all_pairs: ClassVar[bool] = True
    approximate: ClassVar[bool] = True
    needs_strings: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not 0 <= self.agreeing <= self.bits:
            raise SettingError("agreeing", found=self.agreeing, expected=f"0 to {self.bits} bits")

    def __call__(self, job: Job) -> Scored:
        if job.strings is None or (job.other is not None and job.other_strings is None):
            raise SettingError("strings", found=None, expected="the words of each content, for the simhash")
        found = self.lsh(job)
        left = self._fingerprints(job.strings, job.threads)
        right = left if job.other is None else self._fingerprints(job.other_strings, job.threads)
        unlike = np.ascontiguousarray(left[found.left] ^ right[found.right]).view(np.uint8)
        differing = np.unpackbits(unlike, axis=1).sum(axis=1, dtype=np.int64)
        kept = differing <= self.bits - self.agreeing
        assert isinstance(found, Found)
        note = f"{int((~kept).sum()):,} pairs agreed in fewer than {self.agreeing} of {self.bits} bits and were left out"
        return Found(found.left[kept], found.right[kept], found.score[kept], (*found.notes, note))

    def estimates(self, two: Features, *, multiset: bool) -> dict[str, float]:
        """What the min-hash of the shingles says; the simhash needs the words."""
        return self.lsh.estimates(two, multiset=multiset)

    def _fingerprints(self, words: pa.LargeStringArray, threads: int) -> Fingerprints:
        return SimHash(bits=self.bits, shingles=Shingles(width=1, cjk="words"), seed=self.seed)(
            words, threads=threads
        )
