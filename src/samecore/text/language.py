"""Antecedents and stop words per language, as shipped in `languages/*.txt`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from samecore.errors import unknown_name
from samecore.text.tokens import words

#: Languages with lists of their own, in the order in which ties between them are settled.
LANGUAGES = (
    *("en", "de", "fr", "es", "it", "pt", "nl", "ru", "zh", "ja"),
    *("ko", "pl", "uk", "cs", "ro", "hu", "sv", "da", "no", "fi", "el", "tr"),
    *("ar", "he", "fa", "hi", "vi", "id", "th", "lo", "km", "my"),
)


@dataclass(frozen=True)
class Language:
    """The words of one language that spot signatures need, normalised and case-folded.

    `antecedents` keeps the order of the file; every antecedent is also a stop word.
    """

    code: str
    antecedents: tuple[str, ...]
    stop_words: frozenset[str]


@cache
def language(code: str) -> Language:
    """The lists of one language, by its two-letter code."""
    if code not in LANGUAGES:
        raise unknown_name("language", code, [*LANGUAGES, "auto", "learn"])
    text = (files("samecore.text") / "languages" / f"{code}.txt").read_text("utf-8")
    sections = _sections(text)
    antecedents = tuple(dict.fromkeys(sections["antecedents"]))
    return Language(code, antecedents, frozenset(sections["stop"]) | frozenset(antecedents))


def _sections(text: str) -> dict[str, list[str]]:
    """The words under each heading, normalised like those of any text."""
    sections: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in text.splitlines():
        line = line.partition("#")[0].strip()
        if line.startswith("["):
            lines = sections.setdefault(line.strip("[]"), [])
        else:
            lines.append(line)
    found = words([" ".join(lines) for lines in sections.values()], cjk="words")
    return dict(zip(sections, found, strict=True))
