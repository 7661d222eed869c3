"""What went wrong once, on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.test_commands import lines, run
from conftest import NEWS, story

import samecore
from samecore.errors import InputError, SettingError
from samecore.lab.evaluate import evaluate, read_labels


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    """Good lines, and one of each kind that cannot be used; ids that look like line numbers."""
    path = tmp_path / "bad.jsonl"
    rows = [json.dumps({"id": str(n), "text": story(n % 3)}) for n in range(5)]
    path.write_text(
        "\n".join([*rows[:2], "not json", *rows[2:], '{"id": "e", "text": ""}', '{"id": "n", "text": null}'])
        + "\n"
    )
    return path


def test_dedupe_goes_on_when_documents_were_skipped(bad: Path, tmp_path: Path) -> None:
    done = run("dedupe", bad, "-o", tmp_path / "kept.jsonl", "--ledger", tmp_path / "ledger.jsonl")
    assert done.returncode == 0, done.stderr
    assert [row["id"] for row in lines((tmp_path / "kept.jsonl").read_bytes())][:3] == ["0", "1", "2"]
    reasons = [row["reason"] for row in lines((tmp_path / "ledger.jsonl").read_bytes())]
    assert "skipped:bad-json" in reasons
    assert reasons.count("same-features") == 2
    assert b"line 3" in done.stderr


def test_find_prints_groups_though_a_skipped_line_looks_like_an_id(bad: Path) -> None:
    done = run("find", bad)
    assert done.returncode == 0, done.stderr
    assert len(set(samecore.find(bad).groups["id"].to_pylist())) == samecore.find(bad).groups.num_rows


def test_two_collections_with_the_same_ids_are_told_apart(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.jsonl").write_text(
            "".join(json.dumps({"text": story(n)}) + "\n" for n in range(3))
        )
    result = samecore.find(tmp_path / "a.jsonl", against=tmp_path / "b.jsonl", threshold=0.5)
    ids = result.groups["id"].to_pylist()
    assert ids == ["0", "1", "2", "against:0", "against:1", "against:2"]
    assert result.groups["representative"].to_pylist() == ids[3:] * 2
    assert [(row["left"], row["right"]) for row in result.pairs.to_pylist()] == [
        (str(n), str(n)) for n in range(3)
    ]
    assert result.explain("1", "1").score == result.explain("1", "against:1").score == 1.0
    assert run("find", tmp_path / "a.jsonl", "--against", tmp_path / "b.jsonl").returncode == 0


def test_folders_with_other_things_in_them_are_left_alone(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "manifest.json").write_text('{"name": "a web app"}')
    for arguments in (("find", NEWS, "-o", precious), ("dedupe", NEWS, "-o", precious)):
        done = run(*arguments)
        assert done.returncode == 2, done.stdout
        assert [path.name for path in precious.iterdir()] == ["manifest.json"]


def test_a_threshold_of_zero_is_refused_not_replaced(bad: Path, tmp_path: Path) -> None:
    for option in (("-t", "0"), ("--max-distance", "1")):
        done = run("dedupe", bad, "-o", tmp_path / "k.jsonl", *option)
        assert done.returncode == 2
        assert b"threshold" in done.stderr


def test_ids_are_printed_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "odd.jsonl"
    ids = ["[/b]", "[red]x[/red]", "a:smile:b", "tab\there"]
    path.write_text("".join(json.dumps({"id": id, "text": story(1)}) + "\n" for id in ids))
    for show in ("groups", "pairs", "ledger"):
        shown = run("find", path, "--show", show).stdout.decode()
        assert all(id in shown for id in ids[1:3]), show
        assert "tab\\there" in shown


def test_piped_tables_are_not_cut(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    ids = ["x" * 150 + "1", "x" * 150 + "2"]
    path.write_text("".join(json.dumps({"id": id, "text": story(1)}) + "\n" for id in ids))
    assert ids[1] in run("find", path, "--show", "pairs").stdout.decode()


def test_labels_are_text_and_blank_ones_are_no_cluster(tmp_path: Path) -> None:
    labels = tmp_path / "labels.csv"
    labels.write_text("id,cluster\n000,a\n001,a\n002,\n003,\n")
    truth = read_labels(labels)
    assert truth.clusters == {"000": "a", "001": "a"}
    texts = [(f"00{n}", story(0 if n < 2 else n)) for n in range(4)]
    assert evaluate(samecore.find(texts), truth).pairs.f1 == 1.0


def test_evaluate_takes_a_stored_result_as_it_is(tmp_path: Path) -> None:
    labels = tmp_path / "labels.csv"
    labels.write_text("id,cluster\n0,a\n1,a\n")
    samecore.find([story(1), story(1)], group="leader").write(tmp_path / "r")
    figures = json.loads(run("evaluate", tmp_path / "r", "--labels", labels, "--json").stdout)
    assert figures["grouping"] == "leader"


def test_results_without_all_pairs_say_so() -> None:
    forest = samecore.find(NEWS, match="exact-forest", group="components")
    with pytest.raises(SettingError, match="forest"):
        forest.at(0.3, group="average")
    with pytest.raises(SettingError, match="forest"):
        evaluate(forest, read_labels(NEWS.parent / "news-labels.tsv"))
    removed = samecore.dedupe(NEWS)
    assert removed.at(0.5).groups.equals(removed.groups)
    with pytest.raises(SettingError, match="leaders"):
        removed.at(0.6)


def test_dedupe_keeps_what_find_by_leader_keeps() -> None:
    for keep in ("first", "longest"):
        quick = samecore.dedupe(NEWS, threshold=0.3, keep=keep)
        every = samecore.find(NEWS, threshold=0.3, keep=keep, group="leader")
        assert quick.groups.equals(every.groups)
        assert quick.ledger.equals(every.ledger)


def test_odd_arguments_are_named() -> None:
    texts = [story(1), story(1)]
    for arguments in ({"method": 3}, {"group": "3"}, {"keep": "column:"}):
        with pytest.raises(SettingError):
            samecore.find(texts, **arguments)
    assert samecore.find(texts, threshold="0.5").settings.threshold == 0.5  # type: ignore[arg-type]
    assert samecore.compare(story(1) + "\ud800", story(1)).score > 0.9
    assert samecore.find(texts).explain(0, 1).score == 1.0  # type: ignore[arg-type]


def test_explaining_an_empty_file_says_so(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("")
    done = run("explain", tmp_path / "empty.txt", NEWS / "plain-sheet/latest.html")
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr
    assert b"empty.txt" in done.stderr


def test_columns_for_keeping_cannot_shadow_ours() -> None:
    rows = [{"id": str(n), "text": story(1), "status": f"draft {n}", "features": n} for n in range(3)]
    result = samecore.dedupe(rows, keep="column:features")
    assert result.groups["representative"].to_pylist() == ["2"] * 3
    assert set(result.groups["status"].to_pylist()) == {"ok"}


def test_antecedents_are_chosen_from_the_whole_source() -> None:
    one = [" ".join(f"ka w{n}q{i} lo v{n}q{i}" for i in range(20)) for n in range(300)]
    two = [" ".join(f"mu x{n}q{i} ri y{n}q{i}" for i in range(20)) for n in range(300)]
    result = samecore.find(one + two, method=samecore.method("spotsigs", languages="learn"))
    assert result.counts()["fallback"] == 0
    emoji = samecore.find(["\U0001f600 \U0001f601"], method=samecore.method("spotsigs", languages="learn"))
    assert emoji.counts()["skipped"] == 1


def test_documents_without_a_date_are_refused_by_newest() -> None:
    with pytest.raises(InputError, match="'date'"):
        samecore.find([story(1), story(1)], keep="newest")


def test_an_output_that_is_an_input_is_refused(bad: Path) -> None:
    before = bad.read_bytes()
    for arguments in (
        ("find", bad, "-o", bad),
        ("dedupe", bad, "-o", bad),
        ("dedupe", bad, "-o", bad.parent / "k.jsonl", "--ledger", bad),
    ):
        done = run(*arguments)
        assert done.returncode == 2
        assert bad.read_bytes() == before
