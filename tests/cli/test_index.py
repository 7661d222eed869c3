"""`samecore index` and `samecore seen` as a script meets them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from cli.test_commands import SAMECORE, lines, run
from conftest import NEWS, story


@pytest.fixture
def index(tmp_path: Path) -> Path:
    path = tmp_path / "seen"
    assert run("index", "create", path, "-t", "0.5").returncode == 0
    return path


def jsonl(*rows: tuple[str, str]) -> bytes:
    return "".join(json.dumps({"id": id, "text": text}) + "\n" for id, text in rows).encode()


def test_add_query_remove_by_pipes(index: Path) -> None:
    records = jsonl(("a", story(1)), ("b", story(2)), ("c", story(1) + " The end is near.")) + b"not json\n"
    done = run("index", "add", index, "-", "--format", "jsonl", "--json", stdin=records)
    assert done.returncode == 0, done.stderr
    answers = lines(done.stdout)
    assert [(row["id"], row["status"], row["partner"]) for row in answers[:3]] == [
        ("a", "new", None), ("b", "new", None), ("c", "duplicate", "a"),
    ]  # fmt: skip
    assert answers[3]["status"] == "skipped"
    assert b"2 new, 1 duplicate, 1 skipped; 3 documents" in done.stderr
    asked = ("index", "query", index, "-", "--format", "jsonl")
    found = lines(run(*asked, "--json", stdin=jsonl(("q", story(1)))).stdout)
    assert [row["match"] for row in found] == ["a", "c"]
    assert [row["group"] for row in found] == ["a", "a"]
    table = run(*asked, "--best", 1, stdin=jsonl(("q", story(1)))).stdout.decode()
    assert table.startswith("q\ta\t1.0000\t")
    assert run(*asked, stdin=jsonl(("q", story(9)))).returncode == 1
    assert run("index", "remove", index, "-", stdin=b"a\nc\n").returncode == 0
    assert run(*asked, stdin=jsonl(("q", story(1)))).returncode == 1
    facts = json.loads(run("index", "stats", index, "--json").stdout)
    assert (facts["documents"], facts["dead"]) == (1, 2)
    assert run("index", "compact", index).returncode == 0
    assert "dead       0" in run("index", "stats", index).stdout.decode()
    assert run("index", "verify", index).returncode == 0


def test_seen_exits_0_1_or_2_and_changes_nothing(index: Path, tmp_path: Path) -> None:
    assert run("index", "add", index, NEWS, "--load").returncode == 0
    page = NEWS / "plain-sheet" / "latest.html"
    before = {path.name: path.read_bytes() for path in index.iterdir() if path.name != "index.db-shm"}
    old = run("seen", page, "-i", index)
    assert old.returncode == 0
    assert b"\tseen\tplain-sheet/0419-frost.html\t1.0000" in old.stdout
    assert run("seen", "-", "-i", index, stdin=page.read_bytes()).returncode == 0
    assert (
        run("seen", "-", "-i", index, "--newer-than", "2999-01-01", stdin=page.read_bytes()).returncode == 1
    )
    new = tmp_path / "new.txt"
    new.write_text(story(5))
    assert run("seen", new, "-i", index).returncode == 1
    assert run("seen", page, new, "-i", index, "--json").returncode == 1
    assert run("seen", page, "-i", tmp_path / "nowhere").returncode == 2
    assert {path.name: path.read_bytes() for path in index.iterdir() if path.name in before} == before


def test_no_document_at_all_is_not_seen(index: Path, tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_bytes(b"")
    asked = run("seen", tmp_path / "empty.jsonl", "-i", index)
    assert (asked.returncode, asked.stdout) == (1, b"")
    assert b"no documents" in asked.stderr


def test_find_against_an_index(index: Path) -> None:
    run("index", "add", index, NEWS, "--load")
    done = run("find", NEWS / "plain-sheet", "--against", index, "--show", "pairs", "--json", "--quiet")
    assert {(row["left"], row["right"]) for row in lines(done.stdout)} >= {
        ("latest.html", "plain-sheet/0419-frost.html"), ("latest.html", "plain-sheet/latest.html"),
    }  # fmt: skip
    refused = run("find", NEWS, "--against", index, "--method", "shingles")
    assert refused.returncode == 2
    assert b"refuses 'shingles'" in refused.stderr


def test_what_is_refused_says_why(index: Path, tmp_path: Path) -> None:
    records = jsonl(("a", story(1)))
    add = ("index", "add", index, "-", "--format", "jsonl")
    assert run(*add, stdin=records).returncode == 0
    again = run(*add, stdin=records)
    assert again.returncode == 2
    assert b"'a' is there already; remove it first, or update (--update)" in again.stderr
    assert run(*add, "--update", stdin=records).returncode == 0
    assert b"no document with the id 'x'" in run("index", "remove", index, "x").stderr
    assert b"refuses 'shingles'" in run(*add, "--method", "shingles", stdin=records).stderr
    (tmp_path / "file").write_text("no index")
    for command in ("stats", "verify", "compact"):
        done = run("index", command, tmp_path / "file")
        assert done.returncode == 2
        assert b"expected the folder of an index, found a file" in done.stderr
    assert run("index", "compact", index).returncode == 0
    segment = next(index.glob("*.seg"))
    segment.write_bytes(segment.read_bytes()[:600])
    damaged = run("index", "verify", index)
    assert damaged.returncode == 2
    assert segment.name in damaged.stdout.decode()
    assert b"torn" in damaged.stdout


def test_a_pipe_closed_early_changes_neither_what_is_done_nor_the_answer(index: Path, tmp_path: Path) -> None:
    (tmp_path / "docs.jsonl").write_bytes(jsonl(("a", story(1)), ("b", story(2))))
    (tmp_path / "asked.jsonl").write_bytes(jsonl(("q", story(1)), ("r", story(9))))
    for arguments, code, said in (
        (("index", "add", index, tmp_path / "docs.jsonl"), 0, b"2 new; 2 documents"),
        (("seen", tmp_path / "asked.jsonl", "-i", index), 1, b""),
        (("index", "query", index, tmp_path / "asked.jsonl"), 0, b""),
    ):
        command = [*SAMECORE, *(str(one) for one in arguments)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
            assert running.stdout is not None
            assert running.stderr is not None
            running.stdout.close()
            told = running.stderr.read()
        assert running.returncode == code
        assert said in told
        assert b"Traceback" not in told
        assert b"BrokenPipe" not in told
