"""Archives made with warcio, and what warcio reads in them: the oracle for our own readers."""

from __future__ import annotations

import gzip
import io
from dataclasses import dataclass, field
from typing import Any

from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

DATE = "2024-05-01T12:00:00Z"
HTML = ("Content-Type", "text/html; charset=utf-8")


@dataclass
class Made:
    """A record to write: a response unless `kind` says otherwise."""

    url: str
    body: bytes = b"<html><p>some text of a page</p></html>"
    headers: list[tuple[str, str]] = field(default_factory=lambda: [HTML])
    status: str = "200 OK"
    kind: str = "response"
    date: str = DATE
    extra: dict[str, str] = field(default_factory=dict)


def warc(*records: Made, gz: bool = True, info: bool = False) -> bytes:
    """The bytes of a WARC file, each record compressed on its own."""
    out = io.BytesIO()
    writer = WARCWriter(out, gzip=gz)
    if info:
        writer.write_record(writer.create_warcinfo_record("made.warc.gz", {"software": "tests"}))
    for number, made in enumerate(records):
        http = StatusAndHeaders(made.status, made.headers, protocol="HTTP/1.1")
        header = {"WARC-Date": made.date, "WARC-Record-ID": f"<urn:uuid:{number:032}>", **made.extra}
        plain = made.kind in ("resource", "conversion", "metadata")
        writer.write_record(
            writer.create_warc_record(
                made.url,
                made.kind,
                payload=io.BytesIO(made.body),
                length=len(made.body),
                http_headers=None if plain else http,
                warc_content_type=dict(made.headers)["Content-Type"] if plain else "",
                warc_headers_dict=header,
            )
        )
    return out.getvalue()


def revisit(url: str, original: Made, *, date: str, digest: str, status: str = "200 OK") -> bytes:
    """A compressed revisit record, as warcio makes it."""
    out = io.BytesIO()
    writer = WARCWriter(out, gzip=True)
    http = StatusAndHeaders(status, [HTML], protocol="HTTP/1.1")
    record = writer.create_revisit_record(
        url, digest, original.url, original.date, http_headers=http, warc_headers_dict={"WARC-Date": date}
    )
    writer.write_record(record)
    return out.getvalue()


def chunked(body: bytes, size: int = 7) -> bytes:
    pieces = [body[i : i + size] for i in range(0, len(body), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


def seen_by_warcio(data: bytes) -> list[dict[str, Any]]:
    """Every response with an HTTP body that warcio finds, with the fields that we give as columns."""
    found = []
    for record in ArchiveIterator(io.BytesIO(data)):
        if record.rec_type != "response" or record.http_headers is None:
            continue
        get = record.rec_headers.get_header
        found.append(
            {
                "url": get("WARC-Target-URI") or get("uri"),
                "date": get("WARC-Date") or get("archive-date"),
                "digest": get("WARC-Payload-Digest"),
                "status": int(record.http_headers.get_statuscode()),
                "content_type": record.http_headers.get_header("Content-Type"),
                "body": record.content_stream().read(),
            }
        )
    return found


def members(data: bytes) -> list[bytes]:
    """The gzip members of a file, decompressed."""
    found = []
    import zlib

    while data:
        stream = zlib.decompressobj(31)
        found.append(stream.decompress(data))
        data = stream.unused_data
    return found


def packed(records: list[bytes]) -> bytes:
    return b"".join(gzip.compress(record, mtime=0) for record in records)


ARC_INFO = b"1 0 InternetArchive\nURL IP-address Archive-date Content-type Archive-length\n"


def arc_records(*pages: Made) -> list[bytes]:
    """The records of an ARC file, its own first."""
    head = b"filedesc://made.arc 0.0.0.0 20080501120000 text/plain %d\n" % len(ARC_INFO)
    found = [head + ARC_INFO + b"\n"]
    for made in pages:
        lines = "".join(f"{name}: {value}\r\n" for name, value in made.headers)
        block = f"HTTP/1.1 {made.status}\r\n{lines}\r\n".encode() + made.body
        kind = made.headers[0][1].partition(";")[0] if made.headers else "no-type"
        found.append(f"{made.url} 10.0.0.1 20080430204825 {kind} {len(block)}\n".encode() + block + b"\n")
    return found


def arc(*pages: Made, gz: bool = True) -> bytes:
    """An ARC file; warcio can read but not write these."""
    return b"".join(gzip.compress(one) if gz else one for one in arc_records(*pages))
