"""The records of an ARC file, the format before WARC: a line of facts, then what the server sent."""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from samecore.documents import Limits
from samecore.read.warc import Damage, Record
from samecore.read.window import Window

_SCHEMES = rb"(?:https?|ftp|dns|filedesc|gopher|news|whois)"
_LINE = re.compile(
    rb"([a-zA-Z][a-zA-Z0-9+.-]*:.*?) (\S+) ([0-9]{8,14}) (\S*)((?: \S*){0,5}) ([0-9]{1,18})\r?\n"
)
_MARK = re.compile(rb"\x1f\x8b\x08|(?:(?<=\n)|\A)" + _SCHEMES + rb":")
_PIECE = 1 << 16


@dataclass
class _Block:
    """The block of a record, with the two verbs of a FastWARC record that `Record` uses."""

    stream: _Stream
    head: bytes
    left: int
    reader: Any = field(init=False)

    def __post_init__(self) -> None:
        self.reader = self

    def read(self) -> bytes:
        data = self.stream.take(self.left)
        self.left -= len(data)
        return data

    def consume(self) -> int:
        before = self.left
        while self.left and (data := self.stream.take(min(_PIECE, self.left))):
            self.left -= len(data)
        return before - self.left

    def write(self, out: Any) -> None:
        out.write(self.head + self.read() + b"\n")


class _Stream:
    """Decompressed bytes with lines and positions; `position` is that of the file, not of the text."""

    def __init__(self, window: Window) -> None:
        from fastwarc.stream_io import GzipReader

        self.window = window
        base = window.tell()
        self.packed = window.at(base).read(2) == b"\x1f\x8b"
        self.raw: Any = GzipReader(window) if self.packed else window
        self.base, self.held, self.used = base, b"", 0

    @property
    def position(self) -> int:
        if self.packed:
            start = self.raw.frame_start_position()
            return self.base if start is None else int(start)
        return self.base + self.used

    def take(self, size: int) -> bytes:
        pieces = [self.held[:size]]
        self.held = self.held[size:]
        got = len(pieces[0])
        while got < size and (data := self.raw.read(min(size - got, 1 << 20))):
            pieces.append(data)
            got += len(data)
        self.used += got
        return b"".join(pieces)

    def line(self, limit: int) -> bytes:
        """The next line with its end, or what there is of it within `limit`."""
        while (end := self.held.find(b"\n")) < 0 and len(self.held) < limit:
            # Little at a time, so that a position after it is that of the next member.
            data = self.raw.read(512)
            if not data:
                end = len(self.held) - 1
                break
            self.held += data
        end = end if end >= 0 else min(limit, len(self.held)) - 1
        found, self.held = self.held[: end + 1], self.held[end + 1 :]
        self.used += len(found)
        return found


def arc_records(window: Window, *, limits: Limits) -> Iterator[Record | Damage]:
    """All records in order, the file's own first; see `warc_records`."""
    start: int | None = 0
    number = damages = 0
    while start is not None and start < window.size:
        place, message, last = start, None, None
        try:
            stream = _Stream(window.at(start))
            while line := _next_line(stream, limits):
                place = max(place, stream.position - (0 if stream.packed else len(line)))
                match = _LINE.fullmatch(line)
                if match is None:
                    message = f"expected the first line of a record, found {line[:60]!r}"
                    break
                last = _record(match, line, stream, number, place)
                number += 1
                yield last
                if last.taken + last.source.consume() < last.length or last.fault:
                    message = last.fault or f"the block ends early, {last.length} bytes were announced"
                    break
        except OSError as error:
            message = str(error)
        if message is None:
            return
        damages += 1
        resumed = window.find(_MARK, place + 1, _begins_record)
        if damages > limits.max_damages:
            message, resumed = f"more than {limits.max_damages} damaged places (max_damages)", None
        if last is None or last.fault is None or damages > limits.max_damages:
            yield Damage(place, message.rstrip("."), resumed)
        start = resumed


def _next_line(stream: _Stream, limits: Limits) -> bytes:
    line = stream.line(limits.max_header_bytes)
    while line in (b"\n", b"\r\n"):
        line = stream.line(limits.max_header_bytes)
    return line


def _record(match: re.Match[bytes], line: bytes, stream: _Stream, number: int, place: int) -> Record:
    url, _, date, mime, _, length = (group.decode("utf-8", "replace") for group in match.groups())
    scheme = url.partition(":")[0].lower()
    kind = "warcinfo" if scheme == "filedesc" else "response"
    block = _Block(stream, line, int(length))
    return Record(
        number, place, kind, url, _iso(date), None, mime if mime != "no-type" else None,
        None, None, None, None, int(length), block,
    )  # fmt: skip


def _iso(date: str) -> str:
    """'20080430204825' as WARC writes it: '2008-04-30T20:48:25Z'."""
    full = date.ljust(14, "0")
    return f"{full[:4]}-{full[4:6]}-{full[6:8]}T{full[8:10]}:{full[10:12]}:{full[12:14]}Z"


def _begins_record(data: bytes) -> bool:
    if data.startswith(b"\x1f\x8b"):
        try:
            data = zlib.decompressobj(31).decompress(data, 4096)
        except zlib.error:
            return False
    line = io.BytesIO(data.lstrip(b"\r\n")).readline()
    return _LINE.fullmatch(line) is not None
