"""Kept documents, written in the format they came in."""

from __future__ import annotations

import contextlib
import csv
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from samecore.errors import InputError
from samecore.read.archive import Archive
from samecore.read.arrow import Arrow, Items
from samecore.read.atomic import atomic_directory
from samecore.read.compressed import CutShort, codec_of
from samecore.read.csv import Csv
from samecore.read.files import Files
from samecore.read.jsonl import JsonLines, split_lines
from samecore.read.output import Encoder, output, place_in, sink
from samecore.read.parquet import Parquet
from samecore.read.part import Part
from samecore.read.paths import DATA_SUFFIXES, suffix_of
from samecore.read.sliced import Sliced
from samecore.read.source import Source
from samecore.read.target import check_target, makes_folder
from samecore.read.write_archive import (
    TABLES,
    archive_target,
    is_archives,
    originals,
    write_pages,
    write_records,
)

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Written:
    """What was written where: `path` is a file or a folder, `documents` how many are in it."""

    path: str
    documents: int


def write_kept(
    source: Source, kept: Iterable[str], target: str | Path, *, overwrite: bool = False
) -> Written:
    """Write the documents of `source` whose ids are in `kept`, in input order; says how many.

    Ids of skipped documents may be among them: a broken line or an empty page is copied as it is,
    and what cannot be copied (an unreadable file, a CSV row with too many fields) is left out.
    JSON and text lines, mails and SGML documents are written byte for byte; Parquet keeps its schema; CSV its columns
    and values (quoted only where needed); files are copied with their relative paths into the
    folder `target`. A source of several inputs becomes a folder with a file for each. Captures of web
    archives are copied record by record into one .warc (or .arc), or become rows of a .jsonl or .parquet.
    '-' as target is standard output, for lines and CSV. Nothing appears at `target` before it is
    complete. A file at `target` is replaced; a folder with something in it is an InputError
    unless `overwrite`.
    """
    check_target(source, target, overwrite=overwrite)
    if not source.reiterable:
        raise InputError(
            "the input cannot be read a second time, so it cannot be copied; open it with spool=True"
        )
    kept = list(kept)
    rows = _rows_by_part(source, kept)
    total = 0
    if is_archives(source) and (format := archive_target(source, target)) is not None:
        with sink(target) as path:
            return Written(str(target), _write_captures(source, kept, rows, path, str(target), format))
    if not makes_folder(source):
        with sink(target) as path:
            total = _write_part(source.parts[0], rows[0], path, str(target))
        return Written(str(target), total)
    with atomic_directory(target, overwrite=overwrite) as folder:
        for part, some, more in zip(source.parts, rows, originals(source.parts, rows), strict=True):
            if isinstance(part, Files):
                total += _copy_files(part, some, folder)
            elif isinstance(part, Archive):
                path = place_in(folder, part.name)
                with output(path, None) as out:
                    total += write_records([part], [some], [more], out, codec=codec_of(str(path)))
            else:
                path = place_in(folder, part.name)
                total += _write_part(part, some, path, str(path))
    return Written(str(target), total)


def _rows_by_part(source: Source, ids: Iterable[str]) -> list[Numbers]:
    numbers: list[list[int]] = [[] for _ in source.parts]
    skipped: set[str] | None = None
    for id in ids:
        try:
            index, number = source.row_of(id)
        except InputError:
            skipped = {one.id for one in source.skipped} if skipped is None else skipped
            if id not in skipped:
                raise
        else:
            numbers[index].append(number)
    return [np.unique(np.asarray(some, dtype=np.int64)) for some in numbers]


def _write_part(part: Part, rows: Numbers, path: Path | None, named: str) -> int:
    """Write some rows of a part to `path`, in the form that `named` says; returns how many it wrote."""
    if isinstance(part, JsonLines):
        return _write_lines(part, rows, path, codec_of(named))
    if isinstance(part, Sliced):
        return _write_slices(part, rows, path, codec_of(named))
    if isinstance(part, Csv):
        return _write_csv(part, rows, path, codec_of(named))
    if path is None:
        raise InputError(f"{part.format} cannot be written to standard output; give a path", where=named)
    if isinstance(part, Parquet):
        return _write_parquet(part, rows, path)
    assert isinstance(part, Arrow | Items)
    table = _rows_of(part, rows)
    _write_table(table, path, named)
    return len(table)


def _write_captures(
    source: Source, kept: list[str], rows: list[Numbers], path: Path | None, named: str, format: str
) -> int:
    if format == "parquet":
        if path is None or codec_of(named) is not None:
            raise InputError("Parquet is written to a file, and compressed inside", where=named)
        return write_pages(source, kept, path, format=format)
    with output(path, codec_of(named) if format in TABLES else None) as out:
        if format in TABLES:
            return write_pages(source, kept, out, format=format)
        archives = [part for part in source.parts if isinstance(part, Archive)]
        return write_records(archives, rows, originals(archives, rows), out, codec=codec_of(named))


def _write_lines(part: JsonLines, rows: Numbers, path: Path | None, codec: str | None) -> int:
    wanted = set(rows.tolist())
    number = written = 0
    with output(path, codec) as out, contextlib.suppress(CutShort):
        for lines in split_lines(part.source, max_line_bytes=part.limits.max_line_bytes):
            some = [line for i, line in enumerate(lines, start=number) if i in wanted and line is not None]
            number += len(lines)
            written += len(some)
            if some:
                out.write(b"\n".join([*some, b""]))
    return written


def _write_slices(part: Sliced, rows: Numbers, path: Path | None, codec: str | None) -> int:
    """Mailboxes and collections: each kept document with the bytes it had."""
    wanted = set(rows.tolist())
    written = 0
    with output(path, codec) as out, contextlib.suppress(CutShort):
        out.write(part.head())
        for number, raw in enumerate(part.slices()):
            if number in wanted and raw is not None:
                out.write(raw if raw.endswith((b"\n", b"\r")) else raw + b"\n")
                written += 1
    return written


def _write_csv(part: Csv, rows: Numbers, path: Path | None, codec: str | None) -> int:
    delimiter, names = part.header()
    number = written = 0
    with output(path, codec) as out:
        writer = csv.writer(Encoder(out), delimiter=delimiter, lineterminator="\n")
        writer.writerow(names)
        for batch in part.batches(delimiter, names, names[0], lambda *_: None):
            inside = rows[(rows >= number) & (rows < number + len(batch))] - number
            number += len(batch)
            written += len(inside)
            if len(inside):
                # As bytes, so that values which are no UTF-8 go through unchanged.
                columns = [
                    column.cast(pa.large_binary()).to_pylist()
                    for column in batch.take(pa.array(inside)).columns
                ]
                writer.writerows([[_text(value) for value in row] for row in zip(*columns, strict=True)])
    return written


def _write_parquet(part: Parquet, rows: Numbers, path: Path) -> int:
    with part.open() as file:
        groups = file.metadata.num_row_groups
        codec = (
            file.metadata.row_group(0).column(0).compression
            if groups and file.metadata.num_columns
            else "SNAPPY"
        )
        codec = "NONE" if codec == "UNCOMPRESSED" else codec
        with pq.ParquetWriter(path, file.schema_arrow, compression=codec) as writer:
            start = 0
            for group in range(groups):
                size = file.metadata.row_group(group).num_rows
                wanted = rows[(rows >= start) & (rows < start + size)] - start
                if len(wanted):  # a group without is not read; it may be damaged
                    for batch in _wanted_batches(part, file, group, wanted):
                        writer.write_batch(batch)
                start += size
    return len(rows)


def _wanted_batches(
    part: Parquet, file: pq.ParquetFile, group: int, wanted: Numbers
) -> Iterator[pa.RecordBatch]:
    """The `wanted` rows of a row group; an InputError if they cannot be read."""
    facts = file.metadata.row_group(group)
    average = max(1, facts.total_byte_size // max(1, facts.num_rows))
    step = max(1, part.batch_bytes // average)
    batches = file.iter_batches(batch_size=step, row_groups=[group], use_threads=False)
    number = 0
    while number <= wanted[-1]:
        try:
            batch = next(batches)
        except (pa.ArrowInvalid, OSError) as error:
            raise InputError(f"row group {group} cannot be read ({error})", where=part.name) from error
        inside = wanted[(wanted >= number) & (wanted < number + len(batch))] - number
        number += len(batch)
        if len(inside):
            yield batch.take(pa.array(inside))


def _rows_of(part: Arrow | Items, rows: Numbers) -> pa.Table:
    if isinstance(part, Arrow):
        schema, batches = part.batches()
        return pa.Table.from_batches(batches, schema).take(pa.array(rows))
    note: Any = lambda *_: None  # noqa: E731 - already noted when the source was read
    found = [some.batch.filter(pa.array(np.isin(some.numbers, rows))) for some in part.rows(None, note)]
    return pa.Table.from_batches(found)


def _write_table(table: pa.Table, path: Path, named: str) -> None:
    kind = DATA_SUFFIXES.get(suffix_of(named))
    if kind == "parquet":
        pq.write_table(table, path)
    elif kind == "jsonl":
        with output(path, codec_of(named)) as out:
            for batch in table.to_batches(max_chunksize=1024):
                out.write(b"".join(orjson.dumps(row, default=str) + b"\n" for row in batch.to_pylist()))
    elif kind in ("csv", "tsv"):
        with output(path, codec_of(named)) as out:
            writer = csv.writer(Encoder(out), delimiter="," if kind == "csv" else "\t", lineterminator="\n")
            writer.writerow(table.schema.names)
            for batch in table.to_batches(max_chunksize=1024):
                writer.writerows(zip(*(column.to_pylist() for column in batch.columns), strict=True))
    else:
        raise InputError("documents from memory are written as .jsonl, .parquet, .csv or .tsv", where=named)


def _copy_files(part: Files, rows: Numbers, folder: Path) -> int:
    for name in part.folders():
        (folder / name).mkdir(parents=True, exist_ok=True)
    for number in rows.tolist():
        entry = part.entries[number]
        path = place_in(folder, part.saved_as(entry))
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(entry.path, path)
    return len(rows)


def _text(value: bytes | None) -> str:
    return "" if value is None else value.decode("utf-8", "surrogateescape")
