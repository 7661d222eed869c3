"""Spot signatures, slowly."""

from __future__ import annotations

import unicodedata
from collections import Counter
from dataclasses import dataclass

from twins import tokens as twin

DOMAIN = 0x510E527FADE682D1


@dataclass
class Found:
    key: int
    antecedent: str
    chain: tuple[str, ...]
    antecedent_start: int
    antecedent_end: int
    start: int
    end: int


@dataclass
class Hit:
    """A listed word met in the text: the token it is, if any, and the one after it."""

    word: str
    token: int | None
    following: int
    start: int
    end: int


# One profile: [(antecedent, steps)], stop words; all normalised.
Profile = tuple[list[tuple[str, tuple[int, ...]]], set[str]]


def unspaced(word: str) -> bool:
    return twin.kind(word[0]) == "run"


def hits(tokens: list[twin.Token], runs: list[twin.Run], listed: set[str], cjk: str) -> list[Hit]:
    sequences = {word for word in listed if cjk == "bigrams" and unspaced(word)}
    found = [
        Hit(token.word, i, i + 1, token.start, token.end)
        for i, token in enumerate(tokens)
        if token.word in listed - sequences
    ]
    for run in runs:
        count = max(1, len(run.characters) - 1)  # tokens of the run
        text = "".join(c for c, _, _ in run.characters)
        for i in range(len(text)):
            for word in sequences:
                if text.startswith(word, i):
                    j = i + len(word) - 1
                    following = run.first_token + min(j + 1, count)
                    token = run.first_token + i if i < count else None
                    found.append(Hit(word, token, following, run.characters[i][1], run.characters[j][2]))
    return found


def weight(word: str) -> int:
    """3 for a word with kana or of a script that is neither Latin nor Han, 2 for Han, 1 for Latin."""
    if any("HIRAGANA" in unicodedata.name(c) or "KATAKANA" in unicodedata.name(c) for c in word):
        return 3
    if any("CJK UNIFIED" in unicodedata.name(c) for c in word):
        return 2
    return 1 if all("LATIN" in unicodedata.name(c) for c in word) else 3


def guess(found: list[Hit], words: int, profiles: list[Profile], least: int, otherwise: bool) -> int:
    if len(profiles) == 1:
        return 0
    known = len(profiles) - otherwise
    votes = [sum(weight(hit.word) for hit in found if hit.word in stop) for _, stop in profiles[:known]]
    if max(votes) and 100 * max(votes) >= least * words:
        return votes.index(max(votes))
    return known if otherwise else 255


def occurrences(
    data: bytes,
    profiles: list[Profile],
    *,
    skip_stop_words: bool = True,
    partial: bool = True,
    key: str = "antecedent",
    cjk: str = "bigrams",
    seed: int = 0,
    least: int = 0,
    otherwise: bool = False,
) -> tuple[int, list[Found]]:
    tokens, runs = twin.tokens_and_runs(data, cjk)
    listed = {word for specs, stop in profiles for word in stop | {a for a, _ in specs}}
    all_hits = hits(tokens, runs, listed, cjk)
    language = guess(all_hits, len(tokens), profiles, least, otherwise)
    if language == 255:
        return 255, []
    specs, stop = profiles[language]
    stopped = {hit.token for hit in all_hits if hit.word in stop} if skip_stop_words else set()
    found = []
    for hit in all_hits:
        for antecedent, steps in specs:
            if antecedent != hit.word:
                continue
            chain: list[twin.Token] = []
            at = hit.following - 1
            for step in steps:
                at += step
                while at < len(tokens) and at in stopped:
                    at += 1
                if at >= len(tokens):
                    break
                chain.append(tokens[at])
            if len(chain) < len(steps) and not (partial and chain):
                continue
            value = DOMAIN
            if key != "chain":
                value = twin.combine(value, twin.hash_word(antecedent.encode(), seed))
            if key == "spot":
                for step in steps:
                    value = twin.combine(value, step)
            for token in chain:
                value = twin.combine(value, twin.hash_word(token.word.encode(), seed))
            start = min([hit.start, *(t.start for t in chain)])
            end = max([hit.end, *(t.end for t in chain)])
            words = tuple(t.word for t in chain)
            found.append(Found(twin.finish(value), antecedent, words, hit.start, hit.end, start, end))
    return language, found


def spots(data: bytes, profiles: list[Profile], **options: object) -> tuple[int, list[tuple[int, int]]]:
    """The language and the ascending (key, count) of one document."""
    language, found = occurrences(data, profiles, **options)  # type: ignore[arg-type]
    return language, sorted(Counter(f.key for f in found).items())
