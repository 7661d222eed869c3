"""Dictionary words instead of character bigrams, for scripts that are written without spaces."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from samecore.errors import SettingError
from samecore.features.csr import Features, Occurrence
from samecore.features.shingles import Shingles
from samecore.features.spots import Spots
from samecore.text.segment import Segmenter, segment
from samecore.text.tokens import character_positions, one_buffer


@dataclass(frozen=True)
class DictionaryWords:
    """The features of `features`, taken on texts that a dictionary has split into words.

    features: spots or shingles; their `cjk` is set to "words".
    script: which runs are split: "han", "japanese" or "thai".
    segmenter: splits a run into words; by default jieba's dictionary for "han" (extra `zh`).
    """

    features: Spots | Shingles
    script: str = "han"
    segmenter: Segmenter | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.features, (Spots, Shingles)):
            raise SettingError("features", found=self.features, expected="Spots or Shingles")
        object.__setattr__(self, "features", replace(self.features, cjk="words"))

    def __call__(self, texts: pa.LargeStringArray, *, threads: int = 1) -> Features:
        return self.features(segment(texts, self.segmenter, script=self.script).texts, threads=threads)

    def occurrences(self, text: str) -> list[Occurrence]:
        """Every feature of one text, with its characters in the text as it was before it was split."""
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
