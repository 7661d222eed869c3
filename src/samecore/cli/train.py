"""`samecore train`: learn from labels what a near-duplicate is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from samecore.cli import options as o
from samecore.cli.reading import reads

if TYPE_CHECKING:
    import pyarrow as pa

    from samecore.learn.labels import Labels
    from samecore.learn.train import Training

EXAMPLES = """
[bold]Examples[/bold]\n\n
samecore train labels.csv --corpus pages/ -o news.model\n\n
samecore find crawl/ --method news.model\n\n
samecore find crawl/ --method news.model:lsh-cos:384          signatures of 384 bits\n\n
samecore train --corpus pages/ --suggest 50 -o judge-me.csv   which pairs to label first\n\n
samecore train labels.csv --corpus pages/ --experiment        would it help here? five random splits
"""


@reads
def command(
    labels: Annotated[
        str | None, typer.Argument(help="CSV, TSV or Parquet with columns id, cluster, or left, right, same.")
    ] = None,
    corpus: Annotated[
        list[str] | None,
        typer.Option(
            "--corpus", "-c", help="The documents, labelled and others; may be given several times."
        ),
    ] = None,
    to: Annotated[
        str | None, typer.Option("-o", "--to", help="The model file to write; its name ends in .model.")
    ] = None,
    k: Annotated[int, typer.Option("--k", min=1, max=8, help="Words of a k-gram.")] = 1,
    similarity: Annotated[
        str, typer.Option("--similarity", help="cosine, or jaccard (extended).")
    ] = "cosine",
    features: Annotated[
        str | None,
        typer.Option("--features", help="Names, comma-separated; 'paper' for those of ANDD. Default: all."),
    ] = None,
    query_log: Annotated[
        str | None, typer.Option("--query-log", help="CSV or TSV with columns query, count.")
    ] = None,
    preferences: Annotated[
        int, typer.Option("--preferences", min=1, help="Pairs of pairs to learn from.")
    ] = 80_000,
    penalty: Annotated[float, typer.Option("--penalty", min=0, help="L2 penalty.")] = 1e-3,
    active_terms: Annotated[
        int | None,
        typer.Option(
            "--active-terms", min=0, help="Only so many of the heaviest k-grams of a document count; 0: all."
        ),
    ] = None,
    folds: Annotated[
        int, typer.Option("--folds", min=1, help="Folds that are held back in turn to measure.")
    ] = 5,
    suggest: Annotated[
        int | None,
        typer.Option("--suggest", min=1, help="List so many pairs whose label would teach most, and stop."),
    ] = None,
    method: Annotated[
        list[str] | None,
        typer.Option("--method", "-m", help="With --suggest: the methods that are to disagree."),
    ] = None,
    experiment: Annotated[
        bool, typer.Option("--experiment", help="The paper's comparison on these labels: five random splits.")
    ] = False,
    text: Annotated[str, typer.Option("--text", help="Text of HTML pages.")] = "marked",
    *,
    reading: dict[str, Any],
    json: o.Json = False,
    threads: o.Threads = None,
    seed: o.Seed = 0,
    quiet: o.Quiet = False,
) -> None:
    """Learn weights from labels, and write a model that find, dedupe and evaluate take as a method."""
    import os

    from samecore.cli import report
    from samecore.errors import InputError, SettingError
    from samecore.features.facts import PAPER
    from samecore.features.frequencies import Frequencies
    from samecore.learn.labels import read_labels
    from samecore.learn.queries import query_table
    from samecore.learn.train import Training, train
    from samecore.methods.stored import SUFFIX, save_model

    if not corpus:
        raise typer.BadParameter("give the documents with --corpus")
    source = tuple(corpus)
    known = None if labels is None else read_labels(labels)
    workers = threads or os.cpu_count() or 1
    if suggest is not None:
        _suggest(source, suggest, known, method, to, json, quiet, workers, seed, reading)
        return
    if known is None:
        raise typer.BadParameter("give a file with labels, or --suggest N for pairs to label first")
    names = None if features is None else PAPER if features == "paper" else tuple(features.split(","))
    training = Training(
        k=k,
        measure=similarity,  # type: ignore[arg-type]
        features=names,
        preferences=preferences,
        penalty=penalty,
        active=active_terms,
        text=text,
        seed=seed,
    )
    if experiment:
        _experiment(known, source, training, json, quiet, workers, reading)
        return
    if to is None or not to.endswith(SUFFIX):
        raise SettingError("-o", found=to, expected=f"the name of a model file that ends in {SUFFIX}")
    folder = os.path.dirname(os.path.abspath(to))
    if not os.path.isdir(folder):
        raise InputError("the folder for the model does not exist", where=folder)
    queries: Frequencies | None = None if query_log is None else query_table(query_log, k)
    model, notes = train(
        known, source, training=training, queries=queries, threads=workers, folds=folds, **reading
    )
    save_model(model, to)
    for note in notes:
        report.say(note, quiet=quiet)
    report.say(f"wrote {to}: {model.method.about}, threshold {model.method.threshold:g}", quiet=quiet)
    if json:
        import pyarrow as pa

        report.print_json(
            pa.Table.from_pylist(
                [{"model": to, "threshold": model.method.threshold} | model.about["metrics"]]
            )
        )


def _suggest(
    source: tuple[str, ...],
    count: int,
    known: Labels | None,
    methods: list[str] | None,
    to: str | None,
    json: bool,
    quiet: bool,
    threads: int,
    seed: int,
    reading: dict[str, Any],
) -> None:
    from samecore.cli import report
    from samecore.learn.suggest import VIEWS, suggest

    table = suggest(
        source, count, labels=known, methods=methods or VIEWS, threads=threads, seed=seed, **reading
    )
    if to is None or to == "-":
        (report.print_json if json else report.print_table)(table)
    else:
        _write_csv(table, to)
        report.say(f"wrote {to}: {table.num_rows} pairs; fill the column 'same' with yes or no", quiet=quiet)
    if table.num_rows < count:
        report.say(f"there are only {table.num_rows} pairs worth asking about", quiet=quiet)


def _write_csv(table: pa.Table, to: str) -> None:
    """A table that `read_labels` reads back: with quotes as a CSV, without as a TSV."""
    import csv

    from samecore.errors import InputError
    from samecore.read.atomic import atomic_path

    tabs = to.endswith((".tsv", ".tab"))
    rows = [table.column_names, *zip(*(column.to_pylist() for column in table.columns), strict=True)]
    if tabs and any("\t" in str(cell) or "\n" in str(cell) for row in rows for cell in row):
        raise InputError(
            "an id has a tab or a line break in it, which a TSV cannot hold; write a .csv", where=to
        )
    with atomic_path(to) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        if tabs:
            file.writelines(
                "\t".join("" if cell is None else str(cell) for cell in row) + "\n" for row in rows
            )
        else:
            csv.writer(file, lineterminator="\n").writerows(rows)


def _experiment(
    known: Labels,
    source: tuple[str, ...],
    training: Training,
    json: bool,
    quiet: bool,
    threads: int,
    reading: dict[str, Any],
) -> None:
    import sys

    from samecore.cli import report
    from samecore.learn.experiment import experiment

    show = sys.stderr.isatty() and not quiet
    done = experiment(
        known,
        source,
        training=training,
        threads=threads,
        progress=(lambda line: report.say(line)) if show else (lambda line: None),
        **reading,
    )
    for table in (done.summary, done.curve, done.signatures):
        (report.print_json if json else report.print_table)(table)
