"""A result on disk: the same bytes every time, whole or not at all, and honest about changed sources."""

from __future__ import annotations

import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from conftest import NEWS, story

import samecore
from samecore.errors import InputError, ResultError, SettingError
from samecore.store import is_result, write_table


def test_a_result_comes_back_the_same(tmp_path: Path) -> None:
    result = samecore.find(NEWS)
    result.write(tmp_path / "one")
    loaded = samecore.load(tmp_path / "one")
    for table in ("pairs", "groups", "ledger", "reviews"):
        assert loaded.to_arrow(table).equals(result.to_arrow(table))
    assert loaded.settings == result.settings
    assert loaded.at(0.3).groups.equals(result.at(0.3).groups)
    assert pq.read_table(tmp_path / "one" / "groups.parquet").equals(result.groups)


def test_the_same_run_writes_the_same_bytes(tmp_path: Path) -> None:
    for name, threads in (("one", 1), ("two", 2)):
        samecore.find(NEWS, threads=threads).write(tmp_path / name)
    for file in sorted((tmp_path / "one").iterdir()):
        assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes(), file.name


def test_explain_after_load_says_if_a_source_has_changed(tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "a.txt").write_text(story(1))
    (pages / "b.txt").write_text(story(1) + " " + story(2, sentences=2))
    samecore.find(pages).write(tmp_path / "result")
    loaded = samecore.load(tmp_path / "result")
    before = loaded.explain("a.txt", "b.txt")
    assert not before.left.changed
    (pages / "a.txt").write_text(story(1, sentences=6))
    after = samecore.load(tmp_path / "result").explain("a.txt", "b.txt")
    assert after.left.changed
    assert not after.right.changed
    assert "has changed" in str(after)
    (pages / "a.txt").unlink()
    with pytest.raises(InputError, match=r"a\.txt"):
        samecore.load(tmp_path / "result").explain("a.txt", "b.txt")


def test_in_memory_documents_can_be_explained_only_before_storing(tmp_path: Path) -> None:
    result = samecore.find([story(1), story(1) + " The end is near."])
    assert result.explain("0", "1").score > 0.9
    result.write(tmp_path / "r")
    loaded = samecore.load(tmp_path / "r")
    assert loaded.groups.equals(result.groups)
    with pytest.raises(InputError, match="in memory"):
        loaded.explain("0", "1")


def test_an_older_result_is_replaced_but_nothing_else(tmp_path: Path) -> None:
    result = samecore.find([story(1), story(1)])
    result.write(tmp_path / "r")
    result.write(tmp_path / "r")
    other = tmp_path / "precious"
    other.mkdir()
    (other / "thesis.txt").write_text("years of work")
    with pytest.raises(ResultError, match="not a result"):
        result.write(other)
    assert (other / "thesis.txt").read_text() == "years of work"


def test_damage_is_named(tmp_path: Path) -> None:
    with pytest.raises(ResultError, match="no manifest"):
        samecore.load(tmp_path)
    samecore.find([story(1), story(1)]).write(tmp_path / "r")
    damaged = tmp_path / "damaged"
    shutil.copytree(tmp_path / "r", damaged)
    (damaged / "matches.parquet").write_bytes(b"not parquet")
    with pytest.raises(ResultError, match="damaged"):
        samecore.load(damaged)
    manifest = (tmp_path / "r" / "manifest.json").read_text()
    (tmp_path / "r" / "manifest.json").write_text(manifest.replace('"format": 1', '"format": 99'))
    with pytest.raises(ResultError, match="expected format 1, found 99"):
        samecore.load(tmp_path / "r")


def test_a_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = samecore.find([story(1), story(1)])
    real = pq.write_table

    def full(table: object, path: Path, **options: object) -> None:
        if Path(path).name == "ledger.parquet":
            raise OSError(28, "No space left on device")
        real(table, path, **options)

    monkeypatch.setattr(pq, "write_table", full)
    with pytest.raises(OSError, match="No space left"):
        result.write(tmp_path / "r")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".tsv", ".jsonl"])
def test_single_tables(tmp_path: Path, suffix: str) -> None:
    groups = samecore.find(NEWS).groups
    write_table(groups, tmp_path / f"groups{suffix}")
    assert (tmp_path / f"groups{suffix}").stat().st_size > 1000
    with pytest.raises(SettingError, match=r"\.parquet"):
        write_table(groups, tmp_path / "groups.xlsx")
    assert not is_result(tmp_path)


def test_results_convert_and_show_themselves() -> None:
    result = samecore.find(NEWS)
    assert result.to_pandas().shape == (64, 5)
    assert result.to_polars("pairs").columns == ["left", "right", "score", "frame_score"]
    assert "64 documents" in repr(result)
    assert "<table" in result._repr_html_()
    with pytest.raises(SettingError, match="did you mean 'groups'"):
        result.to_arrow("group")
