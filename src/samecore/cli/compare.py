"""`samecore compare`: how alike two documents are, in figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from samecore.cli import options as o
from samecore.cli.explain import two_documents
from samecore.cli.reading import reads

if TYPE_CHECKING:
    from samecore.explain import Explanation

EXAMPLES = """
[bold]Examples[/bold]\n\n
samecore compare draft.txt final.txt\n\n
samecore compare draft.txt final.txt --edit                 and how many words were changed\n\n
samecore compare a.txt b.txt --unit characters --costs 1,1,2     a substitution costs two\n\n
samecore compare a.html b.html --method minhash             and what the sketch would have said\n\n
samecore compare 17 4211 --in docs.jsonl --json             by id, for machines
"""


@reads
def command(
    left: Annotated[str, typer.Argument(help="A file, or with --in the id of a document.")],
    right: Annotated[str, typer.Argument(help="The other one.")],
    inside: Annotated[
        str | None, typer.Option("--in", help="A result folder written by find, or a collection to read.")
    ] = None,
    method: o.MethodName = "spotsigs",
    edit: Annotated[
        bool,
        typer.Option(
            "--edit", help="The edit distance as well; its time grows with the product of the lengths."
        ),
    ] = False,
    unit: Annotated[
        str, typer.Option("--unit", help="What is edited: words or characters. Implies --edit.")
    ] = "",
    costs: Annotated[
        str,
        typer.Option(
            "--costs",
            help="What it costs to insert, delete and substitute one: 1,1,1 by default. The left document is turned "
            "into the right one. Implies --edit.",
        ),
    ] = "",
    frame: o.Frame = None,
    language: o.Language = None,
    settings: o.Set = None,
    unspaced: o.Unspaced = None,
    undisguise: o.Undisguise = False,
    text: o.Text = None,
    *,
    reading: dict[str, Any],
    json: o.Json = False,
) -> None:
    """Say how alike two documents are, in figures.

    The score of a method and whether it is a match, the Jaccard similarity of the features, how much of each lies
    in the other, what a sketch would estimate, and the edit distance. Exit code 1 if the score is below the
    threshold. For the passages they share: `samecore explain`.
    """
    import sys
    from dataclasses import replace

    wanted = _edit_settings(unit, costs) if edit or unit or costs else None
    recipe = o.choose_method(
        method, language=language, text=text, unspaced=unspaced, undisguise=undisguise, settings=settings
    )
    recipe = recipe if frame is None else replace(recipe, frame=frame)
    found = two_documents(left, right, inside, recipe, reading)
    edited = None if wanted is None else _edited(found, wanted)
    if json:
        import orjson

        sides = {
            name: {"id": side.id, "title": side.title, "features": side.features, "changed": side.changed}
            for name, side in (("left", found.left), ("right", found.right))
        }
        shown = {"score": found.score, "threshold": found.threshold, **sides, **found.figures.to_dict()}
        shown |= {"edit": edited} if edited is not None else {}
        shown["notes"] = list(found.notes)
        sys.stdout.buffer.write(orjson.dumps(shown, option=orjson.OPT_APPEND_NEWLINE))
    else:
        typer.echo("\n".join(_lines(found, edited)))
    if found.score < found.threshold:
        raise typer.Exit(1)


def _lines(found: Explanation, edited: dict[str, Any] | None) -> list[str]:
    relation = "a match" if found.score >= found.threshold else "no match"
    numbers = found.figures
    left, right = found.left, found.right
    lines = [
        f"score        {found.score:.3f}  {relation} at {found.threshold:g}",
        f"jaccard      {numbers.jaccard:.3f}  of {left.features:,} features in {left.id} and {right.features:,} in {right.id}",
        f"containment  {numbers.containment_left:.3f}  of {left.id} in {right.id}",
        f"             {numbers.containment_right:.3f}  of {right.id} in {left.id}",
    ]
    lines += [f"estimate     {value:.3f}  {name}" for name, value in numbers.estimates.items()]
    if edited is not None:
        done = f": {edited['operations']}" if edited["operations"] else ""
        lines.append(
            f"edit         {edited['score']:.3f}  distance {edited['distance']:,} of at most {edited['largest']:,} "
            f"({edited['unit']}){done}"
        )
    changed = [f"the source of {side.id} has changed since the run" for side in (left, right) if side.changed]
    return lines + [f"note: {note}" for note in (*found.notes, *changed)]


def _edit_settings(unit: str, costs: str) -> dict[str, Any]:
    """The options as settings of the edit distance, checked before anything is read."""
    from samecore.errors import SettingError, unknown_name
    from samecore.similarity.edit import UNITS, check_costs

    if unit and unit not in UNITS:
        raise unknown_name("unit", unit, UNITS)
    try:
        insert, delete, substitute = (int(cost) for cost in (costs or "1,1,1").split(","))
    except ValueError:
        expected = "three whole numbers: insert,delete,substitute"
        raise SettingError("costs", found=costs, expected=expected) from None
    check_costs(insert, delete, substitute)
    return {"unit": unit or "words", "insert": insert, "delete": delete, "substitute": substitute}


def _edited(found: Explanation, settings: dict[str, Any]) -> dict[str, Any]:
    from samecore.similarity.edit import distance, largest, operations, units

    texts = found.left.text, found.right.text
    pair = units(*texts, unit=settings["unit"])
    costs = {name: settings[name] for name in ("insert", "delete", "substitute")}
    most = int(largest(*map(len, pair), **costs))
    cost = distance(*texts, **settings)
    return {
        "score": (most - cost) / most if most else 1.0,
        "distance": cost,
        "largest": most,
        "operations": operations(*pair, **costs),
        **settings,
    }
