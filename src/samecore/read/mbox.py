"""Mailboxes: one message after another, each under a line 'From sender date'.

There are four dialects and no mark that tells them apart. A message ends where its Content-Length says, if
another message (or nothing) begins there: mboxcl2, in which lines are not escaped. Else it ends at the next
line that looks like an envelope and has a header line under it; lines '>From ', '>>From ' in it
then lose one '>', as in mboxo and mboxrd. Lines may end with a carriage return alone, as on old Macs.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from itertools import chain

from samecore.documents import Limits
from samecore.read.mailfiles import MailOptions, mail_document, quick_id
from samecore.read.sliced import MARGIN, Document, Refused, Sliced

# "From joe@example.org Fri Aug 23 11:03:33 2002", "From - ...", or a bare number (archives of Usenet).
_HERE = re.compile(rb"From ([^\r\n]{1,400})\r?\n(?=>?From |[!-9;-~]{1,100}:)")
_STAMP = re.compile(rb"\d:\d\d|^-?\d{6,20}[ \t]*$")
# Without a time an address alone or a day will do, if a blank line is above it: sentences begin with "From" too.
_LOOSE = re.compile(
    rb"[ \t]*(?:[^\s@]{1,100}@[^\s@]{1,200}|-|MAILER-DAEMON)[ \t]*$"
    rb"|.*\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? +(?:\d\d? +)?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\b"
)
_FIRST_END = re.compile(rb"[^\r\n]*(\r+\n|\r|\n)")
_SWAPPED = bytes.maketrans(b"\r\n", b"\n\r")
_LENGTH = re.compile(rb"^content-length:[ \t]*(\d{1,12})[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)
_ESCAPED = re.compile(rb"\n>(>*From )")

_HEADER_BYTES = 64 * 1024


def is_mailbox(data: bytes) -> bool:
    """Whether `data` begins with an envelope and has another further on."""
    data = with_line_feeds(data.removeprefix(BOM_UTF8)).lstrip(b"\r\n")
    return _is_envelope(data, 0) and next_envelope(data, 1) is not None


def next_envelope(data: bytes | bytearray, start: int) -> int | None:
    """Where the first envelope at or after `start` begins."""
    # By `find`, several times as fast as a pattern.
    if start == 0 and _is_envelope(data, 0):
        return 0
    at = max(0, start - 1)
    while (at := data.find(b"\nFrom ", at)) >= 0:
        at += 1
        if _is_envelope(data, at):
            return at
    return None


def _is_envelope(data: bytes | bytearray, at: int) -> bool:
    """In two steps, so that a line full of times is not gone through once for each of them."""
    match = _HERE.match(data, at)
    if match is None or _STAMP.search(match.group(1)):
        return match is not None
    blank_above = at == 0 or data[max(0, at - 3) : at].replace(b"\r", b"").endswith(b"\n\n")
    return blank_above and _LOOSE.match(match.group(1)) is not None


def with_line_feeds(data: bytes) -> bytes:
    """`data`, with carriage returns and line feeds exchanged if its first line ends with the former alone."""
    return data.translate(_SWAPPED) if _returns_alone(data) else data


def _returns_alone(data: bytes) -> bool:
    end = _FIRST_END.match(data, 0, _HEADER_BYTES)
    return end is not None and end.group(1) == b"\r"


class Mbox(Sliced):
    """A mailbox; ids are Message-IDs without brackets, else the message, counted from 0."""

    format = "mbox"
    noun = "message"
    limit_name = "max_mail_bytes"

    def __init__(self, path: str, name: str, limits: Limits, mail: MailOptions) -> None:
        super().__init__(path, name, limits, extras=mail.extras)
        self.mail = mail

    def cut(self, chunks: Iterator[bytes]) -> Iterator[bytes | None]:
        """The messages as they stand in the file, whatever ends their lines."""
        head = b""
        while len(head) < _HEADER_BYTES and (chunk := next(chunks, b"")):
            head += chunk
        whole = chain((head,), chunks)
        if not _returns_alone(head):
            yield from super().cut(whole)
            return
        # Exchanged twice, every byte is what it was.
        for raw in super().cut(chunk.translate(_SWAPPED) for chunk in whole):
            yield raw and raw.translate(_SWAPPED)

    def end_of(self, buffer: bytearray, at: int, searched: int, *, ended: bool) -> tuple[int | None, int]:
        """By its Content-Length, or where the next envelope is. Text before the first envelope is a message too."""
        size = len(buffer)
        following = next_envelope(buffer, max(searched, at + 1))
        searched = max(at, size - MARGIN) if following is None else following
        by_length = _by_length(buffer, at, following, self.max_bytes)
        if by_length is not None:
            if by_length + MARGIN > size and not ended:
                return None, searched
            if (end := _checked(buffer, by_length, ended=ended)) is not None:
                return end, end
        return (size if following is None and ended else following), searched

    def document(self, raw: bytes, number: int, wanted: frozenset[str] | None) -> Document | Refused | None:
        """The message in a slice."""
        if not raw.strip():
            return None
        raw = with_line_feeds(raw)
        if wanted is not None and str(number) not in wanted and f"{self.name}:{number}" not in wanted:
            id = quick_id(raw, self.mail)
            if id is not None and id not in wanted:
                return None
        if b">From " in raw and _whole_by_length(raw) is None:
            raw = _ESCAPED.sub(rb"\n\1", raw)
        return mail_document(raw, self.limits, self.mail)


def _by_length(buffer: bytes | bytearray, at: int, following: int | None, limit: int) -> int | None:
    """Where the body ends by its Content-Length; None if the header has none, or is not complete yet.

    The header ends before the `following` envelope, if there is one.
    """
    end = at + _HEADER_BYTES if following is None else min(at + _HEADER_BYTES, following)
    ends = [(buffer.find(blank, at, end), len(blank)) for blank in (b"\n\n", b"\n\r\n")]
    found = min(((place, size) for place, size in ends if place >= 0), default=None)
    if found is None:
        return None
    header = bytes(buffer[at : found[0] + 1])
    length = _LENGTH.search(header) if b"ength:" in header or b"ENGTH:" in header else None
    if length is None or int(length.group(1)) > limit:  # it is not waited for what is refused anyway
        return None
    return found[0] + found[1] + int(length.group(1))


def _checked(buffer: bytearray, end: int, *, ended: bool) -> int | None:
    """`end` moved over blank lines, if a message begins or nothing is left there; else None."""
    size = len(buffer)
    if end > size or (end < size and buffer[end - 1] not in b"\r\n" and buffer[end] not in b"\r\n"):
        return None
    while end < size and buffer[end] in b"\r\n":
        end += 1
    return end if (ended and end == size) or _is_envelope(buffer, end) else None


def _whole_by_length(raw: bytes) -> int | None:
    """The length by its Content-Length, if that is how the slice ended."""
    end = _by_length(raw, 0, None, len(raw))
    return end if end is not None and end <= len(raw) and not raw[end:].strip() else None
