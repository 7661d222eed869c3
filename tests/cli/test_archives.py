"""Web archives on the command line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import story
from twins.archives import Made, seen_by_warcio, warc

SAMECORE = [sys.executable, "-m", "samecore"]


def run(*arguments: object, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [*SAMECORE, *(str(one) for one in arguments)]
    return subprocess.run(command, input=stdin, capture_output=True, check=False, timeout=120)


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    path = tmp_path / "crawl.warc.gz"
    texts = {"a.example/1": story(1), "b.example/2": story(1) + " The end is near.", "c.example/3": story(3)}
    pages = [Made(f"http://{url}", f"<html><p>{text}</p>".encode()) for url, text in texts.items()]
    picture = Made("http://a.example/x.png", b"\x89PNG", [("Content-Type", "image/png")])
    path.write_bytes(warc(*pages, picture, Made("http://a.example/gone", b"<p>gone", status="404 Not Found")))
    return path


def test_find_dedupe_and_explain(crawl: Path, tmp_path: Path) -> None:
    done = run("find", crawl, "--json", "--show", "pairs", "-t", "0.5")
    pairs = [json.loads(line) for line in done.stdout.splitlines()]
    first, second = "20240501120000/http://a.example/1", "20240501120000/http://b.example/2"
    assert [(pair["left"], pair["right"]) for pair in pairs] == [(first, second)]
    assert b"2 records of the archives were not asked for: 1 image/png, 1 status 404" in done.stderr
    kept = tmp_path / "kept.warc.gz"
    done = run("dedupe", crawl, "-o", kept, "--ledger", tmp_path / "removed.csv")
    assert done.returncode == 0, done.stderr
    assert [row["url"] for row in seen_by_warcio(kept.read_bytes())] == [
        "http://a.example/1",
        "http://c.example/3",
    ]
    assert second in (tmp_path / "removed.csv").read_text()
    result = tmp_path / "result"
    assert run("find", crawl, "--url", "example", "-o", result).returncode == 0
    assert run("explain", first, second, "--in", result).returncode == 0


def test_compare_and_explain_take_the_captures_that_find_takes(crawl: Path, tmp_path: Path) -> None:
    gone, page = "20240501120000/http://a.example/gone", "20240501120000/http://a.example/1"
    for command in ("compare", "explain"):
        done = run(command, gone, page, "--in", crawl)
        assert (done.returncode, b"no document has the id" in done.stderr) == (2, True)
        done = run(command, gone, page, "--in", crawl, "--status", "*", "--url", "a.example/*", "--json")
        assert (done.returncode, json.loads(done.stdout)["left"]["id"]) == (1, gone)
    result = tmp_path / "result"
    assert run("find", crawl, "-q", "-o", result).returncode == 0
    done = run("compare", page, page, "--in", result, "--status", "*")
    assert done.returncode == 2
    assert b"leave out the options for reading" in done.stderr


def test_selection_and_standard_input(crawl: Path) -> None:
    done = run(
        "find", "-", "--format", "warc", "--json", "--url", "*//[bc].example*", stdin=crawl.read_bytes()
    )
    assert done.stdout == b""
    done = run(
        "find",
        "-",
        "--format",
        "warc",
        "--json",
        "--url",
        "re://[bc]",
        "--from",
        "2024",
        stdin=crawl.read_bytes(),
    )
    assert [json.loads(line)["id"][-3:] for line in done.stdout.splitlines()] == ["e/2", "e/3"]
    done = run("find", crawl, "--json", "--status", "2xx,404", "--until", "2024-05")
    assert len(done.stdout.splitlines()) == 4
    done = run("find", crawl, "--status", "all")
    assert done.returncode == 2
    assert b"status: expected" in done.stderr
    done = run("dedupe", crawl, "-o", crawl.parent / "kept.wacz")
    assert done.returncode == 2
    assert b"captures are written as .warc" in done.stderr


def test_columns_that_captures_have_not_are_refused(crawl: Path) -> None:
    done = run("find", crawl, "--text-column", "words")
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"no column 'words'" in done.stderr
    done = run("find", crawl, "--id-column", "url")
    assert done.returncode == 2
    assert b"named by date and URL" in done.stderr


@pytest.mark.parametrize("ended_by", [signal.SIGTERM, signal.SIGINT])
def test_no_copy_of_standard_input_is_left(tmp_path: Path, ended_by: signal.Signals) -> None:
    process = subprocess.Popen(
        [*SAMECORE, "find", "-", "--format", "warc"],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    until = time.monotonic() + 60
    while not list(tmp_path.iterdir()) and time.monotonic() < until:
        time.sleep(0.05)
    time.sleep(0.2)
    process.send_signal(ended_by)
    _, messages = process.communicate(timeout=60)
    assert process.returncode == 128 + ended_by
    assert b"Traceback" not in messages
    assert not list(tmp_path.iterdir())
