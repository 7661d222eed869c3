"""The options that say how documents are read: the same for every command that reads some."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from samecore.read.select import Select

TextColumn = Annotated[
    str | None, typer.Option("--text-column", help="The column or field that holds the text.")
]
IdColumn = Annotated[str | None, typer.Option("--id-column", help="The column or field that holds the id.")]
Format = Annotated[
    str | None,
    typer.Option("--format", help="Read as this format whatever the name says: jsonl, csv, mail, warc, ..."),
]
ARCHIVES = "Web archives"
Urls = Annotated[
    list[str] | None,
    typer.Option(
        "--url",
        rich_help_panel=ARCHIVES,
        help="Only captures of such URLs: part of one, a pattern with *, or re:EXPRESSION; !PATTERN excludes. May be repeated.",
    ),
]
Mimes = Annotated[
    list[str] | None,
    typer.Option(
        "--mime", rich_help_panel=ARCHIVES, help="MIME types, * allowed. Default: HTML and plain text."
    ),
]
Statuses = Annotated[
    list[str] | None,
    typer.Option(
        "--status", rich_help_panel=ARCHIVES, help="HTTP status: 200, 2xx, 200-299 or *. Default: 2xx."
    ),
]
Since = Annotated[
    str | None,
    typer.Option(
        "--from", rich_help_panel=ARCHIVES, help="Captures of this date (2024, 2024-05-01) or later."
    ),
]
Until = Annotated[
    str | None,
    typer.Option("--until", rich_help_panel=ARCHIVES, help="Captures of this date or earlier, inclusive."),
]
RecordTypes = Annotated[
    list[str] | None,
    typer.Option(
        "--records",
        rich_help_panel=ARCHIVES,
        help="Record types: response, revisit, resource, conversion. Default: the first two.",
    ),
]
Html = Annotated[bool, typer.Option("--html", help="The text column holds HTML.")]
MAILS = "Mail and SGML"
Quotes = Annotated[
    str | None,
    typer.Option(
        "--quotes", rich_help_panel=MAILS, help="Quoted lines of mails: keep (the default), strip or only."
    ),
]
Signatures = Annotated[
    str | None,
    typer.Option(
        "--signatures",
        rich_help_panel=MAILS,
        help="Signatures and forwarded headers of mails: keep or strip.",
    ),
]
Tags = Annotated[
    str | None,
    typer.Option(
        "--tags",
        rich_help_panel=MAILS,
        help="Elements of SGML: trec, reuters, or document=DOC,id=DOCNO,text=TEXT,...",
    ),
]


def reads(command: Callable[..., None]) -> Callable[..., None]:
    """`command` with these options in the place of its parameter `reading`.

    That gets the arguments for `samecore.read.open`: only what was asked for.
    """
    own = inspect.signature(command, eval_str=True)
    options = inspect.signature(_arguments, eval_str=True).parameters
    parameters: list[inspect.Parameter] = []
    for name, parameter in own.parameters.items():
        parameters += options.values() if name == "reading" else [parameter]

    @functools.wraps(command)
    def with_options(**given: Any) -> None:
        asked = {name: given.pop(name) for name in options}
        command(reading=_arguments(**asked), **given)

    # What typer looks at.
    with_options.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    with_options.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return with_options


def _arguments(
    *,
    text_column: TextColumn = None,
    id_column: IdColumn = None,
    format: Format = None,
    html: Html = False,
    url: Urls = None,
    mime: Mimes = None,
    status: Statuses = None,
    since: Since = None,
    until: Until = None,
    records: RecordTypes = None,
    quotes: Quotes = None,
    signatures: Signatures = None,
    tags: Tags = None,
) -> dict[str, Any]:
    found = {
        "text_column": text_column, "id_column": id_column, "format": format, "html": html,
        "select": _captures(url, mime, status, since, until, records),
        "quotes": quotes, "signatures": signatures, "tags": tags,
    }  # fmt: skip
    return {name: value for name, value in found.items() if value}


def _captures(
    url: list[str] | None,
    mime: list[str] | None,
    status: list[str] | None,
    since: str | None,
    until: str | None,
    records: list[str] | None,
) -> Select | None:
    """The captures of web archives to read, or None if nothing was said about them."""
    lists = {"url": url, "mime": mime, "status": status, "records": records}
    settings: dict[str, Any] = {
        name: tuple(item for value in values for item in (value.split(",") if name != "url" else [value]))
        for name, values in lists.items()
        if values
    }
    settings |= {name: value for name, value in (("since", since), ("until", until)) if value}
    if not settings:
        return None
    from samecore.read.select import Select

    return Select(**settings)
