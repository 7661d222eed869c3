"""From documents to a result: the promises that hold for every run."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from conftest import NEWS, NEWS_LABELS, story
from hypothesis import given, settings
from hypothesis import strategies as st

import samecore
from samecore.errors import InputError, SettingError
from samecore.features.shingles import Shingles
from samecore.lab.evaluate import evaluate, read_labels
from samecore.match.matches import Matches
from samecore.match.parts import Job
from samecore.weights.parts import IdfRange, IdfWeights


def corpus() -> list[tuple[str, str]]:
    """Two stories with variants, a copy, a loner, a very short text and one without words."""
    one, two = story(1), story(2)
    return [
        ("one", one),
        ("two", two),
        ("one-longer", one + " " + story(3, sentences=3)),
        ("two-cut", two[: len(two) * 2 // 3]),
        ("one-copy", one),
        ("loner", story(4)),
        ("short", "Nothing much."),
        ("short-copy", "Nothing   much!"),
        ("no-words", "... --- ..."),
    ]


@dataclass(frozen=True)
class SameLength:
    """A matcher of strings: 1 if they are as long as each other."""

    name: ClassVar[str] = "same-length"
    measure: ClassVar[str] = "length"
    approximate: ClassVar[bool] = False
    all_pairs: ClassVar[bool] = True
    needs_strings: ClassVar[bool] = True

    def __call__(self, job: Job) -> Matches:
        own = job.strings.to_pylist()
        other = own if job.other_strings is None else job.other_strings.to_pylist()
        assert len(own) == len(job.features)
        assert len(set(own)) == len(own), "equal strings are one content"
        found = [
            (i, j)
            for i, one in enumerate(own)
            for j, two in enumerate(other)
            if len(one) == len(two) and (job.other is not None or i < j)
        ]
        left, right = np.array(found, np.uint32).reshape(-1, 2).T
        return Matches(left, right, np.ones(len(found)))


def upper(texts: pa.LargeStringArray, *, threads: int = 1) -> pa.LargeStringArray:
    return pc.utf8_upper(texts)


def test_a_matcher_of_strings_is_given_the_strings_of_distinct_contents() -> None:
    method = samecore.Method("length", Shingles(width=1), strings=upper, match=SameLength())
    texts = [("a", "one two"), ("b", "... "), ("c", "ONE TWO"), ("d", "two one"), ("e", "three")]
    pairs = samecore.find(texts, method=method).pairs.to_pylist()
    assert [(row["left"], row["right"]) for row in pairs] == [("a", "c"), ("a", "d"), ("c", "d")]
    across = samecore.find(texts[:2], against=texts[2:], method=method).pairs.to_pylist()
    assert [(row["left"], row["right"]) for row in across] == [("a", "c"), ("a", "d")]


def by_id(result: samecore.Result) -> dict[str, dict[str, object]]:
    return {row["id"]: row for row in result.groups.to_pylist()}


def test_groups_pairs_and_ledger_agree() -> None:
    result = samecore.find(corpus(), threshold=0.4)
    groups = by_id(result)
    assert groups["one"]["group"] == groups["one-longer"]["group"] == groups["one-copy"]["group"]
    assert groups["two"]["group"] == groups["two-cut"]["group"] != groups["one"]["group"]
    assert groups["short"]["group"] == groups["short-copy"]["group"]
    assert groups["short"]["status"] == "fallback"
    assert groups["no-words"] == {
        "id": "no-words", "group": None, "representative": None, "score": None, "status": "skipped:no-words",
    }  # fmt: skip
    assert groups["loner"]["representative"] == "loner"
    assert [row["id"] for row in result.groups.to_pylist()] == [id for id, _ in corpus()]

    pairs = {(row["left"], row["right"]): row["score"] for row in result.pairs.to_pylist()}
    assert pairs["one", "one-copy"] == 1.0
    assert result.pair_count == len(pairs) == result.pairs.num_rows

    ledger = {row["id"]: row for row in result.ledger.to_pylist()}
    assert ledger["one-copy"]["reason"] == "same-features"
    assert ledger["one-longer"]["partner"] == "one"
    assert ledger["one-longer"]["score"] == pairs["one", "one-longer"]
    assert ledger["no-words"]["reason"] == "skipped:no-words"
    assert "loner" not in ledger
    assert result.groups.column_names == ["id", "group", "representative", "score", "status"]
    assert result.ledger.column_names == ["id", "partner", "score", "method", "reason"]
    assert result.pairs.column_names == ["left", "right", "score"]


@pytest.mark.parametrize("method", samecore.METHODS)
@pytest.mark.parametrize("group", ["average", "complete", "components", "leader"])
def test_every_match_has_a_partner_and_a_verified_score(method: str, group: str) -> None:
    if group != "components" and not samecore.method(method).match.all_pairs:
        with pytest.raises(SettingError, match="components"):
            samecore.find(corpus(), method=method, group=group)
        return
    result = samecore.find(corpus(), method=method, group=group, threshold=0.3)
    match = result.settings.method.match
    if match.measure == "jaccard":
        brute = samecore.find(corpus(), method=method, group=group, threshold=0.3, match="brute")
        if match.approximate:  # verified scores, but pairs may be missed
            every = {tuple(row.values()) for row in brute.pairs.to_pylist()}
            assert {tuple(row.values()) for row in result.pairs.to_pylist()} <= every
        else:
            assert result.pairs.equals(brute.pairs)
            assert result.groups.equals(brute.groups)
    pairs = {frozenset((row["left"], row["right"])): row["score"] for row in result.pairs.to_pylist()}
    for row in result.ledger.to_pylist():
        if row["partner"] is not None:
            assert row["score"] == pairs[frozenset((row["id"], row["partner"]))] >= 0.3


def test_threads_and_seeds_do_not_change_the_answer() -> None:
    first = samecore.find(NEWS, threads=1)
    assert samecore.find(NEWS, threads=3).groups.equals(first.groups)
    assert samecore.find(NEWS, seed=7).pairs.equals(first.pairs)


@pytest.mark.parametrize("threshold", [0.14, 0.2, 0.35, 0.5, 1.0])
def test_moving_the_threshold_equals_running_again(threshold: float) -> None:
    low = samecore.find(NEWS, threshold=0.14, floor=0.07)
    again = samecore.find(NEWS, threshold=threshold, floor=0.07)
    assert low.at(threshold).groups.equals(again.groups)
    assert low.at(threshold).pairs.equals(again.pairs)
    assert low.at(threshold, group="leader").groups.equals(again.at(threshold, group="leader").groups)


def test_a_threshold_below_the_floor_is_refused() -> None:
    with pytest.raises(SettingError, match="floor"):
        samecore.find(corpus(), threshold=0.5).at(0.1)


def test_against_finds_only_pairs_across() -> None:
    documents = dict(corpus())
    new = [
        ("new-one", documents["one"] + " The end is near."),
        ("new-loner", story(9)),
        ("new-copy", documents["two"]),
    ]
    result = samecore.find(new, against=corpus(), threshold=0.3)
    assert {(row["left"], row["right"]) for row in result.pairs.to_pylist()} == {
        ("new-one", "one"), ("new-one", "one-copy"), ("new-one", "one-longer"), ("new-copy", "two"), ("new-copy", "two-cut"),
    }  # fmt: skip
    groups = by_id(result)
    assert groups["new-copy"]["representative"] == "two"
    assert groups["new-copy"]["score"] == 1.0
    assert groups["new-loner"]["representative"] == "new-loner"
    assert groups["two-cut"]["representative"] == "two-cut"
    assert result.explain("new-one", "one").score == pytest.approx(groups["new-one"]["score"])


def test_leader_keeps_what_the_policy_prefers() -> None:
    result = samecore.dedupe(corpus(), keep="longest")
    kept = {id for id, stays in zip(result.ids.to_pylist(), result.kept, strict=True) if stays}
    assert {"one-longer", "two", "loner"} <= kept
    assert not {"one", "one-copy", "two-cut"} & kept


def test_the_idf_range_is_off_for_a_handful_and_says_so() -> None:
    method = replace(samecore.method("spotsigs"), weights=(IdfRange(0.2, 0.85),))
    result = samecore.find(corpus(), method=method, threshold=0.3)
    assert any("idf range is off" in note for note in result.settings.notes)
    assert by_id(result)["one"]["group"] == by_id(result)["one-longer"]["group"]


def test_a_document_the_idf_range_would_empty_keeps_its_features() -> None:
    texts = [(f"t{n}", story(1)) for n in range(30)]
    method = replace(samecore.method("spotsigs"), weights=(IdfRange(0.2, 1.0),))
    result = samecore.find(texts, method=method)
    assert len(set(result.groups["group"].to_pylist())) == 1
    assert any("spares them" in note for note in result.settings.notes)


def test_idf_weights_are_exact_and_explained(tmp_path: Path) -> None:
    method = replace(samecore.method("spotsigs"), weights=(IdfWeights(),))
    result = samecore.find(NEWS, method=method)
    assert result.pairs.equals(samecore.find(NEWS, method=method, match="brute").pairs)
    row = next(row for row in result.pairs.to_pylist() if row["score"] < 0.9)
    assert result.explain(row["left"], row["right"]).score == row["score"]
    result.write(tmp_path / "r")
    loaded = samecore.load(tmp_path / "r")
    assert (
        loaded.explain(row["left"], row["right"]).to_dict()
        == result.explain(row["left"], row["right"]).to_dict()
    )


def test_antecedents_can_be_chosen_from_any_language() -> None:
    # An invented language: "ka" and "lo" are everywhere, the rest is content.
    chance = np.random.default_rng(5)

    def text(seed: int) -> str:
        words = [f"w{seed}q{n}" for n in chance.permutation(60)]
        return " ".join(f"ka {a} lo {b}" for a, b in zip(words[::2], words[1::2], strict=True))

    texts = [text(n) for n in range(12)]
    texts.append(texts[0] + " ka extra lo words")
    result = samecore.find(texts, method=samecore.method("spotsigs", languages="learn"), threshold=0.5)
    assert [(row["left"], row["right"]) for row in result.pairs.to_pylist()] == [("0", "12")]
    fitted = result.settings.method.features.profiles[0]
    assert {spot.antecedent for spot in fitted.spots[:2]} == {"ka", "lo"}


def test_the_example_pages_are_grouped_well() -> None:
    figures = evaluate(samecore.find(NEWS), read_labels(NEWS_LABELS))
    assert figures.groups.f1 >= 0.85
    assert figures.bcubed is not None
    assert figures.bcubed.f1 >= 0.91
    assert figures.unknown == 0


def test_chaining_is_flagged() -> None:
    # Two clubs of five pages that share one page's text in the middle.
    left, right = story(1), story(2)
    texts = [f"{left} {story(100 + n, sentences=2)}" for n in range(5)] + [
        f"{right} {story(200 + n, sentences=2)}" for n in range(5)
    ]
    texts.append(left + " " + right)
    result = samecore.find(texts, group="components", threshold=0.3)
    assert result.reviews["flags"].to_pylist() == ["weak-joint"]
    assert any("deserve a look" in line for line in result.summary())


def test_a_forest_has_the_components_of_all_pairs() -> None:
    for threshold in (0.14, 0.3, 0.5):
        every = samecore.find(NEWS, threshold=0.14, group="components").at(threshold)
        forest = samecore.find(NEWS, threshold=0.14, group="components", match="exact-forest").at(threshold)
        assert every.groups["group"].equals(forest.groups["group"])
        assert len(forest.found) <= len(every.found)


def test_a_forest_refuses_linkage() -> None:
    with pytest.raises(SettingError, match="components"):
        samecore.find(corpus(), match="exact-forest", group="average")
    assert samecore.find(corpus(), match="exact-forest").settings.group == "components"


def test_a_million_copies_cost_one_content() -> None:
    texts = pa.table({"text": pa.array([story(1)] * 200_000 + [story(2)])})
    result = samecore.find(texts)
    assert result.counts()["contents"] == 2
    assert result.pair_count == 200_000 * 199_999 // 2
    with pytest.raises(SettingError, match="iter_pairs"):
        _ = result.pairs
    assert next(result.iter_pairs()).num_rows > 0
    assert result.groups.num_rows == 200_001


@pytest.mark.parametrize("bad", [0, -0.1, 1.01, float("nan"), float("inf"), "much"])
def test_bad_thresholds_are_refused(bad: object) -> None:
    with pytest.raises(SettingError, match="threshold"):
        samecore.find(corpus(), threshold=bad)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "spotsgs"}, "did you mean 'spotsigs'"),
        ({"group": "averge"}, "did you mean 'average'"),
        ({"match": "exct"}, "did you mean 'exact'"),
        ({"keep": "longst"}, "did you mean 'longest'"),
        ({"method": "tfidf-cosine", "match": "brute"}, "a matcher for cosine"),
        ({"floor": 0.9, "threshold": 0.5}, "at most the threshold"),
    ],
)
def test_wrong_settings_name_the_nearest(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        samecore.find(corpus(), **arguments)  # type: ignore[arg-type]


def test_no_documents_at_all() -> None:
    result = samecore.find([])
    assert len(result) == 0
    assert (
        result.pairs.num_rows
        == result.groups.num_rows
        == result.ledger.num_rows
        == result.reviews.num_rows
        == 0
    )
    assert result.counts()["groups"] == 0


def test_compare_shows_the_evidence() -> None:
    text = story(1)
    found = samecore.compare("Menu. " + text, text + " " + story(2, sentences=2))
    assert 0.5 < found.score < 1
    assert found.left.passages
    for start, end in found.left.passages:
        assert found.left.text[start:end] in text
    assert "signatures shared" in str(found)
    assert "<mark>" in found.html()
    assert samecore.compare(text, text).score == 1.0
    assert samecore.compare(text, story(2)).score == 0.0
    assert samecore.compare(b"<p>" + text.encode(), b"<div>" + text.encode()).score == 1.0


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [story(1), story(2), story(1) + " " + story(2), story(1, sentences=6), "", "?", "short text"]
        ),
        max_size=9,
    )
)
def test_every_document_appears_once_whatever_happens(texts: list[str]) -> None:
    result = samecore.find(texts, threshold=0.3)
    assert sorted(result.groups["id"].to_pylist()) == sorted(str(n) for n in range(len(texts)))
    counts = result.counts()
    assert counts["documents"] == len(texts)
    assert counts["kept"] + len([row for row in result.ledger.to_pylist() if row["partner"]]) + counts[
        "skipped"
    ] == len(texts)
    for one, other in itertools.combinations(range(len(texts)), 2):
        if texts[one] == texts[other] and texts[one] not in ("", "?"):
            groups = by_id(result)
            assert groups[str(one)]["group"] == groups[str(other)]["group"]


def test_more_pairs_than_memory_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("samecore.pipeline.pair_limit", lambda: 10)
    with pytest.raises(samecore.SamecoreError, match="exact-forest"):
        samecore.find(NEWS)
    assert len(samecore.find(NEWS, match="exact-forest", group="components").found) > 10


def test_a_run_that_cannot_fit_says_so_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("samecore.plan.available_memory", lambda: 1000)
    with pytest.raises(InputError, match="of memory"):
        samecore.find(NEWS)


def test_dedupe_asks_for_half_of_a_jaccard_and_trusts_other_measures() -> None:
    documents = corpus()
    assert samecore.dedupe(documents).settings.threshold == 0.5
    assert samecore.dedupe(documents, method="supershingles").settings.threshold == 0.8
    assert samecore.dedupe(documents, method="simhash").settings.threshold == 0.9
    assert samecore.dedupe(documents, method="simhash", threshold=0.95).settings.threshold == 0.95
