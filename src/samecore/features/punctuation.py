"""Punctuation-spot signatures: the words beside each comma, or beside any other set of marks.

Zhang, Yao, Ji and Fang, SigNCD (2016). Running text is full of commas and frames are not, so the word
before each comma says what the text is. The words, joined by spaces, are compressed in its place.

    >>> [o.words for o in Punctuation(least=1).occurrences("To a set of pages, and to texts, it fits.")]
    [('pages',), ('texts',)]

A text with fewer than `least` spots is taken as a whole: all of its words for the string that is
compressed, and runs of three words for the features.

Scripts written without spaces have no words to take. There `characters` characters (a number or a
Latin word among them counts as one) stand for a word.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

import samecore._core as _core
from samecore.errors import SettingError
from samecore.features.csr import Features, Occurrence, replace_rows
from samecore.features.shingles import Shingles
from samecore.features.strings import spaced
from samecore.text.tokens import (
    CJK_MODES,
    Bytes,
    Offsets,
    Texts,
    buffers,
    character_positions,
    check_seed,
    check_threads,
    one_buffer,
    words_of_bytes,
)

#: The comma, its full-width, small, vertical and ideographic forms, and the Arabic one.
COMMAS = ",，、﹐﹑､︐︑،"

MAX_WORDS = 64
MAX_CHARACTERS = 64
#: Shingles of this many words are the features of a text that is taken as a whole.
WHOLE_WIDTH = 3

_START = np.uint64(0x9AE16A3B2F90404F)  # keys of other kinds of features start elsewhere
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)

#: Scripts written without spaces, as first and last code point.
_UNSPACED = np.array(
    [
        (0x0E00, 0x0EFF),  # Thai, Lao
        (0x1000, 0x109F),  # Myanmar
        (0x1780, 0x17FF),  # Khmer
        (0x3005, 0x3007),
        (0x3040, 0x30FF),  # Hiragana, Katakana
        (0x31F0, 0x31FF),
        (0x3400, 0x4DBF),
        (0x4E00, 0x9FFF),
        (0xA9E0, 0xA9FF),
        (0xAA60, 0xAA7F),
        (0xF900, 0xFAFF),
        (0xFF66, 0xFF9F),  # Katakana of half width
        (0x20000, 0x323AF),
    ]
)

Numbers: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class _Spots:
    """Spots by document and place: each takes the words `first:last` of all words of the texts."""

    document: Numbers
    first: Numbers
    last: Numbers
    words: Offsets  # words of document i are words[i]:words[i + 1]
    hashes: npt.NDArray[np.uint64]
    starts: Offsets  # bytes of each word in the data
    ends: Offsets


@dataclass(frozen=True)
class Punctuation:
    """Takes the words beside marks. Sig-1L of the paper is (before=1, after=0), Sig-1R (0, 1), Sig-2 (1, 1),
    Sig-4 (2, 2) and Sig-6 (3, 3).

    marks: the characters that are spots. Those between two digits are part of a number and no spots, and
        marks with no word between them are one spot.
    least: with fewer spots a text is taken as a whole.
    characters: so many characters stand for a word in scripts without spaces (docs/compression.md).
    """

    marks: str = COMMAS
    before: int = 1
    after: int = 0
    least: int = 3
    characters: int = 6
    seed: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.marks, str) or not self.marks or any(map(_is_word, self.marks)):
            raise SettingError("marks", found=self.marks, expected="a string of punctuation marks")
        for name in ("before", "after"):
            _check(name, getattr(self, name), 0, MAX_WORDS)
        if self.before + self.after == 0:
            raise SettingError("before", found=0, expected="words before or after a mark, found none of both")
        _check("least", self.least, 0, 1 << 30)
        _check("characters", self.characters, 1, MAX_CHARACTERS)
        check_seed(self.seed)

    def __call__(self, texts: Texts, *, threads: int = 1) -> Features:
        """One feature per spot, the words it takes; of texts with too few, the shingles."""
        data, offsets = _clipped(*buffers(texts))
        spots = self._spots(data, offsets, threads)
        features = _features(spots.document, _keys(spots, self.seed), len(offsets) - 1)
        few = np.flatnonzero(_counts(spots) < self.least)
        if not len(few):
            return features
        array = pa.LargeStringArray.from_buffers(len(offsets) - 1, pa.py_buffer(offsets), pa.py_buffer(data))
        return replace_rows(features, few, self._whole()(array.take(pa.array(few)), threads=threads))

    def occurrences(self, text: str) -> list[Occurrence]:
        """Every spot of one text, in order, with the words it takes and the characters they cover."""
        data = one_buffer(text)
        spots = self._spots(data, np.array([0, len(data)], np.int64), 1)
        if len(spots.document) < self.least:
            return self._whole().occurrences(text)
        at = character_positions(data)
        words = words_of_bytes(data, np.array([0, len(data)], np.int64), cjk="characters")[0]
        rows = zip(_keys(spots, self.seed).tolist(), spots.first.tolist(), spots.last.tolist(), strict=True)
        return [
            Occurrence(key, int(at[spots.starts[a]]), int(at[spots.ends[b - 1]]), tuple(words[a:b]))
            for key, a, b in rows
        ]

    def _whole(self) -> Shingles:
        return Shingles(width=WHOLE_WIDTH, seed=self.seed)

    def _spots(self, data: Bytes, offsets: Offsets, threads: int) -> _Spots:
        words, hashes, starts, ends = self._tokens(data, offsets, "characters", threads)
        mark = _places(data, self.marks)
        document = np.searchsorted(offsets, mark, side="right") - 1
        number = (mark > offsets[document]) & (mark + 1 < offsets[document + 1])
        at = mark[number]  # a mark of several bytes is followed by one of its own, which is no digit
        number[number] = _digit(data[at - 1]) & _digit(data[at + 1])
        mark, document = mark[~number], document[~number]
        gap = np.searchsorted(ends, mark, side="right")  # the mark stands before this word
        new = np.ones(len(mark), np.bool_)
        new[1:] = (gap[1:] != gap[:-1]) | (document[1:] != document[:-1])
        document, gap = document[new], gap[new]
        low, high = words[document], words[document + 1]
        beside = np.append(starts, len(data))[np.stack([np.maximum(gap - 1, 0), gap])]
        if len(starts) and (data[np.minimum(beside, len(data) - 1)] >= 0x80).any():
            # A run without spaces may have marks in it that are words here; its first character tells.
            runs = self._tokens(data, offsets, "words", threads)[2]
            beside = runs[np.maximum(np.searchsorted(runs, beside, side="right") - 1, 0)]
        back, onward = np.where(_unspaced(data, beside), self.characters, 1)
        first = np.maximum(gap - self.before * back, low)
        last = np.minimum(gap + self.after * onward, high)
        some = last > first
        return _Spots(document[some], first[some], last[some], words, hashes, starts, ends)

    def _tokens(
        self, data: Bytes, offsets: Offsets, cjk: str, threads: int
    ) -> tuple[Offsets, npt.NDArray[np.uint64], Offsets, Offsets]:
        return _core.tokens(data, offsets, seed=self.seed, cjk=CJK_MODES[cjk], threads=check_threads(threads))


@dataclass(frozen=True)
class Signatures:
    """The signature of each text as a string: the words of its spots, or all of its words, joined by spaces."""

    spots: Punctuation = field(default_factory=Punctuation)

    def __call__(self, texts: Texts, *, threads: int = 1) -> pa.LargeStringArray:
        data, offsets = _clipped(*buffers(texts))
        found = self.spots._spots(data, offsets, threads)
        _, at, spelt = _core.words(data, offsets, cjk=CJK_MODES["characters"])
        taken, owner = _ragged(found.first, found.last)  # the words of all spots
        place = np.searchsorted(found.document[owner], np.arange(len(offsets))).tolist()
        begins, stops, raw = at[taken].tolist(), at[taken + 1].tolist(), spelt.tobytes()
        words = [raw[a:b] for a, b in zip(begins, stops, strict=True)]
        whole = _counts(found) < self.spots.least
        pieces = [
            spaced(spelt, at[found.words[i] : found.words[i + 1] + 1])
            if whole[i]
            else b" ".join(words[place[i] : place[i + 1]])
            for i in range(len(whole))
        ]
        return pa.array(pieces, pa.large_binary()).cast(pa.large_string())


# -- the pieces ---------------------------------------------------------------------------


def _clipped(data: Bytes, offsets: Offsets) -> tuple[Bytes, Offsets]:
    """Only the bytes of these texts: a slice of an array shares the bytes of the whole."""
    start, stop = int(offsets[0]), int(offsets[-1])
    return np.ascontiguousarray(data[start:stop]), np.ascontiguousarray(offsets - start)


def _places(data: Bytes, marks: str) -> Numbers:
    """Where any of the marks begins, ascending."""
    found = [np.empty(0, np.int64)]
    for mark in sorted(set(marks)):
        spelt = mark.encode("utf-8", "surrogatepass")
        at = np.flatnonzero(data[: max(len(data) - len(spelt) + 1, 0)] == spelt[0])
        for i, byte in enumerate(spelt[1:], start=1):
            at = at[data[at + i] == byte]
        found.append(at)
    return np.sort(np.concatenate(found))


def _digit(byte: Bytes) -> npt.NDArray[np.bool_]:
    return (byte >= 48) & (byte <= 57)


def _unspaced(data: Bytes, at: Numbers) -> npt.NDArray[np.bool_]:
    """Whether a character of a script without spaces begins at each of these bytes."""
    padded = np.append(data, np.zeros(4, np.uint8))
    a, b, c, d = (padded[at + i].astype(np.int64) for i in range(4))
    three = (a & 15) << 12 | (b & 63) << 6 | c & 63  # none of these scripts needs fewer bytes
    four = (a & 7) << 18 | (b & 63) << 12 | (c & 63) << 6 | d & 63
    point = np.where(a < 0xE0, 0, np.where(a < 0xF0, three, four))
    row = np.searchsorted(_UNSPACED[:, 0], point, side="right") - 1
    inside: npt.NDArray[np.bool_] = (row >= 0) & (point <= _UNSPACED[np.maximum(row, 0), 1])
    return inside


def _keys(spots: _Spots, seed: int) -> npt.NDArray[np.uint64]:
    """A key per spot, from the hashes of its words in order."""
    keys = np.full(len(spots.first), _START ^ np.uint64(seed))
    with np.errstate(over="ignore"):
        for step in range(int((spots.last - spots.first).max(initial=0))):
            on = np.flatnonzero(spots.first + step < spots.last)
            mixed = (keys[on] ^ spots.hashes[spots.first[on] + step]) * _MULTIPLIER
            keys[on] = mixed ^ mixed >> np.uint64(32)
    return keys


def _counts(spots: _Spots) -> Numbers:
    return np.bincount(spots.document, minlength=len(spots.words) - 1)


def _features(document: Numbers, keys: npt.NDArray[np.uint64], documents: int) -> Features:
    order = np.lexsort((keys, document))
    document, keys = document[order], keys[order]
    first = np.ones(len(keys), np.bool_)
    first[1:] = (keys[1:] != keys[:-1]) | (document[1:] != document[:-1])
    head = np.flatnonzero(first)
    counts = np.diff(np.append(head, len(keys))).astype(np.uint32)
    offsets = np.searchsorted(document[head], np.arange(documents + 1)).astype(np.int64)
    return Features(offsets, keys[head], counts)


def _ragged(first: Numbers, last: Numbers) -> tuple[Numbers, Numbers]:
    """All numbers from each `first` to its `last`, one range after another, and which range each is of."""
    lengths = last - first
    owner = np.repeat(np.arange(len(first)), lengths)
    return np.arange(len(owner)) - np.repeat(np.cumsum(lengths) - lengths - first, lengths), owner


def _is_word(mark: str) -> bool:
    return mark.isalnum() or mark.isspace()


def _check(name: str, value: int, low: int, high: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise SettingError(name, found=value, expected=f"an integer from {low} to {high}")
