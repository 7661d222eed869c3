"""`samecore compare`: the figures of two documents, for people and for machines."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import story

import samecore
from samecore.figures import figures


def compare(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "samecore", "compare", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, int]:
    """Two files, the second with two words changed and more at its end, and the words of the first."""
    text = story(1)
    changed = text.split()
    changed[5], changed[9] = "otherwise", "instead"
    left, right = tmp_path / "left.txt", tmp_path / "right.txt"
    left.write_text(text.upper(), "utf-8")
    right.write_text("\n".join([*changed, *story(2).split()]), "utf-8")
    return left, right, len(changed)


def test_figures_for_people(files: tuple[Path, Path, int]) -> None:
    left, right, words = files
    done = compare(left, right, "-m", "minhash", "--edit")
    assert done.returncode == 1, done.stderr
    figures = {line.split()[0]: line for line in done.stdout.splitlines()}
    assert "no match at 0.7" in figures["score"]
    assert f"of {words - 4:,} features in {left}" in figures["jaccard"]
    assert "minhash, 128 slots" in figures["estimate"]
    assert "2 substituted" in figures["edit"]
    assert "inserted" in figures["edit"]
    assert done.stdout.count("  of ") == 3
    assert "edit" not in compare(left, right).stdout


def test_figures_for_machines(files: tuple[Path, Path, int]) -> None:
    left, right, words = files
    shown = json.loads(compare(left, right, "-m", "containment", "--costs", "1,2,3", "--json").stdout)
    assert (
        shown["score"]
        == shown["containment_left"]
        > 0.8
        > shown["containment_right"]
        > shown["jaccard"]
        > 0.3
    )
    more = len(story(2).split())
    assert shown["edit"]["distance"] == more + 6
    assert shown["edit"]["largest"] == 3 * words + more
    assert shown["edit"]["operations"] != ""
    assert "edit" not in json.loads(compare(left, right, "--json").stdout)


def test_two_ids_of_a_collection_and_of_a_result(files: tuple[Path, Path, int], tmp_path: Path) -> None:
    left, right, _ = files
    texts = {"id": "a", "text": left.read_text()}, {"id": "b", "text": right.read_text()}
    (tmp_path / "docs.jsonl").write_text("\n".join(map(json.dumps, texts)), "utf-8")
    samecore.find(str(tmp_path / "docs.jsonl"), method="shingles").write(tmp_path / "result")
    for inside in ("docs.jsonl", "result"):
        shown = json.loads(compare("a", "b", "--in", tmp_path / inside, "-m", "shingles", "--json").stdout)
        assert shown["score"] == shown["jaccard"] > 0.3
        assert shown["left"]["id"] == "a"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (("--costs", "1,2"), "three whole numbers"),
        (("--costs", "1,-2,1"), "delete"),
        (("--unit", "word"), "'words'"),
    ],
)
def test_wrong_settings_are_named(
    files: tuple[Path, Path, int], wrong: tuple[str, str], message: str
) -> None:
    done = compare(*files[:2], *wrong)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr


def test_a_document_that_cannot_be_compared_is_named(files: tuple[Path, Path, int], tmp_path: Path) -> None:
    (tmp_path / "dots.txt").write_text("...")
    done = compare(files[0], tmp_path / "dots.txt")
    assert done.returncode == 2
    assert f"'{tmp_path / 'dots.txt'}' was not compared" in done.stderr


@pytest.mark.parametrize("name", samecore.METHODS)
def test_every_method_has_figures(name: str) -> None:
    text = story(3, sentences=40)
    same, near, far = (
        samecore.compare(text, other, method=name)
        for other in (text, text + " " + story(4, sentences=12), story(5, sentences=40))
    )
    assert same.score == same.figures.jaccard == same.figures.containment_left == 1.0
    assert near.figures.jaccard <= min(near.figures.containment_left, near.figures.containment_right)
    assert far.figures.jaccard <= near.figures.jaccard
    assert not any("floor" in note for note in far.notes)
    assert set(same.figures.estimates.values()) <= {1.0}


def test_scores_of_two_documents_have_no_floor() -> None:
    """They used to be 0 below half the threshold of the method, and 0 for all that both have under tf-idf."""
    one, two = story(6), story(6, sentences=3) + story(7)
    for name in ("tfidf-cosine", "binary-cosine", "containment", "edit", "simhash"):
        assert 0.0 < samecore.compare(one, two, method=name).score < 0.9


def test_a_pair_that_a_filter_left_out_is_not_shown_as_found() -> None:
    """By shingles alike, by the words of the simhash not: henzinger lists no such pair."""
    one = story(8, sentences=40)
    two = f"{one} {'again ' * 150}"
    strict = samecore.method("henzinger", agreeing=384)
    assert samecore.find([one, two], method=strict).pairs.num_rows == 0
    found = samecore.compare(one, two, method=strict)
    assert found.score >= found.threshold
    assert any("did not list this pair" in note for note in found.notes)


def test_counts_and_weights_of_the_method_are_used() -> None:
    from samecore.features.shingles import Shingles

    sides: list[Any] = [Shingles(width=1).occurrences(text) for text in ("a a b c", "a b d")]
    sets = figures(*sides, multiset=False)
    assert (sets.jaccard, sets.containment_left, sets.containment_right) == (2 / 4, 2 / 3, 2 / 3)
    counted = figures(*sides, multiset=True)
    assert (counted.jaccard, counted.containment_left, counted.containment_right) == (2 / 5, 2 / 4, 2 / 3)
    heavy = {one.key: 5 if one.words == ("d",) else 1 for side in sides for one in side}
    weighted = figures(*sides, multiset=True, weights=heavy)
    assert (weighted.jaccard, weighted.containment_left, weighted.containment_right) == (2 / 9, 2 / 4, 2 / 7)
    assert figures([], [], multiset=True).jaccard == 0.0
