"""Punctuation spots: the paper's example, the twin, scripts without spaces, and settings that cannot work."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pytest
from conftest import same_unicode
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import punctuation as twin

from samecore.errors import SettingError
from samecore.features.punctuation import COMMAS, Punctuation, Signatures

#: Section 4.1 of the paper.
PAPER = (
    "Given a set of documents, there are four steps to conduct near-duplicate detection for web documents, "
    "preprocessing, signature extraction, compression, and comparison, which are described in detail as follows."
)

texts = st.text(st.sampled_from("ab ,，、1.中日ーไé\u0301\u00ad;"), max_size=60)


def signature(text: str, **settings: int) -> str:
    return str(Signatures(Punctuation(**settings))([text])[0].as_py())  # type: ignore[arg-type]


def test_the_example_of_the_paper() -> None:
    """ "The words before each comma" are six. The paper prints four of them, and leaves out the second "documents"
    and "compression", for which no rule can be read out of it."""
    assert signature(PAPER) == "documents documents preprocessing extraction compression comparison"
    printed = iter(signature(PAPER).split())
    assert all(word in printed for word in ["documents", "preprocessing", "extraction", "comparison"])


def test_the_signatures_of_the_paper() -> None:
    text = "one two three, four five six, seven eight nine, ten eleven twelve"
    assert signature(text) == "three six nine"
    assert signature(text, before=0, after=1) == "four seven ten"
    assert signature(text, before=1, after=1) == "three four six seven nine ten"
    assert signature(text, before=2, after=2, least=1).split()[:4] == ["two", "three", "four", "five"]
    assert signature(text, before=3, after=3, least=1).split()[:6] == [
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        (" ,,, ", ""),
        ("Two spots, no more, Here", "two spots no more here"),  # the whole text
        ("No marks at all", "no marks at all"),
        ("a, b, c", "a b c"),
        ("a,, b , , c, d", "a b c"),  # marks with no word between them are one spot
        ("1,000 men, 2,500 dogs, 3 cats, end", "men dogs cats"),  # a comma in a number is none
        ("ONE, Two, Straße, x", "one two strasse"),
        ("واحد، اثنان، ثلاثة، نهاية", "واحد اثنان ثلاثة"),
    ],
)
def test_what_a_signature_is(text: str, expected: str) -> None:
    assert signature(text) == expected


def test_scripts_without_spaces_give_characters() -> None:
    text = "今天天气很好我们去公园，很多人在那里，买12元的票，結束"
    assert signature(text, characters=2) == "公 园 那 里 的 票"
    assert signature(text, characters=4) == "们 去 公 园 人 在 那 里 12 元 的 票"
    assert signature("一，二、三，四", characters=1) == "一 二 三"


def test_other_marks() -> None:
    dots = Punctuation(marks=".")
    assert Signatures(dots)(["One here. Two there. Three 1.5 now. End"])[0].as_py() == "here there now"


@same_unicode
@settings(max_examples=300)
@given(
    st.lists(texts, max_size=5),
    st.sampled_from([(1, 0), (0, 1), (1, 1), (2, 2), (3, 3)]),
    st.sampled_from([0, 1, 3]),
    st.sampled_from([1, 2, 6]),
    st.sampled_from([COMMAS, ",;", "."]),
)
def test_the_fast_way_equals_the_twin(
    documents: list[str], words: tuple[int, int], least: int, characters: int, marks: str
) -> None:
    part = Punctuation(marks, *words, least=least, characters=characters)
    features, strings = part(documents, threads=2), Signatures(part)(documents, threads=2)
    for row, text in enumerate(documents):
        expected = twin.spots(text, marks=marks, before=words[0], after=words[1], characters=characters)
        occurrences = part.occurrences(text)
        own = features.row(row)
        assert dict(zip(features.keys[own].tolist(), features.counts[own].tolist(), strict=True)) == Counter(
            one.key for one in occurrences
        )
        if len(expected) >= least:
            data = text.encode()
            assert [(one.words, one.start, one.end) for one in occurrences] == [
                (one.words, len(data[: one.start].decode()), len(data[: one.end].decode()))
                for one in expected
            ]
            assert strings[row].as_py() == " ".join(word for one in expected for word in one.words)


def test_slices_and_missing_texts() -> None:
    array = pa.array(["left, out", "a, b, c, 1", None, "d, e, f"], pa.large_string())
    assert Signatures()(array[1:]).to_pylist() == ["a b c", "", "d e f"]
    assert len(Punctuation()(array[1:])) == 3
    assert Signatures()(["ends with 1,", "0 begins, so, what, now"]).to_pylist()[1] == "begins so what"


def test_keys_are_pinned() -> None:
    assert [one.key for one in Punctuation(least=1).occurrences("the core, and 中文字符，")] == PINNED


PINNED = [15206414142633015041, 9915297758604784215]


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"marks": ""}, "marks"),
        ({"marks": "a,"}, "marks"),
        ({"marks": ", "}, "marks"),
        ({"before": 0}, "before"),
        ({"before": -1}, "before"),
        ({"after": 100}, "after"),
        ({"least": True}, "least"),
        ({"characters": 0}, "characters"),
        ({"seed": -1}, "seed"),
    ],
)
def test_misuse_is_named(change: dict[str, object], name: str) -> None:
    with pytest.raises(SettingError, match=name):
        Punctuation(**change)  # type: ignore[arg-type]
