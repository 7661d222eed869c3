"""Everything that changes an index. One transaction each: durable when it returns, or as if never begun."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from samecore.errors import InputError, SettingError, unknown_name
from samecore.features.csr import concatenate
from samecore.index import creating, groups
from samecore.index.database import set_value, value
from samecore.index.errors import IndexFault
from samecore.index.merge import merge_segments
from samecore.index.recipe import Batch
from samecore.index.segment import Segment, write_segment
from samecore.index.snapshot import decode, encode
from samecore.match.exact import collapse
from samecore.match.hamming import distinct

if TYPE_CHECKING:
    from samecore.index.index import Index

#: So many recent contents become a segment.
RECENT_LIMIT = 16_384
#: From so many on, contents of one bulk load go straight into a segment.
DIRECT_LIMIT = 8_192
#: Documents of one transaction of a bulk load, and of an answered one.
SEED_CHUNK, ADD_CHUNK = 131_072, 4_096
#: So many segments of about one size are merged; sizes of one tier differ by this factor.
FAN = 4
MAX_NUMBER = 2**32 - 2
MAX_WORDS = 2**31 - 1
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


class Keeper:
    """The writer's side of an index."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.trouble = ""  # why the last merge in the background failed
        self._thread: threading.Thread | None = None
        self._rotate_at = RECENT_LIMIT
        self.number: int | None = None  # the next to be given, once known

    # -- documents ----------------------------------------------------------------------

    def add(self, batch: Batch, options: Options) -> list[Answer]:
        """Store and answer the documents of a batch as if they came one by one."""
        answers = []
        for start in range(0, len(batch), ADD_CHUNK):
            part = batch.rows(start, min(start + ADD_CHUNK, len(batch)))
            with self.index.changing() as database:
                part = self.index.recipe.current(part)
                self._admit(database, part.ids, update=options.update)
                number = self._next(database)
                for row in range(len(part)):
                    answer = self._add_one(database, part.rows(row, row + 1), number, options)
                    number += answer.stored
                    answers.append(answer)
                self.number = number
            self._rotate_if_due()
        return answers + [Answer(one.id, "skipped", reason=one.detail) for one in batch.skipped]

    def _add_one(self, database: sqlite3.Connection, one: Batch, number: int, options: Options) -> Answer:
        snapshot = self.index.snapshot
        _, contents, scores = snapshot.search(one, options.threshold)
        id, now = one.ids[0], time.time_ns() // 1000
        found = list(zip((-scores).tolist(), contents.tolist(), strict=True)) if len(contents) else []
        partner, score, around = _partner(database, sorted(found), options)
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
                    self._admit(database, part.ids, update=update)
                    self._seed(database, part, threads)
            except OSError as error:
                raise IndexFault(
                    f"nothing was stored: {error}; make room and try again, the index is as before",
                    path=self.index.path,
                ) from error
            self._rotate_if_due()
        return len(batch)

    def _seed(self, database: sqlite3.Connection, batch: Batch, threads: int) -> None:
        first_number = self._next(database)
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
            self._write(database, fresh, numbers[own])
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
        twice = [id for id, count in Counter(ids).items() if count > 1]
        if twice:
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
        set_value(database, "floor", self._next(database))  # a number is never given twice
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

    def _next(self, database: sqlite3.Connection) -> int:
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

    def _write(self, database: sqlite3.Connection, batch: Batch, numbers: npt.NDArray[np.int64]) -> None:
        """New contents in a segment of their own."""
        name = self._file_name(database)
        write_segment(
            self.index.path / name,
            self.index.recipe.stored(batch),
            numbers=numbers.astype(np.uint32),
            sizes=batch.sizes,
            prints=batch.prints,
            raw=batch.raw,
        )
        row = (name, len(batch), int(numbers[-1]))
        database.execute("INSERT INTO segments VALUES (?, ?, ?)", row)
        self.index.snapshot.names = None  # to be opened with the next transaction

    @staticmethod
    def _file_name(database: sqlite3.Connection) -> str:
        number = value(database, "files")
        set_value(database, "files", number + 1)
        return f"seg-{number:08d}.seg"

    def _rotate_if_due(self) -> None:
        if len(self.index.snapshot.recent) < self._rotate_at and self.index.snapshot.names is not None:
            return
        if len(self.index.snapshot.recent) >= self._rotate_at:
            try:
                self.rotate()
                self._rotate_at = RECENT_LIMIT
            except (OSError, IndexFault) as error:  # what was added is stored; the disk may have room later
                self.trouble = str(error)
                self._rotate_at = len(self.index.snapshot.recent) + RECENT_LIMIT // 4
        self._merge_in_background()

    def rotate(self) -> None:
        """Put the recent contents into a segment; those of no live document are dropped."""
        with self.index.changing() as database:
            rows = database.execute(
                "SELECT content, size, row, raw FROM recent AS r WHERE "
                "EXISTS (SELECT 1 FROM documents WHERE number = r.content AND content IS NULL) "
                "OR EXISTS (SELECT 1 FROM documents WHERE content = r.content) ORDER BY content"
            ).fetchall()
            set_value(database, "floor", self._next(database))
            if rows:
                numbers, sizes, blobs, raws = zip(*rows, strict=True)
                features, prints = decode(blobs, self.index.recipe.print_words)
                raw = None if raws[0] is None else decode(raws, 0)[0]
                ids, dates = [""] * len(rows), [0] * len(rows)
                batch = Batch(ids, dates, features, np.array(sizes, np.uint32), raw, prints)
                self._write(database, batch, np.array(numbers, np.int64))
            database.execute("DELETE FROM recent")
            self.index.snapshot.names = None

    # -- segments -----------------------------------------------------------------------

    def _merge_in_background(self) -> None:
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._merge_ripe, name="samecore-merge")
            self._thread.start()

    def _merge_ripe(self) -> None:
        """Merge segments of one tier while there are enough of them. What was removed stays in them:
        a content that comes back meanwhile must be found where it was."""
        try:
            while True:
                with self.index.reading():
                    segments = list(self.index.snapshot.segments.values())
                ripe = _ripe(segments)
                if not ripe:
                    return
                with self.index.changing() as database:
                    name = self._file_name(database)
                merge_segments(self.index.path / name, ripe)
                with self.index.changing() as database:
                    self._exchange(database, ripe, [name])
                self._unlink(ripe)
        except (OSError, IndexFault, BufferError) as error:
            self.trouble = str(error)

    def wait(self) -> None:
        """Until no merge is under way."""
        if self._thread is not None:
            self._thread.join()

    def compact(self) -> None:
        """One segment of all live contents (several, if they do not fit one)."""
        self.wait()
        try:
            self.rotate()
            with self.index.changing() as database:
                live = _live_contents(database)
                old = list(self.index.snapshot.segments.values())
                masks = [np.isin(one.arrays["numbers"], live) for one in old]
                if self.index.snapshot.damaged:
                    raise IndexFault("cannot be compacted while a segment is damaged", path=self.index.path)
                if len(old) == 1 and masks[0].all():
                    return
                names = []
                for bin_ in _bins(old):
                    if any(masks[i].any() for i in bin_):
                        names.append(self._file_name(database))
                        path = self.index.path / names[-1]
                        merge_segments(path, [old[i] for i in bin_], live=[masks[i] for i in bin_])
                set_value(database, "floor", self._next(database))
                self._exchange(database, old, names)
        except OSError as error:
            raise IndexFault(f"was not compacted: {error}; it is as before", path=self.index.path) from error
        except BufferError as error:
            raise self.index.snapshot.blame(error) from error
        self._unlink(old)
        with self.index.reading():
            self.index.database.execute("SELECT 1")
        self.index.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _exchange(self, database: sqlite3.Connection, old: list[Segment], names: list[str]) -> None:
        last = 0
        for one in old:
            last = max(
                last,
                database.execute("SELECT last FROM segments WHERE name = ?", (one.path.name,)).fetchone()[0],
            )
            database.execute("DELETE FROM segments WHERE name = ?", (one.path.name,))
        for name in names:
            contents = len(self._opened(name))
            database.execute("INSERT INTO segments VALUES (?, ?, ?)", (name, contents, last))
        self.index.snapshot.names = None

    def _opened(self, name: str) -> Segment:
        from samecore.index.segment import open_segment

        return open_segment(self.index.path / name)

    def _unlink(self, old: list[Segment]) -> None:
        """Old files go; whoever still reads them has them mapped."""
        for one in old:
            one.path.unlink(missing_ok=True)

    def refresh(self) -> None:
        """Weigh everything anew by the frequencies of what is stored now."""
        index = self.index
        if not index.recipe.weighs:
            raise SettingError("refresh", found=index.method.name, expected="a method with idf parts")
        self.compact()
        with index.changing() as database:
            old = list(index.snapshot.segments.values())
            raws = [one.raw for one in old if one.raw is not None]
            numbers = (
                np.concatenate([one.arrays["numbers"] for one in old]) if old else np.empty(0, np.uint32)
            )
            order = np.argsort(numbers)
            raw = concatenate(raws).take(order)
            files = value(database, "files")
            set_value(database, "files", files + 1)
            name = creating.write_table(index.path, files, raw)
            recipe = replace(index.recipe, table=creating.read_table(index.path / name), corpus=len(raw))
            batch = recipe.batch(raw, ids=[""] * len(raw), dates=[0] * len(raw))
            before, index.recipe = index.recipe, recipe
            try:
                if len(raw):
                    self._write(database, batch, numbers[order].astype(np.int64))
                for one in old:
                    database.execute("DELETE FROM segments WHERE name = ?", (one.path.name,))
                set_value(database, "table", name)
                set_value(database, "corpus", len(raw))
            except BaseException:
                index.recipe = before
                raise
        index.reload()
        self._unlink(old)

    def clean(self) -> None:
        """Remove what a writer that was killed left half done: files that the database does not name."""
        folder, database = self.index.path, self.index.database
        known = {name for (name,) in database.execute("SELECT name FROM segments")}
        table = value(database, "table")
        for path in folder.iterdir():
            stray = path.name.endswith((".seg", ".tab")) and path.name not in known and path.name != table
            if stray or path.name.endswith(".part"):
                path.unlink(missing_ok=True)


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


def _live_contents(database: sqlite3.Connection) -> npt.NDArray[np.int64]:
    rows = database.execute(
        "SELECT number FROM documents WHERE content IS NULL UNION SELECT content FROM documents WHERE content IS NOT NULL"
    )
    return np.fromiter((number for (number,) in rows), np.int64)


def _tier(segment: Segment) -> int:
    tier, size = 0, RECENT_LIMIT * FAN
    while len(segment) >= size:
        tier, size = tier + 1, size * FAN
    return tier


def _ripe(segments: list[Segment]) -> list[Segment]:
    """Segments of the smallest tier that has enough of them, as far as they fit one."""
    tiers: dict[int, list[Segment]] = {}
    for one in segments:
        tiers.setdefault(_tier(one), []).append(one)
    for tier in sorted(tiers):
        chosen = tiers[tier]
        if len(chosen) >= FAN and sum(_words(one) for one in chosen) < MAX_WORDS:
            return chosen
    return []


def _words(segment: Segment) -> int:
    """Words of lists that a segment can add to a merged one: a key alone may get a list."""
    return len(segment.arrays["words"]) + 2 * len(segment.arrays["values"])


def _bins(segments: list[Segment]) -> list[list[int]]:
    """Segments in as few heaps as fit one segment each, in order."""
    heaps: list[list[int]] = []
    room = 0
    for number, one in enumerate(segments):
        if not heaps or _words(one) > room:
            heaps.append([])
            room = MAX_WORDS
        heaps[-1].append(number)
        room -= _words(one)
    return heaps
