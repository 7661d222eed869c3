"""Write core/unicode_tables.inc from this Python's unicodedata.

    python3.11 core/tools/make_unicode.py > core/unicode_tables.inc

The tables are committed, never made at build time: word hashes must not depend on
the Python that happens to build the package. They hold, for every code point, what
NFKC_Casefold makes of it and whether the result belongs to a word, and the pairs
that canonical composition joins. Nothing else of Unicode is needed. Two things go beyond
NFKC_Casefold: vowel points and other signs that Hebrew and Arabic may be written with or
without are ignored, and letters that keyboards for Persian and Arabic encode differently are one.
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Iterator

VERSION = "14.0.0"
LAST = 0x10FFFF

# Default_Ignorable_Code_Point, which unicodedata does not know (Unicode 14.0.0).
IGNORABLE = [
    (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F),
    (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
]  # fmt: skip

# What Hebrew and Arabic may be written with or without: points, accents, vowel signs, the stretching of a line.
# The hamza (U+0653-0655) stays, because it also comes composed with its letter.
OPTIONAL = [
    (0x591, 0x5BD), (0x5BF, 0x5BF), (0x5C1, 0x5C2), (0x5C4, 0x5C5), (0x5C7, 0x5C7), (0x610, 0x61A), (0x640, 0x640),
    (0x64B, 0x652), (0x656, 0x65F), (0x670, 0x670), (0x6D6, 0x6DC), (0x6DF, 0x6E4), (0x6E7, 0x6E8), (0x6EA, 0x6ED),
    (0x898, 0x89F), (0x8CA, 0x8E1), (0x8E3, 0x8FF),
]  # fmt: skip

# Persian kaf and yeh, and the yeh without dots, as Arabic kaf and yeh.
SAME = {0x6A9: 0x643, 0x6CC: 0x64A, 0x649: 0x64A}

# Scripts written without spaces, told by the first words of the character's name.
UNSPACED = (
    "CJK UNIFIED IDEOGRAPH", "CJK COMPATIBILITY IDEOGRAPH", "IDEOGRAPHIC ITERATION MARK",
    "IDEOGRAPHIC NUMBER ZERO", "VERTICAL IDEOGRAPHIC ITERATION MARK", "HANGZHOU NUMERAL", "HIRAGANA",
    "HENTAIGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR",
)  # fmt: skip

SEPARATOR, WORD, MARK, UNSPACED_WORD, IGNORED, UNASSIGNED = range(6)


def ignorable(code: int) -> bool:
    return any(first <= code <= last for first, last in IGNORABLE + OPTIONAL)


def kind(code: int) -> int:
    """The role of a code point that is its own NFKC_Casefold."""
    if ignorable(code) or fold(code) == "":
        return IGNORED
    category = unicodedata.category(chr(code))
    if category == "Cn":
        return UNASSIGNED
    if category[0] in "LN":
        return UNSPACED_WORD if unicodedata.name(chr(code), "").startswith(UNSPACED) else WORD
    return MARK if category[0] == "M" else SEPARATOR


def fold(code: int) -> str:
    """NFKC_Casefold of one code point: fold and compose until nothing changes."""
    text = unicodedata.normalize("NFD", chr(code))
    while True:
        folded = unicodedata.normalize("NFKC", text.casefold())
        folded = "".join(c for c in folded.translate(SAME) if not ignorable(ord(c)))
        if folded == text:
            return unicodedata.normalize("NFKC", folded)
        text = folded


def runs(values: list[int]) -> Iterator[tuple[int, int]]:
    """(length, value) of each run of equal values."""
    start = 0
    for i in range(1, len(values) + 1):
        if i == len(values) or values[i] != values[start]:
            yield i - start, values[start]
            start = i


def emit(name: str, numbers: list[int], comment: str) -> None:
    print(f"// {comment}\nconstexpr std::uint32_t {name}[] = {{")
    line = ""
    for number in numbers:
        if len(line) + len(str(number)) > 118:
            print(line)
            line = ""
        line += f"{number},"
    print(f"{line}\n}};")


def main() -> None:
    if unicodedata.unidata_version != VERSION:
        sys.exit(f"expected Unicode {VERSION} (Python 3.11), found {unicodedata.unidata_version}")
    surrogate = range(0xD800, 0xE000)
    codes = [c for c in range(LAST + 1) if c not in surrogate]
    kinds = [SEPARATOR if c in surrogate else kind(c) for c in range(LAST + 1)]
    mappings: list[int] = []
    previous = 0
    for code in codes:
        target = fold(code)
        if kinds[code] != IGNORED and target != chr(code):
            mappings += [code - previous, len(target), *map(ord, target)]
            previous = code
    pairs: list[int] = []
    for code in codes:
        parts = unicodedata.decomposition(chr(code)).split()
        if len(parts) == 2 and not parts[0].startswith("<") and unicodedata.is_normalized("NFC", chr(code)):
            pairs += [code, int(parts[0], 16), int(parts[1], 16)]
    combining = [unicodedata.combining(chr(c)) for c in range(LAST + 1)]
    print(f"// Made by core/tools/make_unicode.py from Unicode {VERSION}; do not edit.")
    print(f'constexpr char unicode_tables_version[] = "{VERSION}";')
    emit("class_runs", [n for run in runs(kinds) for n in run], "(length, CharClass) from U+0000 on")
    emit("combining_runs", [n for run in runs(combining) for n in run],
         "(length, canonical combining class) from U+0000 on")  # fmt: skip
    emit("fold_stream", mappings, "NFKC_Casefold: (step from the previous code point, count, targets...)")
    emit("compose_triples", pairs, "(composed, first, second), ascending; Hangul is computed")


if __name__ == "__main__":
    main()
