"""Experiments: files are understood, cells are kept, outcomes are written."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

import samecore
from samecore.cli.app import app
from samecore.errors import InputError, SamecoreError, SettingError
from samecore.lab import experiment, made, report
from samecore.lab.bootstrap import interval
from samecore.lab.data import from_folder
from samecore.lab.evaluate import Truth
from samecore.lab.measures import MEASURES
from samecore.lab.mistakes import mistakes, page
from samecore.lab.run import run

#: Settings that make an experiment small enough for every day.
QUICK = {"andd": {"runs": 2, "grams": [1], "preferences": 500, "signatures": False}}
SMALL = "made:stories=8,copies=3,sites=3"
runner = CliRunner()


@pytest.mark.parametrize("name", experiment.names())
def test_every_experiment_names_a_measure_and_a_paper(name: str) -> None:
    one = experiment.load(name)
    assert one.measure in MEASURES
    assert one.paper
    assert one.note, "say what is and is not comparable"
    assert len({case.label for case in one.cases}) == len(one.cases)


@pytest.mark.parametrize("name", experiment.names())
def test_every_experiment_runs_on_made_pages(name: str, tmp_path: Path) -> None:
    one = experiment.load(name)
    if one.measure in QUICK:
        one = replace(one, settings={**one.settings, **QUICK[one.measure]}, figures=one.figures[:-1])
    outcome = run(one, tmp_path, data=[SMALL], isolate=False)
    libraries = [reason for reason in outcome.missing if "samecore[bench]" in reason]
    assert list(outcome.missing) == libraries, "only libraries that are not installed may be missing"
    assert len({row["case"] for row in outcome.rows}) >= len(one.cases) - len(libraries)
    for row in outcome.rows:
        for column in ("precision", "recall", "f1", "cosine", "correct"):
            assert row.get(column) is None or 0 <= row[column] <= 1
    written = report.write(outcome, tmp_path)
    assert all(path.stat().st_size for path in written)
    assert len(written) == 1 + len(one.figures)


def test_cells_are_measured_once_and_a_stopped_run_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = experiment.load("spotsigs-2007-figures-13-14")
    calls: list[str] = []
    real = MEASURES[one.measure]

    def stopping(labelled: object, settings: dict[str, object]) -> list[dict[str, object]]:
        calls.append(str(settings["spots"]))
        if len(calls) == 2:
            raise KeyboardInterrupt
        return real(labelled, settings)  # type: ignore[arg-type]

    monkeypatch.setitem(MEASURES, one.measure, stopping)
    with pytest.raises(KeyboardInterrupt):
        run(one, tmp_path, data=[SMALL], isolate=False)
    assert run(one, tmp_path, data=[SMALL], isolate=False).measured == 1
    again = run(one, tmp_path, data=[SMALL], isolate=False)
    assert again.measured == 0
    assert len(calls) == 3
    assert json.loads((tmp_path / f"{one.name}.json").read_text())["rows"] == list(again.rows)
    assert run(one, tmp_path, data=[SMALL + ",seed=5"], isolate=False).measured == 2, (
        "other data, other cells"
    )


def test_a_cell_has_a_process_and_a_peak_of_its_own(tmp_path: Path) -> None:
    one = experiment.load("lecture-sketch-error")
    outcome = run(one, tmp_path, data=[SMALL])
    assert outcome.measured == 1
    assert all(row["peak MB"] >= 0 for row in outcome.rows)
    assert all(row["rms error"] < 2 * row["expected"] for row in outcome.rows)


def test_what_is_not_there_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SAMECORE_DATA", raising=False)
    outcome = run(experiment.load("spotsigs-2008-figure-4"), tmp_path, isolate=False)
    assert outcome.rows == ()
    assert "SAMECORE_DATA" in outcome.missing[0]
    with pytest.raises(SettingError, match="experiment"):
        experiment.load("table-99")
    with pytest.raises(InputError, match="is not TOML"):
        experiment.parse("title =", name="x", where="x.toml")
    with pytest.raises(InputError, match="case"):
        experiment.parse("title = 'x'", name="x", where="x.toml")


def pages_in(folder: Path) -> None:
    labelled = made.labelled("made:stories=3,copies=2,frame=0")
    for row in labelled.documents.to_pylist():
        path = folder / labelled.truth.clusters[row["id"]] / row["id"].replace("/", "-")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(row["body"])


def test_a_folder_of_ones_own_is_understood_in_three_layouts(tmp_path: Path) -> None:
    pages_in(tmp_path)
    by_folder = from_folder(tmp_path)
    assert len(set(by_folder.truth.clusters.values())) == 3
    ids = list(by_folder.truth.clusters)
    lines = [f"{id}\t{cluster}" for id, cluster in by_folder.truth.clusters.items()]
    (tmp_path / "labels.tsv").write_text("\n".join(["id\tcluster", *lines]))
    assert from_folder(tmp_path).truth == by_folder.truth
    (tmp_path / "labels.tsv").unlink()
    (tmp_path / "pairs.tsv").write_text(
        f"left\tright\tsame\n{ids[0]}\t{ids[1]}\tyes\n{ids[0]}\t{ids[2]}\tno\n"
    )
    assert from_folder(tmp_path).truth == Truth({}, ((ids[0], ids[1], True), (ids[0], ids[2], False)))
    with pytest.raises(InputError, match="subfolder per cluster"):
        from_folder(tmp_path / "story0")


def test_mistakes_are_the_worst_ones() -> None:
    labelled = made.labelled("made:stories=6,copies=3,sites=2,frame=0.6")
    result = samecore.find(labelled.documents, threshold=0.1, floor=0.02)
    wrong = [
        Truth({**labelled.truth.clusters, one: "elsewhere"}) for one in list(labelled.truth.clusters)[:1]
    ]
    found = mistakes(result, wrong[0], most=2)
    assert [one.kind for one in found[:2]] == ["false match", "false match"]
    assert found[0].score >= found[1].score >= 0.1
    assert all(one.score < 0.1 for one in found if one.kind == "miss")
    shown = page(result, wrong[0], most=2)
    assert shown.count("<details>") == len(found)
    assert "<mark>" in shown


def test_an_interval_holds_the_figure_and_narrows_with_certainty() -> None:
    labelled = made.labelled("made:stories=12,copies=3,frame=0.5")
    result = samecore.find(labelled.documents, threshold=0.2, floor=0.02)
    low, high = interval(result, labelled, 0.1)
    assert 0 <= low <= high <= 1
    assert interval(result, labelled, 0.1) == (low, high)
    perfect = made.labelled("made:stories=12,copies=3,frame=0")
    assert interval(samecore.find(perfect.documents), perfect, 0.14) == (1.0, 1.0)


def test_the_command(tmp_path: Path) -> None:
    assert "SpotSigs 2008, Table 1" in runner.invoke(app, ["lab", "list"]).output
    out = str(tmp_path / "out")
    shown = runner.invoke(app, ["lab", "run", "spotsigs-2008-figure-4", "--set", SMALL, "-o", out])
    assert shown.exit_code == 0, shown.output
    assert "1 cells measured" in shown.output
    assert runner.invoke(app, ["lab", "report", "-o", out]).exit_code == 0
    document = tmp_path / "results.md"
    assert runner.invoke(app, ["lab", "report", "-o", out, "--markdown", str(document)]).exit_code == 0
    assert "](results/spotsigs-2008-figure-4-1.svg)" in document.read_text("utf-8")
    assert (tmp_path / "results" / "spotsigs-2008-figure-4-1.svg").exists()
    html = (tmp_path / "out" / "report.html").read_text("utf-8")
    assert "<svg" in html
    assert "0.640" in html, "the paper's figure"
    empty = runner.invoke(app, ["lab", "report", "-o", str(tmp_path / "none")])
    assert isinstance(empty.exception, InputError)


OWN = """
title = "Words or shingles"
paper = "none"
measure = "quality"
data = ["made"]
columns = ["threshold", "f1"]

[[case]]
label = "shingles | of 3"
method = "shingles"
options = { width = 3 }
"""


def test_an_experiment_of_ones_own_is_in_the_report(tmp_path: Path) -> None:
    own, out = tmp_path / "mine.toml", str(tmp_path / "out")
    own.write_text(OWN)
    assert runner.invoke(app, ["lab", "run", str(own), "--set", SMALL, "-o", out]).exit_code == 0
    (tmp_path / "out" / "other.json").write_text("[1, 2]")
    assert runner.invoke(app, ["lab", "report", "-o", out]).exit_code == 0
    assert "Words or shingles" in (tmp_path / "out" / "report.html").read_text("utf-8")
    assert "shingles |" not in (tmp_path / "out" / "mine.md").read_text("utf-8")


def test_a_run_that_measures_nothing_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SAMECORE_DATA", raising=False)
    shown = runner.invoke(app, ["lab", "run", "signcd-table-3", "-o", str(tmp_path)])
    assert isinstance(shown.exception, InputError)
    assert "SAMECORE_DATA" in str(shown.exception)


def test_a_folder_whose_name_begins_with_made_is_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages_in(tmp_path / "made-pages")
    monkeypatch.chdir(tmp_path)
    outcome = run(experiment.load("spotsigs-2008-figure-4"), "out", data=["made-pages"], isolate=False)
    assert outcome.rows[-1]["documents"] == 6


@pytest.mark.parametrize("isolate", [False, True])
def test_a_setting_that_is_missing_is_named(isolate: bool, tmp_path: Path) -> None:
    one = experiment.parse(OWN.replace("quality", "procedures"), name="x", where="x.toml")
    outcome = run(one, tmp_path, data=[SMALL], isolate=isolate)
    assert "thresholds" in outcome.missing[0]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (('data = ["made"]', 'data = "made"'), "list"),
        (("columns = [", "columns = 3 # ["), "list"),
        (("[[case]]", '[[figure]]\nx = "f1"\ny = "f1"\nkind = "pie"\n[[case]]'), "kind of figure"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(change: tuple[str, str], named: str) -> None:
    with pytest.raises(SamecoreError, match=named):
        experiment.parse(OWN.replace(*change), name="x", where="x.toml")


def test_cells_of_other_versions_or_settings_are_measured_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = experiment.parse(OWN, name="x", where="x.toml")
    assert run(one, tmp_path, data=[SMALL], isolate=False).measured == 1
    assert run(replace(one, title="renamed", columns=()), tmp_path, data=[SMALL], isolate=False).measured == 0
    assert run(replace(one, settings={"floor": 0.1}), tmp_path, data=[SMALL], isolate=False).measured == 1
    monkeypatch.setattr("samecore.lab.run._code", lambda: "a line was changed")
    assert run(one, tmp_path, data=[SMALL], isolate=False).measured == 1
    monkeypatch.setattr("samecore.lab.run.versions", lambda: {"samecore": "0", "datasketch": "99"})
    assert run(one, tmp_path, data=[SMALL], isolate=False).measured == 1


@pytest.mark.parametrize("isolate", [False, True])
def test_a_setting_that_nothing_looks_at_is_named(isolate: bool, tmp_path: Path) -> None:
    one = experiment.parse(OWN + "flor = 0.1\n", name="x", where="x.toml")
    outcome = run(one, tmp_path, data=[SMALL], isolate=isolate)
    assert outcome.rows == ()
    assert "flor" in outcome.missing[0]


def test_the_page_on_the_lab_is_right() -> None:
    text = (Path(__file__).parents[2] / "docs" / "lab.md").read_text("utf-8")
    example = text.partition("```toml\n")[2].partition("```")[0]
    assert experiment.parse(example, name="mine", where="docs/lab.md").measure in MEASURES
    assert [name for name in MEASURES if f"`{name}`" not in text] == []
    assert [field.name for field in fields(made.Made) if f"`{field.name}`" not in text] == []


@pytest.mark.parametrize(
    ("measure", "settings"),
    [
        ("quality", {"method": "minhash", "floor": 0.1}),
        ("curve", {"method": "minhash", "floor": 0.1}),
        ("procedures", {"kind": "full", "add_duplicates": True, "thresholds": [0.5]}),
        ("skew", {"of": "text", "kilobytes": [1 << 20]}),
    ],
)
def test_a_setting_that_a_case_has_no_use_for_is_no_mistake(
    measure: str, settings: dict[str, object], tmp_path: Path
) -> None:
    one = experiment.parse(OWN, name="x", where="x.toml")
    case = experiment.Case("x", settings)
    outcome = run(replace(one, measure=measure, cases=(case,)), tmp_path, data=[SMALL], isolate=False)
    assert outcome.missing == ()
