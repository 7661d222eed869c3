"""The matcher by edit distance: the same pairs as scoring every pair, ties included, whatever the costs."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import samecore
from samecore.errors import SettingError
from samecore.features.csr import none
from samecore.match.edits import Edit, _Texts
from samecore.match.exact import TooManyPairs
from samecore.match.parts import Job
from samecore.similarity.edit import Unit, operations, score, scores
from samecore.text.strings import NormalisedText
from samecore.text.tokens import words

letters = st.text(st.sampled_from("ab c"), min_size=1, max_size=12).map(lambda text: " ".join(text.split()))
strings = st.lists(letters.filter(bool), max_size=9, unique=True)
costs = st.fixed_dictionaries({name: st.integers(1, 4) for name in ("insert", "delete", "substitute")})
units: st.SearchStrategy[Unit] = st.sampled_from(["characters", "words"])
thresholds = st.sampled_from([0.05, 0.2, 0.25, 1 / 3, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0])


def match(
    part: Edit, left: list[str], right: list[str] | None, threshold: float, **more: Any
) -> dict[Any, float]:
    one = pa.array(left, pa.large_string())
    two = None if right is None else pa.array(right, pa.large_string())
    other = None if right is None else none(len(right))
    found = part(Job(none(len(left)), other, threshold, strings=one, other_strings=two, **more))
    pairs = list(zip(found.left.tolist(), found.right.tolist(), strict=True))
    assert pairs == sorted(pairs)
    return dict(zip(pairs, found.score.tolist(), strict=True))


def brute(part: Edit, left: list[str], right: list[str] | None, threshold: float) -> dict[Any, float]:
    cost = {"insert": part.insert, "delete": part.delete, "substitute": part.substitute, "unit": part.unit}
    every = {
        (i, j): score(one, two, **cost)  # type: ignore[arg-type]
        for i, one in enumerate(left)
        for j, two in enumerate(left if right is None else right)
        if right is not None or i < j
    }
    return {pair: value for pair, value in every.items() if value >= threshold}


@settings(max_examples=500)
@given(strings, st.none() | strings, costs, units, thresholds)
def test_equal_to_scoring_every_pair(
    left: list[str], right: list[str] | None, cost: dict[str, int], unit: Unit, threshold: float
) -> None:
    part = Edit(unit=unit, **cost)
    assert match(part, left, right, threshold) == brute(part, left, right, threshold)


@settings(max_examples=100)
@given(st.text("abcd", min_size=20, max_size=40), st.randoms(use_true_random=False), thresholds, units, costs)
def test_equal_for_texts_that_are_near_each_other(
    text: str, chance: Any, threshold: float, unit: Unit, cost: dict[str, int]
) -> None:
    """Few edits in long texts, so that runs of characters decide at high thresholds."""
    made = [text]
    for _ in range(8):
        one = list(chance.choice(made))
        for _ in range(chance.randint(1, 4)):
            at = chance.randrange(len(one))
            one[at : at + chance.randint(0, 1)] = chance.choice(["", "x", "a", "bb"])
        made.append("".join(one) or "x")
    apart = list(dict.fromkeys(" ".join(one) if unit == "words" else one for one in made))
    part = Edit(unit=unit, **cost)
    assert match(part, apart, None, threshold) == brute(part, apart, None, threshold)


def test_a_pair_exactly_at_the_threshold_is_found() -> None:
    for count in range(2, 60):
        text = [f"w{n}" for n in range(count)]
        other = ["changed", *text[1:]]
        value = float(Fraction(count - 1, count))
        pair = [" ".join(text), " ".join(other)]
        assert match(Edit(), pair, None, value) == {(0, 1): value}
        assert match(Edit(), pair, None, min(1.0, value + 1e-9)) == {}


def test_direction() -> None:
    """The earlier text is turned into the later one, the first collection into the second."""
    longer = Edit(insert=1, delete=3, substitute=2)
    texts = ["a b c d", "a b c d e"]
    assert match(longer, texts, None, 0.1) == {(0, 1): 1 - 1 / 9}
    assert match(longer, texts[::-1], None, 0.1) == {(0, 1): 1 - 3 / 11}
    assert match(longer, texts[1:], texts[:1], 0.1) == {(0, 0): 1 - 3 / 11}


def test_more_words_than_there_are_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["a b c d e f", "a b c d e g", "h i j k l m", "a b c"]
    expected = match(Edit(), texts, None, 0.3)
    monkeypatch.setattr("samecore.match.edits._CHARACTERS", 5)
    assert match(Edit(), texts, None, 0.3) == expected != {}


def test_many_words_skip_the_surrogates() -> None:
    numbers = [f"n{n}" for n in range(0xE000)]
    texts = [" ".join(numbers), " ".join([*numbers[1:], "new"])]
    assert match(Edit(), texts, None, 0.99) == {(0, 1): 1 - 2 / 0xE000}


@given(strings, st.integers(1, 5))
def test_runs_are_counted_with_the_ends(texts: list[str], length: int) -> None:
    found = _Texts.of(pa.array([*texts, ""], pa.large_string()), "characters").runs(length)
    for row, text in enumerate([*texts, ""]):
        padded = ["", *("\0" * (length - 1)), *text, *("\0" * (length - 1))][1:]
        runs = [tuple(padded[i : i + length]) for i in range(len(padded) - length + 1)] if text else []
        counts = found.counts[found.row(row)]
        assert sorted(counts.tolist()) == sorted(runs.count(run) for run in set(runs))
        keys = found.keys[found.row(row)].tolist()
        assert keys == sorted(set(keys))


def test_a_limit_stops_the_run() -> None:
    texts = [f"{n} " + "a b c d e f" for n in range(30)]
    with pytest.raises(TooManyPairs):
        match(Edit(), texts, None, 0.5, limit=10)


def test_batches_score_as_one_by_one() -> None:
    texts = ["", "a", "a b", "b a c d", "x y z", "a b c d e f g h"]
    pairs = [(one, two) for one in texts for two in texts]
    for cost in ({}, {"insert": 2, "delete": 1, "substitute": 3}, {"substitute": 0}, {"insert": 0}):
        for least in (0.0, 0.25, 0.5, 1.0):
            batch = scores([one for one, _ in pairs], [two for _, two in pairs], min_score=least, **cost)
            assert batch.tolist() == [score(one, two, min_score=least, **cost) for one, two in pairs]
    assert len(scores([], [])) == 0


def test_operations_are_told_where_the_costs_allow() -> None:
    assert operations("abcd", "axcde") == "1 substituted, 1 inserted"
    assert operations("abcd", "axcde", insert=1, delete=1, substitute=2) == "2 inserted, 1 deleted"
    assert operations("abcd", "abcd") == "no change"
    assert operations("abcd", "axcde", insert=1, delete=2, substitute=2) == ""


def test_evidence_and_score_of_two_strings() -> None:
    part = Edit()
    assert part.score_strings("a b c d", "a x c d e") == 0.6
    assert part.evidence("a b c d", "a x c d e") == (
        "edit distance 2 of at most 5 (words): 1 substituted, 1 inserted",
    )
    costed = replace(part, delete=2, substitute=2)
    assert costed.evidence("a b c d", "a x c d e") == ("edit distance 3 of at most 9 (words)",)


def test_as_a_recipe() -> None:
    texts = [
        "One two three four, five.",
        "one TWO three four six",
        "one two three four five",
        "",
        "日本語",
        "日木語",
    ]
    result = samecore.find(texts, method=samecore.method("edit", threshold=0.6))
    pairs = {(row["left"], row["right"]): row["score"] for row in result.pairs.to_pylist()}
    assert pairs == {("0", "1"): 0.8, ("0", "2"): 1.0, ("1", "2"): 0.8, ("4", "5"): 2 / 3}
    by_character = samecore.find(
        ["kitten", "sitting"], method=samecore.method("edit", unit="characters", threshold=0.5)
    )
    assert by_character.pairs["score"].to_pylist() == [4 / 7]


@given(st.lists(st.text(st.sampled_from("aB c,é中日\u00ad"), max_size=14), max_size=4))
def test_normalised_texts_are_the_words(texts: list[str]) -> None:
    for cjk in ("words", "characters"):
        made = NormalisedText(cjk)(pa.array(texts, pa.large_string())).to_pylist()  # type: ignore[arg-type]
        assert made == [" ".join(found) for found in words(texts, cjk=cjk)]  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [{"insert": 0}, {"delete": -1}, {"substitute": 1.5}, {"unit": "word"}])
def test_settings_are_checked(wrong: dict[str, Any]) -> None:
    with pytest.raises(SettingError, match=next(iter(wrong))):
        Edit(**wrong)
    with pytest.raises(SettingError, match="cjk"):
        NormalisedText("bigrams")  # type: ignore[arg-type]
    with pytest.raises(SettingError, match="strings"):
        Edit()(Job(none(1), None, 0.5))
