"""Groups that live on: the id of the oldest member names a group, a younger group redirects to the older.

A document's group is the number in `grp`, or its own; a row in `groups` exists for every group
that ever had two members or goes by another name than its oldest member, and `joined` leads from a group
to the one that took it in. Rows stay, so no id is ever that of two groups on record.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from samecore.index.dates import moment


@dataclass(frozen=True)
class Group:
    """Stored documents that belong together; `id` is that of the oldest member there ever was (but see `begin`)."""

    id: str
    members: tuple[str, ...]


@dataclass(frozen=True)
class Merge:
    """When a younger group became part of an older one, and both their ids."""

    date: datetime
    younger: str
    older: str


def root(database: sqlite3.Connection, number: int) -> int:
    """The group that a group belongs to by now."""
    while True:
        found = database.execute("SELECT joined FROM groups WHERE number = ?", (number,)).fetchone()
        if found is None or found[0] is None:
            return number
        number = found[0]


def name(database: sqlite3.Connection, number: int) -> str:
    """The id of a group that is no part of another."""
    found = database.execute(
        "SELECT id FROM groups WHERE number = ?1 UNION ALL SELECT id FROM documents WHERE number = ?1",
        (number,),
    ).fetchone()
    return str(found[0])


def begin(database: sqlite3.Connection, number: int, id: str) -> str:
    """The id of the group that a new document begins: that of the document.

    An id that comes back after its document was removed may still be that of the group it once began.
    The new group is then called `id#number`, after the number of the document, which is never given twice.
    """
    if not _on_record(database, id):
        return id
    own = f"{id}#{number}"
    while _on_record(database, own) or _is_document(database, own):
        own += f"#{number}"
    database.execute("INSERT INTO groups (number, id) VALUES (?, ?)", (number, own))
    return own


def begin_from(database: sqlite3.Connection, number: int) -> None:
    """`begin` for every document from this number on."""
    again = database.execute(
        "SELECT number, id FROM documents AS d WHERE number >= ? "
        "AND EXISTS (SELECT 1 FROM groups WHERE id = d.id) ORDER BY number",
        (number,),
    )
    for its, id in again.fetchall():
        begin(database, its, id)


def _on_record(database: sqlite3.Connection, id: str) -> bool:
    return database.execute("SELECT 1 FROM groups WHERE id = ?", (id,)).fetchone() is not None


def _is_document(database: sqlite3.Connection, id: str) -> bool:
    return database.execute("SELECT 1 FROM documents WHERE id = ?", (id,)).fetchone() is not None


def record(database: sqlite3.Connection, number: int) -> None:
    """Make sure that a group is on record, because a second member joins it."""
    database.execute(
        "INSERT INTO groups (number, id) SELECT number, id FROM documents WHERE number = ? "
        "ON CONFLICT (number) DO NOTHING",
        (number,),
    )


def merge(database: sqlite3.Connection, numbers: Iterable[int], *, now: int) -> int:
    """Join groups, each the root of its own; the oldest takes the others in and is returned."""
    oldest, *younger = sorted(set(numbers))
    record(database, oldest)
    for number in younger:
        record(database, number)
        database.execute("UPDATE groups SET joined = ?, date = ? WHERE number = ?", (oldest, now, number))
    return oldest


def everyone(database: sqlite3.Connection) -> Iterator[Group]:
    """All groups of several stored documents, oldest first, members in the order of adding."""
    members: dict[int, list[str]] = {}
    for id, group in _members(database):
        members.setdefault(group, []).append(id)
    for number in sorted(members):
        if len(members[number]) > 1:
            yield Group(name(database, number), tuple(members[number]))


def count(database: sqlite3.Connection) -> int:
    """How many groups of several stored documents there are."""
    members = Counter(group for _, group in _members(database))
    return sum(1 for many in members.values() if many > 1)


def _members(database: sqlite3.Connection) -> Iterator[tuple[str, int]]:
    """Every document that is or was in a group with others, in the order of adding, and its present group."""
    joined = dict(database.execute("SELECT number, joined FROM groups"))
    rows = database.execute(
        "SELECT id, coalesce(grp, number) FROM documents "
        "WHERE grp IS NOT NULL OR number IN (SELECT number FROM groups) ORDER BY number"
    )
    for id, group in rows:
        passed = []
        while joined.get(group) is not None:
            passed.append(group)
            group = joined[group]
        joined |= dict.fromkeys(passed, group)
        yield id, group


def number_of(database: sqlite3.Connection, id: str) -> int | None:
    """The present group of a document, or of a group by its (perhaps former) id; None if unknown."""
    row = database.execute("SELECT coalesce(grp, number) FROM documents WHERE id = ?", (id,)).fetchone()
    if row is None:
        row = database.execute(
            "SELECT number FROM groups WHERE id = ? ORDER BY number DESC", (id,)
        ).fetchone()
    return None if row is None else root(database, row[0])


def history(database: sqlite3.Connection, number: int) -> list[Merge]:
    """Every merge that led to this group, oldest first."""
    inside = [number]
    merges: list[tuple[int, int, int]] = []
    while inside:
        older = inside.pop()
        for younger, date in database.execute("SELECT number, date FROM groups WHERE joined = ?", (older,)):
            merges.append((date, younger, older))
            inside.append(younger)
    return [
        Merge(moment(date), name(database, younger), name(database, older))
        for date, younger, older in sorted(merges)
    ]
