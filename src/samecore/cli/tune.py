"""`samecore tune`: which method and threshold suit these documents, by labels."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from samecore.cli import options as o
from samecore.cli.reading import reads

EXAMPLES = """
[bold]Examples[/bold]\n\n
samecore tune labels.csv --corpus pages/\n\n
samecore tune labels.csv --corpus pages/ -m spotsigs -m shingles -m news.model -o best.model
"""


@reads
def command(
    labels: Annotated[
        str, typer.Argument(help="CSV, TSV or Parquet with columns id, cluster, or left, right, same.")
    ],
    corpus: Annotated[
        list[str] | None,
        typer.Option(
            "--corpus", "-c", help="The documents, labelled and others; may be given several times."
        ),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option("-o", "--to", help="Write the chosen method to this file; its name ends in .model."),
    ] = None,
    method: Annotated[
        list[str] | None,
        typer.Option("--method", "-m", help="Methods to choose from. Default: a dozen that differ."),
    ] = None,
    repeats: Annotated[
        int, typer.Option("--repeats", min=1, help="How often the groups are split in halves.")
    ] = 5,
    *,
    reading: dict[str, Any],
    json: o.Json = False,
    threads: o.Threads = None,
    seed: o.Seed = 0,
    quiet: o.Quiet = False,
) -> None:
    """Choose method, features and threshold on half of the labelled groups and measure on the other half."""
    import os
    import sys

    from samecore.cli import report
    from samecore.errors import SettingError
    from samecore.learn.tune import tune
    from samecore.methods.stored import SUFFIX, save_model

    if not corpus:
        raise typer.BadParameter("give the documents with --corpus")
    if to is not None and not to.endswith(SUFFIX):
        raise SettingError("-o", found=to, expected=f"the name of a model file that ends in {SUFFIX}")
    show = sys.stderr.isatty() and not quiet
    done = tune(
        labels,
        tuple(corpus),
        candidates=method,
        repeats=repeats,
        threads=threads or os.cpu_count() or 1,
        seed=seed,
        progress=(lambda line: report.say(line)) if show else (lambda line: None),
        **reading,
    )
    (report.print_json if json else report.print_table)(done.table)
    for note in done.notes:
        report.say(note, quiet=quiet)
    if to is not None:
        save_model(done.model, to)
        report.say(
            f"wrote {to}: {done.model.method.name}, threshold {done.model.method.threshold:g}", quiet=quiet
        )
