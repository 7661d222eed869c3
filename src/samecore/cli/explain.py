"""`samecore explain`: the evidence for a match."""

from __future__ import annotations

from typing import Annotated

import typer

from samecore.cli import options as o

EXAMPLES = """
[bold]Examples[/bold]\n\n
samecore explain page-a.html page-b.html\n\n
samecore explain site1/story.html site2/story.html --in result/     ids of a stored result\n\n
samecore explain 17 4211 --in docs.jsonl --to evidence.html\n\n
samecore explain draft.txt final.txt --edit     and how many words were changed
"""


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
    text_column: o.TextColumn = None,
    id_column: o.IdColumn = None,
    format: o.Format = None,
    html: o.Html = False,
    passages: Annotated[
        int, typer.Option("--passages", min=1, help="How many passages to quote from each side.")
    ] = 6,
    edit: Annotated[
        bool,
        typer.Option("--edit", help="Say as well how alike the texts are by edit distance, word by word."),
    ] = False,
    to: Annotated[
        str | None, typer.Option("-o", "--to", help="Write a page with both texts, shared passages marked.")
    ] = None,
    json: o.Json = False,
) -> None:
    """Show what two documents share: the score, the passages, and how many signatures."""
    import sys
    from dataclasses import replace

    from samecore.cli import report
    from samecore.pipeline import compare_documents
    from samecore.read import atomic_path
    from samecore.store import is_result, load

    if inside is not None and is_result(inside):
        explanation = load(inside).explain(left, right)
    else:
        recipe = o.choose_method(method, language=language, text=text)
        recipe = recipe if frame is None else replace(recipe, frame=frame)
        reading = o.Reading(text_column, id_column, format, html).arguments()
        explanation = compare_documents(left, right, inside=inside, method=recipe, **reading)
    similarity = None
    if edit:
        from samecore.similarity.edit import score

        similarity = score(explanation.left.text, explanation.right.text, unit="words")
    if to is not None:
        with atomic_path(to) as path:
            path.write_text(explanation.html(), "utf-8")
        report.say(f"wrote {to}")
    elif json:
        import orjson

        shown = explanation.to_dict() | ({} if similarity is None else {"edit_similarity": similarity})
        sys.stdout.buffer.write(orjson.dumps(shown, option=orjson.OPT_APPEND_NEWLINE))
    else:
        bold = ("\x1b[1;33m", "\x1b[0m") if sys.stdout.isatty() else ("«", "»")
        typer.echo(explanation.show(passages=passages, mark=bold))
    if similarity is not None and not json:
        typer.echo(f"edit similarity {similarity:.3f} (words)")
    if explanation.score < explanation.threshold:
        raise typer.Exit(1)
