"""`samecore explain`: the evidence for a match."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from samecore.cli import options as o
from samecore.cli.reading import reads

if TYPE_CHECKING:
    from samecore.explain import Explanation
    from samecore.methods import Method

EXAMPLES = """
[bold]Examples[/bold]\n\n
samecore explain page-a.html page-b.html\n\n
samecore explain site1/story.html site2/story.html --in result/     ids of a stored result\n\n
samecore explain 17 4211 --in docs.jsonl --to evidence.html\n\n
samecore compare draft.txt final.txt     for all the figures instead: containment, edits, estimates
"""


@reads
def command(
    left: Annotated[str, typer.Argument(help="A file, or with --in the id of a document.")],
    right: Annotated[str, typer.Argument(help="The other one.")],
    inside: Annotated[
        str | None, typer.Option("--in", help="A result folder written by find, or a collection to read.")
    ] = None,
    method: o.MethodName = "spotsigs",
    frame: o.Frame = None,
    language: o.Language = None,
    text: o.Text = None,
    settings: o.Set = None,
    unspaced: o.Unspaced = None,
    undisguise: o.Undisguise = False,
    *,
    reading: dict[str, Any],
    passages: Annotated[
        int, typer.Option("--passages", min=1, help="How many passages to quote from each side.")
    ] = 6,
    to: Annotated[
        str | None, typer.Option("-o", "--to", help="Write a page with both texts, shared passages marked.")
    ] = None,
    json: o.Json = False,
) -> None:
    """Show what two documents share: the score, the passages, and how many signatures.

    The figures alone, and more of them, are what `samecore compare` prints.
    """
    import sys
    from dataclasses import replace

    from samecore.cli import report
    from samecore.read import atomic_path

    recipe = o.choose_method(
        method, language=language, text=text, unspaced=unspaced, undisguise=undisguise, settings=settings
    )
    recipe = recipe if frame is None else replace(recipe, frame=frame)
    explanation = two_documents(left, right, inside, recipe, reading)
    if to is not None:
        with atomic_path(to) as path:
            path.write_text(explanation.html(), "utf-8")
        report.say(f"wrote {to}")
    elif json:
        import orjson

        sys.stdout.buffer.write(orjson.dumps(explanation.to_dict(), option=orjson.OPT_APPEND_NEWLINE))
    else:
        bold = ("\x1b[1;33m", "\x1b[0m") if sys.stdout.isatty() else ("«", "»")
        typer.echo(explanation.show(passages=passages, mark=bold))
    if explanation.score < explanation.threshold:
        raise typer.Exit(1)


def two_documents(
    left: str, right: str, inside: str | None, recipe: Method, reading: dict[str, Any]
) -> Explanation:
    """Two files, or two ids of a collection or of a stored result, which has a method of its own."""
    from samecore.errors import InputError
    from samecore.pipeline import compare_documents
    from samecore.store import is_result, load

    if inside is not None and is_result(inside):
        if reading:
            raise InputError(
                "its documents are read as they were for the run; leave out the options for reading",
                where=inside,
            )
        return load(inside).explain(left, right)
    return compare_documents(left, right, inside=inside, method=recipe, **reading)
