"""The records of an archive one after another, whatever its format, going on behind damage."""

from __future__ import annotations

import importlib
import io
import re
import warnings
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from samecore.documents import Limits
from samecore.read.window import Window

_BLANK_LINE = re.compile(rb"\r?\n\r?\n")
_PIECE = 1 << 20


@dataclass(slots=True)
class Record:
    """One record: what its header says, and its block while the reader stands on it.

    `number` counts all records of the file from 0, `offset` is where it (or the compressed member it
    is in) begins, `length` what the header says of the block. `fault` says what is wrong with it.
    `source` has `reader.read()`, `reader.consume()` and `write(out)`, as records of FastWARC do.
    """

    number: int
    offset: int
    kind: str
    url: str | None
    date: str | None
    length: int
    source: Any
    id: str | None = None
    content_type: str | None = None
    digest: str | None = None
    refers_to: str | None = None
    refers_url: str | None = None
    refers_date: str | None = None
    fault: str | None = None
    taken: int = 0

    def block(self) -> bytes:
        """The whole block; shorter, with `fault` set, where the file is cut or damaged."""
        try:
            data: bytes = self.source.reader.read()
        except OSError as error:
            self.fault = f"damaged ({error})"
            return b""
        self.taken = len(data)
        if len(data) < self.length:
            self.fault = f"cut short: {len(data)} of {self.length} bytes"
        return data

    def raw(self) -> bytes:
        """The record as it stands in the file, uncompressed; instead of `block`, not after it."""
        out = io.BytesIO()
        self.source.write(out)
        self.taken = self.length
        return out.getvalue()


@dataclass(frozen=True, slots=True)
class Damage:
    """A place where records are lost: from `offset` on, until `resumed` (None: to the end of the file).

    `spoilt` is the number of the record before if that is wrong as well: its length runs over the
    records behind it, which are read now.
    """

    offset: int
    message: str
    resumed: int | None
    spoilt: int | None = None


Engine = Callable[[Window, int, int, Limits], Iterator[Record]]
"""Called with window, position, number of the first record and limits; raises OSError where it cannot go on."""


def walk(
    window: Window,
    engine: Engine,
    *,
    mark: re.Pattern[bytes],
    begins: Callable[[bytes], bool],
    limits: Limits,
) -> Iterator[Record | Damage]:
    """All records in order; each must be used before the next is asked for.

    Where `engine` fails, it is started again at the next `mark` for which `begins` holds.
    """
    start: int | None = 0
    number = damages = 0
    while start is not None and start < window.size:
        last: Record | None = None
        message: str | None = None
        try:
            for last in engine(window.at(start), start, number, limits):
                number += 1
                yield last
                if last.fault is None and last.taken + last.source.reader.consume() < last.length:
                    message = f"the block ends early, {last.length} bytes were announced"
                    break
        except OSError as error:
            message = str(error)
        except BaseException as error:  # a panic inside FastWARC is no Exception
            if type(error).__name__ != "PanicException":
                raise
            message = "the record cannot be parsed"
        if last is not None and last.fault is not None:
            message = message or last.fault
        place = start if last is None else max(start, last.offset)
        if message is None:
            # A last record that is cut in its header is not given, but its bytes are there.
            if last is not None and _more_behind(window, last, begins):
                yield Damage(place, "what follows the last whole record is cut short", None)
            return
        damages += 1
        resumed = window.find(mark, place + 1, begins)
        if damages > limits.max_damages:
            message, resumed = f"more than {limits.max_damages} damaged places (max_damages)", None
        if (
            resumed is None
            and last is not None
            and last.fault is None
            and _more_behind(window, last, begins) is False
        ):
            return
        beyond = None if last is None or resumed is None else _beyond(window, last, resumed)
        spoilt = last.number if last is not None and beyond is not None and beyond < 0 else None
        # Nothing is lost where plain records follow compressed ones; and of a fault the reader knows.
        if beyond != 0 and (last is None or last.fault is None or damages > limits.max_damages):
            yield Damage(place, message.rstrip("."), resumed, spoilt)
        start = resumed


def _more_behind(window: Window, last: Record, begins: Callable[[bytes], bool]) -> bool | None:
    """Whether a record, or a piece of one, lies behind the last; None if that cannot be told.

    Padding, line ends, and whole members in which no record begins are none: the last one may go on in them.
    """
    beyond = _beyond(window, last, window.size)
    if beyond is None or beyond < 0:
        return None
    rest = window.at(window.size - beyond).read(_PIECE + 1)
    if len(rest) > _PIECE:
        return True
    while rest.startswith(b"\x1f\x8b"):
        stream = zlib.decompressobj(31)
        try:
            stream.decompress(rest, _PIECE)
        except zlib.error:
            return True
        if not stream.eof or begins(rest):
            return True
        rest = stream.unused_data
    return bool(rest.strip(b"\r\n\0"))


def _beyond(window: Window, last: Record, resumed: int) -> int | None:
    """How many bytes lie between the end of the record `last` and `resumed`, where another begins.

    Negative if the record, as long as it says it is, goes on beyond that; None if that cannot be told.
    """
    here = window.at(last.offset)
    start = here.read(min(resumed - last.offset, _PIECE))
    if start.startswith(b"WARC/"):
        blank = _BLANK_LINE.search(start)
        end = last.offset + (len(start) if blank is None else blank.end()) + last.length
        return -1 if end > resumed else len(window.at(end).read(min(resumed - end, 1 << 20)).strip(b"\r\n"))
    if not start.startswith(b"\x1f\x8b"):
        return None
    # Piece by piece, none of which is kept: the record may be one that is too large to be held.
    stream = zlib.decompressobj(31)
    data, found = start, 0
    try:
        while data and not stream.eof and found < last.length + (1 << 20):
            found += len(stream.decompress(data, _PIECE))
            data = stream.unconsumed_tail or here.read(min(resumed - here.tell(), _PIECE))
    except zlib.error:
        return None
    if not stream.eof:
        return None
    return -1 if found < last.length else len(stream.unused_data) + len(data) + resumed - here.tell()


def header_text(raw: bytes) -> str:
    """A header as text: UTF-8, and Latin-1 where it is not, as old crawlers wrote URLs."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def fastwarc(module: str) -> Any:
    """A module of FastWARC, imported when it is needed and without its own warnings of what is old in it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return importlib.import_module(f"fastwarc.{module}")
