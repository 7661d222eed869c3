"""One capture of a web archive as a document: its id, its page, its digest."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from samecore.read.part import Rows
from samecore.read.select import digits
from samecore.read.walk import Record

SCHEMA = pa.schema([
    ("id", pa.string()), ("body", pa.large_binary()), ("content_type", pa.string()), ("url", pa.string()),
    ("date", pa.string()), ("digest", pa.string()),
])  # fmt: skip


@dataclass(frozen=True, slots=True)
class Page:
    """What a record holds: a body with its type, and the digest of the payload as it is stored."""

    body: bytes
    content_type: str
    digest: str


@dataclass
class Batch:
    """Captures on their way to be rows; `held` is how many bytes of pages there are."""

    columns: list[list[Any]] = field(default_factory=lambda: [[] for _ in SCHEMA])
    numbers: list[int] = field(default_factory=list)
    held: int = 0

    def add(self, id: str, page: Page, record: Record) -> None:
        """One more, the page of `record`."""
        values = (id, page.body, page.content_type, record.url, record.date, page.digest)
        for column, value in zip(self.columns, values, strict=True):
            column.append(value)
        self.numbers.append(record.number)
        self.held += len(page.body)

    def drop_last(self) -> str:
        """Take back the last; returns its id."""
        self.numbers.pop()
        id, body, *_ = [column.pop() for column in self.columns]
        self.held -= len(body)
        return str(id)

    def rows(self) -> Rows:
        """All of them, with the numbers of their records."""
        arrays = [pa.array(column, kind.type) for column, kind in zip(self.columns, SCHEMA, strict=True)]
        return Rows(pa.RecordBatch.from_arrays(arrays, schema=SCHEMA), np.asarray(self.numbers, np.int64))


def id_of(record: Record, name: str) -> str:
    """Capture time and URL, as the addresses of web archives have them."""
    when = digits(record.date or "")
    return (
        "/".join(part for part in (when, record.url or record.id) if part)
        or f"{name}, record {record.number + 1}"
    )


def digest_of(payload: bytes) -> str:
    """As WARC writers do: 'sha1:' and base 32."""
    return "sha1:" + base64.b32encode(hashlib.sha1(payload, usedforsecurity=False).digest()).decode()


def type_of(mime: str, declared: str | None) -> str:
    """The type that was found, with the charset that was declared."""
    parameters = (declared or "").partition(";")[2].strip()
    return f"{mime}; {parameters}" if parameters else mime
