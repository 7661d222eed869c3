"""The tokeniser and its hash, slowly: the definition in Python's own Unicode."""

from __future__ import annotations

import codecs
import unicodedata
from dataclasses import dataclass
from functools import cache

A, B, C, D = 0x6A09E667F3BCC909, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B, 0xA54FF53A5F1D36F1
MASK = (1 << 64) - 1

IGNORABLE = {0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFEFF, 0xFFA0}.union(
    range(0x180B, 0x1810), range(0x200B, 0x2010), range(0x202A, 0x202F), range(0x2060, 0x2070),
    range(0xFE00, 0xFE10), range(0xFFF0, 0xFFF9), range(0x1BCA0, 0x1BCA4), range(0x1D173, 0x1D17B),
    range(0xE0000, 0xE1000),
)  # fmt: skip
# Optional signs of Hebrew and Arabic: every mark of theirs but the hamza and madda, and the tatweel.
IGNORABLE |= {0x640} | {
    code
    for code in range(0x590, 0x900)
    if unicodedata.category(chr(code)) == "Mn"
    and unicodedata.name(chr(code)).startswith(("HEBREW", "ARABIC"))
    and not 0x653 <= code <= 0x655
}
SAME = str.maketrans("کیى", "كيي")
UNSPACED = (
    "CJK UNIFIED IDEOGRAPH", "CJK COMPATIBILITY IDEOGRAPH", "IDEOGRAPHIC ITERATION MARK",
    "IDEOGRAPHIC NUMBER ZERO", "VERTICAL IDEOGRAPHIC ITERATION MARK", "HANGZHOU NUMERAL", "HIRAGANA",
    "HENTAIGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR",
)  # fmt: skip


def fold128(a: int, b: int) -> int:
    product = a * b
    return (product & MASK) ^ (product >> 64)


def hash_word(word: bytes, seed: int = 0) -> int:
    state, at = seed, 0

    def number(start: int) -> int:
        return int.from_bytes(word[start : start + 8], "little")

    while len(word) - at > 16:
        state = fold128(number(at) ^ A ^ state, number(at + 8) ^ B)
        at += 16
    product = (number(at) ^ A ^ state) * (number(at + 8) ^ B)
    return fold128((product & MASK) ^ C ^ len(word), (product >> 64) ^ D)


def combine(key: int, following: int) -> int:
    return fold128(key ^ A, following ^ B)


def finish(key: int) -> int:
    return fold128(key ^ C, D)


@cache
def folded(character: str) -> str:
    """NFKC_Casefold of one character."""
    text = unicodedata.normalize("NFD", character)
    while True:
        again = unicodedata.normalize("NFKC", text.casefold())
        again = "".join(c for c in again.translate(SAME) if ord(c) not in IGNORABLE)
        if again == text:
            return text
        text = again


@cache
def kind(character: str) -> str:
    """One of "word", "run" (a script without spaces), "mark" or "separator"."""
    category = unicodedata.category(character)[0]
    if category in "LN":
        return "run" if unicodedata.name(character, "").startswith(UNSPACED) else "word"
    return "mark" if category == "M" else "separator"


Char = tuple[str, int, int]  # a character and the bytes it came from


def characters(data: bytes) -> list[Char]:
    """Characters with their bytes; U+FFFD for whatever Python would replace by it."""
    bad: dict[int, int] = {}

    def note(error: UnicodeError) -> tuple[str, int]:
        assert isinstance(error, UnicodeDecodeError)
        bad[error.start] = error.end
        return "\ufffd", error.end

    codecs.register_error("samecore-twin", note)
    found: list[Char] = []
    at = 0
    for character in data.decode("utf-8", "samecore-twin"):
        end = bad[at] if at in bad else at + len(character.encode())
        found.append((character, at, end))
        at = end
    return found


def composed(run: list[Char]) -> list[Char]:
    """NFC, keeping track of bytes: a joined character covers those of its parts."""
    parts = [(c, start, end) for text, start, end in run for c in unicodedata.normalize("NFD", text)]
    i = 0
    while i < len(parts):
        j = i
        while j < len(parts) and unicodedata.combining(parts[j][0]):
            j += 1
        parts[i:j] = sorted(parts[i:j], key=lambda part: unicodedata.combining(part[0]))
        i = j + 1
    found: list[Char] = []
    starter: int | None = None
    for c, start, end in parts:
        own = unicodedata.combining(c)
        if starter is not None:
            last = unicodedata.combining(found[-1][0]) if len(found) > starter + 1 else -1
            joined = unicodedata.normalize("NFC", found[starter][0] + c)
            if len(joined) == 1 and last < own:
                _, first_start, first_end = found[starter]
                found[starter] = (joined, min(first_start, start), max(first_end, end))
                continue
        if own == 0:
            starter = len(found)
        found.append((c, start, end))
    assert "".join(c for c, _, _ in found) == unicodedata.normalize("NFC", "".join(c for c, _, _ in run))
    return found


@dataclass
class Token:
    word: str
    start: int
    end: int


@dataclass
class Run:
    """A run without spaces: its characters and the number of its first token."""

    characters: list[Char]
    first_token: int


def tokens_and_runs(data: bytes, cjk: str = "bigrams") -> tuple[list[Token], list[Run]]:
    pieces: list[tuple[str, list[Char]]] = []
    open_kind = ""
    for original, start, end in characters(data):
        for character in folded(original):
            own = kind(character)
            if own == "separator" or (own == "mark" and not open_kind):
                open_kind = ""
            elif own == "mark" or own == open_kind:
                pieces[-1][1].append((character, start, end))
            else:
                pieces.append((own, [(character, start, end)]))
                open_kind = own
    tokens: list[Token] = []
    runs: list[Run] = []
    for own, run in pieces:
        run = composed(run)
        if own == "run":
            runs.append(Run(run, len(tokens)))
        if own == "run" and cjk != "words":
            width = 1 if cjk == "characters" else min(2, len(run))
            groups = [run[i : i + width] for i in range(len(run) - width + 1)]
        else:
            groups = [run]
        for group in groups:
            word = "".join(c for c, _, _ in group)
            tokens.append(Token(word, min(s for _, s, _ in group), max(e for _, _, e in group)))
    return tokens, runs


def words(data: bytes, cjk: str = "bigrams") -> list[str]:
    return [token.word for token in tokens_and_runs(data, cjk)[0]]
