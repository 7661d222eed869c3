"""Options that several commands share, each defined once: name, help and check together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from samecore.methods import Method

Sources = Annotated[
    list[str],
    typer.Argument(
        help="Files, folders or globs of HTML, text or mail, JSONL(.gz/.zst), Parquet, CSV, mbox, SGML, "
        "web archives (WARC, ARC, WACZ); "
        "'-' is standard input."
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
Group = Annotated[
    str | None,
    typer.Option("--group", "-g", help="average (the default), complete, components or leader."),
]
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
        "--match",
        help="Another matcher: exact, exact-forest (for huge groups), spotsigs-2008, incremental, full or brute.",
    ),
]
Frame = Annotated[
    str | None,
    typer.Option(
        "--frame",
        help="Text a site repeats on its pages: ignore it, report it beside the score, or off. "
        "Default: the method's own.",
    ),
]
Language = Annotated[
    str | None,
    typer.Option(
        "--language",
        "-l",
        help="Languages to choose from for each document (en,de,...). 'auto': all there are lists for, and "
        "antecedents learned for the rest; 'learn': learned from the documents alone.",
    ),
]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        help="A setting of the method, NAME=VALUE, as in Python's samecore.method(NAME, ...): "
        "--set width=3, --set compressor=lz4. May be repeated.",
    ),
]
Text = Annotated[
    str | None, typer.Option("--text", help="Text of HTML pages: prose, visible, main, signcd or raw.")
]
Undisguise = Annotated[
    bool,
    typer.Option(
        "--undisguise",
        help="Undo plain tricks of spammers: s p a c e d letters, look-alikes, hidden characters.",
    ),
]
Unspaced = Annotated[
    str | None,
    typer.Option(
        "--unspaced",
        help="Chinese, Japanese and Thai as character bigrams (the default) or dictionary words.",
    ),
]
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


def choose_method(
    name: str,
    *,
    language: str | None = None,
    text: str | None = None,
    unspaced: str | None = None,
    undisguise: bool = False,
    settings: list[str] | None = None,
) -> Method:
    """The method of that name with the options of the command line applied."""
    from dataclasses import replace

    from samecore.methods import method

    chosen = dict(_setting(one) for one in settings or ())
    if language is not None:
        chosen["languages"] = language if language in ("auto", "learn") else tuple(language.split(","))
    if unspaced is not None:
        chosen["unspaced"] = unspaced
    recipe = method(name, **chosen)
    if undisguise:
        recipe = replace(recipe, undisguise=True)
    return recipe if text is None else replace(recipe, text=text)


def _setting(text: str) -> tuple[str, Any]:
    """NAME=VALUE of a recipe's function: a number, yes or no, a list with commas, or a word."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise typer.BadParameter(f"expected NAME=VALUE, found {text!r}", param_hint="--set")

    def plain(word: str) -> Any:
        if word.lower() in ("true", "yes", "false", "no"):
            return word.lower() in ("true", "yes")
        for kind in (int, float):
            try:
                return kind(word)
            except ValueError:
                continue
        return word

    parts = value.split(",")
    listed = len(parts) > 1 and all(parts)  # a lone comma, or one among other marks, is text
    return name.replace("-", "_"), [plain(one) for one in parts] if listed else plain(value)


def choose_threshold(threshold: float | None, max_distance: float | None) -> float | None:
    """One threshold out of the two ways to write it."""
    if threshold is not None and max_distance is not None:
        raise typer.BadParameter("give --threshold or --max-distance, not both")
    if max_distance is None:
        return threshold
    from decimal import Decimal

    return float(1 - Decimal(str(max_distance)))
