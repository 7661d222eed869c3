"""`samecore find`: which documents carry the same core."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from samecore.cli import options as o
from samecore.cli.reading import reads

EXAMPLES = """
[bold]Examples[/bold]\n\n
samecore find crawl/                              groups of same-core pages, as a table\n\n
samecore find pages.parquet -t 0.5 -o result/     everything, written to a folder for later\n\n
samecore find new.jsonl --against old.parquet     which new documents are in the old collection\n\n
samecore find new.jsonl --against seen/           the same for an index, see 'samecore index'\n\n
samecore find - --format jsonl --json < docs.jsonl
"""


@reads
def command(
    context: typer.Context,
    sources: o.Sources,
    against: Annotated[
        str | None,
        typer.Option("--against", help="Compare with this collection, or index, instead of within."),
    ] = None,
    method: o.MethodName = "spotsigs",
    threshold: o.Threshold = None,
    max_distance: o.MaxDistance = None,
    floor: o.Floor = None,
    group: o.Group = None,
    keep: o.Keep = "first",
    match: o.Match = None,
    frame: o.Frame = None,
    language: o.Language = None,
    text: o.Text = None,
    settings: o.Set = None,
    unspaced: o.Unspaced = None,
    undisguise: o.Undisguise = False,
    *,
    reading: dict[str, Any],
    show: Annotated[str, typer.Option("--show", help="groups, pairs, ledger or reviews.")] = "groups",
    to: Annotated[
        str | None,
        typer.Option(
            "-o", "--to", help="Write a result folder, or with .parquet/.csv/.jsonl just the table of --show."
        ),
    ] = None,
    json: o.Json = False,
    dry_run: o.DryRun = False,
    threads: o.Threads = None,
    seed: o.Seed = 0,
    quiet: o.Quiet = False,
) -> None:
    """Find near-duplicates: pages, mails or texts that carry the same core in different frames."""
    from samecore.cli import report
    from samecore.index.creating import is_index
    from samecore.index.index import Index
    from samecore.pipeline import find

    recipe = o.choose_method(
        method, language=language, text=text, unspaced=unspaced, undisguise=undisguise, settings=settings
    )
    source = tuple(sources)
    report.check_output(to, show, source, **reading)
    stored_side = against is not None and is_index(against)
    if dry_run:
        report.dry_run(
            source,
            None if stored_side else against,
            recipe,
            reading,
            threshold=o.choose_threshold(threshold, max_distance),
            to=to,
        )
        return
    if stored_side:
        assert against is not None
        asked = context.get_parameter_source("method")
        chosen = None if asked is None or asked.name == "DEFAULT" else recipe
        with Index(against, method=chosen) as stored, report.Progress(quiet=quiet) as progress:
            result = stored.find_against(
                source,
                threshold=o.choose_threshold(threshold, max_distance),
                floor=floor,
                group=group,
                keep=keep,
                threads=threads,
                progress=progress,
                **reading,
            )
        report.result(result, show=show, to=to, json=json, quiet=quiet)
        return
    with report.Progress(quiet=quiet) as progress:
        result = find(
            source,
            method=recipe,
            threshold=o.choose_threshold(threshold, max_distance),
            match=match,
            frame=frame,
            group=group,
            keep=keep,
            floor=floor,
            against=against,
            threads=threads,
            seed=seed,
            progress=progress,
            **reading,
        )
    report.result(result, show=show, to=to, json=json, quiet=quiet)
