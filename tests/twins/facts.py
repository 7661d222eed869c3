"""The facts of k-grams, slowly: one document as a list of tokens, one k-gram at a time."""

from __future__ import annotations

from collections.abc import Callable

from twins import spots
from twins import tokens as twin
from twins.shingles import WORDS

MARKS = set(",.;:!?、。，；：！？")


def level(x: int) -> int:
    value = min(x, 1 << 16) + 1
    power = value.bit_length() - 1
    return min(16 * power + (value * 16 >> power) - 16, 255)


def share(part: int, whole: int) -> int:
    return min((510 * part + whole) // (2 * whole), 255)


def capital(character: str) -> bool:
    folded = twin.folded(character)
    return len(folded) == 1 and folded != character


def facts(
    text: str,
    profiles: list[spots.Profile],
    *,
    k: int = 1,
    title: str = "",
    url: str = "",
    grams: Callable[[int], int] = lambda key: 0,
    words: Callable[[int], int] = lambda key: 0,
    queries: Callable[[int], int] = lambda key: 0,
) -> list[tuple[int, int, list[int]]]:
    """The ascending (key, count, codes) of one document."""
    data = text.encode()
    tokens, runs = twin.tokens_and_runs(data)
    if not tokens:
        return []
    listed = {word for specs, stop in profiles for word in stop | {a for a, _ in specs}}
    hits = spots.hits(tokens, runs, listed, "bigrams")
    language = spots.guess(hits, len(tokens), profiles, 0, False)
    stops: set[int | None] = set()
    heads: set[int] = set()
    if language != 255:
        specs, stop = profiles[language]
        stops = {hit.token for hit in hits if hit.word in stop}
        for hit in hits:
            at = hit.following
            while at < len(tokens) and at in stops:
                at += 1
            if hit.word in {a for a, _ in specs} and at < len(tokens):
                heads.add(at)
    in_title, in_url = (set(twin.words(field.encode())[:64]) for field in (title, url))

    # What stands between the words, and the line each is in.
    line_of, inside, lines = [], [], [[0, 0]]  # [words, marks]
    linked = headed = False
    at = 0
    for n in range(len(tokens) + 1):
        start = tokens[n].start if n < len(tokens) else len(data)
        for character in data[at:start].decode("utf-8", "replace") if start > at else "":
            if character == "\n":
                lines.append([0, 0])
            linked = {"\x01": True, "\x02": False}.get(character, linked)
            headed = {"\x03": True, "\x04": False}.get(character, headed)
            lines[-1][1] += character in MARKS
        if n < len(tokens):
            at = max(at, start, tokens[n].end)
            lines[-1][0] += 1
            line_of.append(len(lines) - 1)
            inside.append((linked, headed))
    first_characters = [data[token.start :].decode("utf-8", "replace")[0] for token in tokens]

    width = min(k, len(tokens))
    hashes = [twin.hash_word(token.word.encode()) for token in tokens]
    places: dict[int, list[int]] = {}
    for i in range(len(tokens) - width + 1):
        key = WORDS
        for j in range(width):
            key = twin.combine(key, hashes[i + j])
        places.setdefault(twin.finish(key), []).append(i)
    found = []
    for key, here in sorted(places.items()):
        first, times = here[0], len(here)
        own = range(first, first + width)
        codes_of_words = sorted(words(twin.finish(twin.combine(WORDS, hashes[j]))) for j in own)
        several = k > 1
        found.append(
            (
                key,
                times,
                [
                    min(times, 255),
                    grams(key),
                    (2 * sum(codes_of_words) + width) // (2 * width) if several else 0,
                    codes_of_words[(width - 1) // 2] if several else 0,
                    queries(key),
                    level(first),
                    share(first, len(tokens)),
                    level(len(tokens)),
                    share(sum(capital(first_characters[i]) for i in here), times),
                    share(sum(tokens[j].word in in_title for j in own), width),
                    share(sum(tokens[j].word in in_url for j in own), width),
                    min(sum(i in heads for i in here), 255),
                    share(sum(i in heads for i in here), times),
                    share(sum(j in stops for j in own), width),
                    share(sum(inside[i][0] for i in here), times),
                    share(sum(inside[i][1] for i in here), times),
                    max(level(lines[line_of[i]][0]) for i in here),
                    max(share(min(lines[line_of[i]]), lines[line_of[i]][0]) for i in here),
                    language,
                ],
            )
        )
    return found
