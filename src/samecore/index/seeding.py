"""Documents stored without being asked about: examples known beforehand, or a bulk load."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from samecore.index import groups
from samecore.index.errors import IndexFault
from samecore.index.recipe import Batch
from samecore.index.writing import check_ids
from samecore.match.exact import collapse
from samecore.match.hamming import distinct

if TYPE_CHECKING:
    from samecore.index.session import Session

#: From so many on, contents of one bulk load go straight into a segment.
DIRECT_LIMIT = 8_192
#: Documents of one transaction.
CHUNK = 131_072


def seed(index: Session, batch: Batch, *, update: bool, threads: int) -> int:
    """Store the documents of a batch that have features, in transactions of CHUNK each; how many."""
    check_ids(batch.ids)
    stored = 0
    for start in range(0, len(batch), CHUNK):
        part = batch.rows(start, min(start + CHUNK, len(batch)))
        try:
            with index.changing() as database:
                part = index.recipe.current(part).filled()
                if update:
                    index.keeper.refuse_twice(part.ids)
                    index.keeper.delete(database, list(index.keeper.numbers(database, part.ids).values()))
                _store(index, database, part, threads)
        except sqlite3.IntegrityError:  # asking for each id first would take as long as storing it
            with index.reading():
                index.keeper.refuse_stored(index.database, part.ids, before=stored)
            raise
        except OSError as error:
            raise IndexFault(
                f"nothing was stored: {error}; make room and try again, the index is as before",
                path=index.path,
            ) from error
        stored += len(part)
        index.upkeep.rotate_if_due()
    return stored


def _store(index: Session, database: sqlite3.Connection, batch: Batch, threads: int) -> None:
    if not len(batch):
        return
    first_number = index.keeper.take_numbers(database, len(batch))
    numbers = np.arange(first_number, first_number + len(batch))
    first = _firsts(batch, weighs=index.recipe.weighs, threads=threads)
    known = index.snapshot.identical(batch, threads=threads)
    content = np.where(known >= 0, known, numbers[first])
    own = np.flatnonzero(content == numbers)
    database.executemany(
        "INSERT INTO documents (number, id, date, content) VALUES (?, ?, ?, ?)",
        zip(
            numbers.tolist(),
            batch.ids,
            batch.dates,
            (
                None if its == number else its
                for its, number in zip(content.tolist(), numbers.tolist(), strict=True)
            ),
            strict=True,
        ),
    )
    groups.begin_from(database, first_number)
    if not len(own):
        return
    fresh = batch if len(own) == len(batch) else batch.take(own)
    if len(own) >= DIRECT_LIMIT:
        index.upkeep.write(database, fresh, numbers[own])
    else:
        index.keeper.store(database, fresh, numbers[own].tolist())


def _firsts(batch: Batch, *, weighs: bool, threads: int) -> npt.NDArray[np.int64]:
    """For every row of a batch the first with the same features."""
    if weighs:
        return np.arange(len(batch))
    if batch.prints is not None:
        groups_of = distinct(batch.prints, threads=threads)
        return groups_of.first[groups_of.group].astype(np.int64)
    return collapse(batch.features, threads=threads).astype(np.int64)
