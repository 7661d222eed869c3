"""What the commands show: tables and JSON on standard output, messages and progress on standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from samecore.errors import unknown_name

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.console import Console
    from rich.text import Text

    from samecore.lab.evaluate import Evaluation
    from samecore.methods import Method
    from samecore.result import Result

TABLES = ("groups", "pairs", "ledger", "reviews")

#: Groups and rows printed on a terminal; everything goes into files and JSON.
MAX_SHOWN = 200


class Progress:
    """Progress bars on a terminal, nothing elsewhere. Called with (stage, done, total)."""

    def __init__(self, *, quiet: bool) -> None:
        self._bars: Any = None
        self._tasks: dict[str, Any] = {}
        if not quiet and sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
            from rich.progress import Progress as Bars

            columns = (
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
            )
            self._bars = Bars(*columns, console=Console(stderr=True), transient=True)

    def __enter__(self) -> Progress:
        if self._bars is not None:
            self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bars is not None:
            self._bars.stop()

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        if self._bars is None:
            return
        if stage not in self._tasks:
            self._tasks[stage] = self._bars.add_task(
                {"read": "reading", "match": "matching"}[stage], total=total
            )
        self._bars.update(self._tasks[stage], completed=done, total=total)


@contextmanager
def closed_pipe_is_fine() -> Iterator[None]:
    """The reader of a pipe may go early (head, less): that ends the output, quietly and well."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        _stop_writing()
        raise SystemExit(0) from None


@contextmanager
def closed_pipe_is_ignored() -> Iterator[None]:
    """The same where there is more to do than to print: what comes after it is done, unseen."""
    try:
        yield
    except BrokenPipeError:
        _stop_writing()


def _stop_writing() -> None:
    """What is printed from now on goes nowhere; Python would complain when it flushes at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def say(message: str, *, quiet: bool = False) -> None:
    """A message for the person at the terminal."""
    if not quiet:
        sys.stderr.write(message + "\n")


def check_output(to: str | None, show: str, sources: tuple[str, ...] = (), **reading: Any) -> None:
    """Refuse an output that cannot be written, or is one of the sources, before anything is read."""
    from samecore import read
    from samecore.errors import InputError
    from samecore.read import refuse_overlap
    from samecore.store import TABLE_SUFFIXES, is_result

    if show not in TABLES:
        raise unknown_name("--show", show, TABLES)
    if to is None or to == "-":
        return
    if (
        "." in os.path.basename(to)
        and not to.endswith(TABLE_SUFFIXES)
        and to.endswith((".gz", ".zst", ".bz2", ".json"))
    ):
        raise InputError(
            f"a single table ends in {', '.join(TABLE_SUFFIXES)}; any other name is a folder", where=to
        )
    folder = os.path.dirname(os.path.abspath(to))
    if not os.path.isdir(folder):
        raise InputError("the folder for the output does not exist", where=folder)
    if sources and "-" not in sources:
        refuse_overlap(read.open(sources, **reading), to)
    if not to.endswith(TABLE_SUFFIXES) and os.path.isdir(to) and os.listdir(to) and not is_result(to):
        raise InputError("is there and is not a result of samecore; choose another folder", where=to)


def result(found: Result, *, show: str, to: str | None, json: bool, quiet: bool) -> None:
    """Write or print a result, then say in a few lines what it holds."""
    if to is not None and to != "-":
        written = _write(found, show, to)
        say(f"wrote {written}", quiet=quiet)
    else:
        with closed_pipe_is_fine():
            if json:
                print_json(getattr(found, show))
            elif show == "groups":
                _print_groups(found)
            else:
                print_table(getattr(found, show))
    for line in found.summary():
        say(line, quiet=quiet)


def _write(found: Result, show: str, to: str) -> str:
    from samecore.store import TABLE_SUFFIXES, write_table

    if to.endswith(TABLE_SUFFIXES):
        write_table(getattr(found, show), to)
        return f"{show} to {to}"
    found.write(to)
    return f"the result to {to}"


def print_json(table: pa.Table) -> None:
    """One object per row."""
    import orjson

    for batch in table.to_batches(max_chunksize=10_000):
        rows = b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in batch.to_pylist())
        sys.stdout.buffer.write(rows)
    sys.stdout.flush()


def print_table(table: pa.Table, *, title: str | None = None) -> None:
    """The first rows of a table, and how many more there are."""
    from rich.table import Table

    console = _console()
    shown = Table(*table.column_names, title=title, box=None, pad_edge=False, header_style="bold")
    for row in table.slice(0, MAX_SHOWN).to_pylist():
        shown.add_row(*(_cell(value) for value in row.values()))
    console.print(shown)
    if table.num_rows > MAX_SHOWN:
        console.print(f"... and {table.num_rows - MAX_SHOWN:,} more rows (-o FILE or --json gives all)")


def _console() -> Console:
    """A console that folds lines on a terminal only: piped output is for other programs and files."""
    from rich.console import Console

    return Console() if sys.stdout.isatty() else Console(width=10_000)


def _cell(value: object, style: str = "") -> Text:
    """A value as it is: no markup, no emoji codes, control characters made visible."""
    from rich.text import Text

    text = "" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)
    return Text(
        "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text), style=style
    )


REASONS = {
    "same-features": "has the same features as {partner}",
    "matches-representative": "matches the representative",
    "matches-member": "matches {partner}",
}


def _print_groups(found: Result) -> None:
    """Every group of two or more: its documents, the score of each and the reason it is there."""
    from rich.table import Table

    console = _console()
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("group", justify="right")
    table.add_column("score", justify="right")
    table.add_column("document", overflow="fold")
    table.add_column("reason", overflow="fold")
    more = 0
    for shown, (number, rows) in enumerate(_groups_of_several(found)):
        if shown >= MAX_SHOWN:
            more += 1
            continue
        for position, (id, score, reason) in enumerate(rows):
            first = position == 0
            table.add_row(
                str(number) if first else "", _cell(score), _cell(id, "bold" if first else ""), _cell(reason)
            )
        table.add_section()
    if table.row_count:
        console.print(table)
    if more:
        console.print(f"... and {more:,} more groups (-o or --json gives all)")


def _groups_of_several(found: Result) -> Iterator[tuple[int, list[tuple[str, float | None, str]]]]:
    """Each group with its documents, the representative first: id, score with the partner, reason."""
    import numpy as np

    ids, (partner, score, reason) = found.ids, found.links
    flags = {row["group"]: row["flags"] for row in found.reviews.to_pylist()}
    number = found.groups["group"].fill_null(-1).to_numpy()
    order = np.argsort(number, kind="stable")
    several = np.flatnonzero(np.bincount(number[number >= 0]) > 1)
    starts, ends = (np.searchsorted(number[order], several, side=side) for side in ("left", "right"))
    for group, start, end in zip(several.tolist(), starts, ends, strict=True):
        members = sorted(order[start:end].tolist(), key=lambda row: (partner[row] >= 0, row))
        rows: list[tuple[str, float | None, str]] = []
        for row in members:
            if partner[row] < 0:
                flagged = f" (look: {flags[group]})" if flags.get(group) else ""
                rows.append((ids[row].as_py(), None, f"represents {len(members)} documents{flagged}"))
            else:
                why = REASONS[reason[row]].format(partner=ids[int(partner[row])].as_py())
                rows.append((ids[row].as_py(), float(score[row]), why))
        yield group, rows


def evaluation(found: Evaluation, *, clusters: bool, json: bool, quiet: bool) -> None:
    """The figures of an evaluation, as a table or as one JSON object."""
    import orjson
    import pyarrow as pa

    if json:
        sys.stdout.buffer.write(orjson.dumps(found.to_dict(), option=orjson.OPT_APPEND_NEWLINE))
    else:
        rows = [
            ("pairs", found.threshold, found.pairs),
            ("pairs, best threshold", found.best_pair_threshold, found.best_pairs),
            (f"groups ({found.grouping})", found.threshold, found.groups),
            (f"groups ({found.grouping}), best threshold", found.best_group_threshold, found.best_groups),
            ("B-cubed", found.threshold, found.bcubed),
        ]
        table = [
            {"measure": name, "threshold": at, "precision": q.precision, "recall": q.recall, "F1": q.f1}
            for name, at, q in rows
            if q is not None
        ]
        if found.adjusted_rand is not None:
            table.append(
                {"measure": "adjusted Rand index", "threshold": found.threshold, "F1": found.adjusted_rand}
            )
        print_table(pa.Table.from_pylist(table))
    if clusters and found.clusters is not None:
        (print_json if json else print_table)(found.clusters)
    say(f"{found.labelled:,} of {found.documents:,} documents are labelled", quiet=quiet)
    if found.unknown:
        say(f"{found.unknown:,} labelled ids are not among the documents", quiet=quiet)


def dry_run(
    source: Any,
    against: Any,
    method: Method,
    reading: dict[str, Any],
    *,
    threshold: float | None,
    to: str | None,
) -> None:
    """Say what a run would read, do and cost, without reading a document."""
    from samecore.plan import plan

    for line in plan(source, against=against, method=method, threshold=threshold, **reading).lines():
        sys.stdout.write(line + "\n")
    if to is not None:
        sys.stdout.write(f"would write {to}\n")
