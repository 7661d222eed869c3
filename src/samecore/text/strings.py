"""Texts as strings that are compared as they stand: the normalised words joined by single spaces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import pyarrow as pa
import pyarrow.compute as pc

from samecore import _core
from samecore.errors import SettingError
from samecore.text.tokens import CJK_MODES, Texts, buffers


@dataclass(frozen=True)
class NormalisedText:
    """Case, spacing and punctuation gone, as for all features; equal strings are equal texts.

    cjk: scripts written without spaces are split into single "characters", or each run is one of the "words".
    """

    cjk: Literal["characters", "words"] = "characters"

    def __post_init__(self) -> None:
        if self.cjk not in ("characters", "words"):
            raise SettingError("cjk", found=self.cjk, expected="'characters' or 'words'")

    def __call__(self, texts: Texts, *, threads: int = 1) -> pa.LargeStringArray:
        """One string per text, "" for a text without words."""
        documents, ends, text = _core.words(*buffers(texts), cjk=CJK_MODES[self.cjk])
        words = pa.LargeStringArray.from_buffers(len(ends) - 1, pa.py_buffer(ends), pa.py_buffer(text))
        lists = pa.LargeListArray.from_arrays(pa.array(documents), words)
        return pc.binary_join(lists, pa.scalar(" ", pa.large_string()))
