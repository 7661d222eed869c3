"""An open index: its database, its lock, and consistent views of both database and segments."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from samecore.index import creating, database
from samecore.index.adding import Adder
from samecore.index.errors import IndexFault
from samecore.index.lock import WriterLock
from samecore.index.places import refuse_network
from samecore.index.recipe import Recipe
from samecore.index.snapshot import Snapshot
from samecore.index.upkeep import Upkeep
from samecore.index.writing import Keeper
from samecore.methods import Method

#: Attempts to read when a writer exchanges segments in between.
RETRIES = 20


class Session:
    """What reading and writing share. One thread at a time works on it; several may wait."""

    def __init__(self, path: Path, *, method: str | Method | None, skip_damaged: bool) -> None:
        self.path = path.absolute()  # the working directory may change
        self._file = self.path / database.NAME
        self.lock = threading.RLock()
        self._writer = WriterLock(self.path)
        self.database = database.connect(self.path)
        try:
            refuse_network(self.path)
            self._identity = self._file.stat().st_ino
            with database.faults(self._file):
                self.manifest = database.values(self.database)
            self.recipe: Recipe = creating.recipe_of(self.path, self.manifest)
            if method is not None:
                creating.check_method(self.path, self.recipe.method, method)
        except BaseException:
            self.database.close()
            raise
        self.snapshot = Snapshot(self.path, self.recipe, skip_damaged=skip_damaged)
        self._version: int | None = None
        self._inside = False
        self.keeper = Keeper(self)
        self.adder = Adder(self)
        self.upkeep = Upkeep(self)

    @contextmanager
    def reading(self) -> Iterator[None]:
        """One consistent view of the database and of the segments it names."""
        with self.lock:
            if self._inside:  # inside a change, or another view
                yield
                return
            self._inside = True
            try:
                with database.faults(self._file):
                    self._begin("BEGIN")
                    try:
                        yield
                    finally:
                        self.database.execute("ROLLBACK")
            finally:
                self._inside = False

    @contextmanager
    def reading_unchecked(self) -> Iterator[sqlite3.Connection]:
        """A view of the database alone, whatever its segments are like."""
        with self.lock:
            with database.faults(self._file):
                self.database.execute("BEGIN")
            try:
                yield self.database
            finally:
                if self.database.in_transaction:
                    self.database.execute("ROLLBACK")

    def reload(self) -> None:
        """Read the manifest again: the table of frequencies has changed."""
        self.manifest = database.values(self.database)
        self.recipe = creating.recipe_of(self.path, self.manifest)
        self.snapshot.recipe = self.recipe

    @contextmanager
    def changing(self) -> Iterator[sqlite3.Connection]:
        """A transaction of the writer: durable at the end of the block, or as if nothing had happened."""
        with self.lock:
            self._refuse_if_gone()
            if not self._writer.held:
                with database.faults(self._file):
                    self.database.execute("SELECT 1").fetchone()  # an index that is closed takes no lock
                    self._writer.take()
                    self.upkeep.clean()
            self._inside = True
            try:
                with database.faults(self._file):
                    self._begin("BEGIN IMMEDIATE")
                    try:
                        yield self.database
                        self.database.execute("COMMIT")
                    except BaseException:
                        self.snapshot.reset()
                        self.keeper.forget()
                        self._version = None
                        if self.database.in_transaction:
                            self.database.execute("ROLLBACK")
                        raise
            finally:
                self._inside = False

    def _begin(self, how: str) -> None:
        for attempt in range(RETRIES):
            self.database.execute(how)
            try:
                version = self.database.execute("PRAGMA data_version").fetchone()[0]
                if version != self._version or self.snapshot.names is None:
                    if (
                        self.recipe.weighs
                        and database.value(self.database, "table") != self.manifest["table"]
                    ):
                        self.reload()
                    self.snapshot.refresh(self.database)
                    self._version = version
                return
            except FileNotFoundError as error:
                self.database.execute("ROLLBACK")
                if attempt + 1 == RETRIES:
                    self._refuse_if_gone()
                    raise IndexFault(
                        "a segment is missing; run verify, or open with skip_damaged", path=error.filename
                    ) from error
            except BaseException:
                self.database.execute("ROLLBACK")
                raise

    def _refuse_if_gone(self) -> None:
        """An IndexFault if the folder is another by now: new segments would not be where the database is."""
        with contextlib.suppress(FileNotFoundError):
            if self._file.stat().st_ino == self._identity:
                return
        raise IndexFault(
            "was moved or removed while it was open, nothing was changed; open it where it is now",
            path=self.path,
        )

    def close(self) -> None:
        """Wait for merges that are under way, release the lock, close the files."""
        self.upkeep.wait()
        with self.lock:
            self._let_go()

    def _let_go(self) -> None:
        self.database.close()
        self._writer.release()
        self.snapshot.close()

    def __del__(self) -> None:
        """An index that was never closed must not keep others from writing."""
        with contextlib.suppress(Exception):  # it may not be whole
            self._let_go()
