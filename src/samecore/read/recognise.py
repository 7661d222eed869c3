"""What files hold, seen from how they begin, where their names do not tell: mails, collections, archives."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Sequence

from samecore.read import arc, warc
from samecore.read.compressed import CutShort
from samecore.read.files import Entry, read_whole
from samecore.read.mailfiles import HEAD_BYTES, looks_like_mail
from samecore.read.mbox import is_mailbox

# A folder of other things is known by a few of its files; only one with a mail or the like among them is looked at whole.
SAMPLE = 32
MAILBOX_BYTES = 4 << 20

MAILS = ("mail", "mbox")
# Reuters-21578 and TREC begin so; what has other names needs them said anyway.
_COLLECTION = re.compile(
    rb"\s*(?:<!DOCTYPE\s+lewis\s|<DOC(?:\s[^<>]{0,500})?>\s*<DOC(?:NO|ID)>|<REUTERS\s[^<>]{0,500}>\s*<DATE>)",
    re.IGNORECASE,
)


def kind_of(path: str, *, mail: bool = False) -> str | None:
    """'mail', 'mbox', 'sgml', 'warc' or 'arc', or None if a file does not begin like these.

    With `mail`, when the user says so, one of the first two.
    """
    try:
        head = read_whole(path, limit=HEAD_BYTES)
        start = head.removeprefix(BOM_UTF8)
        if not mail and not looks_like_mail(head):
            return _archive_or_collection(start)
        if start.lstrip(b"\r\n").startswith(b"From "):
            whole = head if len(head) <= HEAD_BYTES else read_whole(path, limit=MAILBOX_BYTES)
            return "mbox" if is_mailbox(whole) else "mail"
    except (OSError, CutShort):
        return "mail" if mail else None
    return "mail"


def _archive_or_collection(head: bytes) -> str | None:
    if head.startswith((b"WARC/", b"\x1f\x8b", b"\x28\xb5\x2f\xfd")) and warc.begins_record(head):
        return "warc"
    if head.startswith((b"filedesc:", b"\x1f\x8b")) and arc.begins_record(head):
        return "arc"
    return "sgml" if _COLLECTION.match(head) else None


def kinds_of(entries: Sequence[Entry]) -> list[str | None]:
    """`kind_of` each file; all None if a sample of them, spread evenly, has none that is known."""
    step = max(1, len(entries) // SAMPLE)
    if not any(kind_of(entry.path) for entry in entries[::step]):
        return [None] * len(entries)
    return [kind_of(entry.path) for entry in entries]
