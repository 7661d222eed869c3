"""The SQLite file of an index: everything that changes.

WAL mode with full sync: what was committed survives a crash of the process and of the machine,
and readers go on while a writer commits.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson

from samecore.index.errors import IndexDamaged, IndexFault

NAME = "index.db"
APPLICATION = 0x53414D45  # "SAME", the mark of our file among other SQLite files
VERSION = 1
PAGE_BYTES = 4096
CHECKPOINT_PAGES = 4000  # the log goes into the file when it has so many pages
CACHE_KIB = 65_536  # at most; ids are put into their tree in no order
BUSY_MS = 10_000

SCHEMA = """
CREATE TABLE manifest (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE documents (
    number INTEGER PRIMARY KEY,  -- in the order of adding, never given twice
    id TEXT NOT NULL UNIQUE,
    date INTEGER NOT NULL,       -- microseconds since 1970, UTC
    content INTEGER,             -- the number of the document whose features it shares; NULL: its own
    grp INTEGER,                 -- the number of the group it joined; NULL: its own
    partner INTEGER,             -- the document it was found to duplicate, and how alike they are
    score REAL
);
CREATE INDEX copies ON documents (content) WHERE content IS NOT NULL;
CREATE TABLE recent (content INTEGER PRIMARY KEY, size INTEGER NOT NULL, row BLOB NOT NULL, raw BLOB);
CREATE TABLE segments (name TEXT PRIMARY KEY, contents INTEGER NOT NULL, last INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE groups (
    number INTEGER PRIMARY KEY,  -- of its oldest member
    id TEXT NOT NULL,            -- the id of that member, even when it is removed; id#number if that was taken
    joined INTEGER,              -- the older group it is now part of
    date INTEGER                 -- when that happened
);
CREATE UNIQUE INDEX groups_by_id ON groups (id);
"""


def create(folder: Path, manifest: dict[str, Any]) -> None:
    """A new database with this manifest."""
    connection = sqlite3.connect(folder / NAME, isolation_level=None)
    try:
        connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.executescript(f"BEGIN; {SCHEMA}")
        for name, value in manifest.items():
            set_value(connection, name, value)
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    finally:
        connection.close()


def connect(folder: Path) -> sqlite3.Connection:
    """Open the database of an index; IndexFault if there is none, or it is of another kind or version."""
    path = folder / NAME
    if not folder.is_dir():
        found = "a file" if folder.exists() else "nothing"
        raise IndexFault(f"expected the folder of an index, found {found}; create one first", path=folder)
    if not path.is_file():
        raise IndexFault(f"expected an index, found a folder without {NAME}; create one first", path=folder)
    connection = sqlite3.connect(
        f"file:{_quoted(path)}?mode=rw", uri=True, isolation_level=None, check_same_thread=False
    )
    try:
        with faults(path):
            application = connection.execute("PRAGMA application_id").fetchone()[0]
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            if application != APPLICATION:
                raise IndexFault("expected an index of samecore, found another SQLite file", path=path)
            if version != VERSION:
                raise IndexFault(
                    f"expected format {VERSION}, found {version}; use the samecore that wrote it, "
                    "or make the index anew",
                    path=path,
                )
            connection.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
            connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def faults(path: Path) -> Iterator[None]:
    """Errors of SQLite as ours: a full disk, a damaged file, a file that is none of SQLite's."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if "full" in str(error) or "disk I/O" in str(error):
            raise IndexFault(
                f"nothing was stored: {error}; make room and try again, the index is as before", path=path
            ) from error
        if "readonly" in str(error) or "unable to open" in str(error):
            raise IndexFault(
                f"{error}: even reading an index writes beside it; get the right to write to the folder, "
                "or copy it to where you may",
                path=path,
            ) from error
        if "malformed" in str(error) or "no such table" in str(error):
            raise IndexDamaged(f"{error}; run verify", path=path) from error
        raise IndexFault(str(error), path=path) from error
    except sqlite3.ProgrammingError as error:
        raise IndexFault(f"{str(error).rstrip('.')}; open the index again", path=path) from error
    except sqlite3.IntegrityError:
        raise
    except sqlite3.DatabaseError as error:
        what = (
            "expected an index of samecore" if "not a database" in str(error) else "the database is damaged"
        )
        raise IndexDamaged(f"{what}: {error}", path=path) from error


def values(connection: sqlite3.Connection) -> dict[str, Any]:
    """The whole manifest."""
    return {
        name: orjson.loads(value) for name, value in connection.execute("SELECT name, value FROM manifest")
    }


def value(connection: sqlite3.Connection, name: str) -> Any:
    """One entry of the manifest."""
    return orjson.loads(
        connection.execute("SELECT value FROM manifest WHERE name = ?", (name,)).fetchone()[0]
    )


def set_value(connection: sqlite3.Connection, name: str, value: Any) -> None:
    """Change one entry of the manifest, inside the transaction that is open."""
    connection.execute("INSERT OR REPLACE INTO manifest VALUES (?, ?)", (name, orjson.dumps(value)))


def _quoted(path: Path) -> str:
    from urllib.parse import quote

    return quote(str(path.resolve()))
