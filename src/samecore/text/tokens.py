"""Words: what the core makes of a text before any feature is taken.

`docs/tokens.md` defines a word. In short: NFKC and case folding, invisible characters
removed, then runs of letters, digits and their marks; scripts written without spaces
(Chinese, Japanese, Thai, Lao, Khmer, Burmese) give overlapping character bigrams.

    >>> words(["Soft\\u00adhyphens & Straße: 日本語"])
    [['softhyphens', 'strasse', '日本', '本語']]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

import samecore._core as _core
from samecore.errors import InputError, SettingError

Texts: TypeAlias = "pa.Array | pa.ChunkedArray | Sequence[str]"
Cjk: TypeAlias = Literal["bigrams", "words", "characters"]
Bytes: TypeAlias = npt.NDArray[np.uint8]
Offsets: TypeAlias = npt.NDArray[np.int64]
Hashes: TypeAlias = npt.NDArray[np.uint64]

# How a run of a script without spaces becomes words. "words": the run is one word (the
# caller has put separators in); "characters": each character is one, for counting.
CJK_MODES: dict[str, int] = {"bigrams": 0, "words": 1, "characters": 2}


def cjk_mode(cjk: str) -> int:
    """The core's number for a mode, or a SettingError that lists the modes."""
    if cjk not in CJK_MODES:
        raise SettingError("cjk", found=cjk, expected="'bigrams', 'words' or 'characters'")
    return CJK_MODES[cjk]


def check_seed(seed: int) -> int:
    """`seed` if it fits in 64 bits, else a SettingError."""
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 1 << 64:
        raise SettingError("seed", found=seed, expected="an integer from 0 to 2**64 - 1")
    return seed


def check_threads(threads: int) -> int:
    """`threads` if it is at least 1, else a SettingError."""
    if isinstance(threads, bool) or not isinstance(threads, int) or not 1 <= threads <= 4096:
        raise SettingError("threads", found=threads, expected="an integer from 1 to 4096")
    return threads


def buffers(texts: Texts) -> tuple[Bytes, Offsets]:
    """The UTF-8 bytes of `texts` and where each text begins and ends in them.

    A large_string array is not copied; other string arrays and lists are converted.
    A missing text counts as an empty one.
    """
    if isinstance(texts, pa.ChunkedArray):
        texts = texts.combine_chunks()
        if isinstance(texts, pa.ChunkedArray):  # older pyarrow, no chunks at all
            texts = pa.concat_arrays(texts.chunks) if texts.num_chunks else pa.array([], pa.large_string())
    if not isinstance(texts, pa.Array):
        texts = pa.array(texts, pa.large_string())
    if not (pa.types.is_large_string(texts.type) or pa.types.is_large_binary(texts.type)):
        if not (pa.types.is_string(texts.type) or pa.types.is_null(texts.type)):
            raise InputError(f"texts: expected an array of strings, found {texts.type}")
        texts = texts.cast(pa.large_string())
    if texts.null_count:
        texts = texts.fill_null("" if pa.types.is_large_string(texts.type) else b"")
    _, offset_buffer, data_buffer = texts.buffers()
    if offset_buffer is None or offset_buffer.size == 0:  # allowed for an array of length 0
        return np.zeros(0, np.uint8), np.zeros(1, np.int64)
    offsets = np.frombuffer(offset_buffer, np.int64)[texts.offset : texts.offset + len(texts) + 1]
    empty = data_buffer is None or data_buffer.size == 0
    return (np.zeros(0, np.uint8) if empty else np.frombuffer(data_buffer, np.uint8)), offsets


def one_buffer(text: str) -> Bytes:
    """The UTF-8 bytes of one text. A lone surrogate becomes bytes that separate words."""
    return np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8)


def character_positions(data: Bytes) -> Offsets:
    """For each byte position 0..len(data): how many characters begin before it."""
    positions = np.zeros(len(data) + 1, np.int64)
    np.cumsum((data & 0xC0) != 0x80, out=positions[1:])
    return positions


def words(texts: Texts, *, cjk: Cjk = "bigrams") -> list[list[str]]:
    """The normalised words of each text, in order: for people and tests."""
    data, offsets = buffers(texts)
    return words_of_bytes(data, offsets, cjk=cjk)


def words_of_bytes(data: Bytes, offsets: Offsets, *, cjk: Cjk = "bigrams") -> list[list[str]]:
    """Like `words`, from bytes; bytes that are not UTF-8 separate words."""
    documents, ends, text = _core.words(data, offsets, cjk=cjk_mode(cjk))
    whole = text.tobytes()
    found = [whole[a:b].decode() for a, b in pairwise(ends.tolist())]
    return [found[a:b] for a, b in pairwise(documents.tolist())]


@dataclass(frozen=True, eq=False)
class Tokens:
    """Words of `n` documents: document `i` has the entries `offsets[i]:offsets[i + 1]`.

    `starts` and `ends` are the bytes each word came from, counted from the beginning
    of the data (not of the document).
    """

    offsets: Offsets
    hashes: Hashes
    starts: Offsets
    ends: Offsets


def tokenize(texts: Texts, *, seed: int = 0, cjk: Cjk = "bigrams", threads: int = 1) -> Tokens:
    """Words as stable 64-bit hashes and byte spans, in the order of the text."""
    data, offsets = buffers(texts)
    mode = cjk_mode(cjk)
    return Tokens(
        *_core.tokens(data, offsets, seed=check_seed(seed), cjk=mode, threads=check_threads(threads))
    )


@dataclass(frozen=True, eq=False)
class WordFrequencies:
    """Distinct words of a corpus, ascending by hash.

    `occurrences` counts places, `documents` the documents with at least one.
    `starts:ends` is the first place in the bytes of the data.
    """

    hashes: Hashes
    occurrences: npt.NDArray[np.uint64]
    documents: npt.NDArray[np.uint64]
    starts: Offsets
    ends: Offsets

    def __len__(self) -> int:
        return len(self.hashes)


def word_frequencies(
    texts: Texts, *, seed: int = 0, cjk: Cjk = "characters", threads: int = 1
) -> WordFrequencies:
    """How often every word occurs, and in how many documents.

    By default unspaced scripts are counted by character, because that is what their
    antecedents are made of.
    """
    data, offsets = buffers(texts)
    mode = cjk_mode(cjk)
    found = _core.word_frequencies(
        data, offsets, seed=check_seed(seed), cjk=mode, threads=check_threads(threads)
    )
    return WordFrequencies(*found)


def text_hashes(texts: Texts, *, threads: int = 1) -> Hashes:
    """A stable hash of the bytes of each text, to see later whether it has changed."""
    hashes: Hashes = _core.text_hashes(*buffers(texts), threads=threads)
    return hashes
