"""Options that several commands share, each defined once: name, help and check together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from samecore.methods import Method

Sources = Annotated[
    list[str],
    typer.Argument(
        help="Files, folders or globs of HTML or text, JSONL(.gz/.zst), Parquet, CSV; '-' is standard input."
    ),
]
MethodName = Annotated[
    str,
    typer.Option(
        "--method", "-m", help="A method ('samecore methods' lists them), or a model file such as news.model."
    ),
]
Threshold = Annotated[
    float | None,
    typer.Option(
        "--threshold", "-t", help="Inclusive minimum score of a match, in (0, 1]. Default: the method's own."
    ),
]
MaxDistance = Annotated[
    float | None, typer.Option("--max-distance", help="The same as --threshold 1-X, as some papers write it.")
]
Floor = Annotated[
    float | None, typer.Option("--floor", help="Keep scores down to this. Default: half the threshold.")
]
Group = Annotated[str, typer.Option("--group", "-g", help="average, complete, components or leader.")]
Keep = Annotated[
    str,
    typer.Option(
        "--keep",
        help="Which document stands for a group: first, longest, newest, column:NAME or column:-NAME.",
    ),
]
Match = Annotated[
    str | None,
    typer.Option(
        "--match", help="Another matcher: exact, exact-forest (for huge groups), spotsigs-2008 or brute."
    ),
]
Language = Annotated[
    str | None,
    typer.Option(
        "--language",
        "-l",
        help="Antecedents of these languages (en,de,...), or 'auto': chosen from the documents.",
    ),
]
Text = Annotated[
    str | None, typer.Option("--text", help="Text of HTML pages: prose, visible, main, signcd or raw.")
]
TextColumn = Annotated[
    str | None, typer.Option("--text-column", help="The column or field that holds the text.")
]
IdColumn = Annotated[str | None, typer.Option("--id-column", help="The column or field that holds the id.")]
Format = Annotated[
    str | None, typer.Option("--format", help="Read as this format whatever the name says: jsonl, csv, ...")
]
Html = Annotated[bool, typer.Option("--html", help="The text column holds HTML.")]
Threads = Annotated[
    int | None, typer.Option("--threads", min=1, help="Default: all processors. Never changes the result.")
]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Seeds every hash.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON object per line on standard output.")]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Say what would be read and done and what it costs, then stop.")
]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="No messages and no progress bars, only results and errors.")
]


@dataclass(frozen=True)
class Reading:
    """How the sources are to be read; the arguments of `samecore.read.open`."""

    text_column: str | None = None
    id_column: str | None = None
    format: str | None = None
    html: bool = False

    def arguments(self) -> dict[str, Any]:
        """Only what was asked for."""
        return {name: value for name, value in vars(self).items() if value}


def choose_method(name: str, *, language: str | None = None, text: str | None = None) -> Method:
    """The method of that name with the options of the command line applied."""
    from dataclasses import replace

    from samecore.methods import method

    settings: dict[str, Any] = {}
    if language is not None:
        settings["languages"] = "auto" if language == "auto" else tuple(language.split(","))
    recipe = method(name, **settings)
    return recipe if text is None else replace(recipe, text=text)


def choose_threshold(threshold: float | None, max_distance: float | None) -> float | None:
    """One threshold out of the two ways to write it."""
    if threshold is not None and max_distance is not None:
        raise typer.BadParameter("give --threshold or --max-distance, not both")
    if max_distance is None:
        return threshold
    from decimal import Decimal

    return float(1 - Decimal(str(max_distance)))
