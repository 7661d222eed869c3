"""String parts: what is kept of a text where strings are compared and not sets of keys."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from samecore.features.spots import Spots


@dataclass(frozen=True)
class WholeText:
    """The text as it is."""

    def __call__(self, texts: pa.LargeStringArray, *, threads: int = 1) -> pa.LargeStringArray:
        return texts.cast(pa.large_string()).fill_null("")


@dataclass(frozen=True)
class SpotStrings:
    """The spot signatures of each text in order: words joined by ":", signatures by spaces.

    least: a text with fewer signatures is taken as a whole, its white space folded.
    antecedents: whether a signature begins with its antecedent, as in SpotSigs 2008.
    """

    spots: Spots
    least: int = 3
    antecedents: bool = True

    def __call__(self, texts: pa.LargeStringArray, *, threads: int = 1) -> pa.LargeStringArray:
        return pa.array([self._string(text or "") for text in texts.to_pylist()], pa.large_string())

    def _string(self, text: str) -> str:
        found = self.spots.occurrences(text)
        if len(found) < self.least:
            return " ".join(text.split())
        skip = 0 if self.antecedents else 1
        return " ".join(":".join(one.words[skip:]) for one in found)
