"""Antecedents chosen from the corpus itself, for any language.

The 2008 paper wants antecedents that are frequent and "distributed widely and uniformly".
That can be measured: a word is a good antecedent when it occurs in many documents and its
occurrences are spread over them as evenly as the text itself is.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from samecore.errors import InputError, SettingError
from samecore.features.csr import Features, Occurrence
from samecore.features.spots import Profile, Spot, Spots
from samecore.text.tokens import words

#: Antecedents and stop words make up at least this share of all words, and occur in this share of the documents.
ANTECEDENT_RATE, STOP_RATE, DOCUMENT_SHARE = 1 / 500, 1 / 2000, 1 / 5

#: How much text is looked at: enough for stable frequencies of the commonest words.
SAMPLE_CHARACTERS = 4_000_000


@dataclass(frozen=True)
class AutoSpots:
    """Spots whose antecedents and stop words are chosen by `fit` from a sample of the texts."""

    steps: tuple[int, ...] = (1, 1)
    antecedents: int = 30
    stop_words: int = 150
    seed: int = 0

    def fit(self, texts: pa.LargeStringArray) -> Spots:
        """The spots for these texts; the same texts always give the same antecedents."""
        antecedents = spread(texts, rate=ANTECEDENT_RATE)[: self.antecedents]
        if not antecedents:
            raise InputError(
                "no word is common enough to be an antecedent; name a language, or compare by shingles"
            )
        chosen = tuple(Spot(word, self.steps) for word in antecedents)
        stop_words = spread(texts, rate=STOP_RATE)[: self.stop_words]
        return Spots((Profile("learned", chosen, frozenset(stop_words)),), seed=self.seed)

    def __call__(self, texts: pa.LargeStringArray, *, threads: int = 1) -> Features:
        return self.fit(texts)(texts, threads=threads)

    def occurrences(self, text: str) -> list[Occurrence]:
        raise SettingError(
            "antecedents", found="learn", expected="antecedents fitted on a corpus first (AutoSpots.fit)"
        )


def _sample(texts: pa.LargeStringArray) -> Iterator[str]:
    """The texts, or as many from all over them as have `SAMPLE_CHARACTERS`; the last may be cut."""
    size = pc.sum(pc.utf8_length(texts)).as_py() or 0
    left = SAMPLE_CHARACTERS
    for text in texts[:: max(1, -(-size // SAMPLE_CHARACTERS))]:
        if left <= 0:
            break
        piece = (text.as_py() or "")[:left]
        left -= len(piece)
        yield piece


def spread(texts: pa.LargeStringArray, *, rate: float) -> list[str]:
    """The words of a sample of the texts that are common enough, best antecedents first.

    Common enough: at least `rate` of all words, and in `DOCUMENT_SHARE` of the documents. A word's
    score is its number of occurrences times its evenness: the entropy of its distribution over the
    documents, relative to that of all words. Scripts written without spaces are taken character
    by character. Ties are settled by the word itself.
    """
    total: Counter[str] = Counter()
    documents: Counter[str] = Counter()
    surprise: dict[str, float] = defaultdict(float)  # sum of n log n over the documents
    lengths: list[int] = []
    for piece in _sample(texts):
        here = Counter(words([piece], cjk="characters")[0])
        lengths.append(sum(here.values()))
        total.update(here)
        documents.update(here.keys())
        for word, count in here.items():
            surprise[word] += count * math.log(count)
    everything = sum(lengths)
    filled = sum(length > 0 for length in lengths)
    if everything == 0:
        return []
    widest = math.log(everything) - sum(n * math.log(n) for n in lengths if n) / everything

    def score(word: str) -> float:
        entropy = math.log(total[word]) - surprise[word] / total[word]
        return total[word] * (entropy / widest if widest > 0 else 1.0)

    common = [
        word
        for word in total
        if total[word] >= rate * everything and documents[word] >= DOCUMENT_SHARE * filled
    ]
    # A vowel sign of Thai alone is a character and no word.
    spoken = [word for word, own in zip(common, words(common, cjk="words"), strict=True) if len(own) == 1]
    return sorted(spoken, key=lambda word: (-score(word), word))
