"""The records of an ARC file, the format before WARC: a line of facts, then what the server sent."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator

from samecore.documents import Limits
from samecore.read.stream import Block, Stream
from samecore.read.walk import Damage, Record, header_text, walk
from samecore.read.window import Window

# URL, address, date, type, in the second version five fields more, length. A URL may have spaces in it.
_LINE = re.compile(
    rb"([a-zA-Z][a-zA-Z0-9+.-]*:.*?) (\S+) ([0-9]{8,14}) (\S*)(?: \S*){0,5} ([0-9]{1,18})\r?\n"
)
_MARK = re.compile(rb"\x1f\x8b\x08|(?:(?<=\n)|\A)(?:https?|ftp|dns|filedesc|gopher|news|whois):")


def arc_records(window: Window, *, limits: Limits) -> Iterator[Record | Damage]:
    """All records in order, the file's own first; see `walk`."""
    return walk(window, _records, mark=_MARK, begins=begins_record, limits=limits)


def _records(window: Window, start: int, number: int, limits: Limits) -> Iterator[Record]:
    stream = Stream(window)
    while line := stream.full_line(limits.max_header_bytes):
        place = max(start, stream.position - (0 if stream.packed else len(line)))
        match = _LINE.fullmatch(line)
        if match is None:
            raise OSError(f"expected the first line of a record, found {line[:60]!r}")
        url, _, date, mime, length = map(header_text, match.groups())
        kind = "warcinfo" if url.lower().startswith("filedesc:") else "response"
        block = Block(stream, line, b"\n", int(length))
        record = Record(number, place, kind, url, _iso(date), int(length), block)
        record.content_type = mime if mime != "no-type" else None
        yield record
        number += 1


def _iso(date: str) -> str:
    """'20080430204825' as WARC writes it: '2008-04-30T20:48:25Z'."""
    full = date.ljust(14, "0")
    return f"{full[:4]}-{full[4:6]}-{full[6:8]}T{full[8:10]}:{full[10:12]}:{full[12:14]}Z"


def begins_record(data: bytes) -> bool:
    """Whether the line of an ARC record begins here, plain or compressed."""
    if data.startswith(b"\x1f\x8b"):
        try:
            data = zlib.decompressobj(31).decompress(data, 4096)
        except zlib.error:
            return False
    line = data.lstrip(b"\r\n")
    return _LINE.fullmatch(line[: line.find(b"\n") + 1]) is not None
