"""Web archives as documents: the pages of WARC and ARC files, alone or in a WACZ."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from samecore.documents import Limits
from samecore.errors import InputError
from samecore.read.arc import arc_records
from samecore.read.capture import Batch, Page, digest_of, id_of, type_of
from samecore.read.http import LimitReached, decoded_body, mime_of, parse_response
from samecore.read.part import Note, Rows, SizeHint, file_facts
from samecore.read.revisits import Originals
from samecore.read.select import Select
from samecore.read.walk import Damage, Record
from samecore.read.warc import warc_records
from samecore.read.window import Span, open_window

# Of a crawl about so much is text: half of the bytes are pages, and most of a page is markup.
TEXT_SHARE = 4
COMPRESSION = 4


class PassedOver(Exception):  # noqa: N818 - named for what happened
    """A record that was not asked for; the message says why, in a word or two."""


class Archive:
    """One WARC or ARC file; ids are capture time and URL, '20240501120000/http://example.org/'.

    `passed_over` counts the records that were not asked for, by reason, in the last pass; `repeats` says
    for the number of a revisit which part and number hold its payload.
    """

    reiterable = True

    def __init__(
        self, span: Span, name: str, limits: Limits, select: Select, *, format: str, batch_bytes: int,
        originals: Originals, part: int,
    ) -> None:  # fmt: skip
        self.span, self.name, self.limits, self.select, self.format = span, name, limits, select, format
        self.path: str | None = span.path
        self.batch_bytes, self.originals, self.part = batch_bytes, originals, part
        self.siblings: list[Archive] = [self]
        self.shared_by = 1  # archives in the same file: several in a WACZ
        self.passed_over: Counter[str] = Counter()
        self.repeats: dict[int, tuple[int, int]] = {}

    def place(self, number: int) -> str:
        """Records are counted from 1, those of all types."""
        return f"{self.name}, record {number + 1}"

    def records(self) -> Iterator[Record | Damage]:
        """Every record of the file, and the places where it is damaged."""
        with open_window(self.span, limits=self.limits) as window:
            reader = arc_records if self.format == "arc" else warc_records
            first = True
            for record in reader(window, limits=self.limits):
                if first and isinstance(record, Damage) and record.resumed is None:
                    expected = f"the records of a {self.format.upper()} file"
                    raise InputError(
                        f"expected {expected}, found something else ({record.message})", where=self.name
                    )
                first = False
                yield record

    def rows(self, wanted: frozenset[str] | None, note: Note) -> Iterator[Rows]:
        """The documents in order, then those of revisits; see `Part`."""
        self.passed_over = Counter()
        self.originals.start(self.part)
        revisits: list[Record] = []
        batch = Batch()
        empty = True
        for record in self.records():
            empty = False
            if isinstance(record, Damage):
                if batch.numbers and record.spoilt == batch.numbers[-1]:
                    detail = f"{self.place(record.spoilt)}: its Content-Length runs over the next record"
                    note(batch.drop_last(), "unreadable", detail)
                else:
                    self._note_damage(record, note)
                continue
            found = self._document(record, wanted, note, revisits)
            if found is None:
                continue
            if batch.held and batch.held + len(found[1].body) > self.batch_bytes:
                yield batch.rows()
                batch = Batch()
            batch.add(*found, record)
        if empty:
            note(self.name, "empty", f"{self.name}: there is no record in it")
        if batch.numbers:
            yield batch.rows()
        if revisits:
            yield from self._resolved(revisits, wanted, note)

    def _document(
        self, record: Record, wanted: frozenset[str] | None, note: Note, revisits: list[Record]
    ) -> tuple[str, Page] | None:
        """The id and page of a record, or None if it is none; notes what should have been one."""
        id = id_of(record, self.name)
        if record.fault is not None:
            note(id, "unreadable", f"{self.place(record.number)}: {record.fault}")
            return None
        page = None
        try:
            if record.kind == "revisit" and "revisit" in self.select.records:
                revisits.append(replace(record, source=None))  # what the header says is enough, later
            elif (wanted is not None and id not in wanted and record.digest) or not self._takes(record):
                self._remember(record, record.digest)
            else:
                page = self._page(record, remember=True)
        except PassedOver as why:
            self.passed_over[str(why)] += 1
        except LimitReached as error:
            note(id, "too-large", f"{self.place(record.number)}: {error}", record.number)
            return None
        if record.fault is not None:
            note(id, "unreadable", f"{self.place(record.number)}: {record.fault}")
            return None
        return (id, page) if page is not None and (wanted is None or id in wanted) else None

    def _takes(self, record: Record) -> bool:
        """Whether type, URL and date are asked for; counts it if not."""
        select = self.select
        if record.kind not in select.records:
            self.passed_over[f"{record.kind} records"] += 1
        elif not select.takes_url(record.url or ""):
            self.passed_over["other URLs"] += 1
        elif not select.takes_date(record.date or ""):
            self.passed_over["other dates"] += 1
        else:
            return True
        return False

    def _remember(self, record: Record, digest: str | None) -> None:
        if record.kind == "response" and "revisit" in self.select.records:
            self.originals.add(self.part, record, digest)

    def _page(self, record: Record, *, remember: bool = False) -> Page:
        """The page in a record; raises `PassedOver` if its status or type is not asked for."""
        if record.length > self.limits.max_record_bytes:
            limit = self.limits.max_record_bytes
            raise LimitReached(f"{record.length} bytes, the limit is {limit} (max_record_bytes)")
        body = record.block()
        declared = record.content_type
        if record.kind != "response":
            digest = record.digest or digest_of(body)
        else:
            response = parse_response(body, limits=self.limits)
            if response is None:
                raise PassedOver("responses that are not HTTP")
            digest = record.digest or digest_of(response.body)
            if remember:
                self._remember(record, digest)
            if not self.select.takes_status(response.status):
                raise PassedOver(f"status {response.status}")
            body = decoded_body(response, limits=self.limits)
            declared = response.headers.get("content-type") or declared
        mime = mime_of(declared, body)
        if not self.select.takes_mime(mime):
            raise PassedOver(mime)
        return Page(body, type_of(mime, declared), digest)

    def _resolved(self, revisits: list[Record], wanted: frozenset[str] | None, note: Note) -> Iterator[Rows]:
        """The documents that revisits stand for, by one more pass over the archives with their payloads."""
        needed: dict[int, dict[int, list[Record]]] = {}
        for record, place in zip(revisits, self._originals(revisits), strict=True):
            if place is not None:
                self.repeats[record.number] = place
                needed.setdefault(place[0], {}).setdefault(place[1], []).append(record)
            elif wanted is None:
                detail = f"{self.place(record.number)}: the capture it repeats is not in the input"
                note(id_of(record, self.name), "revisit", detail)
        batch = Batch()
        for part in sorted(needed):
            left = needed[part]
            for original in self.siblings[part].records():
                if isinstance(original, Damage) or original.number not in left:
                    continue
                captures = left.pop(original.number)
                for record, page in self._repeated(original, captures, wanted, note):
                    batch.add(id_of(record, self.name), page, record)
                    if batch.held > self.batch_bytes:
                        yield batch.rows()
                        batch = Batch()
                if not left:
                    break
        if batch.numbers:
            yield batch.rows()

    def _originals(self, revisits: list[Record]) -> list[tuple[int, int] | None]:
        """Where the payloads of revisits lie; only if one is not here or before here, archives behind are looked at."""
        found = self.originals.find(revisits, last=self.part)
        behind = self.siblings[self.part + 1 :]
        if not behind or None not in found:
            return found
        for archive in behind:
            if archive.part not in self.originals.keys:
                archive.index()
        everywhere = self.originals.find(revisits, last=behind[-1].part)
        return [near or far for near, far in zip(found, everywhere, strict=True)]

    def index(self) -> None:
        """Remember the responses of this archive before its turn comes to be read."""
        self.originals.start(self.part)
        # What is wrong with the file is said when it is read.
        with contextlib.suppress(InputError, OSError):
            for record in self.records():
                if isinstance(record, Record) and record.fault is None:
                    self._remember(record, record.digest)

    def _repeated(
        self, original: Record, captures: list[Record], wanted: frozenset[str] | None, note: Note
    ) -> Iterator[tuple[Record, Page]]:
        """Each of `captures` with the page of `original`."""
        taken = [
            record
            for record in captures
            if (wanted is None or id_of(record, self.name) in wanted) and self._takes(record)
        ]
        if not taken:
            return
        try:
            page = self._page(original)
        except PassedOver as why:
            self.passed_over[str(why)] += len(taken)
            return
        except LimitReached as error:
            for record in taken:
                detail = f"{self.place(record.number)}: the capture it repeats is over a limit: {error}"
                note(id_of(record, self.name), "too-large", detail, record.number)
            return
        for record in taken:
            if original.fault is None:
                yield record, page
            else:
                detail = f"{self.place(record.number)}: the capture it repeats is {original.fault}"
                note(id_of(record, self.name), "revisit", detail)

    def _note_damage(self, damage: Damage, note: Note) -> None:
        where = f"{self.name}, from offset {damage.offset}"
        rest = (
            "everything after it was not read"
            if damage.resumed is None
            else f"reading goes on at {damage.resumed}"
        )
        note(where, "unreadable", f"{where}: {damage.message}; {rest}")

    def describe(self) -> dict[str, Any]:
        """Facts for the manifest."""
        return file_facts(self.span.path)

    def size_hint(self) -> SizeHint:
        """An estimate of the text in it; how many pages it has is not known."""
        size: int = file_facts(self.span.path)["size"] // self.shared_by
        plain = self.span.path.lower().endswith((".warc", ".arc"))
        return SizeHint(size // TEXT_SHARE if plain else size * COMPRESSION // TEXT_SHARE, None)
