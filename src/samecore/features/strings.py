"""String parts: what is kept of a text where strings are compared and not sets of keys."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa

import samecore._core as _core
from samecore.features.spots import Spots
from samecore.text.tokens import CJK_MODES, Bytes, Offsets, Texts, buffers


@dataclass(frozen=True)
class WholeText:
    """All the words of a text, normalised and joined by single spaces: case, spacing and punctuation do not count.
    Runs of scripts without spaces stay whole."""

    def __call__(self, texts: Texts, *, threads: int = 1) -> pa.LargeStringArray:
        documents, at, spelt = _core.words(*buffers(texts), cjk=CJK_MODES["words"])
        ends = documents.tolist()
        pieces = [spaced(spelt, at[a : b + 1]) for a, b in pairwise(ends)]
        return pa.array(pieces, pa.large_binary()).cast(pa.large_string())


@dataclass(frozen=True)
class SpotStrings:
    """The spot signatures of each text in order: words joined by ":", signatures by spaces.

    least: a text with fewer signatures is taken as a whole.
    antecedents: whether a signature begins with its antecedent, as in SpotSigs 2008.
    """

    spots: Spots
    least: int = 3
    antecedents: bool = True

    def __call__(self, texts: pa.LargeStringArray, *, threads: int = 1) -> pa.LargeStringArray:
        whole = WholeText()(texts).to_pylist()
        found = [
            self._string(text or "", words) for text, words in zip(texts.to_pylist(), whole, strict=True)
        ]
        return pa.array(found, pa.large_string())

    def _string(self, text: str, whole: str) -> str:
        found = self.spots.occurrences(text)
        skip = 0 if self.antecedents else 1
        return whole if len(found) < self.least else " ".join(":".join(one.words[skip:]) for one in found)


def spaced(spelt: Bytes, at: Offsets) -> bytes:
    """Words in a row, joined by spaces, without an object for each: a text may have millions."""
    return np.insert(spelt[at[0] : at[-1]], at[1:-1] - at[0], np.uint8(32)).tobytes() if len(at) > 1 else b""
