"""Punctuation spots, slowly: one mark after another."""

from __future__ import annotations

from dataclasses import dataclass

from twins.tokens import tokens_and_runs


@dataclass(frozen=True)
class Spot:
    words: tuple[str, ...]
    start: int
    end: int


def spots(text: str, *, marks: str, before: int, after: int, characters: int) -> list[Spot]:
    """The spots of one text in order; positions are bytes."""
    tokens, runs = tokens_and_runs(text.encode(), "characters")
    unspaced = {run.first_token + i for run in runs for i in range(len(run.characters))}
    found: list[Spot] = []
    last_gap = None
    at = 0
    for place, mark in enumerate(text):
        here, at = at, at + len(mark.encode())
        if mark not in marks:
            continue
        left, right = text[place - 1 : place], text[place + 1 : place + 2]
        if left in DIGITS and right in DIGITS and left and right and mark.isascii():
            continue
        gap = sum(token.end <= here for token in tokens)
        if gap == last_gap:
            continue
        last_gap = gap
        back = before * (characters if gap - 1 in unspaced else 1)
        onward = after * (characters if gap in unspaced else 1)
        taken = tokens[max(gap - back, 0) : gap + onward]
        if taken:
            words = tuple(token.word for token in taken)
            found.append(Spot(words, taken[0].start, taken[-1].end))
    return found


DIGITS = "0123456789"
