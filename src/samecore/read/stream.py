"""Decompressed bytes by lines and by number, for the archive formats that FastWARC does not read."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from typing import Any

from samecore.read.walk import fastwarc
from samecore.read.window import Window

_PIECE = 1 << 16


class Members:
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


class Stream:
    """What a window holds, decompressed if its first bytes say so."""

    def __init__(self, window: Window) -> None:
        self.base, self.held, self.used = window.tell(), b"", 0
        head = window.at(self.base).read(4)
        self.members = Members(window) if head.startswith(b"\x1f\x8b") else None
        self.packed = self.members is not None or head == b"\x28\xb5\x2f\xfd"
        self.raw: Any = self.members or (fastwarc("stream_io").ZstdReader(window) if self.packed else window)

    @property
    def position(self) -> int:
        """Where in the file the last bytes come from: their member, or the byte after them."""
        if self.members is not None:
            return self.members.start
        return self.base if self.packed else self.base + self.used

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

    def full_line(self, limit: int) -> bytes:
        """The next line that is not blank; empty at the end."""
        line = self.line(limit)
        while line in (b"\n", b"\r\n"):
            line = self.line(limit)
        return line


@dataclass
class Block:
    """The block of a record, with what `Record` asks of one: `head` goes before it, `tail` behind it."""

    stream: Stream
    head: bytes
    tail: bytes
    left: int
    reader: Any = field(init=False)

    def __post_init__(self) -> None:
        self.reader = self

    def read(self) -> bytes:
        """What is left of the block."""
        data = self.stream.take(self.left)
        self.left -= len(data)
        return data

    def consume(self) -> int:
        """Pass over what is left; how much that was."""
        before = self.left
        while self.left and (data := self.stream.take(min(_PIECE, self.left))):
            self.left -= len(data)
        return before - self.left

    def write(self, out: Any) -> None:
        """The whole record."""
        out.write(self.head + self.read() + self.tail)
