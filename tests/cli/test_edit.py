"""`samecore explain --edit`: one more line, one more field in JSON."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import story


def explain(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "samecore", "explain", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, float]:
    """Two files, and the share of their words that is the same."""
    text = story(1)
    changed = text.split()
    changed[5], changed[9] = "otherwise", "instead"
    left, right = tmp_path / "left.txt", tmp_path / "right.txt"
    left.write_text(text.upper(), "utf-8")
    right.write_text("\n".join(changed), "utf-8")
    return left, right, 1 - 2 / len(changed)


def test_one_more_line(files: tuple[Path, Path, float]) -> None:
    left, right, share = files
    plain, more = explain(left, right), explain(left, right, "--edit")
    assert plain.returncode == more.returncode == 0, more.stderr
    assert more.stdout == plain.stdout + f"edit similarity {share:.3f} (words)\n"


def test_json_has_a_field_and_a_page_leaves_the_line(files: tuple[Path, Path, float], tmp_path: Path) -> None:
    left, right, share = files
    assert json.loads(explain(left, right, "--edit", "--json").stdout)["edit_similarity"] == pytest.approx(
        share
    )
    assert "edit_similarity" not in json.loads(explain(left, right, "--json").stdout)
    written = explain(left, right, "--edit", "--to", tmp_path / "page.html")
    assert written.stdout == f"edit similarity {share:.3f} (words)\n"
    assert (tmp_path / "page.html").exists()


def test_it_does_not_change_the_verdict(tmp_path: Path) -> None:
    for name, seed in (("a.txt", 1), ("b.txt", 2)):
        (tmp_path / name).write_text(story(seed), "utf-8")
    unlike = explain(tmp_path / "a.txt", tmp_path / "b.txt", "--edit")
    assert unlike.returncode == 1
    assert "edit similarity 0." in unlike.stdout
