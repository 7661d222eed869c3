"""The contract between a `Source` and the formats: one part per file, table or list of files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa


class Note(Protocol):
    """Called when a document is left out, with the fields of `Skipped`.

    The id of what has none is its place, 'crawl.jsonl, line 7', which cannot be that of another
    document; None says that documents of this part are named by their numbers, and so is this one.
    `number` is its number within the part, if there is something that can be copied.
    """

    def __call__(self, id: str | None, reason: str, detail: str, number: int | None = None, /) -> None: ...


@dataclass(frozen=True, eq=False)
class Rows:
    """Some documents of a part, with the number of each within it (line, row, file; from 0).

    A batch without an `id` column gets the row numbers as ids.
    """

    batch: pa.RecordBatch
    numbers: npt.NDArray[np.int64]


@dataclass(frozen=True)
class SizeHint:
    """How much there is to read, where that can be known without reading it; None is unknown.

    `bytes` is of text as it will be in memory, an estimate for compressed input.
    """

    bytes: int | None
    documents: int | None


class Part(Protocol):
    """One input: a file of records, a table, or a set of files that hold a document each."""

    name: str
    """How messages and prefixed ids name it."""
    format: str
    path: str | None
    """The file or folder it comes from, if it does."""
    reiterable: bool

    def rows(self, wanted: frozenset[str] | None, note: Note) -> Iterator[Rows]:
        """The documents in order. With `wanted`, others than those ids may be left out.

        What cannot be read is noted and left out.
        """

    def place(self, number: int) -> str:
        """Where a document stands, for messages: 'crawl.jsonl, line 7'."""

    def describe(self) -> dict[str, Any]:
        """Facts for the manifest."""

    def size_hint(self) -> SizeHint:
        """What is known of its size."""


def file_facts(path: str) -> dict[str, Any]:
    """Size and time of a file, to tell later whether it has changed; zeros if it is gone."""
    try:
        facts = os.stat(path)
    except OSError:
        return {"path": path, "size": 0, "mtime_ns": 0}
    return {"path": path, "size": facts.st_size, "mtime_ns": facts.st_mtime_ns}
