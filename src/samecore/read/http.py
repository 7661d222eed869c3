"""HTTP responses as archives hold them: status, headers, and the body decoded within limits."""

from __future__ import annotations

import codecs
import io
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass

from samecore.documents import MIB, Limits
from samecore.read.encoding import HEAD_BYTES, is_binary, looks_like_html
from samecore.read.walk import fastwarc

_BLANK_LINE = re.compile(rb"\r?\n\r?\n")
_STATUS_LINE = re.compile(rb"HTTP/[0-9.]+[ \t]+([0-9]{3})(?![0-9])", re.IGNORECASE)
_CHUNK_SIZE = re.compile(rb"[ \t]*([0-9a-fA-F]{1,16})[ \t]*(?:;[^\n]{0,4096})?\r?\n")
# What servers say when they do not know, and what is therefore looked at.
_UNKNOWN = frozenset({
    "", "application/octet-stream", "binary/octet-stream", "application/unknown", "unknown/unknown", "unknown",
    "application/x-unknown", "*/*", "content/unknown", "no-type",
})  # fmt: skip
_PAGE_START = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]{0,512}>\s*)?(?:<!--.{0,1024}?-->\s*)?<(?:!doctype\s+html|html)[\s>]",
                         re.IGNORECASE | re.DOTALL)  # fmt: skip
_PRINTABLE = bytes((*b"\t\n\r", *range(32, 127)))
_PIECE = 64 * 1024


class LimitReached(Exception):  # noqa: N818 - named for what happened
    """A response is over a named limit; the message says which."""


@dataclass(frozen=True, slots=True)
class Response:
    """A parsed response: `headers` by lower-case name (of several the first), `body` as it was sent."""

    status: int
    headers: dict[str, str]
    body: bytes


def parse_response(block: bytes, *, limits: Limits) -> Response | None:
    """The response in a record's block, or None if it is no HTTP; `LimitReached` if its head is too long.

    A block without a blank line is all head, its body empty.
    """
    line = _STATUS_LINE.match(block)
    if line is None:
        return None
    # One byte more than allowed, and the blank line behind it.
    end = _BLANK_LINE.search(block, line.end() - 1, limits.max_header_bytes + 4)
    if end is None and len(block) > limits.max_header_bytes:
        raise LimitReached(f"the headers are longer than {limits.max_header_bytes} bytes (max_header_bytes)")
    head, body = (block, b"") if end is None else (block[: end.start()], block[end.end() :])
    lines = head.split(b"\n")
    if len(lines) - 1 > limits.max_headers:
        raise LimitReached(f"{len(lines) - 1} header lines, the limit is {limits.max_headers} (max_headers)")
    headers: dict[str, str] = {}
    last = ""
    for raw in lines[1:]:
        text = raw.decode("utf-8", "replace").rstrip("\r")
        if text[:1] in (" ", "\t") and last in headers:  # folded, as old servers do
            headers[last] += " " + text.strip()
            continue
        name, colon, value = text.partition(":")
        if colon and (last := name.strip().lower()) not in headers:
            headers[last] = value.strip()
    return Response(int(line.group(1)), headers, body)


def decoded_body(response: Response, *, limits: Limits) -> bytes:
    """The body with chunks joined and compression undone; `LimitReached` beyond a limit.

    A body that is not what its headers say is taken as it is, one that breaks in the middle up to there.
    """
    body = response.body
    if "chunked" in response.headers.get("transfer-encoding", "").lower():
        body = joined_chunks(body)
    encodings = [name.strip().lower() for name in response.headers.get("content-encoding", "").split(",")]
    encodings = [name for name in encodings if name not in ("", "identity", "none")]
    if len(encodings) > limits.max_encodings:
        raise LimitReached(
            f"{len(encodings)} compressions on one another, the limit is {limits.max_encodings} (max_encodings)"
        )
    # The ratio is that of the stored bytes, so that compressions on one another do not multiply.
    most = min(limits.max_document_bytes, max(MIB, len(body) * limits.max_expansion))
    for name in reversed(encodings):
        decoder = _DECODERS.get(name)
        if decoder is None or not body:  # such as 'utf-8' or 'aws-chunked'
            continue
        body = decoder(body, most)
        if len(body) > most:
            limit = "max_document_bytes" if most == limits.max_document_bytes else "max_expansion"
            raise LimitReached(
                f"a {name} body of {len(response.body)} bytes becomes more than {most} ({limit})"
            )
    return body


def joined_chunks(body: bytes) -> bytes:
    """A chunked body put together; one that does not begin with a chunk comes back as it is.

    Where a later chunk is broken, the rest is taken as it stands; a last chunk that is cut short counts.
    """
    found = bytearray()
    position = 0
    while position < len(body):
        size = _CHUNK_SIZE.match(body, position)
        if size is None:
            if position == 0:
                return body
            found += body[position:]
            break
        length = int(size.group(1), 16)
        if length == 0:
            break
        position = size.end() + length
        found += body[size.end() : position]
        if body.startswith(b"\r\n", position):
            position += 2
        elif body.startswith(b"\n", position):
            position += 1
    return bytes(found)


def mime_of(declared: str | None, body: bytes) -> str:
    """The MIME type of a body, lower case, without parameters: as declared, else as its bytes look.

    What is declared as plain text and begins as only a page does is 'text/html'.
    """
    # Said twice, or in quotation marks, it is the same.
    mime = (declared or "").partition(";")[0].partition(",")[0].strip(" \t\"'").lower()
    if mime == "text/plain" and _PAGE_START.match(body[:HEAD_BYTES]):
        return "text/html"
    if mime not in _UNKNOWN and "/" in mime:
        return mime
    if is_binary(body):
        return "application/octet-stream"
    return "text/html" if looks_like_html(body) else "text/plain"


def _inflated(data: bytes, most: int) -> bytes:
    """gzip, zlib or bare deflate, whatever the name said; not more than `most` + 1 bytes."""
    if _is_plain(data):
        return data
    for bits in (zlib.MAX_WBITS | 32, -zlib.MAX_WBITS):
        try:
            return _members(data, bits, most)
        except zlib.error:
            continue
    return data


def _is_plain(data: bytes) -> bool:
    """Whether the bytes are a text already; of some texts bare deflate would make something else."""
    head = data[:HEAD_BYTES]
    if len(head.translate(None, _PRINTABLE)) * 10 <= len(head):
        return True
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)  # a character may be cut in two at the end
    except UnicodeDecodeError:
        return False
    return not is_binary(head)


def _members(data: bytes, bits: int, most: int) -> bytes:
    """All gzip members one after another; raises zlib.error only if nothing at all can be read."""
    pieces: list[bytes] = []
    held = 0
    while data and held <= most:
        stream = zlib.decompressobj(bits)
        try:
            pieces.append(stream.decompress(data, most + 1 - held))
        except zlib.error:
            if not pieces:
                # Up to where it breaks: in small pieces, the last of which is lost.
                pieces.append(_until_broken(data, bits, most))
            break
        held += len(pieces[-1])
        if not stream.eof:
            break
        data = stream.unused_data
    return b"".join(pieces)


def _until_broken(data: bytes, bits: int, most: int) -> bytes:
    stream = zlib.decompressobj(bits)
    found = bytearray()
    for start in range(0, len(data), 256):
        try:
            found += stream.decompress(data[start : start + 256], most + 1 - len(found))
        except zlib.error:
            break
        if len(found) > most:
            break
    if not found:
        raise zlib.error("nothing can be read")
    return bytes(found)


def _by_reader(name: str) -> Callable[[bytes, int], bytes]:
    def decode(data: bytes, most: int) -> bytes:
        found = bytearray()
        try:
            reader = getattr(fastwarc("stream_io"), name)(io.BytesIO(data))
            while len(found) <= most and (piece := reader.read(min(_PIECE, most + 1 - len(found)))):
                found += piece
        except (OSError, ValueError):  # broken; up to here it was right
            pass
        return bytes(found) if found else data

    return decode


_DECODERS: dict[str, Callable[[bytes, int], bytes]] = {
    "gzip": _inflated, "x-gzip": _inflated, "deflate": _inflated,
    "br": _by_reader("BrotliReader"), "zstd": _by_reader("ZstdReader"),
}  # fmt: skip
