"""`samecore seen`: ask an index about documents, for scripts and pipelines."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from samecore.cli import options as o
from samecore.cli.index import print_rows, say_skipped, shown

EXAMPLES = """
[bold]Examples[/bold]\n\n
samecore seen page.html -i seen/ && echo "an old story"\n\n
curl -s https://example.org/ | samecore seen - -i seen/\n\n
samecore seen crawl.jsonl -i seen/ --newer-than 2026-11-01 --json
"""


def command(
    sources: o.Sources,
    index: Annotated[
        str, typer.Option("--index", "-i", envvar="SAMECORE_INDEX", help="The folder of the index.")
    ],
    threshold: o.Threshold = None,
    newer_than: Annotated[
        str | None, typer.Option("--newer-than", help="Only documents with a later date, as ISO 8601.")
    ] = None,
    page_url: Annotated[
        str | None, typer.Option("--page-url", help="The address of the page on standard input.")
    ] = None,
    text_column: o.TextColumn = None,
    id_column: o.IdColumn = None,
    format: o.Format = None,
    html: o.Html = False,
    json: o.Json = False,
    quiet: o.Quiet = False,
) -> None:
    """Have I seen this? Exit 0: every document is like a stored one, 1: at least one is new, or there is none.

    Stores nothing.

    '-' without --format is one document from standard input.
    """
    from samecore.cli import report
    from samecore.index.index import Index

    reading = o.Reading(text_column, id_column, format, html).arguments()
    asked = new = 0
    with Index(index) as opened:
        if sources == ["-"] and format is None:
            page = sys.stdin.buffer.read()
            batches = iter([opened.recipe.of_one(page, id="-", date=0, url=page_url)])
        else:
            batches = opened.batches(tuple(sources), threads=1, **reading)
        for batch in batches:
            asked += len(batch) + len(batch.skipped)
            answers = opened.query_many(batch, threshold=threshold, best=1, newer_than=newer_than)
            for id, matches in zip(batch.ids, answers, strict=False):
                new += not matches
                nothing = {"match": None, "score": None, "date": None, "group": None}
                row = {"id": id, "seen": bool(matches)} | (shown(matches[0]) if matches else nothing)
                status = row | {"seen": "seen" if matches else "new"}
                if quiet:
                    continue
                with report.closed_pipe_is_ignored():  # the exit code is the answer
                    print_rows([row if json else status], ("id", "seen", "match", "score"), json=json)
            new += len(batch.skipped)
            say_skipped(batch, quiet=quiet)
    if not asked:
        report.say(f"no documents in {' '.join(sources)}", quiet=quiet)
    raise typer.Exit(1 if new or not asked else 0)
