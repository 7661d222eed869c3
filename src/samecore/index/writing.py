"""Everything that changes an index. One transaction each: durable when it returns, or as if never begun."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from samecore.errors import InputError, unknown_name
from samecore.index import groups
from samecore.index.database import set_value, value
from samecore.index.errors import IndexFault
from samecore.index.recipe import Batch
from samecore.index.snapshot import encode
from samecore.match.exact import collapse
from samecore.match.hamming import distinct

if TYPE_CHECKING:
    from samecore.index.session import Session

#: From so many on, contents of one bulk load go straight into a segment.
DIRECT_LIMIT = 8_192
#: Documents of one transaction of a bulk load, and of an answered one.
SEED_CHUNK, ADD_CHUNK = 131_072, 4_096
MAX_NUMBER = 2**32 - 2
GUESSES = ("best", "first")

_LIVE = (
    "SELECT number, coalesce(grp, number) FROM documents WHERE number = ?1 AND content IS NULL "
    "UNION ALL SELECT number, coalesce(grp, number) FROM documents WHERE content = ?1"
)


@dataclass(frozen=True)
class Answer:
    """What became of an added document.

    status: "new", "duplicate" or "skipped" (then `reason` says why). partner: the stored document it
    duplicates, with the verified score. group: the id of its group. stored: whether it is in the index now.
    """

    id: str
    status: str
    partner: str | None = None
    score: float | None = None
    group: str | None = None
    stored: bool = False
    reason: str = ""


@dataclass(frozen=True)
class Options:
    """How documents are added; see `Index.add`."""

    threshold: float
    guess: str
    duplicates: bool
    update: bool
    components: bool

    def __post_init__(self) -> None:
        if self.guess not in GUESSES:
            raise unknown_name("guess", self.guess, GUESSES)


@dataclass
class Request:
    """Documents that wait to be added, and what came of it."""

    batch: Batch
    options: Options
    answers: list[Answer] = field(default_factory=list)
    error: BaseException | None = None
    done: bool = False


class Keeper:
    """Puts documents into an index and takes them out."""

    def __init__(self, index: Session) -> None:
        self.index = index
        self.number: int | None = None  # the next to be given, once known
        self._gate = threading.Lock()
        self._waiting: list[Request] = []

    # -- documents ----------------------------------------------------------------------

    def add(self, batch: Batch, options: Options) -> list[Answer]:
        """Store and answer the documents of a batch as if they came one by one.

        Threads that add at the same time share a commit: whoever comes first works for all who wait.
        """
        answers: list[Answer] = []
        for start in range(0, len(batch), ADD_CHUNK):
            request = Request(batch.rows(start, min(start + ADD_CHUNK, len(batch))), options)
            with self._gate:
                self._waiting.append(request)
            with self.index.lock:
                if not request.done:
                    with self._gate:
                        requests, self._waiting = self._waiting, []
                    self._serve(requests)
            if request.error is not None:
                raise request.error
            answers += request.answers
        return answers + [Answer(one.id, "skipped", reason=one.detail) for one in batch.skipped]

    def _serve(self, requests: list[Request]) -> None:
        try:
            with self.index.changing() as database:
                for request in requests:
                    self._add_batch(database, request)
        except BaseException as error:
            for request in requests:
                request.error = request.error or error
        finally:
            for request in requests:
                request.done = True
        self.index.upkeep.rotate_if_due()

    def _add_batch(self, database: sqlite3.Connection, request: Request) -> None:
        batch = self.index.recipe.current(request.batch)
        try:
            self._admit(database, batch.ids, update=request.options.update)
        except InputError as error:  # nothing has changed yet, the others can go on
            request.error = error
            return
        number = self.next_number(database)
        for row in range(len(batch)):
            answer = self._add_one(database, batch.rows(row, row + 1), number, request.options)
            number += answer.stored
            request.answers.append(answer)
        self.number = number

    def _add_one(self, database: sqlite3.Connection, one: Batch, number: int, options: Options) -> Answer:
        snapshot = self.index.snapshot
        _, contents, scores = snapshot.search(one, options.threshold)
        id, now = one.ids[0], time.time_ns() // 1000
        found = sorted(zip((-scores).tolist(), contents.tolist(), strict=True))
        partner, score, around = _partner(database, found, options)
        if partner is not None and not options.duplicates:
            group = groups.name(database, groups.root(database, around[0]))
            return Answer(id, "duplicate", self._id(database, partner), score, group)
        group_number = None
        if partner is not None:
            roots = {groups.root(database, group) for group in around}
            group_number = groups.merge(database, roots, now=now)
        content = None
        if found and found[0][0] == -1.0 and not self.index.recipe.weighs:
            content = found[0][1]  # the same features are stored, though perhaps of no live document
        else:
            self._store(database, one, [number])
        if number > MAX_NUMBER:
            raise IndexFault("is full: it has numbered 2**32 - 2 documents", path=self.index.path)
        database.execute(
            "INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?, ?)",
            (number, id, one.dates[0], content, group_number, partner, score),
        )
        if partner is None:
            return Answer(id, "new", group=id, stored=True)
        assert group_number is not None
        group = groups.name(database, group_number)
        return Answer(id, "duplicate", self._id(database, partner), score, group, stored=True)

    def seed(self, batch: Batch, *, update: bool, threads: int) -> int:
        """Store the documents of a batch without asking about them."""
        batch = batch.filled()
        for start in range(0, len(batch), SEED_CHUNK):
            part = batch.rows(start, min(start + SEED_CHUNK, len(batch)))
            try:
                with self.index.changing() as database:
                    part = self.index.recipe.current(part)
                    check_ids(part.ids)
                    if update:
                        self._admit(database, part.ids, update=True)
                    self._seed(database, part, threads)
            except sqlite3.IntegrityError:  # asking for each id first would take as long as storing it
                with self.index.changing() as database:
                    self._admit(database, part.ids, update=False)
                raise
            except OSError as error:
                raise IndexFault(
                    f"nothing was stored: {error}; make room and try again, the index is as before",
                    path=self.index.path,
                ) from error
            self.index.upkeep.rotate_if_due()
        return len(batch)

    def _seed(self, database: sqlite3.Connection, batch: Batch, threads: int) -> None:
        first_number = self.next_number(database)
        numbers = np.arange(first_number, first_number + len(batch))
        if numbers[-1] > MAX_NUMBER:
            raise IndexFault("is full: it has numbered 2**32 - 2 documents", path=self.index.path)
        self.number = first_number + len(batch)
        first = _firsts(batch, weighs=self.index.recipe.weighs, threads=threads)
        stored = self.index.snapshot.identical(batch, threads=threads)
        content = np.where(stored >= 0, stored, numbers[first])
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
        if not len(own):
            return
        fresh = batch if len(own) == len(batch) else _take(batch, own)
        if len(own) >= DIRECT_LIMIT:
            self.index.upkeep.write(database, fresh, numbers[own])
        else:
            self._store(database, fresh, numbers[own].tolist())

    def remove(self, ids: list[str]) -> int:
        """Remove documents, all or none."""
        with self.index.changing() as database:
            wanted = list(dict.fromkeys(ids))
            numbers = self._numbers(database, wanted)
            missing = [id for id in wanted if id not in numbers]
            if missing:
                more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
                raise InputError(f"no document with the id {missing[0]!r}{more}", where=str(self.index.path))
            self._delete(database, list(numbers.values()))
        return len(wanted)

    def merge_groups(self, left: str, right: str) -> str:
        """Make two groups one."""
        with self.index.changing() as database:
            numbers = []
            for id in (left, right):
                number = groups.number_of(database, id)
                if number is None:
                    raise InputError(f"no document with the id {id!r}", where=str(self.index.path))
                numbers.append(number)
            return groups.name(database, groups.merge(database, numbers, now=time.time_ns() // 1000))

    def _admit(self, database: sqlite3.Connection, ids: list[str], *, update: bool) -> None:
        """Refuse ids that are there already, or remove their documents first."""
        check_ids(ids)
        if len(set(ids)) < len(ids):
            twice = [id for id, count in Counter(ids).items() if count > 1]
            raise InputError(f"the id {twice[0]!r} comes twice in one batch", where=str(self.index.path))
        there = self._numbers(database, ids)
        if there and not update:
            more = f" ({len(there):,} of {len(ids):,} are)" if len(ids) > 1 else ""
            raise InputError(
                f"the id {next(iter(there))!r} is there already{more}; remove it first, or update (--update)",
                where=str(self.index.path),
            )
        if there:
            self._delete(database, list(there.values()))

    def _delete(self, database: sqlite3.Connection, numbers: list[int]) -> None:
        """Contents stay in their segments until they are compacted; no document leads to them."""
        set_value(database, "floor", self.next_number(database))  # a number is never given twice
        database.executemany("DELETE FROM documents WHERE number = ?", [(number,) for number in numbers])

    @staticmethod
    def _numbers(database: sqlite3.Connection, ids: list[str]) -> dict[str, int]:
        found: dict[str, int] = {}
        for id in ids:
            row = database.execute("SELECT number FROM documents WHERE id = ?", (id,)).fetchone()
            if row is not None:
                found[id] = row[0]
        return found

    @staticmethod
    def _id(database: sqlite3.Connection, number: int) -> str:
        return str(database.execute("SELECT id FROM documents WHERE number = ?", (number,)).fetchone()[0])

    def next_number(self, database: sqlite3.Connection) -> int:
        """The next number: above all that were ever given."""
        if self.number is not None:
            return self.number
        row = database.execute(
            "SELECT max(coalesce((SELECT max(number) FROM documents), 0), "
            "coalesce((SELECT max(content) FROM recent), 0), coalesce((SELECT max(last) FROM segments), 0))"
        ).fetchone()
        self.number = max(int(row[0]) + 1, int(value(database, "floor")))
        return self.number

    # -- contents -----------------------------------------------------------------------

    def _store(self, database: sqlite3.Connection, batch: Batch, numbers: list[int]) -> None:
        """New contents among the recent ones."""
        rows = encode(batch.features) if batch.prints is None else [one.tobytes() for one in batch.prints]
        raw = [None] * len(batch) if batch.raw is None else encode(batch.raw)
        sizes = batch.sizes.tolist()
        database.executemany(
            "INSERT INTO recent VALUES (?, ?, ?, ?)", list(zip(numbers, sizes, rows, raw, strict=True))
        )
        self.index.snapshot.add(np.array(numbers, np.uint32), batch.sizes, batch.features, batch.prints)


def check_ids(ids: list[str]) -> None:
    """An InputError unless every id is a text with something in it."""
    bad = next((id for id in ids if not isinstance(id, str) or not id), None)
    if bad is not None:
        raise InputError(f"expected an id that is a text, found {bad!r}")


def _partner(
    database: sqlite3.Connection, hits: list[tuple[float, int]], options: Options
) -> tuple[int | None, float | None, list[int]]:
    """The document that an added one duplicates, the score, and the groups it joins; hits lie best first."""
    partner: tuple[float, int] | None = None
    around: list[int] = []
    group_of_partner = 0
    for score, content in hits:
        if partner is not None and options.guess == "best" and not options.components and score != partner[0]:
            break
        for number, group in database.execute(_LIVE, (content,)):
            around.append(group)
            ahead = partner is None or (
                number < partner[1] if options.guess == "first" else (score, number) < partner
            )
            if ahead:
                partner, group_of_partner = (score, number), group
    if partner is None:
        return None, None, []
    return partner[1], -partner[0], around if options.components else [group_of_partner]


def _firsts(batch: Batch, *, weighs: bool, threads: int) -> npt.NDArray[np.int64]:
    """For every row of a batch the first with the same features."""
    if weighs:
        return np.arange(len(batch))
    if batch.prints is not None:
        groups_of = distinct(batch.prints, threads=threads)
        return groups_of.first[groups_of.group].astype(np.int64)
    return collapse(batch.features, threads=threads).astype(np.int64)


def _take(batch: Batch, rows: npt.NDArray[np.int64]) -> Batch:
    return Batch(
        [],
        [],
        batch.features.take(rows),
        batch.sizes[rows],
        None if batch.raw is None else batch.raw.take(rows),
        None if batch.prints is None else batch.prints[rows],
    )
