"""Mails and Usenet posts in files of their own: .eml, Maildir, and folders of messages without a suffix."""

from __future__ import annotations

import os
import re
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from samecore.documents import Limits
from samecore.read import headers, quotes
from samecore.read.compressed import CutShort
from samecore.read.encoding import is_binary
from samecore.read.files import Entry, Files, read_whole
from samecore.read.mail import OverLimit, message_id, parse
from samecore.read.part import Note, Rows
from samecore.read.sliced import HELD_BYTES, Document, Refused, rows_of

MAIL = "message/rfc822"
HEAD_BYTES = 16 * 1024
STATES = ("cur", "new", "tmp")
SIGNS = frozenset(
    ("subject", "date", "message-id", "received", "return-path", "newsgroups", "path", "xref", "to",
     "mime-version", "delivered-to", "references", "organization", "reply-to"),
)  # fmt: skip
# Apple's Mail writes the length of a message before it and a property list after it.
_COUNT = re.compile(rb"(\d{1,10})[ \t]*\n")
_MESSAGE_ID = re.compile(rb"^message-id:[ \t]*([^\n]*(?:\n[ \t][^\n]*)*)", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True)
class MailOptions:
    """What of a mail is taken: quotes and signatures (see `quotes`), further headers as columns, another id."""

    quotes: str = "keep"
    signatures: str = "keep"
    columns: tuple[str, ...] = ()
    id_column: str | None = None

    def __post_init__(self) -> None:
        quotes.check(self.quotes, self.signatures)

    @property
    def asked(self) -> bool:
        """Whether a part of the text is to be left out."""
        return self.quotes != "keep" or self.signatures != "keep"

    @property
    def extras(self) -> tuple[str, ...]:
        """Columns besides title and date."""
        return ("sender", *self.columns)


def mail_document(raw: bytes, limits: Limits, options: MailOptions) -> Document | Refused:
    """The document in a message; its id is the Message-ID, or the header that was asked for."""
    try:
        mail = parse(raw, limits=limits)
    except OverLimit as error:
        return Refused("too-large", str(error))
    text, html = mail.body(quoted=options.quotes, signatures=options.signatures)
    id = (
        headers.text_of(mail.headers.get(options.id_column.lower())) if options.id_column else mail.message_id
    )
    more = (headers.text_of(mail.headers.get(name.lower())) for name in options.columns)
    return Document(id or None, text, html, mail.subject or None, mail.date, (mail.sender or None, *more))


def quick_id(raw: bytes, options: MailOptions) -> str | None:
    """The id `mail_document` would give, if it can be had without reading the message; None if not."""
    if options.id_column is not None:
        return None
    end = raw.find(b"\n\n")
    match = _MESSAGE_ID.search(raw, 0, len(raw) if end < 0 else end + 1)
    return None if match is None else message_id(match.group(1).replace(b"\r", b""))


def looks_like_mail(head: bytes) -> bool:
    """Whether a file that begins so is a mail or a post: header lines alone, 'From:' and two more usual ones."""
    head = head.removeprefix(BOM_UTF8).replace(b"\r\n", b"\n").replace(b"\r", b"\n").lstrip(b"\n")
    start = head.find(b"\n") + 1 if head.startswith(b"From ") else 0
    end, body = headers.split(head, start)
    if end == start or (body == end and end < len(head) and len(head) < HEAD_BYTES):
        return False  # text without a blank line under the headers
    names = headers.fields(head[start:end]).keys()
    return "from" in names and len(names & SIGNS) >= 2


class MailFiles(Files):
    """A set of files, one message each; ids are paths, or the header asked for as `id_column`."""

    format = "mail"

    def __init__(
        self,
        entries: Sequence[Entry],
        name: str,
        limits: Limits,
        mail: MailOptions,
        *,
        path: str | None,
        batch_bytes: int,
    ) -> None:
        super().__init__(entries, name, limits, path=path, batch_bytes=batch_bytes)
        self.mail = mail

    def rows(self, wanted: frozenset[str] | None, note: Note) -> Iterator[Rows]:
        """The messages in order; see `Part`."""
        documents: list[Document] = []
        numbers: list[int] = []
        held = 0
        by_path = self.mail.id_column is None
        for number, entry in enumerate(self.entries):
            if by_path and wanted is not None and entry.id not in wanted:
                continue
            found = self._document(entry)
            if isinstance(found, Refused):
                # What cannot be opened cannot be copied either, hence no number.
                place = () if found.reason == "unreadable" else (number,)
                note(entry.id, found.reason, f"{entry.path}: {found.detail}", *place)
                continue
            documents.append(found)
            numbers.append(number)
            held += len(found.text)
            if held > min(HELD_BYTES, self.batch_bytes):
                yield rows_of(documents, numbers, self.mail.extras)
                documents, numbers, held = [], [], 0
        if documents:
            yield rows_of(documents, numbers, self.mail.extras)

    def _document(self, entry: Entry) -> Document | Refused:
        limit = self.limits.max_mail_bytes
        try:
            raw = read_whole(entry.path, limit=limit)
        except CutShort as error:
            return Refused("unreadable", str(error))
        except OSError as error:
            return Refused("unreadable", error.strerror or str(error))
        if not raw.strip():
            return Refused("empty", "the file has no text")
        if len(raw) > limit:
            return Refused("too-large", f"longer than {limit} bytes (max_mail_bytes)")
        if entry.path.endswith(".emlx") and (count := _COUNT.match(raw)):
            raw = raw[count.end() : count.end() + int(count.group(1))]
        if is_binary(raw) and not looks_like_mail(raw[:HEAD_BYTES]):
            return Refused("not-text", "binary data, not a message")
        found = mail_document(raw, self.limits, self.mail)
        if isinstance(found, Refused) or (found.id and self.mail.id_column):
            return found
        return Document(entry.id, found.text, found.html, found.title, found.date, found.extras)

    def saved_as(self, entry: Entry) -> str:
        """Where a copy goes: in a Maildir its state is in the name of the file, not in the id."""
        if self.path is None or not in_maildir(entry.path):
            return entry.id
        return os.path.relpath(entry.path, self.path)

    def folders(self) -> list[str]:
        """What a copy has besides its files: a Maildir is known by its three folders, be they empty."""
        found: set[str] = set()
        for entry in self.entries if self.path is not None else ():
            folder = os.path.dirname(os.path.dirname(entry.path)) if in_maildir(entry.path) else ""
            # Those around it as well: without them a folder with a dot in its name is not looked into.
            while folder and is_maildir(folder):
                place = os.path.relpath(folder, self.path)
                if place in found or place.startswith(os.pardir):
                    break
                found.add(place)
                folder = os.path.dirname(folder)
        return [os.path.join(place, name) for place in sorted(found) for name in STATES]


def in_maildir(path: str) -> bool:
    """Whether a file lies in 'cur' or 'new' of a Maildir."""
    folder, state = os.path.split(os.path.dirname(path))
    return state in ("cur", "new") and is_maildir(folder)


def is_maildir(folder: str) -> bool:
    """Whether a folder has the three folders of a Maildir."""
    return all(os.path.isdir(os.path.join(folder, name)) for name in STATES)


def maildir_id(id: str) -> str:
    """The id of a message in a Maildir: its path without the folder and the flags, which change as it is read."""
    folder, _, name = id.rpartition("/")
    above = folder.rpartition("/")[0]
    unique = re.split(r"[:;!]2,", name)[0]
    return f"{above}/{unique}" if above else unique
