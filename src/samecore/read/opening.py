"""`open`: a source from a path, a folder, a table, a frame or a list; `reopen`: the same again later."""

from __future__ import annotations

import atexit
import glob
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from samecore.documents import DEFAULT_LIMITS, STANDARD_COLUMNS, Limits, Skipped
from samecore.errors import InputError, SettingError, unknown_name
from samecore.read.archive import Archive
from samecore.read.archives import archive_parts
from samecore.read.arrow import part_of
from samecore.read.columns import Options
from samecore.read.compressed import standard_input
from samecore.read.csv import Csv
from samecore.read.files import Files
from samecore.read.jsonl import JsonLines, TextLines
from samecore.read.mailfiles import MAIL, MailFiles, MailOptions
from samecore.read.mbox import Mbox
from samecore.read.parquet import Parquet
from samecore.read.part import Part
from samecore.read.paths import ARCHIVE_FORMATS, FORMATS, find_files
from samecore.read.select import Select
from samecore.read.sgml import Sgml, tags_of
from samecore.read.source import DEFAULT_BATCH_BYTES, Source


def open(
    source: Any,
    *,
    text_column: str | None = None,
    id_column: str | None = None,
    format: str | None = None,
    html: bool | None = None,
    columns: Sequence[str] | None = (),
    quotes: str = "keep",
    signatures: str = "keep",
    tags: str | None = None,
    duplicate_ids: str = "rename",
    select: Select | None = None,
    spool: bool = False,
    batch_bytes: int = DEFAULT_BATCH_BYTES,
    limits: Limits = DEFAULT_LIMITS,
) -> Source:
    """A `Source` of the documents in `source`; nothing is read yet but names and footers.

    source: a path or a list of paths (files, folders, globs; '-' is standard input); an Arrow
        table, batch, reader or anything with the Arrow C stream protocol (pandas and polars frames
        have it); or a list or iterable of strings, of dicts or of (id, text) pairs. A plain
        string is a path, and a list of `pathlib.Path` is a list of paths; to give several paths as
        strings, use a tuple, or a list in which every string exists as a path or is a pattern
        that matches something.
    text_column, id_column: the columns to use; by default `text`, `body`, `content`, `html` ...
        and `id`.
    format: one of html, text, lines, jsonl, parquet, csv, tsv, mail, mbox, sgml, warc, arc, wacz when the names
        do not tell.
    html: the text column holds HTML.
    columns: further columns to carry along; None for all. Of mails, headers by their names.
    quotes, signatures: of mails, 'keep' or 'strip'; quotes also 'only' (see `read.quotes`).
    tags: of SGML, 'trec', 'reuters' or 'document=DOC,id=DOCNO,...' (see `read.sgml`).
    duplicate_ids: 'rename' the later document to 'id#2', or 'skip' it.
    select: which captures of web archives to read; by default HTTP responses with pages and status 2xx.
    spool: copy standard input to a temporary file first, so that it can be read again.
    batch_bytes: about how much text one batch holds, at least 1.

    InputError if a path does not exist, a folder is empty, or the type is not known.
    """
    if format is not None and format not in FORMATS:
        raise unknown_name("format", format, FORMATS)
    if duplicate_ids not in ("skip", "rename"):
        raise unknown_name("duplicate_ids", duplicate_ids, ("skip", "rename"))
    if batch_bytes < 1:
        raise SettingError("batch_bytes", found=batch_bytes, expected="at least 1")
    options = Options(text_column, id_column, html, None if columns is None else tuple(columns))
    mail = MailOptions(quotes, signatures, _header_columns(columns), id_column)
    if tags is not None:
        tags_of(tags)
    paths = _paths(source)
    if paths is None:
        _refuse_unused([], mail, tags)
        return Source(
            [part_of(source, options)],
            options,
            limits=limits,
            batch_bytes=batch_bytes,
            duplicate_ids=duplicate_ids,
        )
    asked = {
        "paths": [path if path == "-" else os.path.abspath(path) for path in paths],
        "given": paths,
        "text_column": text_column,
        "id_column": id_column,
        "format": format,
        "html": html,
        "columns": None if columns is None else list(columns),
        "quotes": quotes,
        "signatures": signatures,
        "tags": tags,
        "duplicate_ids": duplicate_ids,
        "limits": asdict(limits),
        "select": None if select is None else select.to_dict(),
    }
    parts, skipped = _parts(
        paths, format, options, limits, batch_bytes, mail=mail, tags=tags, select=select, spool=spool
    )
    return Source(
        parts,
        options,
        limits=limits,
        batch_bytes=batch_bytes,
        duplicate_ids=duplicate_ids,
        asked=asked,
        skipped=skipped,
    )


def reopen(description: Mapping[str, Any]) -> Source:
    """The source that `Source.describe` described, with the same ids; InputError if it was not files.

    Paths are looked for as they were typed, and if they are not there (the working directory
    has changed) where they were.
    """
    asked = description.get("asked")
    if not asked or "-" in asked["paths"]:
        raise InputError("the documents were in memory or came through a pipe and cannot be read again")
    typed_still_hold = all(
        os.path.abspath(p) == q for p, q in zip(asked["given"], asked["paths"], strict=True)
    )
    options = {
        name: asked[name]
        for name in ("text_column", "id_column", "format", "html", "columns", "duplicate_ids")
    }
    # Results written before there were these options do not have them.
    options |= {name: asked[name] for name in ("quotes", "signatures", "tags") if name in asked}
    select = asked.get("select")
    source = open(
        tuple(asked["given"] if typed_still_hold else asked["paths"]),
        limits=Limits(**asked["limits"]),
        select=None if select is None else Select.from_dict(select),
        **options,
    )
    if not typed_still_hold:
        _rename(source, asked)
    return source


def changed(description: Mapping[str, Any]) -> list[str]:
    """The described files that have changed, are gone or are new since; empty if all is as it was."""
    try:
        now = {part["name"]: part for part in reopen(description).describe()["parts"]}
    except InputError as error:
        return [error.where or str(error)]
    found: list[str] = []
    for part in description["parts"]:
        other = now.pop(part["name"], None)
        if other is None:
            found.append(part["name"])
        elif "listed" in part and "listed" in other:
            old = {fact["path"]: (fact["size"], fact["mtime_ns"]) for fact in part["listed"]}
            new = {fact["path"]: (fact["size"], fact["mtime_ns"]) for fact in other["listed"]}
            found += sorted(path for path in old.keys() | new.keys() if old.get(path) != new.get(path))
        elif any(part.get(key) != other.get(key) for key in ("size", "mtime_ns", "digest")):
            found.append(part["name"])
    return found + sorted(now)


def _paths(source: Any) -> list[str] | None:
    """The paths in `source`, or None if it is something in memory."""
    if isinstance(source, str | os.PathLike):
        return [os.fspath(source)]
    if not isinstance(source, list | tuple) or not source:
        return None
    kinds = set(map(type, source))
    if all(issubclass(kind, os.PathLike) for kind in kinds):
        return [os.fspath(item) for item in source]
    if not all(issubclass(kind, (str, os.PathLike)) for kind in kinds):
        return None
    if isinstance(source, tuple):
        return [os.fspath(item) for item in source]
    # A list of strings is either texts or paths. A text is hardly ever the name of a file that exists.
    return [os.fspath(item) for item in source] if all(_is_path(item) for item in source) else None


def _is_path(item: str | os.PathLike[str]) -> bool:
    text = os.fspath(item)
    if len(text) > 4096 or "\n" in text or "\0" in text:
        return False
    return (
        text == "-"
        or os.path.lexists(text)
        or (glob.has_magic(text) and any(glob.iglob(text, recursive=True)))
    )


def _header_columns(columns: Sequence[str] | None) -> tuple[str, ...]:
    """Of the columns asked for those that mails do not have anyway."""
    return tuple(name for name in columns or () if name not in (*STANDARD_COLUMNS, "sender"))


def _parts(
    paths: list[str],
    format: str | None,
    options: Options,
    limits: Limits,
    batch_bytes: int,
    *,
    mail: MailOptions,
    tags: str | None,
    select: Select | None,
    spool: bool,
) -> tuple[list[Part], list[Skipped]]:
    found = find_files(paths, format=format)
    parts: list[Part] = []
    if found.files:
        folder = paths[0] if len(paths) == 1 and os.path.isdir(paths[0]) else None
        name = paths[0] if len(paths) == 1 else "files"
        pages = [entry for entry in found.files if entry.content_type != MAIL]
        mails = [entry for entry in found.files if entry.content_type == MAIL]
        if pages:
            parts.append(Files(pages, name, limits, path=folder, batch_bytes=batch_bytes))
        if mails:
            parts.append(MailFiles(mails, name, limits, mail, path=folder, batch_bytes=batch_bytes))
    archives = [table for table in found.tables if table[2] in ARCHIVE_FORMATS]
    if select is not None and not archives:
        raise InputError(
            "URLs, MIME types, status and dates select captures of web archives; there is none",
            where=paths[0],
        )
    if archives:
        archives = [(_spooled() if path == "-" else path, name, kind) for path, name, kind in archives]
        made, skipped = archive_parts(archives, limits, select or Select(), batch_bytes=batch_bytes)
        parts += made
        found.skipped += skipped
    for path, name, kind in found.tables:
        if kind in ARCHIVE_FORMATS:
            continue
        if path == "-" and (spool or kind in ("parquet", "csv", "tsv", "sgml")):
            path = _spooled()
        if kind == "jsonl":
            parts.append(JsonLines(path, name, options, limits))
        elif kind == "lines":
            parts.append(TextLines(path, name, options, limits))
        elif kind == "mbox":
            parts.append(Mbox(path, name, limits, mail))
        elif kind == "sgml":
            parts.append(Sgml(path, name, options, limits, tags=tags))
        elif kind == "parquet":
            parts.append(Parquet(path, name, options, batch_bytes=batch_bytes))
        else:
            parts.append(Csv(path, name, options, delimiter="\t" if kind == "tsv" else None))
    _refuse_unused(parts, mail, tags)
    _refuse_columns(parts, options)
    return parts, found.skipped


def _refuse_unused(parts: Sequence[Part], mail: MailOptions, tags: str | None) -> None:
    """An InputError for a wish that nothing here can fulfil: done silently, it would look fulfilled."""
    if mail.asked and not any(isinstance(part, Mbox | MailFiles) for part in parts):
        raise InputError(
            "quotes and signatures are those of mails, and there are none; see format (--format mail)"
        )
    if tags is not None and not any(isinstance(part, Sgml) for part in parts):
        raise InputError("tags are those of SGML, and there is none; see format (--format sgml)")


def _refuse_columns(parts: Sequence[Part], options: Options) -> None:
    """The same for the columns of tables, where there is no table, and for ids that are none of a column."""
    tables = any(isinstance(part, JsonLines | Parquet | Csv) for part in parts)
    if options.text_column is not None and parts and not tables:
        raise InputError(f"there is no table, and so no column {options.text_column!r} with texts")
    if options.id_column is not None and parts and all(isinstance(part, Archive) for part in parts):
        raise InputError(f"captures are named by date and URL, not by a column ({options.id_column!r})")


def _spooled() -> str:
    """The path of a temporary copy of standard input, for what must be read twice."""
    with tempfile.NamedTemporaryFile(prefix="samecore-", delete=False) as copy:
        atexit.register(_remove, copy.name)
        with standard_input() as stream:  # closed, so that a second reading is an error, not empty
            shutil.copyfileobj(stream, copy)
    return copy.name


def _remove(path: str) -> None:
    if os.path.exists(path):
        os.unlink(path)


def _rename(source: Source, asked: Mapping[str, Any]) -> None:
    """Give parts opened by absolute path the names, and so the ids, they had by the path as typed."""
    for typed, absolute in zip(asked["given"], asked["paths"], strict=True):
        for part in source.parts:
            if part.name.startswith(absolute):
                part.name = typed + part.name[len(absolute) :]
            if isinstance(part, Files):
                part.entries = [entry.renamed(absolute, typed) for entry in part.entries]
