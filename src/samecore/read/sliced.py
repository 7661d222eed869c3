"""Files that hold one document after another, cut into slices of bytes: mailboxes and SGML collections.

A format says where a slice ends and what is in it (`slices`, `document`); what they share is here: rows,
limits, and that kept documents can be written back byte for byte, slice by slice.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from samecore.documents import Limits
from samecore.errors import InputError
from samecore.read.compressed import CutShort, codec_of, read_chunks
from samecore.read.files import HTML, PLAIN
from samecore.read.jsonl import COMPRESSION_RATIO
from samecore.read.part import Note, Rows, SizeHint, file_facts
from samecore.read.records import repair

# Rows are handed on when they hold this much text; the source makes batches of them.
HELD_BYTES = 4 << 20
# So much at the end of what was read is looked at again, so that no beginning is cut in two.
MARGIN = 1024
TRIM_BYTES = 4 << 20
NO_TEXT = " "
"""The text of a document without any. It stays a document, without words, so that `dedupe` keeps it."""


@dataclass(frozen=True, slots=True)
class Document:
    """One document as a reader found it; `extras` are further columns."""

    id: str | None
    text: str
    html: bool
    title: str | None
    date: str | None
    extras: tuple[str | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Refused:
    """Why there is no document: the fields of `Skipped`, without the place."""

    reason: str
    detail: str


def rows_of(documents: Sequence[Document], numbers: Sequence[int], extras: Sequence[str]) -> Rows:
    """Documents as rows of one schema: id, text, content_type, title, date and the `extras`."""
    columns: dict[str, pa.Array] = {
        "id": pa.array([_clean(one.id) for one in documents], pa.string()),
        "text": pa.array([repair(one.text) or NO_TEXT for one in documents], pa.large_string()),
        "content_type": pa.array([HTML if one.html else PLAIN for one in documents], pa.string()),
        "title": pa.array([_clean(one.title) for one in documents], pa.string()),
        "date": pa.array([_clean(one.date) for one in documents], pa.string()),
    }
    for n, name in enumerate(extras):
        columns[name] = pa.array([_clean(one.extras[n]) for one in documents], pa.string())
    return Rows(pa.RecordBatch.from_pydict(columns), np.asarray(numbers, dtype=np.int64))


def _clean(text: str | None) -> str | None:
    return repair(text) if text else None


class Sliced(ABC):
    """A file of many documents; ids are their own, else the number of the slice, from 0."""

    format = "sliced"
    noun = "document"
    limit_name = "max_document_bytes"

    def __init__(self, path: str, name: str, limits: Limits, *, extras: Sequence[str] = ()) -> None:
        self.path: str | None = path
        self.source, self.name, self.limits, self.extras = path, name, limits, tuple(extras)
        self.reiterable = path != "-"

    @property
    def max_bytes(self) -> int:
        """How long a slice may be; longer ones are never held in memory as a whole."""
        return int(getattr(self.limits, self.limit_name))

    @abstractmethod
    def end_of(self, buffer: bytearray, at: int, searched: int, *, ended: bool) -> tuple[int | None, int]:
        """Where the slice that begins at `at` ends, and where the search for its end goes on.

        There is no end between `at` and `searched`. None if more must be read first, which cannot be
        once the stream has `ended`.
        """

    @abstractmethod
    def document(self, raw: bytes, number: int, wanted: frozenset[str] | None) -> Document | Refused | None:
        """What is in a slice. None if it is none of the `wanted` ids, or no document at all."""

    def head(self) -> bytes:
        """What stands before the first slice and belongs into every copy of the file."""
        return b""

    def none_found(self) -> InputError | None:
        """What is wrong with a file that has bytes and no slice; None if that may be."""
        return None

    def slices(self) -> Iterator[bytes | None]:
        """The slices in order; raises `CutShort`, after the last of them, where the stream breaks."""
        cut: list[CutShort] = []

        def chunks() -> Iterator[bytes]:
            try:
                yield from read_chunks(self.source)
            except CutShort as error:
                cut.append(error)
                if error.rest:
                    yield error.rest

        yield from self.cut(chunks())
        if cut:
            raise CutShort(str(cut[0]), b"")

    def cut(self, chunks: Iterator[bytes]) -> Iterator[bytes | None]:
        """The slices of the stream, in order; None for one that is longer than `max_bytes`."""
        buffer = bytearray()
        at = searched = 0  # the slice begins at `at`, and does not end before `searched`
        dropping = ended = False
        while not ended or at < len(buffer):
            end = None
            if at < len(buffer):
                end, searched = self.end_of(buffer, at, searched, ended=ended)
            if end is not None:
                yield None if dropping or end - at > self.max_bytes else bytes(buffer[at:end])
                at = searched = end
                dropping = False
                continue
            if searched - at > self.max_bytes:
                dropping = True  # its beginning is not needed any more
                del buffer[:searched]
                at = searched = 0
            elif at > TRIM_BYTES:
                del buffer[:at]
                at, searched = 0, searched - at
            chunk = next(chunks, b"")
            buffer += chunk
            ended = not chunk

    def place(self, number: int) -> str:
        """Counted from 1, as people do."""
        return f"{self.name}, {self.noun} {number + 1}"

    def rows(self, wanted: frozenset[str] | None, note: Note) -> Iterator[Rows]:
        """The documents in order; see `Part`."""
        documents: list[Document] = []
        numbers: list[int] = []
        held, number = 0, -1
        try:
            for number, raw in enumerate(self.slices()):
                place = self.place(number)
                if raw is None:
                    note(
                        place, "too-large", f"{place}: longer than {self.max_bytes} bytes ({self.limit_name})"
                    )
                    continue
                found = self.document(raw, number, wanted)
                if isinstance(found, Refused):
                    note(place, found.reason, f"{place}: {found.detail}", number)
                elif found is not None:
                    documents.append(found)
                    numbers.append(number)
                    held += len(found.text)
                    if held > HELD_BYTES:
                        yield rows_of(documents, numbers, self.extras)
                        documents, numbers, held = [], [], 0
        except CutShort as error:
            detail = f"{self.name}: everything after {self.noun} {number + 1} was not read; the stream breaks"
            note(f"{self.name}, after {self.noun} {number + 1}", "unreadable", f"{detail} ({error})")
        if documents:
            yield rows_of(documents, numbers, self.extras)
        elif number < 0 and wanted is None:
            nothing = (
                self.none_found() if self._has_bytes() else InputError("the file is empty", where=self.name)
            )
            if nothing is not None:
                raise nothing

    def _has_bytes(self) -> bool:
        return self.source == "-" or bool(file_facts(self.source)["size"])

    def describe(self) -> dict[str, Any]:
        """Facts for the manifest."""
        return file_facts(self.source)

    def size_hint(self) -> SizeHint:
        """The size of the file; how many documents it has is not known."""
        if self.source == "-":
            return SizeHint(None, None)
        size: int = file_facts(self.source)["size"]
        return SizeHint(size * (1 if codec_of(self.source) is None else COMPRESSION_RATIO), None)
