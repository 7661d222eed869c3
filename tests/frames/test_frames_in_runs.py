"""Frames from `find` to the report: scores, statuses, the stored result, the evidence, the command line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from conftest import story
from typer.testing import CliRunner

import samecore
from samecore.cli.app import app
from samecore.errors import SamecoreError

FRAME = story(900, sentences=25)


def site(*stories: str, host: str = "one.example", start: int = 0) -> list[dict[str, str]]:
    return [
        {
            "id": f"{host}/{n}",
            "url": f"https://{host}/{n}",
            "text": f"{FRAME if host == 'one.example' else ''} {text}",
        }
        for n, text in enumerate(stories, start)
    ]


def table(rows: list[dict[str, str]]) -> pa.Table:
    return pa.Table.from_pylist(rows)


STORIES = [story(n) for n in range(5)]
ROWS = [*site(*STORIES), *site(STORIES[0], STORIES[1], host="two.example")]


def test_only_cores_are_compared() -> None:
    off = samecore.find(table(ROWS), frame="off")
    assert off.counts()["groups"] == 1
    assert off.counts()["grouped"] >= 5
    found = samecore.find(table(ROWS))
    assert found.pairs.to_pylist() == [
        {"left": f"one.example/{n}", "right": f"two.example/{n}", "score": 1.0, "frame_score": 0.0}
        for n in (0, 1)
    ]
    assert any("frames of one site were left out" in note for note in found.settings.notes)


def test_a_copy_on_another_site_is_the_same() -> None:
    """Its site has one page and so no frame: a page and its copy word for word had the score of its core."""
    copy = {"id": "mirror", "url": "https://mirror.example/", "text": ROWS[0]["text"]}
    for rows in ([*ROWS, copy], [copy, *ROWS]):
        scores = {
            frozenset((row["left"], row["right"])): row
            for row in samecore.find(table(rows)).pairs.to_pylist()
        }
        both = scores[frozenset(("mirror", "one.example/0"))]
        assert (both["score"], both["frame_score"]) == (1.0, 1.0)
        assert scores[frozenset(("mirror", "two.example/0"))]["score"] == 1.0
    kept = samecore.dedupe(table([*ROWS, copy]))
    assert [row["id"] for row in kept.ledger.to_pylist() if row["partner"] == "one.example/0"] == [
        "two.example/0", "mirror",
    ]  # fmt: skip


def test_reporting_changes_no_score() -> None:
    off, report = (samecore.find(table(ROWS), frame=frame) for frame in ("off", "report"))
    assert report.pairs.column_names == ["left", "right", "score", "core_score", "frame_score"]
    assert report.pairs.select(["left", "right", "score"]).equals(off.pairs)
    rows = {(row["left"], row["right"]): row for row in report.pairs.to_pylist()}
    framed = rows["one.example/0", "one.example/1"]
    assert framed["core_score"] == 0.0
    assert framed["frame_score"] == 1.0
    reprint = rows["one.example/0", "two.example/0"]
    assert reprint["core_score"] == 1.0
    assert reprint["frame_score"] == 0.0


def test_the_threshold_still_moves() -> None:
    rows = [*ROWS, *site(" ".join(STORIES[2].split(". ")[:6]), host="two.example", start=2)]
    found = samecore.find(table(rows), floor=0.1)
    assert found.at(0.1).pair_count == 3
    assert found.at(0.9).pair_count == 2
    assert found.at(0.1).pairs.equals(samecore.find(table(rows), threshold=0.1, floor=0.1).pairs)
    streamed = pa.concat_tables(found.iter_pairs())
    assert streamed.sort_by([("left", "ascending"), ("right", "ascending")]).equals(
        found.pairs.sort_by([("left", "ascending"), ("right", "ascending")])
    )


def test_pages_that_are_all_frame_match_only_their_copies() -> None:
    rows = [*ROWS, *site("", "", "A short zebra is yellow.", "The tall giraffe was blue.", start=10)]
    found = samecore.find(table(rows))
    status = dict(zip(found.ids.to_pylist(), found.documents["status"].to_pylist(), strict=True))
    bare = [f"one.example/{n}" for n in (10, 11, 12, 13)]
    assert [status[id] for id in bare] == ["frame-only"] * 4
    pairs = {(row["left"], row["right"]) for row in found.pairs.to_pylist()}
    assert (bare[0], bare[1]) in pairs
    assert not any(id in pair for pair in pairs for id in bare[2:])
    assert any("4 pages are all frame" in line for line in found.summary())
    assert found.explain(bare[0], bare[1]).score == 1.0
    apart = found.explain(bare[2], bare[3])
    assert apart.score == 0.0
    assert apart.frame_score == 1.0
    assert any("matches only its copies" in note for note in apart.notes)
    removed = samecore.dedupe(table(rows))
    assert np.flatnonzero(~removed.kept).tolist() == [5, 6, 8]


def test_pages_in_another_language_than_their_frame_are_not_copies() -> None:
    """Read with the frame's stop words their stories have no features: all that was compared was the frame."""
    rows = [
        *ROWS,
        *site(
            "Les segmentations prosodiques restent souvent difficiles, surtout chez nos jeunes locuteurs.",
            "Plusieurs fromages normands vieillissent lentement dans leurs caves humides depuis octobre.",
            start=10,
        ),
    ]
    found = samecore.find(table(rows))
    pairs = {(row["left"], row["right"]) for row in found.pairs.to_pylist()}
    assert ("one.example/10", "one.example/11") not in pairs
    assert samecore.dedupe(table(rows)).kept[-2:].all()


def test_a_stored_result_knows_its_frames(tmp_path: Path) -> None:
    for frame in ("ignore", "report"):
        found = samecore.find(table(ROWS), frame=frame)
        found.write(tmp_path / frame)
        loaded = samecore.load(tmp_path / frame)
        assert loaded.pairs.equals(found.pairs)
        assert loaded.documents.equals(found.documents)
        assert loaded.settings == found.settings


def test_the_evidence_tells_core_from_frame(tmp_path: Path) -> None:
    source = tmp_path / "pages.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in ROWS), "utf-8")
    found = samecore.find(source)
    same_frame = found.explain("one.example/0", "one.example/1")
    assert same_frame.score == 0.0
    assert same_frame.frame_score == 1.0
    assert same_frame.left.passages == ()
    assert same_frame.left.frame
    assert all(item.frame for item in same_frame.shared)
    assert same_frame.left.quote(same_frame.left.frame[0]).lower() in FRAME.lower()
    assert "frame: … ‹" in same_frame.show()
    assert "<mark class=frame" in same_frame.html()
    assert same_frame.to_dict()["frame_score"] == 1.0

    same_core = found.explain("one.example/0", "two.example/0")
    assert same_core.score == 1.0
    assert same_core.left.frame == ()
    assert "core signatures shared" in same_core.verdict
    assert not any(item.frame for item in same_core.shared)

    whole = samecore.find(source, frame="report").explain("one.example/0", "one.example/1")
    assert whole.score > 0.14
    assert whole.frame_score == 1.0
    assert "core signatures" not in whole.verdict


def test_two_collections_teach_each_other() -> None:
    found = samecore.find(table(ROWS[5:]), against=table(ROWS[:5]))
    assert [(row["score"], row["frame_score"]) for row in found.pairs.to_pylist()] == [(1.0, 0.0)] * 2


def test_threads_do_not_matter() -> None:
    one, two = (samecore.find(table(ROWS), threads=threads) for threads in (1, 2))
    assert one.pairs.equals(two.pairs)
    assert one.groups.equals(two.groups)


def test_where_nothing_is_known_the_result_says_so() -> None:
    texts = [row["text"] for row in ROWS]
    asked = samecore.find(texts, frame="ignore")
    assert any("no document has an address" in note for note in asked.settings.notes)
    assert not any("frames" in note for note in samecore.find(texts).settings.notes if "0.14" not in note)
    few = samecore.find(table(ROWS[:2]), frame="ignore")
    assert any("no frames were found" in note for note in few.settings.notes)
    assert asked.pairs.equals(samecore.find(texts, frame="off").pairs)


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(SamecoreError, match="frame"):
        samecore.find(["a text"], frame="away")
    with pytest.raises(SamecoreError, match="frame"):
        samecore.Method(name="x", features=samecore.method("spotsigs").features, frame="keep")


def test_from_the_command_line(tmp_path: Path) -> None:
    source = tmp_path / "pages.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in ROWS), "utf-8")
    run = CliRunner()
    for frame, groups in (("ignore", 2), ("off", 1)):
        done = run.invoke(app, ["find", str(source), "--frame", frame, "--json", "--show", "reviews"])
        assert done.exit_code == 0, done.output
        assert len(done.stdout.splitlines()) == groups
    done = run.invoke(app, ["explain", "one.example/0", "one.example/1", "--in", str(source)])
    assert done.exit_code == 1
    assert "score 0.000, below the threshold 0.14" in done.stdout
    done = run.invoke(
        app, ["explain", "one.example/0", "one.example/1", "--in", str(source), "--frame", "off"]
    )
    assert done.exit_code == 0
    done = run.invoke(app, ["find", str(source), "--frame", "away"])
    assert isinstance(done.exception, SamecoreError)
    kept = run.invoke(app, ["dedupe", str(source), "--frame", "ignore", "-o", str(tmp_path / "kept.jsonl")])
    assert kept.exit_code == 0, kept.output
    assert len((tmp_path / "kept.jsonl").read_text("utf-8").splitlines()) == 5
