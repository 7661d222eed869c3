"""The segments of an index: recent contents become one, small ones become large, all become one on request."""

from __future__ import annotations

import sqlite3
import threading
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from samecore.errors import SettingError
from samecore.features.csr import concatenate
from samecore.index import creating
from samecore.index.database import set_value, value
from samecore.index.errors import IndexFault
from samecore.index.merge import merge_segments
from samecore.index.recipe import Batch
from samecore.index.segment import Segment, open_segment, write_segment
from samecore.index.snapshot import decode

if TYPE_CHECKING:
    from samecore.index.session import Session

#: So many recent contents become a segment.
RECENT_LIMIT = 16_384
#: So many segments of about one size are merged; sizes of one tier differ by this factor.
FAN = 4
MAX_WORDS = 2**31 - 1


class Upkeep:
    """The writer's side of segments. Every change is one transaction; old files go when it is durable."""

    def __init__(self, index: Session) -> None:
        self.index = index
        self.rotate_at = RECENT_LIMIT
        self.trouble = ""  # why the last merge in the background failed
        self._thread: threading.Thread | None = None

    def write(self, database: sqlite3.Connection, batch: Batch, numbers: npt.NDArray[np.int64]) -> None:
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

    def rotate_if_due(self) -> None:
        if len(self.index.snapshot.recent) < self.rotate_at and self.index.snapshot.names is not None:
            return
        if len(self.index.snapshot.recent) >= self.rotate_at:
            try:
                self.rotate()
                self.rotate_at = RECENT_LIMIT
            except (OSError, IndexFault) as error:  # what was added is stored; the disk may have room later
                self.trouble = str(error)
                self.rotate_at = len(self.index.snapshot.recent) + RECENT_LIMIT // 4
        self._merge_in_background()

    def rotate(self) -> None:
        """Put the recent contents into a segment; those of no live document are dropped."""
        with self.index.changing() as database:
            rows = database.execute(
                "SELECT content, size, row, raw FROM recent AS r WHERE "
                "EXISTS (SELECT 1 FROM documents WHERE number = r.content AND content IS NULL) "
                "OR EXISTS (SELECT 1 FROM documents WHERE content = r.content) ORDER BY content"
            ).fetchall()
            set_value(database, "floor", self.index.keeper.next_number(database))
            if rows:
                numbers, sizes, blobs, raws = zip(*rows, strict=True)
                features, prints = decode(blobs, self.index.recipe.print_words)
                raw = None if raws[0] is None else decode(raws, 0)[0]
                ids, dates = [""] * len(rows), [0] * len(rows)
                batch = Batch(ids, dates, features, np.array(sizes, np.uint32), raw, prints)
                self.write(database, batch, np.array(numbers, np.int64))
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
                    known = {one for (one,) in database.execute("SELECT name FROM segments")}
                    overtaken = any(one.path.name not in known for one in ripe)
                    if not overtaken:
                        self._exchange(database, ripe, [name])
                if overtaken:  # they were compacted meanwhile
                    (self.index.path / name).unlink(missing_ok=True)
                else:
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
                set_value(database, "floor", self.index.keeper.next_number(database))
                self._exchange(database, old, names)
        except OSError as error:
            raise IndexFault(f"was not compacted: {error}; it is as before", path=self.index.path) from error
        except BufferError as error:
            raise self.index.snapshot.blame(error) from error
        self._unlink(old)
        with self.index.lock:  # another thread's transaction must not be in the middle
            with self.index.reading():
                pass
            self.index.database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def _exchange(self, database: sqlite3.Connection, old: list[Segment], names: list[str]) -> None:
        last = 0
        for one in old:
            last = max(
                last,
                database.execute("SELECT last FROM segments WHERE name = ?", (one.path.name,)).fetchone()[0],
            )
            database.execute("DELETE FROM segments WHERE name = ?", (one.path.name,))
        for name in names:
            contents = len(open_segment(self.index.path / name))
            database.execute("INSERT INTO segments VALUES (?, ?, ?)", (name, contents, last))
        self.index.snapshot.names = None

    def _unlink(self, old: list[Segment]) -> None:
        """Old files go; whoever still reads them has them mapped."""
        for one in old:
            one.path.unlink(missing_ok=True)

    def refresh(self) -> None:
        """Weigh everything anew by the frequencies of what is stored now."""
        index = self.index
        if not index.recipe.weighs:
            raise SettingError("refresh", found=index.recipe.method.name, expected="a method with idf parts")
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
                    self.write(database, batch, numbers[order].astype(np.int64))
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
        known |= {value(database, "table"), self.index.manifest.get("frames")}
        for path in folder.iterdir():
            stray = path.name.endswith((".seg", ".tab")) and path.name not in known
            if stray or path.name.endswith(".part"):
                path.unlink(missing_ok=True)


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
