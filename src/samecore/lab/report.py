"""Outcomes for people: a Markdown table each, and one page with all of them."""

from __future__ import annotations

import html
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from samecore.lab.experiment import Experiment
from samecore.lab.figures import draw
from samecore.lab.run import Outcome
from samecore.read import atomic_path

#: Longer tables are left to the JSON file and the figures.
MAX_ROWS = 60


def write(outcome: Outcome, out: str | os.PathLike[str]) -> list[Path]:
    """The table of an outcome as NAME.md and its figures as NAME-1.svg and so on."""
    experiment, folder = outcome.experiment, Path(out)
    written = [folder / f"{experiment.name}.md"]
    _put(written[0], markdown(outcome))
    for number, figure in enumerate(experiment.figures, start=1):
        if not any(row.get(figure.y) is not None for row in outcome.rows):
            continue
        written.append(folder / f"{experiment.name}-{number}.svg")
        _put(written[-1], draw(figure, outcome.rows, title=experiment.title))
    return written


def markdown(outcome: Outcome) -> str:
    """Title, table, the paper's figures, and what is to be said about them."""
    experiment = outcome.experiment
    lines = [f"### {experiment.title}", "", f"*{experiment.paper}*", ""]
    names = columns(experiment, outcome.rows)
    if outcome.rows and len(outcome.rows) <= MAX_ROWS:
        lines += _table([names, *([shown(row.get(name)) for name in names] for row in outcome.rows)])
    elif outcome.rows:
        best = best_rows(outcome.rows)
        if best:
            lines += ["The best row of each case:", ""]
            lines += _table([names, *([shown(row.get(name)) for name in names] for row in best)])
    stated = [case for case in experiment.cases if case.paper]
    if stated:
        lines += ["", "The paper has:", ""]
        lines += [
            f"- {case.label}: " + ", ".join(f"{name} {shown(value)}" for name, value in case.paper.items())
            for case in stated
        ]
    lines += ["", " ".join(experiment.note.split())] if experiment.note else []
    lines += ["", *(f"Not measured: {one}" for one in outcome.missing)] if outcome.missing else []
    return "\n".join(lines).rstrip() + "\n"


def best_rows(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Per case and set the row with the highest F1; nothing if rows have none."""
    best: dict[tuple[str, str], Mapping[str, Any]] = {}
    for row in rows:
        if "f1" in row:
            key = row["data"], row["case"]
            if key not in best or row["f1"] > best[key]["f1"]:
                best[key] = row
    return list(best.values())


def columns(experiment: Experiment, rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The columns of a table: data only if there are several, then the case, then what was asked for."""
    there = list(dict.fromkeys(name for row in rows for name in row))
    wanted = [name for name in experiment.columns or there if name in there]
    several = len({row["data"] for row in rows}) > 1
    head = (["data"] if several else []) + (["case"] if len({row["case"] for row in rows}) > 1 else [])
    return head + [name for name in wanted if name not in ("data", "case")]


def shown(value: Any) -> str:
    """A value as it stands in a table: three digits for fractions, thousands apart."""
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if isinstance(value, int) or (value == int(value) and abs(value) >= 100):
        return f"{int(value):,}"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}" if abs(value) < 0.01 else f"{value:.3f}"


def page(outcomes: Sequence[Outcome], out: str | os.PathLike[str]) -> str:
    """One self-contained HTML page with every table and figure."""
    parts = []
    for outcome in outcomes:
        one = outcome.experiment
        names = columns(one, outcome.rows)
        rows = list(outcome.rows)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(shown(row.get(name)))}</td>" for name in names) + "</tr>"
            for row in rows
        )
        head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
        table = f"<table><tr>{head}</tr>{body}</table>"
        if len(rows) > MAX_ROWS:
            table = f"<details><summary>{len(rows)} rows</summary>{table}</details>"
        figures = "".join(
            path.read_text("utf-8")
            for number in range(1, len(one.figures) + 1)
            if (path := Path(out) / f"{one.name}-{number}.svg").exists()
        )
        paper = "".join(
            f"<li>{html.escape(case.label)}: "
            + html.escape(", ".join(f"{name} {shown(value)}" for name, value in case.paper.items()))
            for case in one.cases
            if case.paper
        )
        missing = "".join(f"<p class=w>Not measured: {html.escape(text)}</p>" for text in outcome.missing)
        parts.append(
            f"<section id={one.name}><h2>{html.escape(one.title)}</h2><p class=p>{html.escape(one.paper)}</p>"
            f"<div class=f>{figures}</div>{table}"
            + (f"<p>The paper has:</p><ul>{paper}</ul>" if paper else "")
            + f"<p>{html.escape(' '.join(one.note.split()))}</p>{missing}</section>"
        )
    index = "".join(
        f"<li><a href='#{one.experiment.name}'>{html.escape(one.experiment.paper)}</a>" for one in outcomes
    )
    return (
        "<!doctype html><meta charset=utf-8><title>samecore: results</title><style>"
        "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem;color:#222}"
        "table{border-collapse:collapse;font-variant-numeric:tabular-nums}td,th{padding:.15rem .6rem;"
        "border-bottom:1px solid #ddd;text-align:right}td:first-child,th:first-child{text-align:left}"
        ".p{color:#666}.w{color:#a40}.f{display:flex;flex-wrap:wrap;gap:1rem}.f svg{max-width:34rem;height:auto}"
        f"</style><h1>samecore: results</h1><ul>{index}</ul>{''.join(parts)}"
    )


def results(outcomes: Sequence[Outcome], *, figures: str, heading: str) -> str:
    """All outcomes as one Markdown document; figures are linked under the folder `figures`."""
    parts = [heading]
    for outcome in outcomes:
        links = "".join(
            f"\n![{figure.y} over {figure.x}]({figures}/{outcome.experiment.name}-{number}.svg)\n"
            for number, figure in enumerate(outcome.experiment.figures, start=1)
            if any(row.get(figure.y) is not None for row in outcome.rows)
        )
        parts.append(markdown(outcome) + links)
    return "\n".join(parts)


#: What stands above the outcomes in one document.
HEADING = """# Results

Every table and figure of the papers, run again by `samecore lab run all`, with the papers' own figures where their texts state
them. Written by `samecore lab report --markdown`; not edited by hand. How it works: [lab.md](lab.md).

Best thresholds are chosen on the labels they are scored on, as in the papers. "f1 low" and "f1 high" hold 95 % of a thousand draws
of the clusters. Times are of a shared machine with two processors.
"""


def write_results(
    outcomes: Sequence[Outcome], out: str | os.PathLike[str], target: str | os.PathLike[str]
) -> list[Path]:
    """All outcomes as one Markdown document, its figures copied into a folder of the same name beside it."""
    document = Path(target)
    folder = document.with_suffix("")
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for outcome in outcomes:
        for number in range(1, len(outcome.experiment.figures) + 1):
            name = f"{outcome.experiment.name}-{number}.svg"
            if (Path(out) / name).exists():
                _put(folder / name, (Path(out) / name).read_text("utf-8"))
                written.append(folder / name)
    _put(document, results(outcomes, figures=folder.name, heading=HEADING))
    return [document, *written]


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    head, *body = ([cell.replace("|", "\\|") for cell in row] for row in rows)
    return [
        "| " + " | ".join(head) + " |",
        "|---" * len(head) + "|",
        *("| " + " | ".join(row) + " |" for row in body),
    ]


def _put(path: Path, text: str) -> None:
    with atomic_path(path) as target:
        Path(target).write_text(text, "utf-8")
