"""`samecore index`: make, fill, ask and look after an index."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from samecore.cli import options as o
from samecore.cli.reading import reads

if TYPE_CHECKING:
    from samecore.index.asking import Match
    from samecore.index.recipe import Batch

app = typer.Typer(
    help="Have I seen this before? An index on disk that documents are added to and asked of for years.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    epilog="""
[bold]Examples[/bold]\n\n
samecore index create seen/ --threshold 0.5\n\n
samecore index add seen/ crawl-monday.jsonl.gz --json > answers.jsonl\n\n
samecore index query seen/ page.html --best 3\n\n
zcat more.jsonl.gz | samecore index add seen/ - --format jsonl
""",
)

Path = Annotated[str, typer.Argument(metavar="INDEX", help="The folder of the index.")]
Checked = Annotated[
    str | None, typer.Option("--method", "-m", help="Refuse an index that was made with another method.")
]
NewerThan = Annotated[
    str | None, typer.Option("--newer-than", help="Only documents with a later date, as ISO 8601.")
]


@app.command()
def create(
    index: Path,
    method: o.MethodName = "spotsigs",
    threshold: o.Threshold = None,
    corpus: Annotated[
        list[str] | None,
        typer.Option(
            "--corpus",
            help="Documents whose frequencies are frozen for the idf of the method, and from whose addresses the "
            "frames of hosts are learned, to be left out.",
        ),
    ] = None,
    groups: Annotated[
        str, typer.Option("--groups", help="A duplicate joins the group of its 'partner', or 'components'.")
    ] = "partner",
    language: o.Language = None,
    settings: o.Set = None,
    unspaced: o.Unspaced = None,
    undisguise: o.Undisguise = False,
    text: o.Text = None,
    seed: o.Seed = 0,
    quiet: o.Quiet = False,
) -> None:
    """Make a new, empty index for one method."""
    from samecore.cli import report
    from samecore.index.index import Index

    recipe = o.choose_method(
        method, language=language, text=text, unspaced=unspaced, undisguise=undisguise, settings=settings
    )
    source = tuple(corpus) if corpus else None
    with Index.create(index, recipe, threshold=threshold, corpus=source, groups=groups, seed=seed) as made:
        hosts = made.stats().framed
        told = f", without the frames of {hosts:,} hosts" if hosts else ""
        report.say(f"created {index}: {made.method.name} at {made.threshold:g}{told}", quiet=quiet)
        if recipe.frame == "ignore" and not hosts:
            nothing = "nothing recurs on three pages of a host that have different cores"
            why = nothing if source else "--corpus teaches them"
            report.say(f"pages are compared whole, with the frames of their sites: {why}", quiet=quiet)


@app.command()
@reads
def add(
    index: Path,
    sources: o.Sources,
    threshold: o.Threshold = None,
    guess: Annotated[
        str,
        typer.Option("--guess", help="The partner of a duplicate: the 'best' match, or the 'first' stored."),
    ] = "best",
    duplicates: Annotated[
        bool, typer.Option("--duplicates/--no-duplicates", help="Store duplicates, or only answer.")
    ] = True,
    update: Annotated[
        bool, typer.Option("--update", help="Replace documents whose ids are there already.")
    ] = False,
    load: Annotated[
        bool, typer.Option("--load", help="Store without asking about each: a bulk load, or seeds.")
    ] = False,
    method: Checked = None,
    *,
    reading: dict[str, Any],
    json: o.Json = False,
    threads: o.Threads = None,
    quiet: o.Quiet = False,
) -> None:
    """Add documents; each is answered: new, or which stored document it duplicates. What is printed is stored, durably."""
    from samecore.cli import report
    from samecore.index.index import Index

    counts: dict[str, int] = {}
    with Index(index, method=method) as opened:
        for batch in opened.batches(tuple(sources), threads=threads, **reading):
            if load:
                counts["stored"] = counts.get("stored", 0) + opened.seed(
                    batch, update=update, threads=threads
                )
                counts["skipped"] = counts.get("skipped", 0) + len(batch.skipped)
                say_skipped(batch, quiet=quiet)
                continue
            for part in batch.parts():  # what is printed is stored
                answers = opened.add_batch(
                    part, threshold=threshold, guess=guess, duplicates=duplicates, update=update
                )
                for answer in answers:
                    counts[answer.status] = counts.get(answer.status, 0) + 1
                say_skipped(part, quiet=quiet)
                with report.closed_pipe_is_ignored():  # what was asked for is to add
                    print_rows(
                        (asdict(answer) for answer in answers),
                        ("id", "status", "partner", "score", "group"),
                        json=json,
                    )
        total = len(opened)
    said = ", ".join(f"{count:,} {status}" for status, count in counts.items() if count) or "nothing added"
    report.say(f"{said}; {total:,} documents in {index}", quiet=quiet)


@app.command()
@reads
def query(
    index: Path,
    sources: o.Sources,
    threshold: o.Threshold = None,
    best: Annotated[
        int | None, typer.Option("--best", min=1, help="So many matches at most, best first.")
    ] = None,
    newer_than: NewerThan = None,
    method: Checked = None,
    *,
    reading: dict[str, Any],
    json: o.Json = False,
    threads: o.Threads = None,
) -> None:
    """All stored documents like those given, with scores. Exit 1 if there are none. Changes nothing."""
    from samecore.cli import report
    from samecore.index.index import Index

    any_found = False
    with Index(index, method=method) as opened, report.closed_pipe_is_fine():
        for batch in opened.batches(tuple(sources), threads=threads, **reading):
            answers = opened.query_many(
                batch, threshold=threshold, best=best, newer_than=newer_than, threads=threads or 1
            )
            for id, matches in zip(batch.ids, answers, strict=False):
                any_found |= bool(matches)
                rows = ({"id": id} | shown(one) for one in matches)
                print_rows(rows, ("id", "match", "score", "date", "group"), json=json)
            say_skipped(batch, quiet=False)
    if not any_found:
        raise typer.Exit(1)


@app.command()
def remove(
    index: Path,
    ids: Annotated[
        list[str], typer.Argument(help="Ids to remove; '-' reads one per line from standard input.")
    ],
    quiet: o.Quiet = False,
) -> None:
    """Remove documents by id, all or none."""
    from samecore.cli import report
    from samecore.index.index import Index

    wanted = [id for id in ids if id != "-"]
    if "-" in ids:
        wanted += [line.rstrip("\r\n") for line in sys.stdin if line.strip()]
    with Index(index) as opened:
        removed = opened.remove(wanted)
        report.say(f"removed {removed:,}; {len(opened):,} documents in {index}", quiet=quiet)


@app.command()
def stats(index: Path, json: o.Json = False) -> None:
    """Documents, contents, segments, bytes and dates."""
    from samecore.index.index import Index

    with Index(index, skip_damaged=True) as opened:
        facts = asdict(opened.stats())
        if opened.damaged:
            facts["damaged"] = list(opened.damaged.values())
    if json:
        print_rows([facts], (), json=True)
        return
    for name, value in facts.items():
        typer.echo(f"{name:10} {value if not isinstance(value, int) else f'{value:,}'}")


@app.command()
def verify(index: Path, quiet: o.Quiet = False) -> None:
    """Read everything and name each damaged file. Exit 2 if there is one."""
    from samecore.cli import report
    from samecore.index.index import Index

    with Index(index, skip_damaged=True) as opened:
        problems = opened.verify()
    for problem in problems:
        typer.echo(problem)
    if problems:
        raise typer.Exit(2)
    report.say(f"{index} is sound", quiet=quiet)


@app.command()
def compact(
    index: Path,
    refresh: Annotated[
        bool,
        typer.Option("--refresh", help="Freeze the document frequencies anew, for methods with idf parts."),
    ] = False,
    quiet: o.Quiet = False,
) -> None:
    """Write everything into one segment and drop what was removed."""
    from samecore.cli import report
    from samecore.index.index import Index

    with Index(index) as opened:
        if refresh:
            opened.refresh()
        else:
            opened.compact()
        facts = opened.stats()
        report.say(f"{facts.documents:,} documents in {facts.bytes:,} bytes", quiet=quiet)


def say_skipped(batch: Batch, *, quiet: bool) -> None:
    """Name the documents that could not be used, and why."""
    from samecore.cli import report

    for one in batch.skipped:
        report.say(f"skipped {one.id}: {one.detail.removeprefix(f'{one.id}: ')}", quiet=quiet)


def shown(match: Match) -> dict[str, Any]:
    """A match as a row of output."""
    return {"match": match.id, "score": match.score, "date": match.date.isoformat(), "group": match.group}


def print_rows(rows: Iterable[dict[str, Any]], names: tuple[str, ...], *, json: bool) -> None:
    """One JSON object per line, or the named fields with tabs between them."""
    import orjson

    for row in rows:
        if json:
            sys.stdout.buffer.write(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))
        else:
            cells = ("" if row[name] is None else row[name] for name in names)
            line = "\t".join(f"{cell:.4f}" if isinstance(cell, float) else str(cell) for cell in cells)
            sys.stdout.write(line + "\n")
    sys.stdout.flush()
