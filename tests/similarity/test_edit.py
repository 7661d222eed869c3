"""Edit distance: a table filled in cell by cell says the same, and the laws that costs leave standing."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samecore.errors import MissingExtra, SettingError
from samecore.similarity.edit import MAX_COST, Unit, distance, score, units, upper_bound
from samecore.text.tokens import words

texts = st.text(st.sampled_from("aB c,é中日\u00ad"), max_size=14) | st.text(max_size=8)
costs = st.fixed_dictionaries(
    {name: st.integers(0, 5) | st.just(MAX_COST) for name in ("insert", "delete", "substitute")}
)
kinds: st.SearchStrategy[Unit] = st.sampled_from(["characters", "words"])


def table(left: Any, right: Any, *, insert: int, delete: int, substitute: int) -> int:
    """The slow, obvious twin: cell i, j is the cost of turning the first i units into the first j."""
    cells = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for i in range(len(left) + 1):
        for j in range(len(right) + 1):
            ways = [] if i or j else [0]
            if i:
                ways.append(cells[i - 1][j] + delete)
            if j:
                ways.append(cells[i][j - 1] + insert)
            if i and j:
                ways.append(cells[i - 1][j - 1] + (0 if left[i - 1] == right[j - 1] else substitute))
            cells[i][j] = min(ways)
    return cells[-1][-1]


def normalised(text: str, unit: Unit) -> Any:
    clean = text.encode("utf-8", "replace").decode()
    if unit == "characters":
        return " ".join(words([clean], cjk="words")[0])
    return words([clean], cjk="characters")[0]


@settings(max_examples=400, deadline=None)
@given(texts, texts, costs, kinds)
def test_equal_to_the_table(left: str, right: str, cost: dict[str, int], unit: Unit) -> None:
    one, two = normalised(left, unit), normalised(right, unit)
    expected = table(one, two, **cost)
    assert distance(left, right, unit=unit, **cost) == expected
    most = table("a" * len(one), "b" * len(two), **cost)  # nothing in common
    assert score(left, right, unit=unit, **cost) == ((most - expected) / most if most else 1.0)


@settings(max_examples=300, deadline=None)
@given(texts, texts, costs, kinds, st.floats(0, 1))
def test_laws(left: str, right: str, cost: dict[str, int], unit: Unit, least: float) -> None:
    value = score(left, right, unit=unit, **cost)
    one, two = units(left, right, unit=unit)
    assert 0.0 <= value <= upper_bound(len(one), len(two), **cost) <= 1.0
    assert score(left, left, unit=unit, **cost) == 1.0
    turned = {"insert": cost["delete"], "delete": cost["insert"], "substitute": cost["substitute"]}
    assert value == score(right, left, unit=unit, **turned)
    assert score(left, right, unit=unit, min_score=least, **cost) == (value if value >= least else 0.0)
    assert score(left, right, unit=unit, min_score=value, **cost) == value
    assert score(left, right, unit=unit, min_score=float(np.nextafter(value, 2.0)), **cost) == 0.0


def test_known_values() -> None:
    assert distance("kitten", "sitting") == 3
    assert score("kitten", "sitting") == 4 / 7
    assert distance("kitten", "sitting", substitute=2) == 5
    assert score("one two three four five", "one two 3 four five", unit="words") == 0.8
    assert score("one two three four five", "one two 3 four five", unit="words", min_score=0.8) == 0.8
    assert score("one two three four five", "one two 3 four five", unit="words", min_score=0.81) == 0.0


def test_each_operation_has_its_own_cost_and_direction() -> None:
    cost = {"insert": 2, "delete": 5, "substitute": 3}
    assert distance("a b", "a b c", unit="words", **cost) == 2
    assert distance("a b c", "a b", unit="words", **cost) == 5
    assert distance("a b c", "a x c", unit="words", **cost) == 3
    assert distance("a b c", "a x c", unit="words", **{**cost, "substitute": 100}) == 7
    assert score("a b", "a b c", unit="words", **cost) != score("a b c", "a b", unit="words", **cost)


@pytest.mark.parametrize("unit", ["characters", "words"])
def test_case_spacing_and_punctuation_do_not_count(unit: Unit) -> None:
    assert distance("The  cat\nsat, STRASSE!", "the cat sat straße", unit=unit) == 0


def test_scripts_without_spaces_are_edited_by_character() -> None:
    assert distance("日本語", "日木語") == distance("日本語", "日木語", unit="words") == 1


def test_empty_texts() -> None:
    for unit in ("characters", "words"):
        assert score("", "", unit=unit) == score("...", " ", unit=unit) == 1.0  # type: ignore[arg-type]
        assert score("", "abc", unit=unit) == score("abc", "", unit=unit) == 0.0  # type: ignore[arg-type]
    assert distance("", "abc", insert=4) == 12
    assert distance("abc", "", delete=4) == 12
    assert score("", "abc", insert=0) == 1.0
    assert upper_bound(0, 0) == 1.0
    assert upper_bound(0, 3) == 0.0
    assert upper_bound(2, 4) == 0.5


def test_lone_surrogates_separate_words() -> None:
    assert distance("a\ud800b", "a b") == 0


@pytest.mark.parametrize("wrong", [-1, 1.5, True, MAX_COST + 1])
@pytest.mark.parametrize("name", ["insert", "delete", "substitute"])
def test_costs_are_checked(name: str, wrong: Any) -> None:
    for call in (lambda cost: score("a", "b", **cost), lambda cost: upper_bound(1, 1, **cost)):
        with pytest.raises(SettingError, match=name):
            call({name: wrong})


def test_units_are_checked() -> None:
    with pytest.raises(SettingError, match="did you mean 'words'"):
        score("a", "b", unit="word")  # type: ignore[arg-type]


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rapidfuzz.distance", None)
    with pytest.raises(MissingExtra, match=r"pip install 'samecore\[edit\]'"):
        score("a b", "a c")
