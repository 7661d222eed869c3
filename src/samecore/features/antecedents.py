"""Antecedents chosen from the corpus itself, for any language.

The 2008 paper wants antecedents that are frequent and "distributed widely and uniformly".
That can be measured: a word is a good antecedent when it occurs in many documents and its
occurrences are spread over them as evenly as the text itself is.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

import pyarrow as pa

from samecore.errors import SettingError
from samecore.features.csr import Features, Occurrence
from samecore.features.spots import Profile, Spot, Spots
from samecore.text.tokens import words

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
        ranked = spread(texts)
        chosen = tuple(Spot(word, self.steps) for word in ranked[: self.antecedents])
        return Spots((Profile("auto", chosen, frozenset(ranked[: self.stop_words])),), seed=self.seed)

    def __call__(self, texts: pa.LargeStringArray, *, threads: int = 1) -> Features:
        return self.fit(texts)(texts, threads=threads)

    def occurrences(self, text: str) -> list[Occurrence]:
        raise SettingError("antecedents", found="auto", expected="antecedents fitted on a corpus first (AutoSpots.fit)")


def spread(texts: pa.LargeStringArray) -> list[str]:
    """The words of a sample of the texts, best antecedents first.

    A word's score is its number of occurrences times its evenness: the entropy of its
    distribution over the documents, relative to that of all the words. Scripts written
    without spaces are taken character by character. Ties are settled by the word itself.
    """
    total: Counter[str] = Counter()
    surprise: Counter[str] = Counter()  # sum of n log n over the documents
    lengths: list[int] = []
    seen = 0
    for text in texts:
        if seen >= SAMPLE_CHARACTERS:
            break
        piece = (text.as_py() or "")[: SAMPLE_CHARACTERS - seen]
        seen += len(piece)
        here = Counter(words([piece], cjk="characters")[0])
        lengths.append(sum(here.values()))
        for word, count in here.items():
            total[word] += count
            surprise[word] += count * math.log(count)
    everything = sum(lengths)
    if everything == 0:
        return []
    widest = math.log(everything) - sum(n * math.log(n) for n in lengths if n) / everything
    def score(word: str) -> float:
        entropy = math.log(total[word]) - surprise[word] / total[word]
        return total[word] * (entropy / widest if widest > 0 else 1.0)

    return sorted(total, key=lambda word: (-score(word), word))
