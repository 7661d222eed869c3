"""The header block of a mail: where it ends, its fields, and their values as text.

What ends a header block is what the standard library's parser says: the first line that is no
field, no continuation and no envelope line, blank or not. Values are decoded more kindly
than there: bytes beyond ASCII are guessed at instead of lost, and a character that was cut in
two by adjacent encoded words is put together again.
"""

from __future__ import annotations

import binascii
import re
from datetime import datetime, timedelta, timezone
from email.message import Message
from email.utils import mktime_tz, parsedate_tz

from samecore.read.encoding import decode

_LINES = re.compile(rb"(?:(?:[!-9;-~]*:|[ \t]|From )[^\n]*(?:\n|\Z))*")
_FIELD = re.compile(rb"^([!-9;-~]+):[ \t]*([^\n]*(?:\n[ \t][^\n]*)*)", re.MULTILINE)
# Bounded, so that a header full of openings is not searched to its end from each of them.
_WORD = re.compile(rb"=\?([^?\s]{1,80})\?([bBqQ])\?(.{0,4000}?)\?=", re.DOTALL)
_PARAMETER = re.compile(r""";\s*([\w.*-]+)\s*=\s*("(?:[^"\\]|\\.)*"|[^;]*)""")
_ESCAPED = re.compile(r"\\(.)")
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)

# A value longer than this is cut before it is decoded; no subject and no sender is.
MAX_VALUE_BYTES = 16 * 1024


def split(raw: bytes, start: int = 0, end: int | None = None) -> tuple[int, int]:
    """Where the header lines of `raw[start:end]` end and where the body begins; line ends are '\\n'."""
    stop = len(raw) if end is None else end
    match = _LINES.match(raw, start, stop)
    found = start if match is None else match.end()
    # A last line "From ..." is the first of a text that begins without a blank line.
    last = raw.rfind(b"\n", start, max(start, found - 1)) + 1
    if start < last < found and raw.startswith(b"From ", last):
        return last, last
    return found, found + (found < stop and raw[found : found + 1] == b"\n")


def fields(block: bytes) -> dict[str, bytes]:
    """The raw value of each field by its lower-case name; of several of one name the first."""
    found: dict[str, bytes] = {}
    for name, value in _FIELD.findall(block):
        found.setdefault(name.decode("ascii").lower(), value)
    return found


def text_of(value: bytes | None, *, charset: str | None = None) -> str:
    """A header value as text: unfolded, encoded words decoded, runs of white space made one space.

    `charset` is what bytes beyond ASCII outside encoded words probably are: that of the body.
    """
    if not value:
        return ""
    value = value[:MAX_VALUE_BYTES]
    if value.isascii() and b"=?" not in value:
        return " ".join(value.decode("ascii").split())
    pieces: list[str] = []
    known = f"charset={charset}" if charset else None
    name_before, held = b"", b""  # of adjacent encoded words, decoded together
    at = 0
    for match in _WORD.finditer(value):
        between = value[at : match.start()]
        name = match.group(1).partition(b"*")[0].lower()  # "*" begins a language
        if between.strip() or (held and name != name_before):
            pieces.append(_decoded(held, name_before))
            held = b""
        if between.strip() or not at:
            pieces.append(decode(between, known))
        name_before = name
        held += _word(match.group(2), match.group(3))
        at = match.end()
    pieces += [_decoded(held, name_before), decode(value[at:], known)]
    return " ".join("".join(pieces).split())


def _word(encoding: bytes, data: bytes) -> bytes:
    if encoding in b"qQ":
        return binascii.a2b_qp(data.replace(b"\n", b""), header=True)
    return base64_bytes(data)


def base64_bytes(data: bytes) -> bytes:
    """What base64 stands for, whatever is wrong with it: other characters and a loose end are left out."""
    kept = re.sub(rb"[^A-Za-z0-9+/]", b"", data)
    kept = kept[: len(kept) - (len(kept) % 4 == 1)]
    return binascii.a2b_base64(kept + b"=" * (-len(kept) % 4))


def _decoded(data: bytes, charset: bytes) -> str:
    return decode(data, f"charset={charset.decode('ascii', 'replace')}") if data else ""


def content_type(value: bytes | None, *, default: str = "text/plain") -> tuple[str, dict[str, str]]:
    """The type in lower case and its parameters; `default` where there is none or it makes no sense."""
    if value is None:
        return default, {}
    text = value[:MAX_VALUE_BYTES].decode("latin-1").replace("\n", " ")
    kind, _, _ = text.partition(";")
    kind = kind.strip().lower()
    if kind.count("/") != 1:
        kind = "text/plain"
    found: dict[str, str] = {}
    for name, given in _PARAMETER.findall(text):
        plain = given.strip()
        if plain.startswith('"'):
            plain = _ESCAPED.sub(r"\1", plain[1:].removesuffix('"'))
        found.setdefault(name.lower(), plain.rstrip())
    if any("*" in name for name in found):  # in pieces or with a charset, by RFC 2231
        found.update(_continued(text))
    return kind, found


def _continued(text: str) -> dict[str, str]:
    message = Message()
    message["content-type"] = text
    found: dict[str, str] = {}
    try:
        if boundary := message.get_boundary():
            found["boundary"] = boundary
        if charset := message.get_content_charset():
            found["charset"] = charset
    except Exception:  # the standard library fails in several ways on broken parameters
        return {}
    return found


def iso_date(value: bytes | None) -> str | None:
    """The moment of a Date field in UTC, '2002-08-23T17:15:51Z'; None if it cannot be read.

    Of a date without a zone the time is taken as UTC.
    """
    if not value:
        return None
    try:
        parsed = parsedate_tz(text_of(value[:200]))
        if parsed is None:
            return None
        year = (
            parsed[0] + 1900 if 100 <= parsed[0] < 200 else parsed[0]
        )  # written by a program of before 2000
        moment = _EPOCH + timedelta(seconds=mktime_tz((year, *parsed[1:9], parsed[9] or 0)))
    except Exception:  # it raises half a dozen kinds of errors on nonsense
        return None
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ") if moment.year >= 1000 else None
