"""Kept captures, written as an archive again, record by record, or as a table of pages."""

from __future__ import annotations

import contextlib
import gzip
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from samecore.errors import InputError
from samecore.read.archive import Archive
from samecore.read.encoding import decode
from samecore.read.paths import DATA_SUFFIXES, suffix_of
from samecore.read.source import Source
from samecore.read.walk import Damage

TABLES = ("jsonl", "parquet")
_COLUMNS = ("id", "url", "date", "content_type", "digest")
_SCHEMA = pa.schema([*((name, pa.string()) for name in _COLUMNS), ("html", pa.large_string())])


def is_archives(source: Source) -> bool:
    """Whether a source is made of web archives and nothing else."""
    return bool(source.parts) and all(isinstance(part, Archive) for part in source.parts)


def archive_target(source: Source, target: str | Path) -> str | None:
    """What `target` will be: 'warc', 'arc', 'jsonl' or 'parquet', one file; None for a folder of archives.

    An InputError if its name promises what cannot be written.
    """
    formats = {part.format for part in source.parts}
    wanted = DATA_SUFFIXES.get(suffix_of(str(target)))
    if wanted in TABLES or (wanted is not None and formats == {wanted}):
        return wanted
    if wanted is None and (len(source.parts) == 1 or str(target) == "-"):
        return source.parts[0].format
    if wanted is None:
        return None
    raise InputError(
        f"captures are written as .{'/.'.join(sorted(formats))}, .{'/.'.join(TABLES)}, or one archive for each "
        "into a folder",
        where=str(target),
    )


def originals(parts: Sequence[Any], rows: Sequence[Iterable[int]]) -> list[frozenset[int]]:
    """For each part the responses that revisits among `rows` repeat, in whichever archive these are.

    Without them a kept revisit would be a page without its text.
    """
    needed: dict[int, set[int]] = {id(part): set() for part in parts}
    for part, numbers in zip(parts, rows, strict=True):
        for number in numbers if isinstance(part, Archive) else ():
            if (place := part.repeats.get(int(number))) is not None:
                needed[id(part.siblings[place[0]])].add(place[1])
    return [frozenset(needed[id(part)]) for part in parts]


def write_records(
    parts: Sequence[Archive],
    rows: Sequence[Iterable[int]],
    also: Sequence[frozenset[int]],
    out: Any,
    *,
    codec: str | None,
) -> int:
    """Copy records by number to `out`, byte for byte, compressed one by one; returns how many of `rows`.

    The record before them that describes the file (warcinfo) comes along, and those of `also`.
    """
    written = 0
    for part, numbers, more in zip(parts, rows, also, strict=True):
        asked = {int(number) for number in numbers}
        needed = asked | more
        info: bytes | None = None
        for record in part.records() if needed else ():
            if isinstance(record, Damage):
                continue
            if record.kind == "warcinfo" and record.length <= part.limits.max_record_bytes:
                with contextlib.suppress(OSError):  # a damaged one describes nothing
                    info = record.raw()
            elif record.number in needed:
                for data in (info, record.raw()):
                    if data is not None:
                        out.write(_packed(data, codec))
                info = None
                written += record.number in asked
    return written


def write_pages(source: Source, kept: Iterable[str], out: Any, *, format: str) -> int:
    """Write kept captures as rows: id, url, date, content_type, digest and the decoded page as `html`."""
    wanted = pa.array(sorted(set(kept)), pa.string())
    written = 0
    writer = pq.ParquetWriter(out, _SCHEMA) if format == "parquet" else None
    for batch in source.batches():
        batch = batch.filter(pa.compute.is_in(batch.column("id"), value_set=wanted))
        bodies = zip(batch.column("body").to_pylist(), batch.column("content_type").to_pylist(), strict=True)
        pages = [decode(body, kind, html="html" in kind) for body, kind in bodies]
        columns = [*(batch.column(name) for name in _COLUMNS), pa.array(pages, pa.large_string())]
        table = pa.RecordBatch.from_arrays(columns, schema=_SCHEMA)
        if writer is not None:
            writer.write_batch(table)
        else:
            out.write(b"".join(orjson.dumps(row) + b"\n" for row in table.to_pylist()))
        written += len(batch)
    if writer is not None:
        writer.close()
    return written


def _packed(record: bytes, codec: str | None) -> bytes:
    if codec == "gzip":
        return gzip.compress(record, 6, mtime=0)
    return record if codec is None else pa.compress(record, codec=codec, asbytes=True)
