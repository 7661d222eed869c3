"""Spot signatures: short chains of words that follow frequent antecedents.

Theobald, Siddharth and Paepcke, SpotSigs (2008), and its forerunner of 2007. A spot
`the(1,2)` (2008: distance 1, chain 2) fires wherever "the" occurs and takes the next
two words that are not stop words; running text is full of such places, navigation and
advertisements are not.

    >>> english = Profile("en", (Spot.parse("the(1,2)"),), frozenset({"the", "of", "is"}))
    >>> [o.words for o in Spots((english,)).occurrences("The core of the story is the same.")]
    [('the', 'core', 'story'), ('the', 'story', 'same'), ('the', 'same')]
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

import samecore._core as _core
from samecore.errors import SettingError
from samecore.features.csr import Features, Occurrence
from samecore.text.tokens import (
    CJK_MODES,
    Texts,
    buffers,
    character_positions,
    check_seed,
    check_threads,
    one_buffer,
    words,
    words_of_bytes,
)

Key: TypeAlias = Literal["antecedent", "spot", "chain"]
KEYS: dict[str, int] = {"antecedent": 0, "spot": 1, "chain": 2}

MAX_STEPS = 8
MAX_PROFILES = 40
MAX_CHARACTERS = 8  # of a word in a script without spaces, matched character by character
NO_LANGUAGE = 255

_NOTATION = re.compile(r"\s*(.+?)\s*\(\s*(\d+)((?:\s*,\s*\d+)*)\s*\)\s*")


@lru_cache(maxsize=1 << 14)
def _one_word(name: str, text: str) -> str:
    """The normalised form of `text` if it is exactly one word."""
    found = words([text], cjk="words")[0] if isinstance(text, str) else []
    if len(found) != 1:
        raise SettingError(name, found=text, expected="exactly one word")
    return found[0]


@dataclass(frozen=True)
class Spot:
    """Where a signature is taken: after `antecedent`, by `steps` of words.

    Step `steps[0]` counts from the antecedent, each further one from the word before.
    """

    antecedent: str
    steps: tuple[int, ...]

    def __post_init__(self) -> None:
        _one_word("antecedent", self.antecedent)
        fits = isinstance(self.steps, tuple) and 1 <= len(self.steps) <= MAX_STEPS
        if not fits or not all(isinstance(s, int) and 1 <= s < 1 << 32 for s in self.steps):
            expected = f"a tuple of 1 to {MAX_STEPS} positive integers"
            raise SettingError("steps", found=self.steps, expected=expected)

    @classmethod
    def parse(cls, notation: str, *, form: Literal["2008", "2007"] = "2008") -> Spot:
        """The papers' notation. 2008: `the(d,c)`, c steps of d; `the(d)` is `the(d,1)`.
        2007: `is(m)`, or `is(m,n)` for one step of m and one of n."""
        found = _NOTATION.fullmatch(notation)
        if form not in ("2008", "2007"):
            raise SettingError("form", found=form, expected="'2008' or '2007'")
        if found is None:
            raise SettingError("spot", found=notation, expected="a word and its numbers, such as the(1,2)")
        numbers = [int(found[2]), *(int(n) for n in re.findall(r"\d+", found[3]))]
        if form == "2007":
            return cls(found[1], tuple(numbers))
        distance, chain = (*numbers, 1)[:2]
        if len(numbers) > 2 or not 1 <= chain <= MAX_STEPS:
            expected = f"a distance and a chain length of 1 to {MAX_STEPS}, such as the(1,2)"
            raise SettingError("spot", found=notation, expected=expected)
        return cls(found[1], (distance,) * chain)


@dataclass(frozen=True)
class Profile:
    """One language: where its spots are and which words a chain moves past."""

    name: str
    spots: tuple[Spot, ...]
    stop_words: frozenset[str]

    def __post_init__(self) -> None:
        if not self.spots or not all(isinstance(spot, Spot) for spot in self.spots):
            raise SettingError("spots", found=self.spots, expected="a tuple of at least one Spot")
        if isinstance(self.stop_words, str):
            raise SettingError("stop_words", found=self.stop_words, expected="a set of words")


@dataclass(frozen=True, eq=False, kw_only=True)
class SpotFeatures(Features):
    """Features, and which profile each document was taken with (255: none fitted)."""

    language: npt.NDArray[np.uint8]
    names: tuple[str, ...]

    def languages(self) -> pa.StringArray:
        """The name of the profile of each document, null where none fitted."""
        none = self.language == NO_LANGUAGE
        codes = pa.array(np.where(none, 0, self.language), pa.int32(), mask=none)
        return pa.DictionaryArray.from_arrays(codes, pa.array(self.names, pa.string())).dictionary_decode()


@dataclass(frozen=True)
class Spots:
    """Takes spot signatures. With several profiles each document is read with the one
    that has most of its stop words in it (the first of equals; docs/languages.md says how
    they are counted). With one profile nothing is guessed.

    otherwise: the profile of documents whose language is unknown; without it they have
    language 255 and no spots.
    least: a language is unknown if its stop words have fewer votes than this for every 100
    words; 0 asks for any one of them.

    skip_stop_words: a step that lands on a stop word moves on to the next other word.
    partial: the end of the text may cut a chain that has at least one word.
    key: what a signature is: "antecedent" and chain (2008), "spot" also with the steps
    (2007), or the "chain" alone (the authors' released code).
    """

    profiles: tuple[Profile, ...]
    skip_stop_words: bool = True
    partial: bool = True
    key: Key = "antecedent"
    cjk: Literal["bigrams", "words"] = "bigrams"
    seed: int = 0
    otherwise: Profile | None = None
    least: int = 0

    def __post_init__(self) -> None:
        own = 0 if self.otherwise is None else 1
        if not isinstance(self.profiles, tuple) or not 1 <= len(self.profiles) <= MAX_PROFILES - own:
            expected = f"a tuple of 1 to {MAX_PROFILES} profiles"
            raise SettingError("profiles", found=self.profiles, expected=expected)
        if self.key not in KEYS:
            raise SettingError("key", found=self.key, expected="'antecedent', 'spot' or 'chain'")
        if self.cjk not in ("bigrams", "words"):
            raise SettingError("cjk", found=self.cjk, expected="'bigrams' or 'words'")
        if isinstance(self.least, bool) or not isinstance(self.least, int) or not 0 <= self.least <= 300:
            raise SettingError("least", found=self.least, expected="an integer from 0 to 300")
        check_seed(self.seed)
        _ = self._compiled  # wrong words are reported here, not in the middle of a run

    def __call__(self, texts: Texts, *, threads: int = 1) -> SpotFeatures:
        """The signatures of every text, and the number of the profile used for it."""
        return self._spots(texts, threads, places=False)

    def placed(self, texts: Texts, *, threads: int = 1) -> SpotFeatures:
        """The same with `places`: the number of the word where the antecedent stands."""
        return self._spots(texts, threads, places=True)

    def _spots(self, texts: Texts, threads: int, *, places: bool) -> SpotFeatures:
        data, offsets = buffers(texts)
        table, threads = self._compiled[1], check_threads(threads)
        (ends, keys, counts, where), language = _core.spots(
            data, offsets, table, places=places, threads=threads
        )
        names = tuple(profile.name for profile in self.all_profiles)
        return SpotFeatures(ends, keys, counts, places=where, language=language, names=names)

    def occurrences(self, text: str) -> list[Occurrence]:
        """Every spot of one text, in order, with its characters from antecedent to last word."""
        data = one_buffer(text)
        entries, table = self._compiled
        _, keys, antecedents, _, _, starts, ends, chain_offsets, chain = _core.spot_occurrences(data, table)
        at = character_positions(data)
        tokens = words_of_bytes(data, np.array([0, len(data)]), cjk=self.cjk)[0]
        chains = [chain[a:b] for a, b in pairwise(chain_offsets)]
        columns = (keys.tolist(), at[starts].tolist(), at[ends].tolist(), antecedents.tolist(), chains)
        return [
            Occurrence(key, start, end, (entries[word], *(tokens[t] for t in own)))
            for key, start, end, word, own in zip(*columns, strict=True)
        ]

    def language(self, text: str) -> str | None:
        """The name of the profile this text would be read with, or None."""
        number = int(_core.spot_occurrences(one_buffer(text), self._compiled[1])[0])
        return None if number == NO_LANGUAGE else self.all_profiles[number].name

    @property
    def all_profiles(self) -> tuple[Profile, ...]:
        """The profiles in the order of their numbers; the one for unknown languages comes last."""
        return self.profiles if self.otherwise is None else (*self.profiles, self.otherwise)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_compiled"}

    @cached_property
    def _compiled(self) -> tuple[list[str], _core.SpotTable]:
        """All normalised words, numbered, and the core's table of them."""
        numbers: dict[str, int] = {}
        masks: list[int] = []
        specs: dict[tuple[int, int, tuple[int, ...]], None] = {}  # in order, each once

        def number(word: str) -> int:
            if word not in numbers:
                numbers[word] = len(numbers)
                masks.append(0)
            return numbers[word]

        for language, profile in enumerate(self.all_profiles):
            # "don't" is two words in any text, so it is two stop words here.
            for parts in words(sorted(profile.stop_words), cjk="words"):
                for word in parts:
                    masks[number(word)] |= 1 << language
            for spot in profile.spots:
                specs[number(_one_word("antecedent", spot.antecedent)), language, spot.steps] = None
        listed = list(numbers)
        _check_words(listed, self.cjk)
        encoded = [word.encode() for word in listed]
        steps = [spec[2] for spec in specs]
        table = _core.SpotTable(
            np.frombuffer(b"".join(encoded), np.uint8),
            _offsets(len(word) for word in encoded),
            np.array(masks, np.uint64),
            np.array([_weight(word) for word in listed], np.uint8),
            np.array([spec[0] for spec in specs], np.uint32),
            np.array([spec[1] for spec in specs], np.uint8),
            _offsets(len(own) for own in steps),
            np.array([step for own in steps for step in own], np.uint32),
            len(self.all_profiles),
            skip_stop_words=self.skip_stop_words,
            partial=self.partial,
            key=KEYS[self.key],
            cjk=CJK_MODES[self.cjk],
            seed=self.seed,
            least=self.least,
            otherwise=self.otherwise is not None,
        )
        return listed, table


def _weight(word: str) -> int:
    """How much a hit on a stop word says about the language of a text.

    Technical text in any language is full of English, never the other way round: other scripts
    count more than Latin. Japanese shares its Han characters with Chinese, and Chinese has no kana.
    """
    highest = max(word)
    if highest < "\u0370" or "\u1e00" <= highest <= "\u1eff":
        return 1
    kana = any("\u3041" <= c <= "\u30ff" for c in word)
    return 2 if "\u3400" <= highest <= "\u9fff" and not kana else 3


def _check_words(listed: list[str], cjk: str) -> None:
    if len(listed) > 65535:
        raise SettingError("profiles", found=len(listed), expected="at most 65535 different words in all")
    if cjk == "bigrams":
        for word in listed:
            if len(word) > MAX_CHARACTERS and words([word])[0] != [word]:
                expected = f"at most {MAX_CHARACTERS} characters in a script without spaces"
                raise SettingError("word", found=word, expected=expected)


def _offsets(lengths: Iterable[int]) -> npt.NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(list(lengths))]).astype(np.int64)
