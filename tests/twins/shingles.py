"""Shingles, slowly."""

from __future__ import annotations

from collections import Counter

from twins import tokens as twin

WORDS, CHARACTERS = 0x9B05688C2B3E6C1F, 0x1F83D9ABFB41BD6B


def occurrences(
    data: bytes, *, width: int = 5, unit: str = "words", seed: int = 0, cjk: str = "bigrams"
) -> list[tuple[int, int, int]]:
    """(key, start, end) in the order of the text, in bytes."""
    tokens, _ = twin.tokens_and_runs(data, "words" if unit == "characters" else cjk)
    found = []
    if unit == "words":
        width = min(width, len(tokens))
        for i in range(len(tokens) - width + 1 if tokens else 0):
            key = WORDS
            for token in tokens[i : i + width]:
                key = twin.combine(key, twin.hash_word(token.word.encode(), seed))
            group = tokens[i : i + width]
            found.append((twin.finish(key), group[0].start, group[-1].end))
        return found
    owned = [(c, i) for i, t in enumerate(tokens) for c in (" " if i else "") + t.word]
    width = min(width, len(owned))
    for i in range(len(owned) - width + 1 if owned else 0):
        text = "".join(c for c, _ in owned[i : i + width])
        key = twin.finish(twin.combine(CHARACTERS, twin.hash_word(text.encode(), seed)))
        found.append((key, tokens[owned[i][1]].start, tokens[owned[i + width - 1][1]].end))
    return found


def shingles(data: bytes, **options: object) -> list[tuple[int, int]]:
    """The ascending (key, count) of one document."""
    return sorted(Counter(key for key, _, _ in occurrences(data, **options)).items())  # type: ignore[arg-type]
