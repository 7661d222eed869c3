"""Spots in every language: by lists where there are lists, learned from the documents otherwise.

>>> detect(["The dog is in the garden.", "Der Hund ist im Garten.", "犬は庭にいます。", "xyz"]).to_pylist()
['en', 'de', 'ja', None]
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pyarrow as pa

from samecore.errors import InputError, SettingError
from samecore.features.antecedents import AutoSpots
from samecore.features.csr import Features, Occurrence
from samecore.features.spots import NO_LANGUAGE, Profile, Spot, Spots
from samecore.text.language import LANGUAGES, language
from samecore.text.tokens import Texts

#: Running text has 15 to 50 stop words in 100 words of its own language, but 2 to 5 of any other family's.
LEAST_VOTES = 8

#: Fewer documents than this in the sample do not make a language.
LEAST_DOCUMENTS = 10


def detect(texts: Texts, *, threads: int = 1) -> pa.StringArray:
    """The language of each text, of those in `LANGUAGES`; null where too few of its words are known."""
    return _detector()(texts, threads=threads).languages()


@cache
def _detector() -> Spots:
    lists = [language(code) for code in LANGUAGES]
    profiles = (Profile(one.code, (Spot(one.antecedents[0], (1,)),), one.stop_words) for one in lists)
    return Spots(tuple(profiles), least=LEAST_VOTES)


@dataclass(frozen=True)
class AnyLanguage:
    """Each document by the lists of its language; `fit` learns antecedents from those that have none.

    listed: spots with one profile per language, of which each document gets the one that fits.
    learned: how antecedents and stop words are chosen from documents that none of them fits.
    """

    listed: Spots
    learned: AutoSpots

    def fit(self, texts: pa.LargeStringArray) -> Spots:
        """The spots for these texts. Where nothing is left to learn from, the listed ones alone."""
        unknown = replace(self.listed, least=LEAST_VOTES)(texts).language == NO_LANGUAGE
        if np.count_nonzero(unknown) < LEAST_DOCUMENTS:
            return self.listed
        try:
            learned = self.learned.fit(texts.filter(pa.array(unknown)))
        except InputError:  # no word of theirs is common: not the prose of any language
            return self.listed
        return replace(self.listed, least=LEAST_VOTES, otherwise=learned.profiles[0])

    def __call__(self, texts: pa.LargeStringArray, *, threads: int = 1) -> Features:
        return self.fit(texts)(texts, threads=threads)

    def occurrences(self, text: str) -> list[Occurrence]:
        raise SettingError(
            "languages", found="auto", expected="languages fitted on a corpus first (AnyLanguage.fit)"
        )
