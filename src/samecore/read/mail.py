"""One mail or Usenet post: its subject, sender, date and readable text.

`parse` takes any bytes. Headers end where the standard library says they do; multiparts are cut
by their boundaries, from the outside in. Of alternatives plain text goes before
HTML, texts side by side are joined, forwarded messages are read, attachments are not. What no
rule fits (a multipart without its boundary, say) is taken as the text that it is.
"""

from __future__ import annotations

import html as standard_html
import re
from codecs import BOM_UTF8
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from samecore.documents import DEFAULT_LIMITS, Limits
from samecore.read import headers, quotes, transfer
from samecore.read.encoding import is_binary

MESSAGES = ("message/rfc822", "message/global", "message/news")
PAGES = ("text/html", "text/enriched", "text/richtext", "application/xhtml+xml")
TEXTS = ("text/plain", "text/x-plain", "text", "text/ascii", "text/markdown", "message/partial")
_POSTMARK_LINE = re.compile(rb"(?:From [^\n]*\n)?(?:>From [^\n]*\n)+")


class OverLimit(Exception):  # noqa: N818 - named for what happened
    """A message that is beyond a named limit."""


class Piece(NamedTuple):
    """One text of a message."""

    text: str
    html: bool


@dataclass(frozen=True, slots=True)
class Mail:
    """A message: decoded headers ('' or None where there are none) and its texts in order."""

    subject: str
    sender: str
    date: str | None
    message_id: str | None
    pieces: tuple[Piece, ...]
    headers: dict[str, bytes] = field(repr=False)

    def body(self, *, quoted: str = "keep", signatures: str = "keep") -> tuple[str, bool]:
        """The text, and whether it is HTML; quotes and signatures as `quotes.plain` and `quotes.page` say."""
        changed = quoted != "keep" or signatures != "keep"
        pieces: Sequence[Piece] = self.pieces
        if changed:
            pieces = [
                Piece(quotes.page(p.text, quoted=quoted), True)
                if p.html
                else Piece(quotes.plain(p.text, quoted=quoted, signatures=signatures), False)
                for p in pieces
            ]
        if not any(piece.html for piece in pieces):
            return "\n".join(piece.text for piece in pieces), False
        return "\n".join(p.text if p.html else _as_page(p.text) for p in pieces), True


def parse(raw: bytes, *, limits: Limits = DEFAULT_LIMITS) -> Mail:
    """The message in `raw`; raises `OverLimit` and nothing else. A first line 'From ...' is an envelope."""
    if len(raw) > limits.max_mail_bytes:
        raise OverLimit(f"longer than {limits.max_mail_bytes} bytes (max_mail_bytes)")
    raw = _unix_lines(raw.removeprefix(BOM_UTF8))  # some editors write one, and no header begins so
    start = 0
    if raw.startswith((b"From ", b">From ", b"\n")):
        start = len(raw) - len(raw.lstrip(b"\n"))
        if envelope := _POSTMARK_LINE.match(raw, start):
            start = envelope.end()
    head_end, body = headers.split(raw, start)
    if head_end - start > limits.max_mail_header_bytes:
        raise OverLimit(f"headers of {head_end - start} bytes (max_mail_header_bytes)")
    found = headers.fields(raw[start:head_end])
    reader = _Reader(raw, limits)
    pieces = reader.read(found, body, len(raw), "text/plain", 0)
    if not pieces:
        pieces = reader.whatever(found, body)
    charset = headers.content_type(found.get("content-type"))[1].get("charset")
    sender = found.get("from") or found.get("sender") or found.get("reply-to")
    return Mail(
        headers.text_of(found.get("subject"), charset=charset),
        headers.text_of(sender, charset=charset),
        headers.iso_date(found.get("date")),
        message_id(found.get("message-id")),
        tuple(pieces),
        found,
    )


class _Reader:
    """Walks through the parts of one message, counting them."""

    def __init__(self, raw: bytes, limits: Limits, *, any_text: bool = False) -> None:
        self.raw, self.limits, self.any_text, self.parts = raw, limits, any_text, 0

    def read(self, found: dict[str, bytes], start: int, end: int, default: str, depth: int) -> list[Piece]:
        """The texts of the part whose fields are `found` and whose body is `raw[start:end]`."""
        self.parts += 1
        if self.parts > self.limits.max_mail_parts:
            raise OverLimit(f"more than {self.limits.max_mail_parts} parts (max_mail_parts)")
        if depth > self.limits.max_mail_depth:
            raise OverLimit(f"parts nested deeper than {self.limits.max_mail_depth} (max_mail_depth)")
        kind, parameters = headers.content_type(found.get("content-type"), default=default)
        if kind.startswith("multipart/"):
            return self._multipart(kind, parameters.get("boundary"), start, end, depth)
        if kind in MESSAGES:
            return self._message(found, start, end, depth)
        if depth and found.get("content-disposition", b"").lstrip()[:10].lower() == b"attachment":
            return []
        if kind in PAGES or kind in TEXTS or (self.any_text and kind.startswith("text/")):
            return self._text(found, parameters.get("charset"), start, end, html=kind in PAGES)
        return []

    def whatever(self, found: dict[str, bytes], start: int) -> list[Piece]:
        """The readable text of a message in which no text was found; none if it has attachments only."""
        kind, parameters = headers.content_type(found.get("content-type"))
        if kind.startswith("multipart/"):  # an invitation or a patch, if that is all there is
            return _Reader(self.raw, self.limits, any_text=True).read(
                found, start, len(self.raw), "text/plain", 0
            )
        data = transfer.decoded(self.raw[start:], found.get("content-transfer-encoding"))
        if not data.strip() or is_binary(data) or kind.startswith(("image/", "audio/", "video/")):
            return []
        return [Piece(transfer.text(data, parameters.get("charset")), False)]

    def _text(
        self, found: dict[str, bytes], charset: str | None, start: int, end: int, *, html: bool
    ) -> list[Piece]:
        data = transfer.decoded(self.raw[start:end], found.get("content-transfer-encoding"))
        if not html:
            data = transfer.without_uuencoded(data)
        text = transfer.text(data, charset, html=html)
        if "\r" in text:  # inside an encoded part
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        return [Piece(text, html or transfer.is_page(text))] if text.strip() else []

    def _message(self, found: dict[str, bytes], start: int, end: int, depth: int) -> list[Piece]:
        """A message inside another, encoded (which is forbidden, and done) or not."""
        encoding = found.get("content-transfer-encoding", b"").strip().lower()
        if encoding in (b"base64", b"quoted-printable"):
            raw = _unix_lines(transfer.decoded(self.raw[start:end], encoding))
            inner = _Reader(raw, self.limits, any_text=self.any_text)
            inner.parts = self.parts
            pieces = inner._part(0, len(inner.raw), "text/plain", depth + 1)
            self.parts = inner.parts
            return pieces
        return self._part(start, end, "text/plain", depth + 1)

    def _part(self, start: int, end: int, default: str, depth: int) -> list[Piece]:
        head_end, body = headers.split(self.raw, start, end)
        if head_end - start > self.limits.max_mail_header_bytes:
            raise OverLimit(f"headers of {head_end - start} bytes (max_mail_header_bytes)")
        return self.read(headers.fields(self.raw[start:head_end]), body, end, default, depth)

    def _multipart(self, kind: str, boundary: str | None, start: int, end: int, depth: int) -> list[Piece]:
        spans = self._spans(boundary, start, end)
        if not spans:  # the boundary is missing, or another than was said
            spans = self._spans(_seen_boundary(self.raw[start:end]), start, end)
        if not spans:
            return self._text({}, None, start, end, html=False)
        default = "message/rfc822" if kind == "multipart/digest" else "text/plain"
        parts = (self._part(first, last, default, depth + 1) for first, last in spans)
        if kind == "multipart/alternative":
            several = [pieces for pieces in parts if pieces]
            plain = [pieces for pieces in several if not any(piece.html for piece in pieces)]
            return (plain or several[-1:] or [[]])[0]
        if kind == "multipart/related":  # the first is the document, the others belong to it
            return next((pieces for pieces in parts if pieces), [])
        return [piece for pieces in parts for piece in pieces]

    def _spans(self, boundary: str | None, start: int, end: int) -> list[tuple[int, int]]:
        """Where the parts between the lines of `boundary` lie; without a last line, up to the end."""
        if not boundary:
            return []
        line = b"--" + boundary.encode("latin-1", "replace")
        spans: list[tuple[int, int]] = []
        opened: int | None = None
        at = start if self.raw.startswith(line, start, end) else self._next(line, start, end)
        while at >= 0:
            after = self.raw.find(b"\n", at, end)
            after = end if after < 0 else after
            tail = self.raw[at + len(line) : after].rstrip(b" \t")
            if tail in (b"", b"--"):
                if opened is not None:
                    spans.append((opened, max(opened, at - 1)))
                    if len(spans) > self.limits.max_mail_parts:
                        raise OverLimit(f"more than {self.limits.max_mail_parts} parts (max_mail_parts)")
                opened = None if tail else min(after + 1, end)
                if tail:
                    break
            at = self._next(line, after, end)
        if opened is not None:
            spans.append((opened, end))
        return spans

    def _next(self, line: bytes, start: int, end: int) -> int:
        """Where the next line that begins with `line` begins; -1 if there is none."""
        found = self.raw.find(b"\n" + line, start, end)
        return found + 1 if found >= 0 else -1


def _unix_lines(raw: bytes) -> bytes:
    return raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in raw else raw


_OPENING = re.compile(rb"^--([^\n]{1,200}?)[ \t]{0,200}\n(?=content-[a-z-]+:)", re.IGNORECASE | re.MULTILINE)


def _seen_boundary(body: bytes) -> str | None:
    """The boundary that a multipart uses, whatever its header says."""
    match = _OPENING.search(body)
    return None if match is None else match.group(1).decode("latin-1")


_BRACKETED = re.compile(r"<([^\s<>]{1,250})>")
_WORD = re.compile(r"[^\s<>]{1,250}")


def message_id(value: bytes | None) -> str | None:
    """A Message-ID without its brackets; None if it is not one word of at most 250 characters."""
    text = headers.text_of(value)
    if match := _BRACKETED.search(text):
        return match.group(1)
    return text if _WORD.fullmatch(text) else None


def _as_page(text: str) -> str:
    """Plain text that stands beside HTML: its paragraphs as elements."""
    paragraphs = re.split(r"\n[ \t]*\n", text.strip("\n"))
    return "".join(f"<p>{standard_html.escape(paragraph, quote=False)}</p>\n" for paragraph in paragraphs)
