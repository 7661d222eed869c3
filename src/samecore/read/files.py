"""Files that hold one document each: HTML pages and plain text."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from samecore.documents import Limits, Skipped
from samecore.read.compressed import CutShort, codec_of, read_chunks
from samecore.read.encoding import is_binary, looks_like_html
from samecore.read.part import Note, Rows, SizeHint, file_facts

# The manifest lists so many files by name; of more it keeps a digest only.
LISTED_FILES = 1000

HTML, PLAIN = "text/html", "text/plain"


@dataclass(frozen=True, slots=True)
class Entry:
    """One file: its id, where it lies, its content type if the name tells, and whether it was named.

    A file that was not named, only met in a folder, is read when its name or its beginning
    says that it is a page; one that was named is read when it is text at all.
    """

    id: str
    path: str
    content_type: str | None
    named: bool

    def renamed(self, old: str, new: str) -> Entry:
        """The same file with `new` for `old` at the beginning of its id."""
        return replace(self, id=new + self.id[len(old) :]) if self.id.startswith(old) else self


class Files:
    """A set of files, one document each; ids are paths."""

    format = "files"

    def __init__(
        self, entries: Sequence[Entry], name: str, limits: Limits, *, path: str | None, batch_bytes: int
    ) -> None:
        self.entries, self.name, self.limits, self.path = entries, name, limits, path
        self.batch_bytes = batch_bytes
        self.reiterable = all(entry.path != "-" for entry in entries)

    def place(self, number: int) -> str:
        """The path of the file."""
        return self.entries[number].path

    def rows(self, wanted: frozenset[str] | None, note: Note) -> Iterator[Rows]:
        """The files in order; see `Part`."""
        ids: list[str] = []
        bodies: list[bytes] = []
        types: list[str] = []
        numbers: list[int] = []
        held = 0
        for number, entry in enumerate(self.entries):
            if wanted is not None and entry.id not in wanted:
                continue
            try:
                found = self._read(entry)
            except OSError as error:  # nor can it be copied, hence no number
                note(entry.id, "unreadable", f"{entry.path}: {error.strerror or error}")
                continue
            if isinstance(found, Skipped):
                note(found.id, found.reason, found.detail, number)
                continue
            body, content_type = found
            if held and held + len(body) > self.batch_bytes:
                yield _rows(ids, bodies, types, numbers)
                ids, bodies, types, numbers, held = [], [], [], [], 0
            ids.append(entry.id)
            bodies.append(body)
            types.append(content_type)
            numbers.append(number)
            held += len(body)
        if ids:
            yield _rows(ids, bodies, types, numbers)

    def _read(self, entry: Entry) -> tuple[bytes, str] | Skipped:
        limit = self.limits.max_document_bytes
        try:
            body = read_whole(entry.path, limit=limit)
        except CutShort as error:
            return Skipped(entry.id, "unreadable", f"{entry.path}: {error}")
        if not body:
            return Skipped(entry.id, "empty", f"{entry.path}: the file has no bytes")
        if len(body) > limit:
            return Skipped(
                entry.id, "too-large", f"{entry.path}: longer than {limit} bytes (max_document_bytes)"
            )
        if is_binary(body):
            return Skipped(entry.id, "not-text", f"{entry.path}: binary data, not a page or a text")
        content_type = entry.content_type or (HTML if looks_like_html(body) else PLAIN)
        if (
            entry.content_type is None
            and content_type == PLAIN
            and not entry.named
            and "." in _base(entry.path)
        ):
            return Skipped(
                entry.id,
                "other-format",
                f"{entry.path}: not a page by its name; to read it, name the file itself",
            )
        return body, content_type

    def saved_as(self, entry: Entry) -> str:
        """The path of a copy below the folder it is written to."""
        return entry.id

    def folders(self) -> list[str]:
        """Folders that a copy has whether there are files in them or not."""
        return []

    def describe(self) -> dict[str, Any]:
        """How many files, their size and a digest of names, sizes and times; the list if it is short."""
        # By id, so that the description holds wherever the working directory is.
        facts = [{**file_facts(entry.path), "path": entry.id} for entry in self.entries]
        digest = hashlib.sha256()
        for fact in facts:
            digest.update(f"{fact['path']}\0{fact['size']}\0{fact['mtime_ns']}\n".encode("utf-8", "replace"))
        found: dict[str, Any] = {
            "path": self.name,
            "files": len(facts),
            "size": sum(fact["size"] for fact in facts),
            "digest": digest.hexdigest(),
        }
        if len(facts) <= LISTED_FILES:
            found["listed"] = facts
        return found

    def size_hint(self) -> SizeHint:
        """The number of files and their bytes."""
        if not self.reiterable:
            return SizeHint(None, len(self.entries))
        return SizeHint(sum(file_facts(entry.path)["size"] for entry in self.entries), len(self.entries))


def read_whole(path: str, *, limit: int) -> bytes:
    """The bytes of a file, decompressed; one more than `limit` at most, so that a bomb stays small."""
    if path != "-":
        # A pipe or a device would hang the run or never end.
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise OSError("not a regular file")
        if codec_of(path) is None:
            with open(path, "rb") as file:
                return file.read(limit + 1)
    pieces: list[bytes] = []
    held = 0
    for chunk in read_chunks(path):
        pieces.append(chunk)
        held += len(chunk)
        if held > limit:
            break
    return b"".join(pieces)[: limit + 1]


def _base(path: str) -> str:
    return os.path.basename(path)


def _rows(ids: list[str], bodies: list[bytes], types: list[str], numbers: list[int]) -> Rows:
    batch = pa.RecordBatch.from_arrays(
        [pa.array(ids, pa.string()), pa.array(bodies, pa.large_binary()), pa.array(types, pa.string())],
        names=["id", "body", "content_type"],
    )
    return Rows(batch, np.asarray(numbers, dtype=np.int64))
