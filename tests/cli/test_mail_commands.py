"""Mails and SGML from the command line, end to end."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import story

from samecore.cli.app import main


def run(*arguments: object, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """The command in this process, which saves a second each time; in one of its own if it reads standard input."""
    words = [str(one) for one in arguments]
    if stdin:
        command = [sys.executable, "-m", "samecore", *words]
        return subprocess.run(command, input=stdin, capture_output=True, check=False, timeout=120)
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
    code: object = 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["samecore", *words])
        patch.setattr(sys, "stdout", out)
        patch.setattr(sys, "stderr", err)
        try:
            main()
        except SystemExit as stop:
            code = stop.code or 0
        out.flush()
        err.flush()
    assert isinstance(code, int)
    return subprocess.CompletedProcess(words, code, out.buffer.getvalue(), err.buffer.getvalue())  # type: ignore[attr-defined]


def mail(name: str, body: str, kind: str = "text/plain") -> bytes:
    head = (
        f"From: {name}@example.org\nSubject: About {name}\nDate: 1 Jan 2001 10:00 GMT\nMessage-ID: <{name}>\n"
    )
    return f"{head}Content-Type: {kind}\n\n{body}\n".encode()


MAILS = {
    "a": mail("a", story(1)),
    "b": mail("b", story(2)),
    "copy": mail("copy", f"<html><body><p>{story(1)}</p></body></html>", "text/html"),
    "reply": mail(
        "reply", "I think so too.\n\nb writes:\n> " + story(2).replace(". ", ".\n> ") + "\n\n" + story(3)
    ),
    "picture": mail("picture", "no text", "image/png"),
}


@pytest.fixture
def box(tmp_path: Path) -> Path:
    path = tmp_path / "mail.mbox"
    path.write_bytes(b"".join(b"From x Mon Jan  1 10:00:00 2001\n" + raw + b"\n" for raw in MAILS.values()))
    return path


def pairs(*arguments: object, stdin: bytes = b"") -> list[tuple[str, str]]:
    done = run("find", *arguments, "--json", "--show", "pairs", "-t", "0.4", stdin=stdin)
    assert done.returncode == 0, done.stderr
    return [(row["left"], row["right"]) for row in map(json.loads, done.stdout.splitlines())]


def test_find_in_a_mailbox(box: Path) -> None:
    assert pairs(box) == [("a", "copy"), ("b", "reply")]
    assert pairs(box, "--quotes", "strip") == [("a", "copy")]
    assert pairs("-", "--format", "mail", "--quotes", "only", stdin=box.read_bytes()) == []


def test_dedupe_a_mailbox(box: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept.mbox"
    done = run("dedupe", box, "-o", kept, "--quotes", "strip", "--ledger", tmp_path / "ledger.csv")
    assert done.returncode == 0, done.stderr
    raw = kept.read_bytes()
    # The message without a text cannot be compared, and so stays.
    assert raw == box.read_bytes().replace(b"From x Mon Jan  1 10:00:00 2001\n" + MAILS["copy"] + b"\n", b"")
    assert "copy,a," in (tmp_path / "ledger.csv").read_text().replace('"', "")


def test_dedupe_a_folder_of_mails(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for name, raw in MAILS.items():
        (folder / f"{name}.eml").write_bytes(raw)
    done = run("dedupe", folder, "-o", tmp_path / "out", "--keep", "newest")
    assert done.returncode == 0, done.stderr
    left = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    assert {"a.eml", "b.eml", "picture.eml"} <= left.keys()
    assert "copy.eml" not in left
    assert left["a.eml"] == MAILS["a"]


def test_explain_and_evaluate(box: Path, tmp_path: Path) -> None:
    shown = run("explain", "a", "copy", "--in", box)
    assert shown.returncode == 0, shown.stderr
    (tmp_path / "labels.tsv").write_text("id\tcluster\na\t1\ncopy\t1\nb\t2\n")
    found = run("evaluate", box, "--labels", tmp_path / "labels.tsv", "--json")
    assert json.loads(found.stdout)["best_pairs"]["f1"] == 1.0


def test_every_command_that_reads_takes_the_same_options(tmp_path: Path) -> None:
    reply = "".join(f"> {line}\n" for line in story(1).split(". ")) + story(2)
    for name, text in (("question", story(1)), ("answer", reply)):
        (tmp_path / f"{name}.eml").write_bytes(mail(name, text))
    files = [tmp_path / "question.eml", tmp_path / "answer.eml"]
    assert run("compare", *files).returncode == 0
    assert run("compare", *files, "--quotes", "strip").returncode == 1
    seen = tmp_path / "seen"
    assert run("index", "create", seen).returncode == 0
    assert run("index", "add", seen, files[0], "--quotes", "strip").returncode == 0
    assert run("seen", files[1], "-i", seen).returncode == 0
    assert run("seen", files[1], "-i", seen, "--quotes", "strip").returncode == 1
    assert run("index", "query", seen, files[1], "--quotes", "strip").returncode == 1
    for command in ("find", "dedupe", "explain", "compare", "evaluate", "seen", "train", "tune"):
        shown = run(command, "--help").stdout
        assert all(f"--{name} ".encode() in shown for name in ("format", "url", "status", "quotes", "tags"))


def test_a_stored_result_reads_the_mails_the_same_way(box: Path, tmp_path: Path) -> None:
    assert run("find", box, "--quotes", "strip", "-o", tmp_path / "result").returncode == 0
    assert run("explain", "b", "reply", "--in", tmp_path / "result").returncode == 1  # nothing in common
    assert run("find", box, "-o", tmp_path / "with quotes").returncode == 0
    assert run("explain", "b", "reply", "--in", tmp_path / "with quotes").returncode == 0


def test_sgml(tmp_path: Path) -> None:
    path = tmp_path / "news.dat"
    texts = {"1": story(1), "2": story(2), "3": story(1)}
    path.write_text("\n".join(f"<ITEM><KEY>{id}</KEY><B>{text}</B></ITEM>" for id, text in texts.items()))
    tags = ("--format", "sgml", "--tags", "document=ITEM,id=KEY,text=B")
    assert pairs(path, *tags) == [("1", "3")]
    assert run("dedupe", path, "-o", tmp_path / "kept.sgml", *tags).returncode == 0
    assert (tmp_path / "kept.sgml").read_text().count("<ITEM>") == 2


def test_mistakes_are_named(box: Path, tmp_path: Path) -> None:
    for arguments, word in (
        ((box, "--quotes", "strp"), b"did you mean 'strip'"),
        ((box, "--signatures", "off"), b"keep, strip"),
        ((box, "--tags", "x"), b"reuters"),
        ((tmp_path / "none.mbox",), b"no such file"),
        ((box, "--format", "mbx"), b"mbox"),
    ):
        done = run("find", *arguments)
        assert done.returncode == 2
        assert word in done.stderr
        assert b"Traceback" not in done.stderr
