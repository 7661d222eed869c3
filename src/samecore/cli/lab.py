"""`samecore lab`: the experiments of the papers, run again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    help="Run the papers' experiments again, on the labelled sets or on documents of your own.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)

Out = Annotated[Path, typer.Option("-o", "--out", help="Where results and finished cells are kept.")]

RUN = """
[bold]Examples[/bold]\n\n
samecore lab run spotsigs-2008-table-1 --data ~/labelled\n\n
samecore lab run all -o results/                  what is there already is not measured again\n\n
samecore lab run spotsigs-2008-figure-5 --set my-pages/   a folder per cluster, or with labels.tsv
"""


@app.command("list")
def list_() -> None:
    """The experiments that come with samecore."""
    from samecore.lab import experiment

    names = experiment.names()
    width = max(map(len, names))
    for name in names:
        one = experiment.load(name)
        typer.echo(f"{name:{width}}  {one.paper}: {one.title}")


@app.command("run", epilog=RUN)
def run(
    names: Annotated[list[str], typer.Argument(help="Experiments, .toml files of your own, or 'all'.")],
    out: Out = Path("lab-results"),
    base: Annotated[
        str | None, typer.Option("--data", help="The folder of the labelled sets; SAMECORE_DATA by default.")
    ] = None,
    sets: Annotated[
        list[str] | None,
        typer.Option(
            "--set", help="Use this set instead: a name, a folder of yours, or 'made'. May be repeated."
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No messages.")] = False,
) -> None:
    """Measure, and write tables and figures. Cells that were measured before are taken as they are."""
    from samecore.errors import InputError
    from samecore.lab import experiment, report
    from samecore.lab.run import run as run_one

    def say(line: str) -> None:
        if not quiet:
            typer.echo(line, err=True)

    chosen = [experiment.load(name) for name in (experiment.names() if names == ["all"] else names)]
    rows = 0
    for one in chosen:
        outcome = run_one(one, out, data=sets or (), base=base, say=say)
        for path in report.write(outcome, out):
            say(f"  {path}")
        say(f"{one.name}: {len(outcome.rows)} rows, {outcome.measured} cells measured")
        rows += len(outcome.rows)
    if not rows:
        raise InputError(f"nothing was measured: {outcome.missing[0] if outcome.missing else 'no rows'}")


@app.command("report")
def report(
    out: Out = Path("lab-results"),
    to: Annotated[
        Path | None, typer.Option("--to", help="The page; by default report.html beside the results.")
    ] = None,
    markdown: Annotated[
        Path | None,
        typer.Option(
            "--markdown", help="Also write all of it as Markdown, its figures in a folder of that name."
        ),
    ] = None,
) -> None:
    """One self-contained HTML page of everything that was run."""
    from samecore.errors import InputError
    from samecore.lab import report as pages
    from samecore.lab.run import outcomes

    found = list(outcomes(out))
    if not found:
        raise InputError("expected results of 'samecore lab run', found none", where=str(out))
    if markdown is not None:
        for path in pages.write_results(found, out, markdown):
            typer.echo(str(path))
    target = to or out / "report.html"
    target.write_text(pages.page(found, out), "utf-8")
    typer.echo(str(target))
