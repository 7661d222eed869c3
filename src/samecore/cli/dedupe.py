"""`samecore dedupe`: keep one document of each group and account for the others."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from samecore.cli import options as o
from samecore.cli.reading import reads

EXAMPLES = """
[bold]Examples[/bold]\n\n
samecore dedupe docs.jsonl.gz -o kept.jsonl.gz --ledger removed.csv\n\n
samecore dedupe corpus.parquet -o kept.parquet --keep longest --threshold 0.7\n\n
samecore dedupe pages/ -o kept/ --dry-run
"""


@reads
def command(
    sources: o.Sources,
    to: Annotated[
        str, typer.Option("-o", "--to", help="Where the kept documents go, in the format of the input.")
    ],
    ledger: Annotated[
        str | None,
        typer.Option(
            "--ledger", help="Who was removed, for whom, with which score (.csv, .jsonl, .parquet)."
        ),
    ] = None,
    method: o.MethodName = "spotsigs",
    threshold: Annotated[
        float | None,
        typer.Option(
            "--threshold",
            "-t",
            help="Inclusive minimum score of a match, in (0, 1]. Default: the method's own, at least 0.5 where it is a Jaccard.",
        ),
    ] = None,
    max_distance: o.MaxDistance = None,
    group: Annotated[
        str, typer.Option("--group", "-g", help="leader (the default), average, complete or components.")
    ] = "leader",
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
    drop_skipped: Annotated[
        bool,
        typer.Option(
            "--drop-skipped", help="Leave out documents that could not be compared; by default they stay."
        ),
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace a folder that is there already.")] = False,
    dry_run: o.DryRun = False,
    threads: o.Threads = None,
    seed: o.Seed = 0,
    quiet: o.Quiet = False,
) -> None:
    """Write the documents without near-duplicates of one another, and a ledger of those removed."""
    import numpy as np

    from samecore import read
    from samecore.cli import report
    from samecore.pipeline import dedupe, dedupe_threshold
    from samecore.read import Source, check_target, write_kept
    from samecore.store import write_table

    recipe = o.choose_method(
        method, language=language, text=text, unspaced=unspaced, undisguise=undisguise, settings=settings
    )
    asked = o.choose_threshold(threshold, max_distance)
    asked = dedupe_threshold(recipe) if asked is None else asked
    if ledger is not None:
        report.check_output(ledger, "ledger", tuple(sources), **reading)
    if "-" not in sources and not force:
        check_target(read.open(tuple(sources), **reading), to)
    if dry_run:
        report.dry_run(tuple(sources), None, recipe, reading, threshold=asked, to=to)
        return
    with report.Progress(quiet=quiet) as progress:
        result = dedupe(
            tuple(sources),
            method=recipe,
            threshold=asked,
            group=group,
            keep=keep,
            match=match,
            frame=frame,
            threads=threads,
            seed=seed,
            progress=progress,
            spool=True,
            **reading,
        )
    readable = result.documents[
        "read"
    ].to_numpy()  # what could not be read cannot be copied; the ledger has it
    kept = result.kept | (
        np.zeros(len(result), np.bool_) if drop_skipped else (result.content < 0) & readable
    )
    source = result.sources[0]
    assert isinstance(source, Source)
    written = write_kept(source, result.ids.to_numpy()[kept].tolist(), to, overwrite=force).documents
    if ledger is not None:
        write_table(result.ledger, ledger)
    report.say(f"kept {written:,} of {len(result):,} documents in {to}", quiet=quiet)
    for line in result.summary():
        report.say(line, quiet=quiet)
