"""A stretch of a file as a file of its own: a whole archive, or one that lies in a zip (WACZ)."""

from __future__ import annotations

import re
import shutil
import struct
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO

from samecore.documents import MIB, Limits
from samecore.errors import InputError

_CHUNK = 1 << 20
_LOOK = 4096  # bytes behind a mark that must be enough to see what it is


@dataclass(frozen=True, slots=True)
class Span:
    """Where an archive lies: a file, and if that is a zip the names to go down through."""

    path: str
    members: tuple[str, ...] = ()


class Window:
    """A readable stretch of a file; positions count from its beginning. Close it, or use `with`."""

    def __init__(self, file: BinaryIO, start: int, size: int) -> None:
        self._file, self._start, self.size = file, start, size
        self._position = 0

    def read(self, size: int = -1) -> bytes:
        """Up to `size` bytes; none at the end."""
        left = self.size - self._position
        size = left if size < 0 else min(size, left)
        if size <= 0:
            return b""
        self._file.seek(self._start + self._position)
        data = self._file.read(size)
        self._position += len(data)
        return data

    def seek(self, offset: int, whence: int = 0) -> int:
        """Move as files do."""
        self._position = max(0, offset + (0, self._position, self.size)[whence])
        return self._position

    def tell(self) -> int:
        """Where the next read begins."""
        return self._position

    def seekable(self) -> bool:
        """Always."""
        return True

    def readable(self) -> bool:
        """Always."""
        return True

    def at(self, position: int) -> Window:
        """The same file, to be read from `position` on."""
        other = Window(self._file, self._start, self.size)
        other.seek(position)
        return other

    def find(self, mark: re.Pattern[bytes], position: int, good: Callable[[bytes], bool]) -> int | None:
        """The first match of `mark` at or after `position` for which `good` holds, given the bytes from there."""
        while position < self.size:
            # One byte before, for marks that look back; some behind, so that none is cut in two.
            before = min(1, position)
            data = self.at(position - before).read(_CHUNK + _LOOK)
            if len(data) <= before:
                return None
            for match in mark.finditer(data, before):
                if match.start() >= before + _CHUNK:
                    break
                if good(data[match.start() : match.start() + _LOOK]):
                    return position - before + match.start()
            position += _CHUNK
        return None

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Window:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_window(span: Span, *, limits: Limits) -> Window:
    """The bytes of `span`; a member that is compressed in its zip is unpacked to a temporary file first."""
    file = open(span.path, "rb")  # noqa: SIM115 - closed with the window
    try:
        window = Window(file, 0, file.seek(0, 2))
        for member in span.members:
            window = _member(window, member, span, limits)
    except BaseException:
        file.close()
        raise
    return window


def _member(window: Window, name: str, span: Span, limits: Limits) -> Window:
    where = f"{span.path}/{name}"
    try:
        with zipfile.ZipFile(window) as folder:
            info = folder.getinfo(name)
            if info.compress_type == zipfile.ZIP_STORED and not info.flag_bits & 1:
                head = window.at(info.header_offset).read(30)
                lengths = struct.unpack("<HH", head[26:30])
                start = info.header_offset + 30 + sum(lengths)
                size = min(info.file_size, window.size - start)
                return Window(window._file, window._start + start, size)
            if info.file_size > max(MIB, info.compress_size * limits.max_expansion):
                raise InputError(
                    f"{info.compress_size} bytes become {info.file_size}, the limit is "
                    f"{limits.max_expansion} times as many (max_expansion)",
                    where=where,
                )
            copy = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the window
            with folder.open(info) as stream:  # never gives more than file_size
                shutil.copyfileobj(stream, copy)
    except (zipfile.BadZipFile, KeyError, struct.error, RuntimeError, NotImplementedError) as error:
        raise InputError(f"cannot be taken out of the zip ({error})", where=where) from error
    window.close()
    return Window(copy, 0, info.file_size)
