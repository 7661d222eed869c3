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


class _Members:
    """The decompressed bytes of gzip members; `start` is where the one begins that was read from last."""

    def __init__(self, window: Window) -> None:
        self.window, self.start = window, window.tell()
        self.stream: Any = None
        self.packed = b""

    def read(self, size: int) -> bytes:
        """Up to `size` bytes, never of two members; OSError where it is damaged."""
        while True:
            self.packed = self.packed or self.window.read(_PIECE)
            if not self.packed:
                return b""
            if self.stream is None:
                self.start = self.window.tell() - len(self.packed)
                self.stream = zlib.decompressobj(31)
            try:
                data: bytes = self.stream.decompress(self.packed, size)
            except zlib.error as error:
                raise OSError(str(error)) from error
            if self.stream.eof:
                self.packed, self.stream = self.stream.unused_data, None
            else:
                self.packed = self.stream.unconsumed_tail
            if data:
                return data


class _Stream:
    """Decompressed bytes, by lines or by number."""

    def __init__(self, window: Window) -> None:
        self.base, self.held, self.used = window.tell(), b"", 0
        packed = window.at(self.base).read(2) == b"\x1f\x8b"
        self.members = _Members(window) if packed else None
        self.raw: Any = self.members or window

    @property
    def position(self) -> int:
        """Where in the file the last bytes come from: their member, or the byte after them."""
        return self.members.start if self.members is not None else self.base + self.used

    def take(self, size: int) -> bytes:
        """The next `size` bytes, fewer at the end."""
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
        while b"\n" not in self.held and len(self.held) < limit and (data := self.raw.read(512)):
            self.held += data
        end = self.held.find(b"\n") + 1 or min(limit, len(self.held))
        found, self.held = self.held[:end], self.held[end:]
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
                place = max(place, stream.position - (0 if stream.members else len(line)))
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
    record = Record(number, place, kind, url, _iso(date), int(length), block)
    record.content_type = mime if mime != "no-type" else None
    return record


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
