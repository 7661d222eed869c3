"""Labels: every way a row can be wrong is named, and the rest is used."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from samecore.errors import InputError
from samecore.learn.labels import check_enough, clusters, judged_pairs, match_labels, read_labels


def test_clusters_with_problems_by_row(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("id,cluster\n001,x\n2,x\n,y\n3,\n2,z\n4,y\n5,y\n")
    found = read_labels(path)
    assert dict(found.clusters) == {"001": "x", "4": "y", "5": "y"}
    assert [(one.row, one.kind) for one in found.problems] == [
        (4, "missing"),
        (5, "missing"),
        (6, "contradictory"),
    ]
    assert "row 3" in str(found.problems[2])
    assert "3 rows were left out (2 missing, 1 contradictory)" in found.report()[0]


def test_judged_pairs_with_problems_by_row(tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    rows = [
        "a\tb\tyes",
        "b\tc\t1",
        "a\tc\tno",
        "d\te\tuncertain",
        "d\td\tyes",
        "d\tf\tno",
        "f\td\tyes",
        "a\te\tfalse",
        "a\t\tno",
    ]
    path.write_text("left\tright\tsame\n" + "\n".join(rows) + "\n")
    found = read_labels(path)
    assert found.judged == (("a", "b", True), ("b", "c", True), ("a", "e", False))
    assert [(one.row, one.kind) for one in found.problems] == [
        (4, "contradictory"), (5, "undecided"), (6, "pointless"), (8, "contradictory"), (10, "missing"),
    ]  # fmt: skip


def test_parquet_and_other_names(tmp_path: Path) -> None:
    pq.write_table(pa.table({"doc": ["a", "b"], "campaign": [1, 1]}), tmp_path / "l.parquet")
    assert dict(read_labels(tmp_path / "l.parquet").clusters) == {"a": "1", "b": "1"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "empty"),
        ("id,cluster\n", "no usable label"),
        ("id,cluster\na,\n", "row 2: the cluster of 'a' is missing"),
        ("id,colour\na,b\n", "expected a column named cluster"),
        ("id,cluster\na,b\nc\n", "not a readable table"),
    ],
)
def test_files_without_labels(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "labels.csv").write_text(content)
    with pytest.raises(InputError, match=message):
        read_labels(tmp_path / "labels.csv")
    with pytest.raises(InputError, match="found none"):
        read_labels(tmp_path / "other.csv")


def test_unknown_ids_are_named_and_none_known_is_an_error() -> None:
    labels = clusters([("a", "x"), ("b", "x"), ("gone", "y"), ("c", "y")])
    truth, problems = match_labels(labels, ["c", "b", "a", "more"])
    assert [(one.row, one.why) for one in problems] == [(4, "no document has the id 'gone'")]
    assert truth.documents.tolist() == [2, 1, 0]
    assert sorted(zip(*(side.tolist() for side in truth.pairs()), strict=True)) == [
        (0, 1, True), (0, 2, False), (1, 2, False),
    ]  # fmt: skip
    with pytest.raises(InputError, match="labels have 'a', documents 'z'"):
        match_labels(labels, ["z"])


def test_judged_pairs_are_split_by_what_they_link() -> None:
    labels = judged_pairs([("a", "b", "yes"), ("b", "c", "no"), ("d", "e", "no"), ("d", "x", "yes")])
    truth, problems = match_labels(labels, list("abcde"))
    assert len(problems) == 1
    assert truth.units == 2
    left, right, same = truth.pairs(truth.unit[:1])
    assert list(zip(left.tolist(), right.tolist(), same.tolist(), strict=True)) == [
        (0, 1, True),
        (1, 2, False),
    ]
    with pytest.raises(InputError, match="both of its documents"):
        match_labels(judged_pairs([("a", "b", "yes")]), ["a"])


def test_too_little_to_learn_from() -> None:
    one, _ = match_labels(clusters([("a", "x"), ("b", "x")]), ["a", "b"])
    with pytest.raises(InputError, match="one cluster only"):
        check_enough(one)
    apart, _ = match_labels(clusters([("a", "x"), ("b", "y")]), ["a", "b"])
    with pytest.raises(InputError, match="no two documents are labelled the same"):
        check_enough(apart)
    two, _ = match_labels(clusters([("a", "x"), ("b", "x"), ("c", "y")]), ["a", "b", "c"])
    check_enough(two)
    with pytest.raises(InputError, match="at least 4 groups"):
        check_enough(two, least=4)
