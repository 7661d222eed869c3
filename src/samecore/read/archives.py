"""From files to parts: each WARC and ARC file is one, and so is each in a WACZ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from samecore.documents import Limits, Skipped
from samecore.errors import InputError
from samecore.read.archive import Archive
from samecore.read.revisits import Originals
from samecore.read.select import Select
from samecore.read.wacz import wacz_archives
from samecore.read.window import Span


def archive_parts(
    files: Sequence[tuple[str, str, str]], limits: Limits, select: Select, *, batch_bytes: int
) -> tuple[list[Archive], list[Skipped]]:
    """A part for every archive in `files` (path, name, format); together they resolve revisits."""
    parts: list[Archive] = []
    skipped: list[Skipped] = []
    originals = Originals()

    def add(span: Span, name: str, format: str) -> None:
        wanted = select
        if ".wet" in name.lower()[-9:] and select.records == Select.records:
            wanted = replace(select, records=("conversion",))  # texts of pages are all that a WET file holds
        parts.append(
            Archive(
                span,
                name,
                limits,
                wanted,
                format=format,
                batch_bytes=batch_bytes,
                originals=originals,
                part=len(parts),
            )
        )

    for path, name, format in files:
        if format != "wacz":
            add(Span(path), name, format)
            continue
        try:
            for found in wacz_archives(Span(path), name, limits=limits):
                if isinstance(found, Skipped):
                    skipped.append(found)
                else:
                    add(*found, "arc" if ".arc" in found[1].lower()[-7:] else "warc")
        except (InputError, OSError) as error:
            if len(files) == 1:
                raise (
                    error if isinstance(error, InputError) else InputError(str(error), where=name)
                ) from error
            skipped.append(Skipped(name, "unreadable", str(error)))
    if not parts and len(files) == 1 and not skipped:
        raise InputError("there is no WARC or ARC file in it", where=files[0][1])
    in_file = Counter(part.span.path for part in parts)
    for part in parts:
        part.siblings, part.shared_by = parts, in_file[part.span.path]
    return parts, skipped
