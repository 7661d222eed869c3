"""The folder of an index: entered from elsewhere, moved, removed, left open, not empty."""

from __future__ import annotations

import gc
import os
import shutil
from pathlib import Path

import pytest
from conftest import story

import samecore
from samecore.errors import InputError
from samecore.index.errors import IndexFault, IndexLocked


def test_a_relative_path_holds_when_the_working_directory_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with samecore.Index.create("seen") as index:
        index.add("a", story(1))
        index.compact()
    with samecore.Index("seen") as index:
        monkeypatch.chdir("/")
        assert index.seen(story(1)) is not None
        index.add("b", story(2))
        index.compact()
        assert index.verify() == []


@pytest.mark.parametrize("what", ["moved", "removed", "replaced"])
def test_an_index_that_is_gone_stores_nothing_and_says_so(tmp_path: Path, what: str) -> None:
    """Segments went into a new folder of the old name, which the moved database knew nothing of."""
    path, other = tmp_path / "seen", tmp_path / "other"
    with samecore.Index.create(path) as index:
        index.add("a", story(1))
        if what == "removed":
            shutil.rmtree(path)
        else:
            os.rename(path, other)
        if what == "replaced":
            samecore.Index.create(path).close()
        before = sorted(tmp_path.rglob("*.seg"))
        for change in (lambda: index.add("b", story(2)), index.compact, lambda: index.remove("a")):
            with pytest.raises(IndexFault, match="moved or removed while it was open"):
                change()
        assert sorted(tmp_path.rglob("*.seg")) == before
    if what != "removed":
        with samecore.Index(other) as index:
            assert list(index.ids()) == ["a"]
            assert index.verify() == []


def test_an_index_that_nobody_holds_any_more_is_not_locked(tmp_path: Path) -> None:
    samecore.Index.create(tmp_path / "seen").add("a", story(1))
    gc.collect()
    with samecore.Index(tmp_path / "seen") as index:
        assert index.add("b", story(2)).stored


def test_a_lock_of_this_process_says_so(tmp_path: Path) -> None:
    with samecore.Index.create(tmp_path / "seen") as index, samecore.Index(tmp_path / "seen") as other:
        index.add("a", story(1))
        with pytest.raises(IndexLocked, match=r"found this process .*; close the other Index first"):
            other.add("b", story(2))


def test_a_folder_with_something_in_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("mine")
    with pytest.raises(IndexFault, match=r"expected a new or an empty folder, found one with 'x' in it"):
        samecore.Index.create(tmp_path)
    with pytest.raises((IndexFault, InputError), match="found a file"):
        samecore.Index.create(tmp_path / "x")
    assert (tmp_path / "x").read_text() == "mine"


def test_what_is_no_list_of_ids_is_refused(tmp_path: Path) -> None:
    with samecore.Index.create(tmp_path / "seen") as index:
        index.add("a", story(1))
        for wrong in (5, None, [5], b"a"):
            with pytest.raises(InputError, match="expected an id that is a text"):
                index.remove(wrong)  # type: ignore[arg-type]
        assert index.remove(id for id in ["a"]) == 1
