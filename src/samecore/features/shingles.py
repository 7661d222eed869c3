"""Shingles: every run of consecutive words, or of characters.

Broder et al. (1997). A document with fewer than `width` words gives one shingle of all
it has, so that short documents do not vanish; an empty one gives none.

    >>> [o.words for o in Shingles(width=2).occurrences("To be, or not.")]
    [('to', 'be'), ('be', 'or'), ('or', 'not')]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

import samecore._core as _core
from samecore.errors import SettingError
from samecore.features.csr import Features, Occurrence
from samecore.text.tokens import (
    CJK_MODES,
    Texts,
    buffers,
    character_positions,
    check_seed,
    check_threads,
    one_buffer,
    words_of_bytes,
)

UNITS: dict[str, int] = {"words": 0, "characters": 1}
MAX_WIDTH = 1 << 20


@dataclass(frozen=True)
class Shingles:
    """Takes shingles of `width` words, or of `width` characters of the normalised text
    (its words joined by single spaces; runs without spaces are words there)."""

    width: int = 5
    unit: Literal["words", "characters"] = "words"
    cjk: Literal["bigrams", "words"] = "bigrams"
    seed: int = 0

    def __post_init__(self) -> None:
        whole = isinstance(self.width, int) and not isinstance(self.width, bool)
        if not whole or not 1 <= self.width <= MAX_WIDTH:
            raise SettingError("width", found=self.width, expected=f"an integer from 1 to {MAX_WIDTH}")
        if self.unit not in UNITS:
            raise SettingError("unit", found=self.unit, expected="'words' or 'characters'")
        if self.cjk not in ("bigrams", "words"):
            raise SettingError("cjk", found=self.cjk, expected="'bigrams' or 'words'")
        check_seed(self.seed)

    def __call__(self, texts: Texts, *, threads: int = 1) -> Features:
        """The shingles of every text."""
        return self._shingles(texts, threads, places=False)

    def placed(self, texts: Texts, *, threads: int = 1) -> Features:
        """The same with `places`: the number of the word where a shingle begins."""
        return self._shingles(texts, threads, places=True)

    def _shingles(self, texts: Texts, threads: int, *, places: bool) -> Features:
        data, offsets = buffers(texts)
        ends, keys, counts, where = _core.shingles(
            data,
            offsets,
            width=self.width,
            unit=UNITS[self.unit],
            seed=self.seed,
            cjk=CJK_MODES[self.cjk],
            places=places,
            threads=check_threads(threads),
        )
        return Features(ends, keys, counts, places=where)

    def occurrences(self, text: str) -> list[Occurrence]:
        """Every shingle of one text, in order, with the characters its words cover. A
        character shingle covers all of the words it touches, and has one "word": itself."""
        data = one_buffer(text)
        characters = self.unit == "characters"
        keys, starts, ends = _core.shingle_occurrences(
            data, width=self.width, unit=UNITS[self.unit], seed=self.seed, cjk=CJK_MODES[self.cjk]
        )
        at = character_positions(data)
        tokens = words_of_bytes(data, np.array([0, len(data)]), cjk="words" if characters else self.cjk)[0]
        joined = " ".join(tokens)
        rows = zip(keys.tolist(), at[starts].tolist(), at[ends].tolist(), strict=True)
        return [
            Occurrence(
                key,
                start,
                end,
                (joined[i : i + self.width],) if characters else tuple(tokens[i : i + self.width]),
            )
            for i, (key, start, end) in enumerate(rows)
        ]
