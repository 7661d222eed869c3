"""A source of documents: many inputs of any format as one stream of record batches."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from samecore.documents import Limits, Skipped
from samecore.errors import InputError
from samecore.read.columns import Options
from samecore.read.part import Note, Part, Rows, SizeHint

DEFAULT_BATCH_BYTES = 32 << 20
_ROW_BITS = 44
_NUMBERED = re.compile(r".*#[0-9]+", re.DOTALL)


@dataclass
class _Pass:
    """What one reading of the documents finds out.

    Places (the part in the upper bits, the number within it in the lower) of documents by id,
    not where ids are row numbers, and of those that were left out. `repeats` says for an id that
    came several times which number the next gets, so that a million of them are not counted anew each time.
    """

    skipped: list[Skipped] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)
    left_out: dict[str, int] = field(default_factory=dict)
    repeats: dict[str, int] = field(default_factory=dict)

    def renamed(self, id: str, code: int) -> str:
        """`id#2`, or the next such name that is free, taken for the document `code`."""
        count = self.repeats.get(id, 2)
        while self.places.setdefault(f"{id}#{count}", code) != code:
            count += 1
        self.repeats[id] = count + 1
        return f"{id}#{count}"

    def note(
        self, base: int, prefix: str, id: str | None, reason: str, detail: str, number: int | None = None, /
    ) -> None:
        """See `Note`; `base` is the place of the part, `prefix` stands before its row numbers."""
        id = f"{prefix}{number}" if id is None else id
        self.skipped.append(Skipped(id, reason, detail))
        if number is not None:
            self.left_out.setdefault(id, base + number)


class Source:
    """Documents from one or more inputs, in order, with unique ids.

    `batches()` streams them; `skipped` fills while it is read and starts anew with every pass.
    Ids: a column, a path, or a row number. Of two documents with one id in the same input the
    later is renamed 'id#2' (`renamed` counts them) or, on request, skipped; in different inputs the later
    gets the name of its input before it, 'b.jsonl:7'. Row numbers of several inputs always do.
    """

    def __init__(
        self,
        parts: Sequence[Part],
        options: Options,
        *,
        limits: Limits,
        batch_bytes: int,
        duplicate_ids: str = "skip",
        asked: dict[str, Any] | None = None,
        skipped: Sequence[Skipped] = (),
    ) -> None:
        self.parts, self.options, self.limits, self.batch_bytes = tuple(parts), options, limits, batch_bytes
        self.skipped: list[Skipped] = list(skipped)
        self._before = tuple(skipped)  # found while looking for files, in every pass
        self.renamed = 0
        self._asked, self._duplicate_ids = asked, duplicate_ids
        self._places: dict[str, int] | None = None
        self._left_out: dict[str, int] = {}
        self._row_ids = False
        self._read = False

    @property
    def reiterable(self) -> bool:
        """Whether it can be read more than once: not a pipe, a generator or a stream."""
        return all(part.reiterable for part in self.parts)

    @property
    def paths(self) -> tuple[str, ...]:
        """The files, folders and patterns that were asked for, absolute; none for data in memory."""
        return tuple(path for path in (self._asked or {}).get("paths", ()) if path != "-")

    def batches(self) -> Iterator[pa.RecordBatch]:
        """All documents in batches of about `batch_bytes`; columns as in `documents`."""
        if self._read and not self.reiterable:
            raise InputError("this source was read already and cannot be read again; save it to a file first")
        self._read = True
        self.skipped = list(self._before)
        self.renamed = 0
        self._places = None
        seen = _Pass(self.skipped)
        yield from _regulated(self._documents(None, seen), self.batch_bytes)
        self._places, self._left_out = seen.places, seen.left_out

    def fetch(self, ids: Iterable[str]) -> pa.Table:
        """The documents with these ids, in the order asked for; unknown ids are an InputError.

        Files, and Parquet row groups, are read alone; other formats take one pass, up to the last.
        """
        order = list(dict.fromkeys(ids))
        missing = set(order)
        if self._read and not self.reiterable:
            raise InputError(
                "this source cannot be read again, so single documents cannot be fetched from it"
            )
        found: list[pa.RecordBatch] = []
        wanted = pa.array(order, pa.string())
        if missing:
            self._read = True
            for batch in self._documents(frozenset(missing), _Pass()):
                hits = batch.filter(pc.is_in(batch.column("id"), value_set=wanted))
                found.append(hits)
                missing.difference_update(hits.column("id").to_pylist())
                if not missing:
                    break
        if missing:
            raise InputError(
                f"no document with the id {min(missing)!r} ({len(missing)} of {len(order)} not found)"
            )
        if not found:
            return pa.table({"id": pa.array([], pa.string()), "text": pa.array([], pa.large_string())})
        table = pa.concat_tables(
            [pa.Table.from_batches([batch]) for batch in found], promote_options="permissive"
        )
        return table.take(pc.index_in(wanted, value_set=table.column("id").combine_chunks()))

    def row_of(self, id: str) -> tuple[int, int]:
        """Where a document stands: the number of its part and its row there (after a full pass).

        One that was skipped has a place as well, if it is something that can be copied.
        """
        if self._places is None:
            for _ in self.batches():
                pass
        assert self._places is not None
        if self._row_ids and id.isascii() and id.isdecimal():
            return 0, int(id)
        code = self._places.get(id, self._left_out.get(id))
        if code is None:
            raise InputError(f"no document with the id {id!r}")
        return code >> _ROW_BITS, code & ((1 << _ROW_BITS) - 1)

    def describe(self) -> dict[str, Any]:
        """What a manifest keeps to say what was read, and to open it again with `reopen`."""
        return {
            "format": "+".join(dict.fromkeys(part.format for part in self.parts)),
            "parts": [{"name": p.name, "format": p.format, **p.describe()} for p in self.parts],
            "asked": self._asked,
        }

    def size_hint(self) -> SizeHint:
        """Bytes and documents where all parts know them, else None."""
        hints = [part.size_hint() for part in self.parts]
        sizes = [hint.bytes for hint in hints]
        counts = [hint.documents for hint in hints]
        return SizeHint(
            None if None in sizes else sum(size or 0 for size in sizes),
            None if None in counts else sum(count or 0 for count in counts),
        )

    def passed_over(self) -> Counter[str]:
        """Records of web archives that were not asked for in the last pass, counted by what they are."""
        found: Counter[str] = Counter()
        for part in self.parts:
            found.update(getattr(part, "passed_over", {}))
        return found

    def __repr__(self) -> str:
        names = ", ".join(part.name for part in self.parts[:3]) + (", ..." if len(self.parts) > 3 else "")
        return f"<Source of {len(self.parts)} inputs: {names}>"

    def _documents(self, wanted: frozenset[str] | None, seen: _Pass) -> Iterator[pa.RecordBatch]:
        """Usable documents with their final ids; fills `seen`."""
        several = len(self.parts) > 1
        hint = None if wanted is None else self._hint(wanted)
        for index, part in enumerate(self.parts):
            note = partial(seen.note, index << _ROW_BITS, f"{part.name}:" if several else "")
            last: int | None = None
            try:
                for rows in part.rows(hint, note):
                    last = int(rows.numbers[-1]) if len(rows.numbers) else last
                    rows = self._usable(part, rows, note)
                    if len(rows.batch):
                        batch = self._identified(index, part, rows, several, seen)
                        del rows  # while the batch is worked on, its source need not be held
                        yield batch
                        del batch
            except (InputError, OSError, pa.ArrowInvalid) as error:
                # Alone it is the user's mistake; among others it is one bad file.
                if not several:
                    raise (
                        error if isinstance(error, InputError) else InputError(str(error), where=part.name)
                    ) from error
                rest = "" if last is None else f"; everything after {part.place(last)} was not read"
                seen.skipped.append(Skipped(part.name, "unreadable", f"{error}{rest}"))

    def _hint(self, wanted: frozenset[str]) -> frozenset[str]:
        """`wanted`, and the same ids without the name put before them or the number after."""
        plain = set(wanted)
        for id in wanted:
            while _NUMBERED.fullmatch(id):
                id = id.rpartition("#")[0]
                plain.add(id)
        prefixes = [f"{part.name}:" for part in self.parts]
        return frozenset(plain | {id.removeprefix(prefix) for prefix in prefixes for id in plain})

    def _usable(self, part: Part, rows: Rows, note: Note) -> Rows:
        batch = rows.batch
        column = "text" if "text" in batch.schema.names else "body"
        lengths = pc.fill_null(pc.binary_length(batch.column(column)), 0).to_numpy(zero_copy_only=False)
        bad = (lengths == 0) | (lengths > self.limits.max_document_bytes)
        if not bad.any():
            return rows
        ids = batch.column("id") if "id" in batch.schema.names else None
        for i in np.flatnonzero(bad):
            number = int(rows.numbers[i])
            where = part.place(number)
            id = None if ids is None else ids[i].as_py() or where
            if lengths[i] == 0:
                note(id, "empty", f"{where}: no text", number)
            else:
                detail = f"{where}: {lengths[i]} bytes, the limit is {self.limits.max_document_bytes}"
                note(id, "too-large", f"{detail} (max_document_bytes)", number)
        return Rows(batch.filter(pa.array(~bad)), rows.numbers[~bad])

    def _identified(
        self,
        index: int,
        part: Part,
        rows: Rows,
        several: bool,
        seen: _Pass,
    ) -> pa.RecordBatch:
        batch, numbers, places = rows.batch, rows.numbers, seen.places
        if "id" not in batch.schema.names:
            ids = pa.array(numbers).cast(pa.string())
            if several:
                ids = pc.binary_join_element_wise(pa.scalar(f"{part.name}:"), ids, "")
            else:
                self._row_ids = True  # unique as they are: nothing to remember
                return _with_ids(batch, ids)
            final = ids.to_pylist()
        else:
            final = batch.column("id").to_pylist()
        base = index << _ROW_BITS
        drop: list[int] = []
        renamed = "id" not in batch.schema.names
        for i, number in enumerate(numbers.tolist()):
            id = final[i]
            if not id:
                id = final[i] = f"{part.name}:{number}"
                renamed = True
            code = base + number
            first = places.setdefault(id, code)
            if first == code:
                continue
            if first >> _ROW_BITS != index:
                id = f"{part.name}:{id}"
                first = places.setdefault(id, code)
                if first == code:
                    final[i] = id
                    renamed = True
                    continue
            if self._duplicate_ids == "rename":
                final[i] = seen.renamed(id, code)
                self.renamed += 1
                renamed = True
                continue
            other = self.parts[first >> _ROW_BITS].place(first & ((1 << _ROW_BITS) - 1))
            detail = f"{part.place(number)}: the id {id!r} is already that of {other}"
            seen.skipped.append(Skipped(id, "duplicate-id", detail))
            drop.append(i)
        if renamed:
            batch = _with_ids(batch, pa.array(final, pa.string()))
        if drop:
            keep = np.ones(len(batch), dtype=bool)
            keep[drop] = False
            batch = batch.filter(pa.array(keep))
        return batch


def _with_ids(batch: pa.RecordBatch, ids: pa.Array) -> pa.RecordBatch:
    names = [name for name in batch.schema.names if name != "id"]
    return pa.RecordBatch.from_arrays([ids, *(batch.column(name) for name in names)], names=["id", *names])


def _regulated(batches: Iterable[pa.RecordBatch], batch_bytes: int) -> Iterator[pa.RecordBatch]:
    """The same rows in batches of about `batch_bytes`: small ones joined, large ones cut (not copied).

    What was given out is not held on to, so that a reader needs little more than one batch.
    """
    held: list[pa.RecordBatch] = []
    total = 0  # bytes of `held`
    for batch in batches:
        size = batch.nbytes
        if held and (total + size > batch_bytes * 5 // 4 or batch.schema != held[0].schema):
            yield _joined(held)
            total = 0
        if size > 2 * batch_bytes:
            yield from _cut(batch, batch_bytes)
        elif len(batch):
            held.append(batch)
            total += size
        del batch
        if held and total >= batch_bytes * 3 // 4:
            yield _joined(held)
            total = 0
    if held:
        yield _joined(held)


def _joined(batches: list[pa.RecordBatch]) -> pa.RecordBatch:
    """All of `batches` in one, which is emptied."""
    if len(batches) == 1:
        return batches.pop()
    table = pa.Table.from_batches(batches)
    batches.clear()
    return table.combine_chunks().to_batches()[0]


def _cut(batch: pa.RecordBatch, batch_bytes: int) -> Iterator[pa.RecordBatch]:
    column = batch.column("text" if "text" in batch.schema.names else "body")
    ends = np.cumsum(pc.fill_null(pc.binary_length(column), 0).to_numpy(zero_copy_only=False))
    start = 0
    while start < len(batch):
        before = ends[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, before + batch_bytes, side="right")))
        yield batch.slice(start, stop - start)
        start = stop
