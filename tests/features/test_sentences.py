"""Sentences as symbols."""

from __future__ import annotations

import pyarrow as pa
import pytest

from samecore.errors import SettingError
from samecore.features.sentences import Sentences, SentenceStrings
from samecore.features.spots import Profile, Spot, Spots
from samecore.features.strings import SpotStrings, WholeText


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("... !? \n\n", []),
        ("One two three. Four!", ["3:one:two:three", "1:four:four:four"]),
        ('He said "stop." Then left', ["3:he:said:stop", "2:then:left:left"]),
        ("Version 1.5 is out", ["5:version:1:out"]),
        ("A title\nA text", ["2:a:title:title", "2:a:text:text"]),
        ("天气好。走吧！", ["2:天气:气好:气好", "1:走吧:走吧:走吧"]),
    ],
)
def test_symbols(text: str, expected: list[str]) -> None:
    part = Sentences()
    assert part.symbols(text) == expected
    assert SentenceStrings(part)([text]).to_pylist() == ["\n".join(expected)]  # type: ignore[arg-type]
    assert [":".join(one.words) for one in part.occurrences(text)] == expected
    assert part([text]).totals().tolist() == [len(expected)]  # type: ignore[arg-type]


def test_positions_and_length_can_be_chosen() -> None:
    text = "a b c d e."
    assert Sentences(positions=(-2, 1), length=False).symbols(text) == [":d:b"]
    assert Sentences(positions=()).symbols(text) == ["5"]
    with pytest.raises(SettingError, match="positions"):
        Sentences(positions=(), length=False)
    with pytest.raises(SettingError, match="positions"):
        Sentences(positions=(True,))


def test_spans_cover_the_text() -> None:
    text = "First one. Second one!\nThird"
    assert [text[one.start : one.end].strip() for one in Sentences().occurrences(text)] == [
        "First one.",
        "Second one!",
        "Third",
    ]


def test_strings_of_spots_and_of_whole_texts() -> None:
    spots = tuple(Spot(word, (1,)) for word in ("the", "is"))
    part = SpotStrings(Spots((Profile("en", spots, frozenset({"the", "of", "is"})),)))
    texts = pa.array(["The core of the story is the same.", "Nothing  much", None], pa.large_string())
    assert part(texts).to_pylist() == ["the:core the:story is:same the:same", "nothing much", ""]
    assert WholeText()(texts).to_pylist() == ["the core of the story is the same", "nothing much", ""]
