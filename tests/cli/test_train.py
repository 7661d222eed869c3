"""`samecore train` and `samecore tune` as a user meets them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from framed import write


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "samecore", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("learn")
    write(made, stories=5, sites=3)
    quick = ("--preferences", "300", "--folds", "2")
    done = run("train", "labels.csv", "--corpus", "pages", "-o", "news.model", *quick, cwd=made)
    assert done.returncode == 0, done.stderr
    assert "wrote news.model" in done.stderr
    assert "F1 of pairs" in done.stderr
    return made


def test_a_model_is_a_method_for_every_command(folder: Path) -> None:
    found = run("find", "pages", "--method", "news.model", "--show", "pairs", "--json", cwd=folder)
    assert found.returncode == 0, found.stderr
    rows = [json.loads(line) for line in found.stdout.splitlines()]
    assert rows
    assert all(row["left"][:2] == row["right"][:2] for row in rows)
    for command in (
        ("dedupe", "pages", "--method", "news.model", "-t", "0.3", "-o", "kept"),
        ("explain", "s1-0.html", "s1-1.html", "--in", "pages", "--method", "news.model"),
        ("evaluate", "pages", "--labels", "labels.csv", "--method", "news.model"),
        ("find", "pages", "--method", "news.model:lsh-cos:128"),
        ("methods", "news.model"),
    ):
        done = run(*command, cwd=folder)
        assert done.returncode == 0, (command, done.stderr)


def test_tune_writes_a_method(folder: Path) -> None:
    done = run(
        "tune",
        "labels.csv",
        "-c",
        "pages",
        "-m",
        "spotsigs",
        "-m",
        "news.model",
        "-o",
        "b.model",
        "--json",
        cwd=folder,
    )
    assert done.returncode == 0, done.stderr
    assert {json.loads(line)["method"] for line in done.stdout.splitlines()} == {"spotsigs", "news.model"}
    assert "groups that had no say" in done.stderr.replace("\n", " ")
    assert run("find", "pages", "--method", "b.model", cwd=folder).returncode == 0


def test_suggest_writes_a_file_to_fill_in(folder: Path) -> None:
    done = run("train", "--corpus", "pages", "--suggest", "3", "-o", "ask.csv", cwd=folder)
    assert done.returncode == 0, done.stderr
    lines = (folder / "ask.csv").read_text().splitlines()
    assert lines[0].replace('"', "").startswith("left,right,same,why")
    assert 1 < len(lines) <= 4


@pytest.mark.parametrize("name", ["ask.csv", "ask.tsv"])
def test_what_was_filled_in_is_read_back(folder: Path, name: str) -> None:
    from samecore.learn.labels import read_labels

    done = run("train", "--corpus", "pages", "--suggest", "4", "-o", name, cwd=folder)
    assert done.returncode == 0, done.stderr
    comma = "\t" if name.endswith(".tsv") else ","
    header, *lines = (folder / name).read_text().splitlines()
    filled = [
        line.replace(comma * 2, f"{comma}{'no' if n else 'yes'}{comma}", 1) for n, line in enumerate(lines)
    ]
    (folder / name).write_text("\n".join([header, *filled]) + "\n")
    labels = read_labels(folder / name)
    assert [same for _, _, same in labels.judged] == [n == 0 for n in range(len(lines))]
    assert all((folder / "pages" / id).exists() for id in labels.ids)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("train", "gone.csv", "-c", "pages", "-o", "x.model"), "found none"),
        (("train", "empty.csv", "-c", "pages", "-o", "x.model"), "no usable label"),
        (("train", "one.csv", "-c", "pages", "-o", "x.model"), "one cluster only"),
        (("train", "unknown.csv", "-c", "pages", "-o", "x.model"), "no labelled id is among the documents"),
        (("train", "labels.csv", "-c", "pages", "-o", "x.json"), "ends in .model"),
        (("train", "labels.csv", "-c", "pages", "-o", "gone/x.model"), "does not exist"),
        (("train", "labels.csv", "-o", "x.model"), "--corpus"),
        (("train", "-c", "pages", "-o", "x.model"), "--suggest"),
        (
            ("train", "labels.csv", "-c", "pages", "-o", "x.model", "--features", "bias,tff"),
            "did you mean 'tf'",
        ),
        (("train", "labels.csv", "-c", "pages", "-o", "x.model", "--similarity", "dice"), "similarity"),
        (("train", "labels.csv", "-c", "pages", "-o", "x.model", "--query-log", "labels.csv"), "query"),
        (("tune", "one.csv", "-c", "pages"), "one cluster only"),
        (("find", "pages", "--method", "cut.model"), "cut short"),
        (("find", "pages", "--method", "gone.model"), "found none"),
        (("find", "pages", "--method", "news.model", "--language", "de"), "a model has its own"),
    ],
)
def test_what_goes_wrong_is_said(folder: Path, arguments: tuple[str, ...], message: str) -> None:
    (folder / "empty.csv").write_text("id,cluster\n")
    (folder / "one.csv").write_text("id,cluster\ns0-0.html,a\ns0-1.html,a\n")
    (folder / "unknown.csv").write_text("id,cluster\nx,a\ny,a\nz,b\n")
    (folder / "cut.model").write_bytes((folder / "news.model").read_bytes()[:500])
    done = run(*arguments, cwd=folder)
    assert done.returncode == 2
    assert message in " ".join(done.stderr.replace("│", " ").split())
    assert "Traceback" not in done.stderr
    assert not (folder / "x.model").exists()
