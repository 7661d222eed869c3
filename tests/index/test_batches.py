"""A batch is added as if its documents came one by one; what cannot be is refused as a whole."""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conftest import story
from hypothesis import given, settings
from hypothesis import strategies as st

import samecore
from samecore.documents import Skipped
from samecore.errors import InputError
from samecore.methods import method
from samecore.weights.parts import IdfRange, IdfWeights

sys.path.insert(0, str(Path(__file__).parent))
from rows import features, made

ROWS = st.dictionaries(st.integers(0, 6), st.integers(1, 2), max_size=4)
DOCUMENTS = st.lists(st.tuples(st.sampled_from("abcdef"), ROWS), max_size=8)


@settings(max_examples=25, deadline=None)
@given(
    batches=st.lists(DOCUMENTS, min_size=1, max_size=4),
    guess=st.sampled_from(["best", "first"]),
    duplicates=st.booleans(),
    grouping=st.sampled_from(["partner", "components"]),
)
def test_updates_in_a_batch_are_those_of_one_by_one(
    batches: list[list[tuple[str, dict[int, int]]]], guess: str, duplicates: bool, grouping: str
) -> None:
    asked: dict[str, Any] = {"guess": guess, "duplicates": duplicates, "update": True}
    with (
        tempfile.TemporaryDirectory() as folder,
        samecore.Index.create(Path(folder) / "1", threshold=0.4, groups=grouping) as one,
        samecore.Index.create(Path(folder) / "2", threshold=0.4, groups=grouping) as many,
    ):
        for documents in batches:
            singly = [one.add(id, features([row]), **asked) for id, row in documents]
            ids, rows = [id for id, _ in documents], [row for _, row in documents]
            assert many.add_batch(many.batch(features(rows), ids=ids), **asked) == singly
        assert list(many.ids()) == list(one.ids())
        assert many.groups() == one.groups()
        assert [many.group_of(id) for id in many.ids()] == [one.group_of(id) for id in one.ids()]
        for key in range(7):
            found, expected = (x.query(features([{key: 1, 3: 1}]), threshold=0.1) for x in (many, one))
            assert [replace(x, date=y.date) for x, y in zip(found, expected, strict=True)] == expected
        assert many.verify() == one.verify() == []


def test_a_batch_comes_in_parts_and_loses_nothing(tmp_path: Path) -> None:
    with samecore.Index.create(tmp_path / "i") as index:
        for rows in range(6):
            batch = index.batch(features([{n: 1} for n in range(rows)]), ids=[str(n) for n in range(rows)])
            batch = replace(batch, skipped=(Skipped("x", "empty", "x: no words"),))
            parts = list(batch.parts(2))
            assert [id for part in parts for id in part.ids] == batch.ids
            assert [len(part.skipped) for part in parts] == [0] * (len(parts) - 1) + [1]
            assert max(len(part) for part in parts) <= 2


def test_a_large_batch_with_an_id_that_is_there_is_refused_as_a_whole(tmp_path: Path) -> None:
    with samecore.Index.create(tmp_path / "i") as index:
        index.add("last", made([0]))
        ids = [*(str(number) for number in range(5000)), "last"]
        batch = index.batch(features([{number: 1} for number in range(5001)]), ids=ids)
        with pytest.raises(InputError, match="'last' is there already"):
            index.add_batch(batch)
        assert list(index.ids()) == ["last"]
        assert len(index.add_batch(batch, update=True)) == len(index) == 5001


def test_rows_without_features_are_answered_in_their_place_and_not_stored(tmp_path: Path) -> None:
    for name in ("spotsigs", "simhash"):
        with samecore.Index.create(tmp_path / name, name, threshold=0.5) as index:
            batch = index.batch(features([{}, {1: 1, 2: 1}, {}, {1: 1, 2: 1}]), ids=["a", "b", "c", "d"])
            answers = index.add_batch(batch)
            assert [(one.id, one.status, one.stored) for one in answers] == [
                ("a", "skipped", False), ("b", "new", True), ("c", "skipped", False), ("d", "duplicate", True),
            ]  # fmt: skip
            assert answers[0].reason == "no words"
            assert list(index.ids()) == ["b", "d"]
            assert index.seed(index.batch(features([{}, {3: 1}]), ids=["e", "f"])) == 1
            assert [len(one) for one in index.query_many(batch)] == [0, 2, 0, 2]
            # What says nothing replaces nothing.
            assert index.add("b", features([{}]), update=True).status == "skipped"
            assert index.add_batch(index.batch(features([{}]), ids=["b"]), update=True)[0].stored is False
            assert index.seed(index.batch(features([{}]), ids=["b"]), update=True) == 0
            assert index.seen(features([{1: 1, 2: 1}])).id == "b"
            assert index.seen(features([{}])) is None
            assert index.verify() == []


def test_a_document_the_idf_range_would_leave_empty_keeps_its_features(tmp_path: Path) -> None:
    texts = [(str(number), story(number)) for number in range(30)]
    common = "The whale was seen. " * 4
    recipe = replace(method("spotsigs-2008"), weights=(IdfRange(low=0.2, high=0.85),))
    with samecore.Index.create(tmp_path / "i", recipe, corpus=[*texts, ("x", common)]) as index:
        rare = "Zyxomma is a quibblewort, and the flarn has a gubbin for every snorkwit."  # in no text
        assert index.add("rare", rare).status == "new"
        found = index.seen(rare)
        assert found is not None
        assert (found.id, found.score) == ("rare", 1.0)
        index.add_many(texts)
        index.refresh()
        again = index.seen(rare)
        assert again is not None
        assert again.id == "rare"


def test_a_document_that_the_weights_leave_nothing_of_is_skipped_and_said_so(tmp_path: Path) -> None:
    """What is weighed first and then left out for being common; what was stored before stays stored."""
    everywhere = {1: 1, 2: 1}
    recipe = replace(method("spotsigs"), weights=(IdfWeights(), IdfRange(low=0.2)))
    with samecore.Index.create(tmp_path / "i", recipe, threshold=0.5) as index:
        rows = features([everywhere | {number: 1} for number in range(10, 30)] + [everywhere])
        ids = [str(number) for number in range(21)]
        before = index.batch(features([everywhere]), ids=["waiting"])
        index.seed(index.batch(rows, ids=ids))
        assert index.seen(features([everywhere])) is not None
        index.refresh()
        assert list(index.ids()) == ids
        for answer in (index.add("late", features([everywhere])), index.add_batch(before)[0]):
            assert (answer.status, answer.stored) == ("skipped", False)
            assert answer.reason == "no features left by the weights"
        assert index.seen(features([everywhere])) is None
        assert index.query(features([{11: 1}]))[0].id == "1"
        assert index.verify() == []
        index.remove("20")
        index.compact()
        assert index.verify() == []
