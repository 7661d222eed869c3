"""The records of a WARC file: by FastWARC, and line by line where that does not know the spelling."""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Callable, Iterator
from typing import Any

from samecore.documents import Limits
from samecore.read.stream import Block, Stream
from samecore.read.walk import Damage, Record, fastwarc, header_text, walk
from samecore.read.window import Window

# Types of which the header is looked at more closely.
DOCUMENTS = ("response", "revisit", "resource", "conversion")
# Where a record can begin: a gzip member, a zstd frame, or the first line of a header.
_MARK = re.compile(rb"\x1f\x8b\x08|\x28\xb5\x2f\xfd|WARC/[0-9]+\.[0-9]+\r?\n[A-Za-z-]+:")
_VERSION = re.compile(rb"\s*WARC/[0-9]")


def warc_records(window: Window, *, limits: Limits) -> Iterator[Record | Damage]:
    """All records in order, and the places where the file is damaged; see `walk`."""
    return walk(window, _fast, mark=_MARK, begins=begins_record, limits=limits)


def _fast(window: Window, start: int, number: int, limits: Limits) -> Iterator[Record]:
    stream = fastwarc("warc").ArchiveIterator(
        window, parse_http=False, max_header_len=limits.max_header_bytes
    )
    for found in stream:
        get = found.headers.get
        length: int = found.content_length
        if (get("Content-Length") or "").strip() != str(length):
            # Names of fields in other letters, lone line feeds, or a wrong length: FastWARC would go astray.
            yield from _slow(window.at(found.stream_pos), found.stream_pos, number, limits)
            return
        record = _record(get, number, found.stream_pos, length, found)
        if record.url is not None and "\ufffd" in record.url:
            record.url = _bare(header_text(found.headers.get_bytes(b"WARC-Target-URI")))
        yield record
        number += 1


def _slow(window: Window, start: int, number: int, limits: Limits) -> Iterator[Record]:
    stream = Stream(window)
    while line := stream.full_line(limits.max_header_bytes):
        place = max(start, stream.position - (0 if stream.packed else len(line)))
        if _VERSION.match(line) is None:
            raise OSError(f"expected the first line of a record, found {line[:60]!r}")
        head = [line]
        held = 0
        while (line := stream.line(limits.max_header_bytes)).strip():
            head.append(line)
            held += len(line)
            if held > limits.max_header_bytes:
                raise OSError(f"a header of more than {limits.max_header_bytes} bytes (max_header_bytes)")
        headers: dict[str, str] = {}
        for one in head[1:]:
            name, _, value = header_text(one).partition(":")
            headers.setdefault(name.strip().lower(), value.strip())
        declared = headers.get("content-length", "")
        length = int(declared) if declared.isdecimal() and len(declared) < 19 else -1
        block = Block(stream, b"".join([*head, line]), b"\r\n\r\n", max(0, length))
        record = _record(_getter(headers), number, place, max(0, length), block)
        if length < 0:
            record.fault = (
                f"Content-Length is {declared[:40]!r}" if declared else "there is no Content-Length"
            )
        yield record
        number += 1


def _getter(headers: dict[str, str]) -> Callable[[str], str | None]:
    return lambda name: headers.get(name.lower())


def _record(get: Callable[[str], str | None], number: int, place: int, length: int, source: Any) -> Record:
    kind = (get("WARC-Type") or "").strip().lower()
    url = get("WARC-Target-URI")
    record = Record(
        number=number,
        offset=place,
        kind=kind,
        url=_bare(url) if url else None,
        date=get("WARC-Date"),
        length=length,
        source=source,
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


def _bare(url: str) -> str:
    """Some writers put it in <>."""
    return url.strip().removeprefix("<").removesuffix(">")


def begins_record(data: bytes) -> bool:
    """Whether a WARC header begins here, plain or compressed."""
    try:
        if data.startswith(b"\x1f\x8b"):
            return _VERSION.match(zlib.decompressobj(31).decompress(data, 64)) is not None
        if data.startswith(b"\x28\xb5\x2f\xfd"):
            return _VERSION.match(fastwarc("stream_io").ZstdReader(io.BytesIO(data)).read(64)) is not None
    except (zlib.error, OSError):
        return False
    return b"warc-type:" in data.lower()
