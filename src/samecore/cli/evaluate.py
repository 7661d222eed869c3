"""`samecore evaluate`: how good a result is against labels."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from samecore.cli import options as o
from samecore.cli.reading import reads

EXAMPLES = """
[bold]Examples[/bold]\n\n
samecore evaluate result/ --labels labels.tsv\n\n
samecore evaluate pages/ --labels labels.tsv --method spotsigs-2008 --json\n\n
samecore evaluate pages/ --labels labels.tsv --all-methods
"""


@reads
def command(
    sources: Annotated[
        list[str], typer.Argument(help="A result folder written by find, or the documents themselves.")
    ],
    labels: Annotated[
        str,
        typer.Option("--labels", help="CSV, TSV or Parquet with columns id, cluster, or left, right, same."),
    ],
    method: o.MethodName = "spotsigs",
    threshold: o.Threshold = None,
    floor: o.Floor = None,
    group: Annotated[
        str | None,
        typer.Option(
            "--group", "-g", help="average, complete, components or leader. Default: as stored, or average."
        ),
    ] = None,
    match: o.Match = None,
    frame: o.Frame = None,
    language: o.Language = None,
    text: o.Text = None,
    settings: o.Set = None,
    unspaced: o.Unspaced = None,
    undisguise: o.Undisguise = False,
    *,
    reading: dict[str, Any],
    all_methods: Annotated[
        bool, typer.Option("--all-methods", help="Every method in one table, each at its best threshold.")
    ] = False,
    clusters: Annotated[bool, typer.Option("--clusters", help="Also a line per labelled cluster.")] = False,
    mistakes: Annotated[
        str | None,
        typer.Option("--mistakes", help="Write the worst false matches and misses to this HTML page."),
    ] = None,
    json: o.Json = False,
    threads: o.Threads = None,
    seed: o.Seed = 0,
    quiet: o.Quiet = False,
) -> None:
    """Pair precision, recall and F1, the best threshold, B-cubed and ARI against labels."""
    from samecore.cli import report
    from samecore.lab.evaluate import evaluate, read_labels
    from samecore.lab.methods import compare_methods
    from samecore.pipeline import find
    from samecore.store import is_result, load

    truth = read_labels(labels)
    if all_methods:
        table = compare_methods(tuple(sources), truth, group=group, threads=threads, **reading)
        (report.print_json if json else report.print_table)(table)
        return
    if len(sources) == 1 and is_result(sources[0]):
        result = load(sources[0])
        if threshold is not None or group is not None:
            result = result.at(result.settings.threshold if threshold is None else threshold, group=group)
    else:
        with report.Progress(quiet=quiet) as progress:
            result = find(
                tuple(sources),
                method=o.choose_method(
                    method,
                    language=language,
                    text=text,
                    unspaced=unspaced,
                    undisguise=undisguise,
                    settings=settings,
                ),
                threshold=threshold,
                floor=0.01 if floor is None and threshold is None else floor,
                group=group,
                match=match,
                frame=frame,
                threads=threads,
                seed=seed,
                progress=progress,
                **reading,
            )
    if mistakes is not None:
        from pathlib import Path

        from samecore.lab.mistakes import page
        from samecore.read import atomic_path

        with atomic_path(mistakes) as target:
            Path(target).write_text(page(result, truth), "utf-8")
    report.evaluation(evaluate(result, truth), clusters=clusters, json=json, quiet=quiet)
