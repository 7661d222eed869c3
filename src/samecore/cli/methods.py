"""`samecore methods`: what `--method` takes."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from samecore.cli import options as o


def command(
    name: Annotated[
        str | None, typer.Argument(help="Say what this method does and what --set takes.")
    ] = None,
    json: o.Json = False,
) -> None:
    """List the methods; or say what one does and which settings it takes (--json: its whole recipe)."""
    import orjson
    import pyarrow as pa

    from samecore.cli import report
    from samecore.methods import METHODS, method

    if name is not None:
        if name in METHODS and not json:
            from samecore.cli.describe import described

            typer.echo(described(name))
            return
        recipe = orjson.dumps(method(name).to_dict(), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
        sys.stdout.buffer.write(recipe)
        return
    recipes = [method(known) for known in METHODS]
    rows = [
        {"method": one.name, "threshold": one.threshold, "match": one.match.name, "about": one.about}
        for one in recipes
    ]
    (report.print_json if json else report.print_table)(pa.Table.from_pylist(rows))
