"""Dictionary words for scripts that are written without spaces.

The core takes Chinese, Japanese and Thai as character bigrams. Where dictionary words are wanted,
a segmenter puts a space between the words of every such run, and keeps where it did, so that
places in the spaced text can be traced back to the text as it was. Chinese is split by jieba's
dictionary, Japanese and Thai by the small models of BudouX; both are pure Python, and slow.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from samecore.errors import MissingExtra, SettingError, unknown_name

Segmenter = Callable[[str], Iterable[str]]
"""Takes a run of one script and gives its words, which joined are the run."""

Offsets = npt.NDArray[np.int64]

_HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
RUNS = {
    "han": re.compile(f"[{_HAN}]+"),
    "japanese": re.compile(f"[{_HAN}\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f]+"),
    "thai": re.compile("[\u0e01-\u0e3a\u0e40-\u0e4e]+"),
}
RUNS["any"] = re.compile("|".join(RUNS[script].pattern for script in ("japanese", "thai")))
_KANA = re.compile("[\u3041-\u30ff\u31f0-\u31ff\uff66-\uff9f]")
SEPARATOR = " "


@dataclass(frozen=True, eq=False)
class Segmented:
    """Spaced texts, and where the spaces were put.

    Document `i` has its inserted spaces at `cuts[starts[i]:starts[i + 1]]`: byte offsets in
    the spaced text of that document, ascending.
    """

    texts: pa.LargeStringArray
    starts: Offsets
    cuts: Offsets

    def original(self, document: int, offsets: npt.ArrayLike) -> Offsets:
        """Byte offsets in the text as it was, for byte offsets in the spaced text.

        An offset at an inserted space is that of the character after it.
        """
        cuts = self.cuts[self.starts[document] : self.starts[document + 1]]
        places = np.asarray(offsets, dtype=np.int64)
        return places - np.searchsorted(cuts, places, side="left")


def segment(texts: pa.Array, segmenter: Segmenter | None = None, *, script: str = "han") -> Segmented:
    """Texts with a space between the words of every run of `script`.

    segmenter: gives the words of a run; by default those of jieba's dictionary (extra `zh`) for
        Chinese and of BudouX (extra `segment`) for Japanese and Thai. Whatever it gives must
        join to the run again, else a SettingError says so.
    script: 'han', 'japanese' (with kana), 'thai' or 'any' of them: which runs are split. With
        'any', Han characters are Japanese in a text that has kana, and Chinese in any other.
    """
    if script not in RUNS:
        raise unknown_name("script", script, RUNS)
    if segmenter is None and script != "any":
        segmenter = SEGMENTERS[script]
    pattern = RUNS[script]
    spaced: list[str | None] = []
    counts: list[int] = []
    cuts: list[int] = []
    for text in texts.to_pylist():
        before = len(cuts)
        own = segmenter or _by_script("japanese" if text is not None and _KANA.search(text) else "han")
        spaced.append(None if text is None else _spaced(text, pattern, own, cuts))
        counts.append(len(cuts) - before)
    starts = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=starts[1:])
    return Segmented(pa.array(spaced, pa.large_string()), starts, np.asarray(cuts, dtype=np.int64))


def _spaced(text: str, pattern: re.Pattern[str], segmenter: Segmenter, cuts: list[int]) -> str:
    pieces: list[str] = []
    done = size = 0  # characters of the text, bytes of the spaced text
    for run in pattern.finditer(text):
        plain = text[done : run.start()]
        pieces.append(plain)
        size += len(plain.encode())
        words = [word for word in segmenter(run.group()) if word]
        if "".join(words) != run.group():
            raise SettingError(
                "segmenter", found=words[:5], expected=f"words that join to {run.group()[:20]!r}"
            )
        for i, word in enumerate(words):
            if i:
                cuts.append(size)
                pieces.append(SEPARATOR)
                size += 1
            pieces.append(word)
            size += len(word.encode())
        done = run.end()
    return "".join([*pieces, text[done:]])


def _by_script(han: str) -> Segmenter:
    """Splits a run by its own script, Han characters by the segmenter of `han`."""
    return lambda run: SEGMENTERS["thai" if RUNS["thai"].match(run) else han](run)


def jieba_words(run: str) -> Iterable[str]:
    """The words of a run of Chinese characters, by jieba's dictionary alone (no guessed words)."""
    words: Iterable[str] = _jieba().cut(run, HMM=False)
    return words


@lru_cache(maxsize=1)
def _jieba() -> "jieba.Tokenizer":  # type: ignore[name-defined]  # noqa: F821, UP037
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # old string escapes, an old way to find its own data
            import jieba
    except ImportError as error:
        raise MissingExtra(
            "jieba", extra="zh", needed_for="segmenting Chinese into dictionary words"
        ) from error
    tokenizer = jieba.Tokenizer()
    # Loaded here and not by its initialize(), which trusts a cache file in the shared temporary folder
    # and writes to standard error.
    with tokenizer.get_dict_file() as dictionary:
        tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(dictionary)
    tokenizer.initialized = True
    return tokenizer


def budoux_japanese(run: str) -> Iterable[str]:
    """The phrases of a run of Japanese by BudouX, each cut where hiragana follows other characters:
    what is written in kanji or katakana stands apart from its particles and endings."""
    return [word for phrase in _budoux("japanese").parse(run) for word in _TAIL.split(phrase)]


def budoux_thai(run: str) -> Iterable[str]:
    """The words of a run of Thai by BudouX."""
    words: Iterable[str] = _budoux("thai").parse(run)
    return words


_TAIL = re.compile("(?<=[^\u3041-\u309f])(?=[\u3041-\u309f])")


@lru_cache(maxsize=2)
def _budoux(script: str) -> "budoux.Parser":  # type: ignore[name-defined]  # noqa: F821, UP037
    try:
        import budoux
    except ImportError as error:
        raise MissingExtra(
            "budoux", extra="segment", needed_for=f"segmenting {script.capitalize()} into words"
        ) from error
    load = {"japanese": budoux.load_default_japanese_parser, "thai": budoux.load_default_thai_parser}
    return load[script]()


#: Script -> what splits its runs unless another segmenter is given.
SEGMENTERS: dict[str, Segmenter] = {
    "han": jieba_words,
    "japanese": budoux_japanese,
    "thai": budoux_thai,
}
