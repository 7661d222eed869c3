"""Plain tricks of spammers, undone: what a reader takes for a word becomes that word.

    >>> undisguise("V i a g r a, Vi\\u200bagra, V\\u0456\\u0430gra and V\\u0336\\u0322\\u035ci\\u0336\\u0322\\u035cagra")
    'Viagra, Viagra, Viagra and Viagra'

- invisible characters inside a word are dropped (in Latin, Greek, Cyrillic, Armenian and Cherokee; elsewhere they have a use)
- three or more combining marks in a row are dropped
- five or more letters spaced out by the same blank, dot, hyphen, star or the like are joined, unless they
  run through the alphabet; two or three blanks between them end a word
- words that mix Latin with letters of other alphabets that look Latin become Latin, or Cyrillic where
  that alone is possible; a word in one alphabet is never touched
- runs of letters in filled circles and squares become letters

Fullwidth, mathematical and other compatibility letters need nothing here: every word is folded when it is
hashed (docs/tokens.md). Digits that stand for letters are left alone: `mp3` and `x86` are words.
"""

from __future__ import annotations

import re
from itertools import pairwise

import pyarrow as pa
import pyarrow.compute as pc

#: The fewest letters that count as spaced out: `a x e y` is Spanish, and `C M Y K` colours. With a dot or a
#: hyphen, which abbreviations have too, there must be more.
SPACED_LETTERS, DOTTED_LETTERS = 5, 6

_LATIN = "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f"
_OTHERS = "\u0370-\u03ff\u0400-\u052f\u0531-\u0586\u13a0-\u13f5"  # Greek, Cyrillic, Armenian, Cherokee
_LETTER = f"[{_LATIN}{_OTHERS}\uff21-\uff3a\uff41-\uff5a]"
_INVISIBLE = "\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
_BLANK = " \u00a0\u2000-\u200a\u202f"
_GAP = f"[{_BLANK}._*\u00b7\u2022~\\-]"
_FILLED = "[\U0001f150-\U0001f169\U0001f170-\U0001f189]"

# Letters by what they look like; a Latin letter stands before those of other alphabets.
_LOOKS = """
aа eе oоօο pр cсϲ xх yу iі jјϳ sѕ dԁ qԛզ wԝ hһհ lӏ kк nո uս gց vν
AАΑᎪ BВΒᏴ CСᏟ EЕΕᎬ FϜ GᏀ HНΗᎻ IІΙ JЈᎫ KКΚᏦ LᏞ MМΜᎷ NΝ OОΟՕ PРΡᏢ RᎡ SЅՏᏚ TТΤᎢ UՍ VᏙ WԜᎳ XХΧ YУΥ ZΖᏃ
"""
_TO_LATIN = {ord(c): look[0] for look in _LOOKS.split() for c in look[1:]}
# Greek letters that science writes beside Latin ones count only inside a word: TNFα and αSMA stay.
_GREEK = dict(zip(map(ord, "αεηικρτυχωγ"), "aenikptuxwy", strict=True))
_TO_CYRILLIC = {ord(look[0]): look[1] for look in _LOOKS.split() if look[1] in "аеорсхуікАВЕКМНОРСТХУІ"}

_HIDDEN = re.compile(f"(?<={_LETTER})[{_INVISIBLE}]+(?={_LETTER})")
_MARKS = re.compile("[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0]{3,}")
_SPACED = re.compile(
    rf"(?<![^\W_]){_LETTER}(?:(?P<gap>{_GAP}){_LETTER}(?![^\W_]))"
    rf"(?:(?:(?P=gap)|(?P=gap){{2,3}}){_LETTER}(?![^\W_]))+"
)
# From the beginning of a word only, or a long one is gone through once for each of its letters.
_MIXED = re.compile(f"(?<![^\\W_])[^\\W_]*(?:[{_LATIN}][{_OTHERS}]|[{_OTHERS}][{_LATIN}])[^\\W_]*")
_INSIDE = re.compile(f"(?<=[{_LATIN}])[αεηικρτυχωγ](?=[{_LATIN}])")
_CIRCLES = re.compile(f"{_FILLED}{{3,}}")

# What a text must have for any of these to change it, in the dialect of RE2: most texts pay for this alone.
_SUSPECT = "|".join(
    (
        f"{_LETTER}[{_INVISIBLE}]+{_LETTER}",
        _MARKS.pattern,
        rf"(?:^|[^\pL\pN]){_LETTER}{_GAP}{_LETTER}{_GAP}{{1,3}}{_LETTER}{_GAP}{{1,3}}{_LETTER}(?:[^\pL\pN]|$)",
        f"[{_LATIN}][{_OTHERS}]|[{_OTHERS}][{_LATIN}]",
        _CIRCLES.pattern,
    )
)


def undisguise(text: str) -> str:
    """The text with plain tricks undone. Doing it again changes nothing."""
    text = _CIRCLES.sub(_unfilled, _MARKS.sub("", text))
    text = _HIDDEN.sub("", text)
    text = _SPACED.sub(_joined, text)
    return _MIXED.sub(_one_alphabet, text)


def undisguise_texts(texts: pa.LargeStringArray) -> pa.LargeStringArray:
    """Every text with plain tricks undone; texts without any are not touched, nor copied if none has."""
    suspects = pc.fill_null(pc.match_substring_regex(texts, _SUSPECT), False)
    if not pc.any(suspects).as_py():
        return texts
    plain = pa.array([undisguise(text) for text in texts.filter(suspects).to_pylist()], pa.large_string())
    return pc.replace_with_mask(texts, suspects, plain)


def _unfilled(found: re.Match[str]) -> str:
    return "".join(chr(ord("A") + (ord(c) - 0x1F150) % 32) for c in found.group())


def _joined(found: re.Match[str]) -> str:
    run, gap = found.group(), found["gap"]
    words = [word.replace(gap, "") for word in re.split(f"{re.escape(gap)}{{2,3}}", run)]
    letters = "".join(words)
    fewest = DOTTED_LETTERS if gap in ".-" else SPACED_LETTERS
    steps = {ord(b) - ord(a) for a, b in pairwise(letters)}
    if len(letters) < fewest or steps <= {0, 1} or len(set(letters.casefold())) < 3:
        return run
    if any(_MIXED.search(_MIXED.sub(_one_alphabet, word)) for word in words):  # x и y are no word
        return run
    if letters[0].islower() and letters[1:2].isupper() and len(words[0]) > 1:  # a V i a g r a
        words[0] = f"{words[0][0]} {words[0][1:]}"
    joined = " ".join(words)
    # Single letters that stand apart by two blanks would be spaced out again.
    return joined if _SPACED.sub(_joined, joined) == joined else run


def _one_alphabet(found: re.Match[str]) -> str:
    word = found.group()
    others = re.findall(f"[{_OTHERS}]", word)
    inside = _INSIDE.search(word) is not None
    if all(ord(c) in _TO_LATIN or (inside and ord(c) in _GREEK) for c in others):
        latin = len(re.findall(f"[{_LATIN}]", word))
        if latin >= len(others) or not _all_cyrillic(word):
            return word.translate(_TO_LATIN | _GREEK if inside else _TO_LATIN)
    return word.translate(_TO_CYRILLIC) if _all_cyrillic(word) else word


def _all_cyrillic(word: str) -> bool:
    """Whether every letter is Cyrillic or looks it."""
    return all(ord(c) in _TO_CYRILLIC or "\u0400" <= c <= "\u052f" or not c.isalpha() for c in word)
