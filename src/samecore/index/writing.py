"""What every change of an index is made of. One transaction each: durable when it returns, or as if never begun."""

from __future__ import annotations

import sqlite3
import time
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from samecore.errors import InputError
from samecore.index import groups
from samecore.index.database import set_value, value
from samecore.index.errors import IndexFault
from samecore.index.recipe import Batch
from samecore.index.snapshot import encode

if TYPE_CHECKING:
    from samecore.index.session import Session

MAX_NUMBER = 2**32 - 2


class Keeper:
    """Gives documents their numbers, puts contents among the recent ones, and takes documents out."""

    def __init__(self, index: Session) -> None:
        self.index = index
        self._next: int | None = None  # the next number, once known

    # -- numbers and ids ----------------------------------------------------------------

    def next_number(self, database: sqlite3.Connection) -> int:
        """The next number: above all that were ever given."""
        if self._next is None:
            row = database.execute(
                "SELECT max(coalesce((SELECT max(number) FROM documents), 0), "
                "coalesce((SELECT max(content) FROM recent), 0), coalesce((SELECT max(last) FROM segments), 0))"
            ).fetchone()
            self._next = max(int(row[0]) + 1, int(value(database, "floor")))
        return self._next

    def take_numbers(self, database: sqlite3.Connection, many: int) -> int:
        """The first of so many numbers for new documents."""
        first = self.next_number(database)
        if first + many - 1 > MAX_NUMBER:
            raise IndexFault("is full: it has numbered 2**32 - 2 documents", path=self.index.path)
        self._next = first + many
        return first

    def forget(self) -> None:
        """Numbers given in a transaction that came to nothing are free again."""
        self._next = None

    @staticmethod
    def numbers(database: sqlite3.Connection, ids: list[str]) -> dict[str, int]:
        """The numbers of those ids that are there."""
        found: dict[str, int] = {}
        for id in ids:
            row = database.execute("SELECT number FROM documents WHERE id = ?", (id,)).fetchone()
            if row is not None:
                found[id] = row[0]
        return found

    @staticmethod
    def id_of(database: sqlite3.Connection, number: int) -> str:
        """The id of a stored document."""
        return str(database.execute("SELECT id FROM documents WHERE number = ?", (number,)).fetchone()[0])

    def refuse_twice(self, ids: list[str]) -> None:
        """An InputError if an id comes twice."""
        if len(set(ids)) < len(ids):
            twice = [id for id, count in Counter(ids).items() if count > 1]
            raise InputError(f"the id {twice[0]!r} comes twice in one batch", where=str(self.index.path))

    def refuse_stored(self, database: sqlite3.Connection, ids: list[str], *, before: int = 0) -> None:
        """An InputError if an id comes twice or is there already. `before`: documents stored before these."""
        self.refuse_twice(ids)
        there = self.numbers(database, ids)
        if there:
            more = f" ({len(there):,} of {len(ids):,} are)" if len(ids) > 1 else ""
            so_far = f"; the {before:,} documents before these are stored" if before else ""
            raise InputError(
                f"the id {next(iter(there))!r} is there already{more}; remove it first, or update (--update)"
                f"{so_far}",
                where=str(self.index.path),
            )

    # -- contents -----------------------------------------------------------------------

    def store(self, database: sqlite3.Connection, batch: Batch, numbers: list[int]) -> None:
        """New contents among the recent ones."""
        rows = encode(batch.features) if batch.prints is None else [one.tobytes() for one in batch.prints]
        raw = [None] * len(batch) if batch.raw is None else encode(batch.raw)
        sizes = batch.sizes.tolist()
        database.executemany(
            "INSERT INTO recent VALUES (?, ?, ?, ?)", list(zip(numbers, sizes, rows, raw, strict=True))
        )
        self.index.snapshot.add(np.array(numbers, np.uint32), batch.sizes, batch.features, batch.prints)

    def delete(self, database: sqlite3.Connection, numbers: list[int]) -> None:
        """Contents stay in their segments until they are compacted; no document leads to them."""
        if numbers:
            set_value(database, "floor", self.next_number(database))  # a number is never given twice
            database.executemany("DELETE FROM documents WHERE number = ?", [(number,) for number in numbers])

    # -- whole changes ------------------------------------------------------------------

    def remove(self, ids: list[str]) -> int:
        """Remove documents, all or none."""
        check_ids(ids)
        with self.index.changing() as database:
            wanted = list(dict.fromkeys(ids))
            numbers = self.numbers(database, wanted)
            missing = [id for id in wanted if id not in numbers]
            if missing:
                more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
                raise InputError(f"no document with the id {missing[0]!r}{more}", where=str(self.index.path))
            self.delete(database, list(numbers.values()))
        return len(wanted)

    def merge_groups(self, left: str, right: str) -> str:
        """Make two groups one."""
        check_ids([left, right])
        with self.index.changing() as database:
            numbers = []
            for id in (left, right):
                number = groups.number_of(database, id)
                if number is None:
                    raise InputError(f"no document with the id {id!r}", where=str(self.index.path))
                numbers.append(number)
            return groups.name(database, groups.merge(database, numbers, now=time.time_ns() // 1000))


def is_id(id: object) -> bool:
    """Whether something can be the id of a document: a text with something in it, without lone surrogates."""
    try:
        return isinstance(id, str) and len(id.encode()) > 0
    except UnicodeEncodeError:
        return False


def check_ids(ids: Sequence[object]) -> None:
    """An InputError unless every id is one."""
    for id in ids:
        if not is_id(id):
            raise InputError(f"expected an id that is a text, found {id!r}")
