from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import sketch as twin

from samecore.errors import SettingError
from samecore.features.csr import Features
from samecore.sketch import minhash
from samecore.sketch.supershingles import SuperShingles, common, estimate, sketch

rows = st.lists(st.integers(0, 9) | st.integers(0, 2**32 - 2), min_size=12, max_size=12)


@settings(max_examples=150, deadline=None)
@given(st.lists(rows | st.just([2**32 - 1] * 12), min_size=1, max_size=4), st.integers(0, 2**64 - 1))
def test_equals_twin(minima: list[list[int]], seed: int) -> None:
    matrix = np.array(minima, np.uint32)
    for count in (1, 3, 12):
        blocks = SuperShingles("blocks", slots=12, count=count, seed=seed).of_minima(matrix)
        assert blocks.tolist() == [twin.superblocks(row, count=count, seed=seed) for row in minima]
    for run in (1, 4, 12):
        ordered = SuperShingles("sorted", slots=12, run=run, seed=seed).of_minima(matrix)
        assert ordered.tolist() == [twin.supersorted(row, run=run, seed=seed) for row in minima]


@settings(max_examples=60, deadline=None)
@given(rows, rows, st.sampled_from(["blocks", "sorted"]))
def test_laws_of_the_estimate(left: list[int], right: list[int], form: Any) -> None:
    both = SuperShingles(form, slots=12, count=4, run=3).of_minima(np.array([left, right], np.uint32))
    assert estimate(both[0], both[1]) == estimate(both[1], both[0])
    assert estimate(both[0], both[1]) in (0.0, 1.0)
    assert estimate(both[0], both[0]) == 1.0
    if form == "blocks":
        equal = sum(left[i : i + 3] == right[i : i + 3] for i in range(0, 12, 3))
        assert common(both[0], both[1]) == equal


def test_from_texts() -> None:
    documents = [
        "one two three four five six seven",
        "One, two: three four five six seven.",
        "",
        "another text",
    ]
    for form in ("blocks", "sorted"):
        found = sketch(documents, form=form)  # type: ignore[arg-type]
        assert found.shape == (4, 6 if form == "blocks" else 71)
        assert np.array_equal(found, sketch(documents, form=form, threads=2))  # type: ignore[arg-type]
        assert np.array_equal(found[:1], sketch(documents[:1], form=form))  # type: ignore[arg-type]
        minima = minhash.sketch(documents, slots=84)
        assert np.array_equal(found, SuperShingles(form).of_minima(minima))  # type: ignore[arg-type]
        assert estimate(found[0], found[1]) == 1.0
        assert estimate(found[0], found[3]) == 0.0
        assert estimate(found[2], found[2]) == 0.0, "an empty document equals nothing"


def test_order_of_minima() -> None:
    """Blocks keep the place of each minimum; the sorted form does not know it."""
    minima = np.arange(12, dtype=np.uint32).reshape(1, 12)
    turned = minima[:, ::-1]
    ordered, blocks = SuperShingles("sorted", slots=12, run=4), SuperShingles("blocks", slots=12, count=3)
    assert np.array_equal(ordered.of_minima(minima), ordered.of_minima(turned))
    assert common(blocks.of_minima(minima)[0], blocks.of_minima(turned)[0]) == 0


def test_one_changed_minimum_spoils_one_block() -> None:
    minima = np.arange(84, dtype=np.uint32).reshape(1, 84)
    changed = minima.copy()
    changed[0, 20] += 1000
    part = SuperShingles()
    left, right = part.of_minima(minima)[0], part.of_minima(changed)[0]
    assert common(left, right) == 5
    assert estimate(left, right, required=5) == 1.0
    assert estimate(left, right, required=6) == 0.0


def test_matches_as_often_as_theory_says() -> None:
    """At least one of 6 blocks of 14 agrees with probability 1 - (1 - J^14)^6."""
    pairs, size, shared = 2000, 200, 180
    chosen = np.random.default_rng(4)
    keys = []
    for _ in range(pairs):
        union = chosen.integers(0, 2**64, 2 * size - shared, dtype=np.uint64)
        keys += [np.sort(union[:size]), np.sort(union[size - shared :])]
    offsets = np.arange(0, (2 * pairs + 1) * size, size, dtype=np.int64)
    found = sketch(Features(offsets, np.concatenate(keys), np.ones(2 * pairs * size, np.uint32)))
    share = np.mean([estimate(found[2 * i], found[2 * i + 1]) for i in range(pairs)])
    expected = 1 - (1 - (shared / (2 * size - shared)) ** 14) ** 6
    assert share == pytest.approx(expected, abs=4 * (expected * (1 - expected) / pairs) ** 0.5)


def test_golden_bytes() -> None:
    assert sketch(["the same core in another frame"], slots=4, count=2).tolist() == [
        [0xC9393EE81E22270F, 0xA95AFDDFFFC4B51E]
    ]
    assert sketch(["the same core in another frame"], form="sorted", slots=3, run=2).tolist() == [
        [0xC9393EE81E22270F, 0xF36B2587CBF5F018]
    ]


@pytest.mark.parametrize(
    "wrong",
    [{"form": "x"}, {"slots": 0}, {"count": 5}, {"form": "sorted", "run": 85}, {"count": 0}, {"seed": -1}],
)
def test_wrong_settings(wrong: dict[str, Any]) -> None:
    with pytest.raises(SettingError, match="expected"):
        SuperShingles(**wrong)
    with pytest.raises(SettingError, match="84 slots"):
        SuperShingles().of_minima(np.zeros((1, 12), np.uint32))
