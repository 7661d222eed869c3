"""The records of a WARC file, by FastWARC, going on behind damage."""

from __future__ import annotations

import importlib
import io
import re
import warnings
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from samecore.documents import Limits
from samecore.read.window import Window

# Where a record can begin: a gzip member, a zstd frame, or the first line of a header.
_MARK = re.compile(rb"\x1f\x8b\x08|\x28\xb5\x2f\xfd|WARC/[0-9]+\.[0-9]+\r?\n[A-Za-z-]+:")
# Types of which the header is looked at more closely.
DOCUMENTS = ("response", "revisit", "resource", "conversion")
_VERSION = re.compile(rb"\s*WARC/[0-9]")


@dataclass(slots=True)
class Record:
    """One record: what its header says, and its block while the reader stands on it.

    `number` counts all records of the file from 0, `offset` is where it (or the compressed member it
    is in) begins, `length` what the header says of the block. `fault` says what is wrong with it.
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

    `spoilt` is the number of the record before if that is wrong as well: its Content-Length
    runs over the records behind it, which are read now.
    """

    offset: int
    message: str
    resumed: int | None
    spoilt: int | None = None


def fastwarc(module: str) -> Any:
    """A module of FastWARC, imported when it is needed and without its own warnings of what is old in it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return importlib.import_module(f"fastwarc.{module}")


def warc_records(window: Window, *, limits: Limits) -> Iterator[Record | Damage]:
    """All records in order. A record must be read before the next is asked for."""
    archive_iterator = fastwarc("warc").ArchiveIterator
    start: int | None = 0
    number = damages = 0
    while start is not None and start < window.size:
        last: Record | None = None
        message: str | None = None
        try:
            stream = archive_iterator(
                window.at(start), parse_http=False, max_header_len=limits.max_header_bytes
            )
            for found in stream:
                last = _record(found, number)
                number += 1
                yield last
                if last.fault is None and last.taken + found.reader.consume() < last.length:
                    message = f"the block ends early, {last.length} bytes were announced"
                    break
        except OSError as error:
            message = str(error)
        except BaseException as error:  # a panic inside the library is no Exception
            if type(error).__name__ != "PanicException":
                raise
            message = "the record cannot be parsed"
        if last is not None and last.fault is not None:
            message = message or last.fault
        place = start if last is None else max(start, last.offset)
        if message is None:
            # A last record that is cut in its header is not given, but its bytes are there.
            if last is not None and _beyond(window, last, window.size):
                yield Damage(place, "what follows the last whole record is cut short", None)
            return
        damages += 1
        resumed = window.find(_MARK, place + 1, _begins_record)
        if damages > limits.max_damages:
            message, resumed = f"more than {limits.max_damages} damaged places (max_damages)", None
        beyond = None if last is None or resumed is None else _beyond(window, last, resumed)
        spoilt = last.number if last is not None and beyond is not None and beyond < 0 else None
        # Nothing is lost where plain records follow compressed ones; and of a fault the reader knows.
        if beyond != 0 and (last is None or last.fault is None or damages > limits.max_damages):
            yield Damage(place, message.rstrip("."), resumed, spoilt)
        start = resumed


def _record(found: Any, number: int) -> Record:
    get = found.headers.get
    length: int = found.content_length
    declared = (get("Content-Length") or "").strip()
    fault = None
    if not declared.isdecimal() or int(declared) != length:
        fault = f"Content-Length is {declared[:40]!r}" if declared else "there is no Content-Length"
    kind = (get("WARC-Type") or "").strip().lower()
    url = get("WARC-Target-URI")
    record = Record(
        number=number,
        offset=found.stream_pos,
        kind=kind,
        url=url.strip().removeprefix("<").removesuffix(">") if url else None,  # some writers put it in <>
        date=get("WARC-Date"),
        length=length,
        source=found,
        fault=fault,
    )
    if kind in DOCUMENTS:
        record.id = get("WARC-Record-ID")
        record.digest = get("WARC-Payload-Digest")
        record.content_type = get("WARC-Identified-Payload-Type")
        if kind == "revisit":
            record.refers_to = get("WARC-Refers-To")
            record.refers_url = get("WARC-Refers-To-Target-URI")
            record.refers_date = get("WARC-Refers-To-Date")
        elif kind != "response":  # the block is the document, and this its type
            record.content_type = record.content_type or get("Content-Type")
    return record


def _begins_record(data: bytes) -> bool:
    """Whether a WARC header begins here, plain or compressed."""
    if data.startswith(b"\x1f\x8b"):
        try:
            return _VERSION.match(zlib.decompressobj(31).decompress(data, 64)) is not None
        except zlib.error:
            return False
    if data.startswith(b"\x28\xb5\x2f\xfd"):
        return _zstd_begins_record(data)
    return b"warc-type:" in data.lower()


def _zstd_begins_record(data: bytes) -> bool:
    try:
        return _VERSION.match(fastwarc("stream_io").ZstdReader(io.BytesIO(data)).read(64)) is not None
    except OSError:
        return False


def _beyond(window: Window, last: Record, resumed: int) -> int | None:
    """How many bytes lie between the end of the record `last` and `resumed`, where another begins.

    Negative if the record, as long as it says it is, goes on beyond that; None if that cannot be told.
    """
    data = window.at(last.offset).read(min(resumed - last.offset, last.length + (1 << 20)))
    if data.startswith(b"WARC/"):
        head = data.find(b"\r\n\r\n") + 4
        if last.offset + head + last.length > resumed:
            return -1
        return len(data[head + last.length :].strip(b"\r\n"))
    if not data.startswith(b"\x1f\x8b"):
        return None
    stream = zlib.decompressobj(31)
    try:
        whole = stream.decompress(data, last.length + (1 << 20))
    except zlib.error:
        return None
    if stream.eof and len(whole) < last.length:
        return -1
    return len(stream.unused_data) if stream.eof else None
