"""Dictionary words instead of character bigrams, for scripts that are written without spaces."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from samecore.errors import SettingError
from samecore.features.csr import Features, Occurrence, concatenate
from samecore.features.shingles import Shingles
from samecore.features.spots import Spots
from samecore.text.segment import Segmenter, segment
from samecore.text.tokens import character_positions, one_buffer

#: A character of the scripts without spaces that have no segmenter: Lao, Burmese, Khmer.
NO_DICTIONARY = "[\u0e81-\u0edf\u1000-\u109f\u1780-\u17dd]"


@dataclass(frozen=True)
class DictionaryWords:
    """The features of `features`, taken on texts that a dictionary has split into words.

    features: spots or shingles; their `cjk` is set to "words".
    script: which runs are split: "han", "japanese", "thai" or "any" of them.
    segmenter: splits a run into words; by default the one of its script (`text/segment.py`).

    A document in a script for which there is no dictionary (Lao, Khmer, Burmese) is read by bigrams.
    """

    features: Spots | Shingles
    script: str = "han"
    segmenter: Segmenter | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.features, (Spots, Shingles)):
            raise SettingError("features", found=self.features, expected="Spots or Shingles")
        object.__setattr__(self, "features", replace(self.features, cjk="words"))

    def __call__(self, texts: pa.LargeStringArray, *, threads: int = 1) -> Features:
        return self._taken(texts, lambda part, some: part(some, threads=threads))

    def placed(self, texts: pa.LargeStringArray, *, threads: int = 1) -> Features:
        """The same with `places`: the number of the word where a feature begins."""
        return self._taken(texts, lambda part, some: part.placed(some, threads=threads))

    def _taken(
        self, texts: pa.LargeStringArray, take: Callable[[Spots | Shingles, pa.LargeStringArray], Features]
    ) -> Features:
        bare = pc.fill_null(pc.match_substring_regex(texts, NO_DICTIONARY), False)
        split = segment(texts.filter(pc.invert(bare)), self.segmenter, script=self.script).texts
        found = take(self.features, split)
        if len(split) == len(texts):
            return found
        others = take(replace(self.features, cjk="bigrams"), texts.filter(bare))
        order = np.argsort(np.argsort(bare.to_numpy(zero_copy_only=False), kind="stable"))
        return concatenate([found, others]).take(order)

    def occurrences(self, text: str) -> list[Occurrence]:
        """Every feature of one text, with its characters in the text as it was before it was split."""
        if re.search(NO_DICTIONARY, text):
            return replace(self.features, cjk="bigrams").occurrences(text)
        split = segment(pa.array([text], pa.large_string()), self.segmenter, script=self.script)
        spaced = split.texts[0].as_py()
        found = self.features.occurrences(spaced)
        # Characters of the spaced text -> its bytes -> bytes of the text -> its characters.
        heads = np.flatnonzero(np.diff(character_positions(one_buffer(spaced)), append=1))
        heads = np.append(heads[: len(spaced)], len(one_buffer(spaced)))
        at = character_positions(one_buffer(text))

        def place(position: int) -> int:
            return int(at[split.original(0, heads[position])])

        return [replace(one, start=place(one.start), end=place(one.end)) for one in found]
