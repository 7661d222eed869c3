"""The archives inside a WACZ, which is a zip with WARC files and indexes of them."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator

from samecore.documents import Limits, Skipped
from samecore.errors import InputError
from samecore.read.window import Span, open_window

ARCHIVES = (".warc", ".warc.gz", ".warc.zst", ".wet.gz", ".arc", ".arc.gz")
ZIPS = (".wacz", ".zip")


def wacz_archives(span: Span, name: str, *, limits: Limits) -> Iterator[tuple[Span, str] | Skipped]:
    """Each archive in a WACZ, or in one that lies in it, with its name; in the order of the names.

    InputError if it is no zip; what is nested deeper than `max_archive_depth` is skipped.
    """
    with open_window(span, limits=limits) as window:
        try:
            with zipfile.ZipFile(window) as folder:
                names = sorted(folder.namelist())
        except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
            raise InputError(f"expected a WACZ, which is a zip file ({error})", where=name) from error
    for member in names:
        inner = Span(span.path, (*span.members, member))
        low = member.lower()
        if low.endswith(ARCHIVES):
            yield inner, f"{name}/{member}"
        elif low.endswith(ZIPS):
            if len(inner.members) >= limits.max_archive_depth:
                where = f"{name}/{member}"
                yield Skipped(where, "too-large", f"{where}: zips in one another beyond max_archive_depth")
                continue
            try:
                yield from wacz_archives(inner, f"{name}/{member}", limits=limits)
            except InputError as error:
                yield Skipped(f"{name}/{member}", "unreadable", str(error))
