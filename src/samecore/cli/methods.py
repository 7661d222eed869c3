"""`samecore methods`: what `--method` takes."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from samecore.cli import options as o


def command(
    name: Annotated[str | None, typer.Argument(help="Show the whole recipe of this method.")] = None,
    json: o.Json = False,
) -> None:
    """List the methods, or show the recipe of one."""
    import orjson
    import pyarrow as pa

    from samecore.cli import report
    from samecore.methods import METHODS, method

    if name is not None:
        recipe = orjson.dumps(method(name).to_dict(), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
        sys.stdout.buffer.write(recipe)
        return
    recipes = [method(known) for known in METHODS]
    rows = [
        {"method": one.name, "threshold": one.threshold, "match": one.match.name, "about": one.about}
        for one in recipes
    ]
    (report.print_json if json else report.print_table)(pa.Table.from_pylist(rows))
