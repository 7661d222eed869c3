"""Which files are mails or mailboxes, seen from how they begin, where their names do not tell."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Sequence

from samecore.read.compressed import CutShort
from samecore.read.files import Entry, read_whole
from samecore.read.mailfiles import HEAD_BYTES, MAIL, looks_like_mail
from samecore.read.mbox import is_mailbox

# A folder of other things is known by a few of its files; only one with a mail among them is looked at whole.
SAMPLE = 32
MAILBOX_BYTES = 4 << 20

MBOX = "application/mbox"


def mail_type(path: str, *, sure: bool = False) -> str | None:
    """MAIL or MBOX, or None if the file does not look like either; with `sure` one of the two."""
    try:
        head = read_whole(path, limit=HEAD_BYTES)
        if not sure and not looks_like_mail(head):
            return None
        if head.removeprefix(BOM_UTF8).lstrip(b"\r\n").startswith(b"From "):
            whole = head if len(head) <= HEAD_BYTES else read_whole(path, limit=MAILBOX_BYTES)
            return MBOX if is_mailbox(whole) else MAIL
    except (OSError, CutShort):
        return MAIL if sure else None
    return MAIL


def mail_types(entries: Sequence[Entry], *, sure: bool = False) -> list[str | None]:
    """For each file MAIL, MBOX or None; all None if a sample of them, spread evenly, has no mail."""
    step = max(1, len(entries) // SAMPLE)
    if not sure and not any(mail_type(entry.path) for entry in entries[::step]):
        return [None] * len(entries)
    return [mail_type(entry.path, sure=sure) for entry in entries]
