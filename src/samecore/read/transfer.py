"""From the bytes of one MIME part to its text: transfer encodings and charsets, right or wrong."""

from __future__ import annotations

import binascii
import re

from samecore.read.encoding import decode
from samecore.read.headers import base64_bytes

_BASE64_LINE = re.compile(rb"[A-Za-z0-9+/]+={0,3}")
_UUENCODED = re.compile(
    rb"^begin [0-7]{3,4} [^\n]*\n(?:[ -`]{1,88}\n)*?(?:[ `]?\n)?end[ \t]*$\n?", re.MULTILINE
)
_ASCII_LIES = ("utf-7", "utf7", "iso-2022", "iso2022", "hz", "utf-16", "utf16", "utf-32", "utf32")
_STARTS_AS_PAGE = re.compile(
    r"\s*(?:<!--.{0,400}?-->\s*)?<(?:!doctype\s+html|html[\s>])", re.IGNORECASE | re.DOTALL
)


def decoded(body: bytes, encoding: bytes | None) -> bytes:
    """`body` without its Content-Transfer-Encoding; what is not encoded as it says stays as it is."""
    if encoding is None:
        return body
    name = encoding.strip().strip(b'"').lower()
    if name.startswith(b"quoted-printable"):
        return binascii.a2b_qp(body)
    if name.startswith(b"base64"):
        return _from_base64(body)
    if name.startswith((b"x-uue", b"uue", b"x-uuencode")):
        return _from_uu(body)
    return body


def _from_base64(body: bytes) -> bytes:
    """The decoded lines, and after them, as they are, lines that are no base64.

    Mailing lists put their plain footer under an encoded text, and some senders name an
    encoding that they did not use: no line of such a text has the look of base64.
    """
    lines = body.split(b"\n")
    odd_ones = (
        i for i, line in enumerate(lines) if (bare := line.strip()) and not _BASE64_LINE.fullmatch(bare)
    )
    first = next(odd_ones, len(lines))
    good, rest = lines[:first], lines[first:]
    if not rest:
        return base64_bytes(body)
    if any(line.strip() for line in good):
        return base64_bytes(b"".join(good)) + b"\n" + b"\n".join(rest)
    odd = sum(b" " in line.strip() for line in rest)
    # Stray characters inside base64 have no spaces around them; sentences do.
    return body if odd * 2 > sum(bool(line.strip()) for line in rest) else base64_bytes(body)


def _from_uu(body: bytes) -> bytes:
    found: list[bytes] = []
    for line in body.split(b"\n"):
        if line.startswith((b"begin ", b"end")) or not line.strip():
            continue
        try:
            found.append(binascii.a2b_uu(line))
        except binascii.Error:
            found.append(line + b"\n")
    return b"".join(found)


def without_uuencoded(body: bytes) -> bytes:
    """`body` without files that were put into the text by uuencode, as was the custom on Usenet."""
    return _UUENCODED.sub(b"", body) if b"begin " in body and b"\nend" in body else body


def text(data: bytes, charset: str | None, *, html: bool = False) -> str:
    """The string of decoded bytes; never fails. An unknown or wrong charset is guessed."""
    if data.isascii() and not (charset or "").lower().startswith(_ASCII_LIES) and b"\0" not in data:
        return data.decode("ascii")
    return decode(data, f"charset={charset}" if charset else None, html=html)


def is_page(text: str) -> bool:
    """Whether what was sent as plain text begins like an HTML page."""
    return _STARTS_AS_PAGE.match(text[:1000]) is not None
