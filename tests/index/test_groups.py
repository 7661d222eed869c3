"""The ids of groups: unique among all there ever were, whatever comes, goes and comes back."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import samecore

sys.path.insert(0, str(Path(__file__).parent))
from rows import features

LEFT, RIGHT = dict.fromkeys(range(10), 1), dict.fromkeys(range(10, 20), 1)
OTHER = dict.fromkeys(range(20, 30), 1)


@pytest.fixture
def index(tmp_path: Path) -> samecore.Index:
    """`b` in the group that `a` began and is no longer in."""
    index = samecore.Index.create(tmp_path / "index", "spotsigs", threshold=0.5)
    for id in ("a", "b"):
        index.add(id, features([LEFT]))
    index.remove("a")
    return index


def unique(index: samecore.Index) -> bool:
    """Whether no two of all groups, those of one document too, go by one id."""
    members: dict[str, set[int]] = {}
    for id in index.ids():
        with index.reading():
            members.setdefault(index.group_of(id), set()).add(index._group_number(id))
    return all(len(numbers) == 1 for numbers in members.values())


def test_an_id_that_comes_back_begins_a_group_of_another_name(index: samecore.Index) -> None:
    answer = index.add("a", features([RIGHT]))
    assert (answer.status, answer.group) == ("new", "a#3")
    assert (index.group_of("a"), index.group_of("b")) == ("a#3", "a")
    assert index.seen(features([RIGHT])).group == "a#3"
    assert index.add("c", features([RIGHT])).group == "a#3"
    assert [(one.id, one.members) for one in index.groups()] == [("a#3", ("a", "c"))]
    assert index.add("d", features([LEFT])).group == "a"
    assert unique(index)
    assert index.merge_groups("a", "b") == "a"
    assert index.group_of("a#3") == "a"  # it redirects like any other
    assert [(one.younger, one.older) for one in index.history("b")] == [("a#3", "a")]
    assert index.verify() == []


def test_updates_and_seeds_begin_groups_of_another_name_too(index: samecore.Index) -> None:
    index.seed(index.batch(features([RIGHT, OTHER]), ids=["a", "x"]))
    assert [index.group_of(id) for id in ("a", "b", "x")] == ["a#3", "a", "x"]
    index.add("c", features([RIGHT]))
    assert index.add("a", features([OTHER | {99: 1}]), update=True).group == "x"  # a duplicate joins
    assert index.add("a", features([{7: 1, 77: 1}]), update=True).group == "a#7"
    assert [index.group_of(id) for id in ("a", "b", "c")] == ["a#7", "a", "a#3"]
    assert unique(index)


def test_a_name_that_is_someones_id_is_passed_over(index: samecore.Index) -> None:
    index.add("a#4", features([OTHER]))  # number 3
    assert index.add("a", features([RIGHT])).group == "a#4#4"
    index.remove("a#4")
    assert index.add("a#4#4", features([OTHER])).group == "a#4#4#5"
    assert unique(index)


def test_an_id_whose_group_had_no_other_member_begins_it_again(index: samecore.Index) -> None:
    index.add("x", features([RIGHT]))
    assert index.add("x", features([OTHER]), update=True).group == "x"
    assert index.group_of("x") == "x"
