"""An index that leaves out what hosts put around their pages."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from framed_pages import Recipe, pages
from typer.testing import CliRunner

import samecore
from samecore.cli.app import app
from samecore.index.errors import IndexDamaged

MADE = pages(Recipe(stories=60), seed=4)
CORPUS, LATER = MADE.documents.slice(0, 160), MADE.documents.slice(160)


def quality(index: samecore.Index) -> tuple[int, int, int]:
    """Of the later pages: how many were answered with a page of their story, with another's, and as new."""
    right = wrong = new = 0
    for answer in index.add_many(LATER):
        if answer.partner is None:
            new += 1
        elif MADE.stories[answer.partner] == MADE.stories[answer.id]:
            right += 1
        else:
            wrong += 1
    return right, wrong, new


def told_before(ids: list[str]) -> int:
    """How many of the later pages have their story among the earlier ones, or those before them."""
    seen = {MADE.stories[id] for id in CORPUS["id"].to_pylist()}
    count = 0
    for id in ids:
        count += MADE.stories[id] in seen
        seen.add(MADE.stories[id])
    return count


def test_pages_that_share_only_their_frame_are_new(tmp_path: Path) -> None:
    old = told_before(LATER["id"].to_pylist())
    with samecore.Index.create(tmp_path / "whole") as index:
        index.seed(CORPUS)
        assert quality(index)[1] > 20
    with samecore.Index.create(tmp_path / "cores", corpus=CORPUS) as index:
        assert index.stats().framed == 12
        index.seed(CORPUS)
        assert quality(index) == (old, 0, len(LATER) - old)
        assert index.verify() == []


def test_frames_stay_with_the_index(tmp_path: Path) -> None:
    body, url = LATER["body"][0].as_py(), LATER["url"][0].as_py()
    with samecore.Index.create(tmp_path / "seen", corpus=CORPUS) as index:
        index.seed(CORPUS)
        first = index.query(body, url=url, threshold=0.01)
    with samecore.Index(tmp_path / "seen") as index:
        assert index.query(body, url=url, threshold=0.01) == first
        index.compact()
        assert index.query(body, url=url, threshold=0.01) == first
        assert index.query(body, threshold=0.01) != first  # of no host
        found = samecore.find(LATER, against=index)
        assert any("the frames of 12 hosts were left out" in note for note in found.settings.notes)
        one_by_one = {
            (id, match.id, match.score)
            for batch in index.batches(LATER)
            for id, matches in zip(batch.ids, index.query_many(batch), strict=True)
            for match in matches
        }
        pairs = {(row["left"], row["right"], row["score"]) for row in found.pairs.to_pylist()}
        assert {(left, right, round(score, 9)) for left, right, score in pairs} == {
            (left, right, round(score, 9)) for left, right, score in one_by_one
        }


def test_an_index_is_the_same_as_find_where_all_is_known(tmp_path: Path) -> None:
    """A corpus that is all there is teaches the frames that `find` learns."""
    whole = samecore.find(MADE.documents, threshold=0.14)
    with samecore.Index.create(tmp_path / "seen", corpus=MADE.documents) as index:
        index.seed(MADE.documents)
        pairs = {
            frozenset((id, match.id))
            for batch in index.batches(MADE.documents)
            for id, matches in zip(batch.ids, index.query_many(batch), strict=True)
            for match in matches
            if match.id != id
        }
    assert pairs == {frozenset((row["left"], row["right"])) for row in whole.pairs.to_pylist()}


def test_a_file_that_is_gone_or_changed_is_named(tmp_path: Path) -> None:
    samecore.Index.create(tmp_path / "seen", corpus=CORPUS).close()
    file = tmp_path / "seen" / "frames.tab"
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(bytes(data))
    with samecore.Index(tmp_path / "seen") as index:
        assert "frames.tab" in index.verify()[0]
    file.unlink()
    with pytest.raises(IndexDamaged, match="frames of hosts is missing"):
        samecore.Index(tmp_path / "seen")


@pytest.mark.parametrize("method", ["shingles", "spotsigs-2008"])
def test_methods_that_look_at_no_frames_learn_none(tmp_path: Path, method: str) -> None:
    with samecore.Index.create(tmp_path / "seen", method, corpus=CORPUS) as index:
        assert index.stats().framed == 0


def test_on_the_command_line(tmp_path: Path) -> None:
    run = CliRunner().invoke
    corpus = tmp_path / "corpus.parquet"
    import pyarrow.parquet as pq

    pq.write_table(CORPUS, corpus)
    made = run(app, ["index", "create", str(tmp_path / "a"), "--corpus", str(corpus)])
    assert made.exit_code == 0
    assert "without the frames of 12 hosts" in made.output
    bare = run(app, ["index", "create", str(tmp_path / "b")])
    assert "--corpus teaches them" in bare.output
    assert run(app, ["index", "add", str(tmp_path / "a"), str(corpus), "--load"]).exit_code == 0
    url, page = CORPUS["url"][0].as_py(), CORPUS["body"][0].as_py()
    asked = run(app, ["seen", "-", "-i", str(tmp_path / "a"), "--page-url", url], input=page)
    assert asked.exit_code == 0
    assert "1.000" in asked.output


def test_plain_texts_have_addresses_too(tmp_path: Path) -> None:
    texts = pages(Recipe(markup=False), seed=1).documents
    rows = pa.table(
        {"id": texts["id"], "url": texts["url"], "text": [one.as_py().decode() for one in texts["body"]]}
    )
    with samecore.Index.create(tmp_path / "seen", corpus=rows) as index:
        assert index.stats().framed == 12
        assert index.add("one", rows["text"][0].as_py(), url=rows["url"][0].as_py()).status == "new"
        assert index.seen(rows["text"][0].as_py(), url=rows["url"][0].as_py()) is not None
