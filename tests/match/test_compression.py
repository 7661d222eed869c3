"""The compression matcher: all pairs against brute force, Algorithm 1 against its text, pruning with a compressor
that keeps the rules, candidates, and input that is bad."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from conftest import story
from hypothesis import given, settings
from hypothesis import strategies as st

import samecore
from samecore.errors import InputError, SettingError
from samecore.features.csr import none
from samecore.match import compression as kernel
from samecore.match.compressed import Compression
from samecore.match.exact import TooManyPairs
from samecore.match.parts import Job
from samecore.similarity.compression import COMPRESSORS, score, size

Row = tuple[int, int, float]


@pytest.fixture(scope="module", autouse=True)
def normal() -> Iterator[None]:
    """A compressor that keeps every rule of a normal one: the bytes as a set, C(xy) is the size of the union."""
    COMPRESSORS["normal"] = lambda: lambda data: len(set(data))
    yield
    del COMPRESSORS["normal"]


strings = st.lists(st.text(st.sampled_from("abcdefgh "), min_size=1, max_size=40), unique=True, max_size=12)
thresholds = st.sampled_from([0.05, 0.2, 0.25, 0.3, 0.5, 2 / 3, 0.75, 1.0])


def match(
    own: list[str], other: list[str] | None = None, *, threshold: float, threads: int = 2, **more: Any
) -> list[Row]:
    job = Job(
        none(len(own)),
        None if other is None else none(len(other)),
        threshold,
        threads=threads,
        strings=pa.array(own, pa.large_string()),
        other_strings=None if other is None else pa.array(other, pa.large_string()),
    )
    found = Compression(**more)(job)
    return list(zip(found.left.tolist(), found.right.tolist(), found.score.tolist(), strict=True))


def brute(own: list[str], other: list[str] | None = None, *, threshold: float, **more: Any) -> list[Row]:
    places = (
        combinations(range(len(own)), 2) if other is None else product(range(len(own)), range(len(other)))
    )
    right = own if other is None else other
    rows = [(a, b, score(own[a], right[b], **more)) for a, b in places]
    return [row for row in rows if row[2] >= threshold]


@settings(max_examples=150)
@given(
    strings, thresholds, st.sampled_from(["snappy", "lz4", "gzip", "normal"]), st.sampled_from(["off", "P1"])
)
def test_all_pairs_are_those_of_brute_force(
    own: list[str], threshold: float, name: str, pruning: str
) -> None:
    expected = brute(own, threshold=threshold, compressor=name)
    for threads in (1, 3):
        found = match(own, threshold=threshold, threads=threads, compressor=name, pruning=pruning)
        assert found == expected


@settings(max_examples=60)
@given(strings, strings, thresholds, st.booleans())
def test_two_collections_are_compared_across(
    left: list[str], right: list[str], threshold: float, greedy: bool
) -> None:
    expected = brute(left, right, threshold=threshold)
    assert match(left, right, threshold=threshold, greedy=greedy) == expected


@settings(max_examples=60)
@given(strings, thresholds)
def test_without_the_repair_the_formula_is_as_printed(own: list[str], threshold: float) -> None:
    expected = brute(own, threshold=threshold, monotone=False)
    assert match(own, threshold=threshold, monotone=False, pruning="off") == expected
    assert match(own, threshold=threshold, monotone=False, slack=1.0) == expected


@settings(max_examples=150)
@given(strings, thresholds, st.sampled_from(["P1", "P1+P2"]), st.sampled_from([1, 3, 99]))
def test_pruning_loses_nothing_with_a_normal_compressor(
    own: list[str], threshold: float, pruning: str, pivots: int
) -> None:
    expected = brute(own, threshold=threshold, compressor="normal", monotone=False)
    settings = {"compressor": "normal", "monotone": False, "pruning": pruning, "pivots": pivots}
    assert match(own, threshold=threshold, **settings) == expected


def algorithm_1(own: list[str], *, threshold: float, compressor: str) -> list[Row]:
    """As printed, with `k < m` repaired so that the last document is looked at."""
    key = {text: (size(text, compressor=compressor), len(text.encode()), text.encode()) for text in own}
    order = sorted(range(len(own)), key=lambda i: key[own[i]])
    checked: set[int] = set()
    pairs = []
    for place, head in enumerate(order):
        if head in checked:
            continue
        for partner in order[place + 1 :]:
            if partner in checked:
                continue
            value = score(own[head], own[partner], compressor=compressor)
            if value >= threshold:
                pairs.append((min(head, partner), max(head, partner), value))
                checked.add(partner)
    return sorted(pairs)


@settings(max_examples=100)
@given(
    strings,
    thresholds,
    st.sampled_from(["snappy", "normal"]),
    st.sampled_from([1, 2, 3]),
    st.sampled_from([1, 5, 4096]),
)
def test_greedy_is_algorithm_1(own: list[str], threshold: float, name: str, threads: int, block: int) -> None:
    before = kernel.GREEDY_PIECE
    kernel.GREEDY_PIECE = block
    try:
        found = match(own, threshold=threshold, threads=threads, compressor=name, greedy=True)
    finally:
        kernel.GREEDY_PIECE = before
    assert found == algorithm_1(own, threshold=threshold, compressor=name)


def test_greedy_compares_less_and_groups_the_same() -> None:
    own = [f"{story(seed)} {'x' * copy}" for seed in range(8) for copy in range(6)]
    greedy, every = match(own, threshold=0.4, greedy=True), match(own, threshold=0.4)
    assert {a // 6 == b // 6 for a, b, _ in every} == {True}
    assert len(greedy) == 8 * 5
    assert set(greedy) < set(every)


def test_p2_prunes_at_more_than_tau_only() -> None:
    """A bound of exactly the threshold's distance keeps the pair: with >= as printed a tie would be lost."""
    own = ["abcd", "abcdefgh", "abcdef"]
    for threshold in (0.5, 2 / 3, 0.75):
        plain = match(own, threshold=threshold, compressor="normal", pruning="off")
        assert match(own, threshold=threshold, compressor="normal", pruning="P1+P2", pivots=3) == plain


def test_candidates_are_verified_and_find_what_shares_words() -> None:
    own = [f"{story(seed)} tail{copy} of {copy}" for seed in range(12) for copy in range(3)]
    every = match(own, threshold=0.5)
    found = match(own, threshold=0.5, candidates=0.1)
    assert found == every
    assert len(found) == 12 * 3
    other = [text + " and more" for text in own]
    assert match(own, other, threshold=0.5, candidates=0.1) == match(own, other, threshold=0.5)


def test_a_run_that_would_never_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "MAX_COMPARISONS", 10)
    with pytest.raises(InputError, match="signcd-candidates"):
        match([story(seed) for seed in range(9)], threshold=0.1)


def test_the_limit_of_pairs_holds() -> None:
    job = Job(
        none(4),
        None,
        0.1,
        limit=2,
        strings=pa.array(["abcdefgh" * n for n in range(9, 13)], pa.large_string()),
    )
    with pytest.raises(TooManyPairs):
        Compression()(job)


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"compressor": "snapy"}, "did you mean 'snappy'"),
        ({"pruning": "P2"}, "pruning"),
        ({"slack": -0.1}, "slack"),
        ({"slack": True}, "slack"),
        ({"candidates": 2}, "candidates"),
        ({"candidates": 0.1, "greedy": True}, "candidates"),
        ({"candidates": 0.1, "pruning": "P1+P2"}, "pruning"),
        ({"pivots": 0}, "pivots"),
    ],
)
def test_misuse_is_named(change: dict[str, Any], name: str) -> None:
    with pytest.raises(SettingError, match=name):
        Compression(**change)


def test_strings_are_needed() -> None:
    with pytest.raises(SettingError, match="strings"):
        Compression()(Job(none(1), None, 0.5))


@pytest.mark.parametrize(
    "name", ["ncd", "signcd", "signcd-2016", "signcd-candidates", "spotsigncd", "sentence-blocks"]
)
def test_bad_input_is_counted_and_the_rest_is_found(name: str) -> None:
    text = ", ".join(story(1).split(". "))
    documents = [
        ("a", text),
        ("b", f"{text}, and some more"),
        ("empty", ""),
        ("dots", "... , , ,"),
        ("plain", "no marks here"),
        ("plain copy", "no marks here"),
        ("broken", "a \udc80 lone surrogate, one, two, three".encode("utf-8", "replace").decode()),
    ]
    result = samecore.find(documents, method=name, group="components", threshold=0.4)
    status = {row["id"]: row["status"] for row in result.groups.to_pylist()}
    assert (status["empty"], status["dots"]) == ("skipped:empty", "skipped:no-words")
    pairs = {frozenset((row["left"], row["right"])): row["score"] for row in result.pairs.to_pylist()}
    assert pairs[frozenset(("plain", "plain copy"))] == 1.0
    assert frozenset(("a", "b")) in pairs or name == "sentence-blocks"


def test_a_huge_text_is_no_trouble() -> None:
    """4 MB here, with and without marks; docs/compression.md tells of 100 MB."""
    words = "word and word again " * 200_000
    result = samecore.find(
        [("plain", words), ("marks", words.replace(" again", ", again")), ("small", "a, b, c, d")],
        method="signcd",
        group="components",
    )
    assert np.all(np.asarray(result.content) >= 0)


# -- explain ------------------------------------------------------------------------------


def test_explain_shows_signatures_sizes_and_the_bound() -> None:
    left = "A cat, a dog, a horse, a mouse and an elephant, all of them here"
    shown = samecore.compare(left, left.replace("horse", "zebra"), method="signcd")
    notes = "\n".join(shown.notes)
    assert "cat dog horse elephant" in notes
    assert "cat dog zebra elephant" in notes
    assert "by snappy" in notes
    assert "NCD = (" in notes
    assert "P1:" in notes
    assert shown.score == score("cat dog horse elephant", "cat dog zebra elephant")
    assert [item.signature for item in shown.shared] == ["cat", "dog", "elephant"]


def test_explain_below_the_floor_has_the_true_score() -> None:
    shown = samecore.compare("one, two, three, four", "alpha beta gamma, delta, epsilon, eta", method="ncd")
    assert shown.score == score("one two three four", "alpha beta gamma delta epsilon eta")
    assert "floor" not in "\n".join(shown.notes)


def test_explain_of_equal_strings_and_of_blocks() -> None:
    same = samecore.compare("a, b, c, d", "a, b, c, e", method="signcd")
    assert same.score == 1.0
    assert "equal" in same.notes[-1]
    text = "First of all. Then we went on. Then came the end."
    shown = samecore.compare(f"{text} One more thing.", text, method="sentence-blocks")
    assert any("block of 3" in note for note in shown.notes)
    assert shown.score == pytest.approx(11 / 14)
