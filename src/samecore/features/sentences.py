"""Sentences as symbols: how many terms one has, and the terms at a few of its places.

The sentence-level features of SL+ST (Feng and Wu 2015, as SigNCD 2016 describes it). Two sentences with the same
number of terms and the same terms at the chosen positions count as the same sentence.

    >>> [o.words for o in Sentences().occurrences("The cat sat on the mat. It purred!")]
    [('6', 'the', 'cat', 'mat'), ('2', 'it', 'purred', 'purred')]
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import pyarrow as pa

from samecore.errors import SettingError
from samecore.features.csr import Features, Occurrence
from samecore.text.tokens import buffers, check_seed, text_hashes, words

#: Where a sentence ends: its mark with closing quotes and then white space, a mark of a script
#: without spaces, or a new line.
_END = re.compile("[.!?…]+[\"'”’»)\\]]*(?=\\s|$)|[。！？；｡]+[”’」』）]*|[।؟۔]+|\\s*\\n\\s*")

_MIX = 0x9E3779B97F4A7C15


@dataclass(frozen=True)
class Sentences:
    """One feature per sentence. Sentences without terms are none.

    positions: which terms count, from the front (0 is the first) or, negative, from the end. A position that
        a short sentence does not have is its last (or first) term.
    length: whether the number of terms counts.
    """

    positions: tuple[int, ...] = (0, 1, -1)
    length: bool = True
    seed: int = 0

    def __post_init__(self) -> None:
        whole = all(isinstance(one, int) and not isinstance(one, bool) for one in self.positions)
        if not isinstance(self.positions, tuple) or not whole:
            raise SettingError("positions", found=self.positions, expected="a tuple of integers")
        if not self.positions and not self.length:
            raise SettingError("positions", found=(), expected="positions, the length of sentences or both")
        check_seed(self.seed)

    def __call__(self, texts: pa.LargeStringArray, *, threads: int = 1) -> Features:
        """The symbols of every text, as keys."""
        found = [self.symbols(text) for text in _list(texts)]
        flat = [symbol for one in found for symbol in one]
        hashes = text_hashes(pa.array(flat, pa.large_string()), threads=threads)
        with np.errstate(over="ignore"):
            hashes = (hashes ^ np.uint64(self.seed)) * np.uint64(_MIX)
        document = np.repeat(np.arange(len(found)), [len(one) for one in found])
        order = np.lexsort((hashes, document))
        document, hashes = document[order], hashes[order]
        first = np.ones(len(hashes), np.bool_)
        first[1:] = (hashes[1:] != hashes[:-1]) | (document[1:] != document[:-1])
        head = np.flatnonzero(first)
        counts = np.diff(np.append(head, len(hashes))).astype(np.uint32)
        offsets = np.searchsorted(document[head], np.arange(len(found) + 1)).astype(np.int64)
        return Features(offsets, hashes[head], counts)

    def occurrences(self, text: str) -> list[Occurrence]:
        """Every sentence of one text, with the characters it covers and what it is known by."""
        spans = _spans(text)
        symbols = [self._symbol(terms) for terms in words([text[a:b] for a, b in spans])]
        kept = [(span, symbol) for span, symbol in zip(spans, symbols, strict=True) if symbol]
        hashes = text_hashes(pa.array([symbol for _, symbol in kept], pa.large_string()))
        with np.errstate(over="ignore"):
            keys = ((hashes ^ np.uint64(self.seed)) * np.uint64(_MIX)).tolist()
        return [
            Occurrence(key, start, end, tuple(symbol.split(":")))
            for key, ((start, end), symbol) in zip(keys, kept, strict=True)
        ]

    def symbols(self, text: str) -> list[str]:
        """What each sentence is known by, in order: its number of terms and the chosen ones, joined by ":"."""
        found = words([text[a:b] for a, b in _spans(text)])
        return [symbol for terms in found if (symbol := self._symbol(terms))]

    def _symbol(self, terms: list[str]) -> str:
        if not terms:
            return ""
        last = len(terms) - 1
        places = [min(one, last) if one >= 0 else max(len(terms) + one, 0) for one in self.positions]
        return ":".join([str(len(terms)) if self.length else "", *(terms[place] for place in places)])


@dataclass(frozen=True)
class SentenceStrings:
    """The symbols of each text as a string: one line per sentence, in order."""

    sentences: Sentences = field(default_factory=Sentences)

    def __call__(self, texts: pa.LargeStringArray, *, threads: int = 1) -> pa.LargeStringArray:
        found = ["\n".join(self.sentences.symbols(text)) for text in _list(texts)]
        return pa.array(found, pa.large_string())


def _list(texts: pa.LargeStringArray | list[str]) -> list[str]:
    """The texts; bytes that are not UTF-8 become characters that separate words."""
    data, offsets = buffers(texts)
    raw = data.tobytes()
    ends = offsets.tolist()
    return [raw[a:b].decode("utf-8", "replace") for a, b in pairwise(ends)]


def _spans(text: str) -> list[tuple[int, int]]:
    """Where each sentence begins and ends, its mark included."""
    ends = [found.end() for found in _END.finditer(text)]
    return [(start, end) for start, end in zip([0, *ends], [*ends, len(text)], strict=True) if end > start]
