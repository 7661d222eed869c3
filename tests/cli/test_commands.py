"""The command line as a person or a script meets it: output, messages, exit codes."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import NEWS, NEWS_LABELS, story

from samecore.store import is_result

SAMECORE = [sys.executable, "-m", "samecore"]


def run(*arguments: object, stdin: bytes = b"", **options: object) -> subprocess.CompletedProcess[bytes]:
    command = [*SAMECORE, *(str(one) for one in arguments)]
    return subprocess.run(command, input=stdin, capture_output=True, check=False, timeout=120, **options)  # type: ignore[call-overload,no-any-return]


def lines(output: bytes) -> list[dict[str, object]]:
    return [json.loads(line) for line in output.splitlines()]


@pytest.fixture
def jsonl(tmp_path: Path) -> Path:
    path = tmp_path / "docs.jsonl"
    texts = {"a": story(1), "b": story(2), "c": story(1) + " The end is near.", "d": story(4)}
    path.write_text(
        "".join(json.dumps({"id": id, "text": text, "n": len(text)}) + "\n" for id, text in texts.items())
    )
    return path


def test_find_prints_groups_with_reasons() -> None:
    done = run("find", NEWS)
    assert done.returncode == 0
    assert b"plain-sheet/latest.html" in done.stdout
    assert b"matches the representative" in done.stdout
    assert b"64 documents" in done.stderr


def test_json_is_one_object_per_line_and_quiet_is_quiet(jsonl: Path) -> None:
    done = run("find", jsonl, "--json", "--quiet", "-t", "0.5")
    rows = lines(done.stdout)
    assert [row["id"] for row in rows] == ["a", "b", "c", "d"]
    assert rows[2]["representative"] == "a"
    assert done.stderr == b""
    pairs = lines(run("find", jsonl, "--json", "--show", "pairs", "-t", "0.5").stdout)
    assert [(row["left"], row["right"]) for row in pairs] == [("a", "c")]


def test_standard_input_and_output(jsonl: Path, tmp_path: Path) -> None:
    done = run("find", "-", "--format", "jsonl", "--json", stdin=jsonl.read_bytes())
    assert len(lines(done.stdout)) == 4
    kept = run("dedupe", "-", "--format", "jsonl", "-o", tmp_path / "kept.jsonl", stdin=jsonl.read_bytes())
    assert kept.returncode == 0, kept.stderr
    assert [row["id"] for row in lines((tmp_path / "kept.jsonl").read_bytes())] == ["a", "b", "d"]


def test_a_result_folder_serves_explain_and_evaluate(tmp_path: Path) -> None:
    assert run("find", NEWS, "-o", tmp_path / "result").returncode == 0
    pair = ("oxmere-gazette/moon.html", "harbour-post/moon-with-a-ring.html")
    shown = run("explain", *pair, "--in", tmp_path / "result")
    assert shown.returncode == 0, shown.stderr
    assert "signatures shared" in shown.stdout.decode()
    as_json = json.loads(run("explain", *pair, "--in", tmp_path / "result", "--json").stdout)
    for passage in as_json["left"]["passages"]:
        assert passage["text"]
    page = tmp_path / "evidence.html"
    assert run("explain", *pair, "--in", NEWS, "-o", page).returncode == 0
    assert "<mark>" in page.read_text("utf-8")
    figures = json.loads(run("evaluate", tmp_path / "result", "--labels", NEWS_LABELS, "--json").stdout)
    assert figures["groups"]["f1"] > 0.85
    fresh = json.loads(run("evaluate", NEWS, "--labels", NEWS_LABELS, "--json").stdout)
    assert fresh["groups"] == figures["groups"]


def test_explain_two_files_and_the_exit_code() -> None:
    same = run("explain", NEWS / "plain-sheet/latest.html", NEWS / "plain-sheet/0419-frost.html")
    assert same.returncode == 0
    assert "score 1.000" in same.stdout.decode()
    other = run(
        "explain", NEWS / "plain-sheet/latest.html", NEWS / "gipfelblatt/hoher-zirmkopf-seilbahn.html"
    )
    assert other.returncode == 1


@pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.gz", ".parquet", ".csv"])
def test_dedupe_writes_the_format_it_read(jsonl: Path, tmp_path: Path, suffix: str) -> None:
    rows = lines(jsonl.read_bytes())
    source, target = tmp_path / f"in{suffix}", tmp_path / f"out{suffix}"
    if suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(rows), source)
    elif suffix == ".csv":
        source.write_text("id,text,n\n" + "".join(f"{row['id']},{row['text']},{row['n']}\n" for row in rows))
    else:
        source.write_bytes(gzip.compress(jsonl.read_bytes()) if suffix.endswith("gz") else jsonl.read_bytes())
    done = run("dedupe", source, "-o", target, "--ledger", tmp_path / "ledger.csv", "--keep", "longest")
    assert done.returncode == 0, done.stderr
    if suffix == ".parquet":
        assert pq.read_table(target).to_pylist() == rows[1:]
    elif suffix == ".csv":
        assert target.read_text().count("\n") == 4
    else:
        data = gzip.decompress(target.read_bytes()) if suffix.endswith("gz") else target.read_bytes()
        assert data == b"".join(jsonl.read_bytes().splitlines(keepends=True)[1:])
    ledger = (tmp_path / "ledger.csv").read_text().splitlines()
    assert ledger[0] == '"id","partner","score","method","reason"'
    assert ledger[1].startswith('"a","c",')


def test_dedupe_of_a_folder_copies_the_kept_pages(tmp_path: Path) -> None:
    assert run("dedupe", NEWS, "-o", tmp_path / "kept", "-t", "0.9").returncode == 0
    kept = sorted(
        path.relative_to(tmp_path / "kept").as_posix() for path in (tmp_path / "kept").rglob("*.html")
    )
    assert len(kept) == 60  # a copy, and three reprints with almost the same core in other frames
    assert ("plain-sheet/latest.html" in kept) != ("plain-sheet/0419-frost.html" in kept)


def test_against_another_collection(jsonl: Path, tmp_path: Path) -> None:
    new = tmp_path / "new.jsonl"
    new.write_text(
        json.dumps({"id": "x", "text": story(2)}) + "\n" + json.dumps({"id": "y", "text": story(8)}) + "\n"
    )
    rows = lines(run("find", new, "--against", jsonl, "--json", "--show", "pairs").stdout)
    assert rows == [{"left": "x", "right": "b", "score": 1.0}]


def test_a_dry_run_reads_nothing(tmp_path: Path) -> None:
    done = run("find", NEWS, "--dry-run", "-o", tmp_path / "r")
    assert done.returncode == 0
    assert b"would read 64 documents" in done.stdout
    assert not (tmp_path / "r").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("find", "no-such-folder"), "no such file or folder"),
        (("find", NEWS, "--method", "spotsgs"), "did you mean 'spotsigs'"),
        (("find", NEWS, "-t", "2"), "threshold: expected a number above 0"),
        (("find", NEWS, "--language", "xx"), "language"),
        (("find", NEWS, "--show", "grups"), "did you mean 'groups'"),
        (("find", NEWS, "--method", "spotsigs-2007", "--language", "de"), "setting of spotsigs-2007"),
        (("evaluate", NEWS, "--labels", "nowhere.csv"), "expected a file with labels"),
        (("explain", "a", "b", "--in", NEWS), "no document has the id"),
    ],
)
def test_failures_say_what_to_do_and_exit_2(arguments: tuple[object, ...], message: str) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert message in done.stderr.decode()
    assert "Traceback" not in done.stderr.decode()


def test_a_missing_column_lists_those_there_are(jsonl: Path) -> None:
    done = run("find", jsonl, "--text-column", "txt")
    assert done.returncode == 2
    assert all(name in done.stderr.decode() for name in ("txt", "id", "text", "n"))


def test_an_empty_folder_is_said(tmp_path: Path) -> None:
    done = run("find", tmp_path)
    assert done.returncode == 2
    assert str(tmp_path) in done.stderr.decode()


def test_a_closed_pipe_ends_quietly(tmp_path: Path) -> None:
    big = tmp_path / "big.jsonl"
    big.write_text("".join(json.dumps({"text": story(n, sentences=3)}) + "\n" for n in range(3000)))
    command = f"{sys.executable} -m samecore find {big} --json | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=False, timeout=120)
    assert len(done.stdout.splitlines()) == 1
    assert b"Traceback" not in done.stderr
    assert b"rror" not in done.stderr


def test_ctrl_c_leaves_nothing_half_written(tmp_path: Path) -> None:
    source = tmp_path / "big.jsonl"
    source.write_text("".join(json.dumps({"text": story(n)}) + "\n" for n in range(20_000)))
    for wait in (0.4, 1.0, 1.6):
        process = subprocess.Popen(
            [*SAMECORE, "find", str(source), "-o", str(tmp_path / "r")], stderr=subprocess.PIPE
        )
        time.sleep(wait)
        process.send_signal(signal.SIGINT)
        _, messages = process.communicate(timeout=60)
        assert process.returncode in (0, 130, -signal.SIGINT), messages  # the last: before Python was up
        left = {path.name for path in tmp_path.iterdir()} - {"big.jsonl"}
        assert left in (set(), {"r"})  # the signal may come after the last step
        assert not left or is_result(tmp_path / "r")
        assert b"Traceback" not in messages
        if process.returncode == 0:
            break


@pytest.mark.skipif(os.name != "posix", reason="limits on file sizes are a POSIX matter")
def test_a_full_disk_leaves_nothing_and_says_so(tmp_path: Path, jsonl: Path) -> None:
    import resource

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    for arguments in (("find", NEWS, "-o", tmp_path / "r"), ("dedupe", jsonl, "-o", tmp_path / "kept.jsonl")):
        done = run(*arguments, preexec_fn=limit, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
        assert done.returncode == 2
        assert b"Traceback" not in done.stderr
        assert {path.name for path in tmp_path.iterdir()} == {"docs.jsonl"}


def test_help_is_quick_and_has_examples() -> None:
    for command in ("find", "dedupe", "explain", "evaluate"):
        shown = run(command, "--help").stdout.decode()
        assert "Examples" in shown
        assert f"samecore {command}" in shown
    assert b"spotsigs-2008" in run("methods").stdout
    assert run("--version").stdout.strip() == b"0.1.0"


def best(command: list[str]) -> float:
    times = []
    for _ in range(5):
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        times.append(time.perf_counter() - start)
    return min(times)


def test_start_up_is_quick() -> None:
    empty = best([sys.executable, "-c", "pass"])
    assert best([sys.executable, "-c", "import samecore"]) - empty < 0.3
    assert best([*SAMECORE, "--help"]) < 0.5 + empty


def test_importing_pulls_in_nothing_heavy() -> None:
    code = "import sys, samecore, samecore.cli.app; print([m for m in ('numpy', 'pyarrow', 'pandas') if m in sys.modules])"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout.strip() == b"[]"
    )
