"""The shipped lists: well-formed, and enough to tell the languages apart."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest

import samecore
from samecore.errors import SettingError
from samecore.features.spots import Spots
from samecore.text.language import LANGUAGES, language
from samecore.text.tokens import words

SAMPLES: dict[str, list[str]] = json.loads(
    (Path(__file__).parent / "fixtures" / "languages.json").read_text("utf-8")
)


@pytest.mark.parametrize("code", LANGUAGES)
def test_lists_are_normalised_and_antecedents_are_stop_words(code: str) -> None:
    found = language(code)
    assert len(found.antecedents) >= 10
    assert set(found.antecedents) <= found.stop_words
    for word in found.stop_words:
        assert word == unicodedata.normalize("NFKC", word).casefold()
        assert words([word], cjk="words") == [[word]]


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_right_language_is_guessed_and_has_spots(code: str) -> None:
    spots = samecore.method("spotsigs").features
    assert isinstance(spots, Spots)
    assert len(SAMPLES[code]) >= 2
    for text in SAMPLES[code]:
        assert spots.language(text) == code
        assert len(spots.occurrences(text)) >= 5


def test_an_unknown_language_is_named() -> None:
    with pytest.raises(SettingError, match="language"):
        language("xx")
