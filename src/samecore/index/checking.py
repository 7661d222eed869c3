"""Facts about an index, and whether it is sound."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np

from samecore.index import database, groups
from samecore.index.dates import moment
from samecore.index.errors import IndexDamaged, IndexFault
from samecore.index.segment import open_sections, open_segment

if TYPE_CHECKING:
    from samecore.index.session import Session


@dataclass(frozen=True)
class Stats:
    """An index in numbers. `contents` are distinct features, of which `dead` belong to no document any more;
    `framed` are the hosts whose frames are left out."""

    method: str
    threshold: float
    documents: int
    contents: int
    dead: int
    recent: int
    segments: int
    groups: int
    bytes: int
    oldest: datetime | None
    newest: datetime | None
    corpus: int
    framed: int
    created: str


def stats(index: Session) -> Stats:
    """The numbers, inside a view of the index."""
    db = index.database
    documents, oldest, newest = db.execute("SELECT count(*), min(date), max(date) FROM documents").fetchone()
    live = db.execute("SELECT count(*) FROM documents WHERE content IS NULL").fetchone()[0]
    live += db.execute(
        "SELECT count(*) FROM (SELECT DISTINCT content FROM documents AS c WHERE content IS NOT NULL "
        "AND NOT EXISTS (SELECT 1 FROM documents WHERE number = c.content AND content IS NULL))"
    ).fetchone()[0]
    recent = db.execute("SELECT count(*) FROM recent").fetchone()[0]
    segments, inside = db.execute("SELECT count(*), coalesce(sum(contents), 0) FROM segments").fetchone()
    return Stats(
        method=index.recipe.method.name,
        threshold=index.recipe.threshold,
        documents=documents,
        contents=recent + inside,
        dead=recent + inside - live,
        recent=recent,
        segments=segments,
        groups=groups.count(db),
        bytes=sum(entry.stat().st_size for entry in os.scandir(index.path) if entry.is_file()),
        oldest=_date(oldest),
        newest=_date(newest),
        corpus=index.recipe.corpus,
        framed=0 if index.recipe.frames is None else index.recipe.frames.sites,
        created=index.manifest["created"],
    )


def problems(index: Session) -> list[str]:
    """Everything that is wrong, each with the name of the file; empty if all is well."""
    found: list[str] = []
    path = index.path / database.NAME
    with index.reading_unchecked() as db:
        try:
            with database.faults(path):
                rows = [row[0] for row in db.execute("PRAGMA integrity_check(10)")]
                found += [f"{path}: {row}" for row in rows if row != "ok"]
                names = dict(db.execute("SELECT name, contents FROM segments"))
                documents = np.array(
                    [row[0] for row in db.execute("SELECT coalesce(content, number) FROM documents")],
                    np.int64,
                )
                held = [np.array([row[0] for row in db.execute("SELECT content FROM recent")], np.int64)]
        except IndexFault as error:
            return [*found, str(error)]
        whole = True
        for name, contents in names.items():
            file = index.path / name
            try:
                segment = open_segment(file)
            except FileNotFoundError:
                found.append(f"{file}: is missing")
                whole = False
                continue
            except IndexFault as error:
                found.append(str(error))
                whole = False
                continue
            why = segment.damage()
            if not why and len(segment) != contents:
                why = f"expected {contents:,} contents, found {len(segment):,}"
            if why:
                found.append(f"{file}: {why}")
            held.append(segment.arrays["numbers"].astype(np.int64))
        for table in (index.manifest["table"], index.manifest.get("frames")):
            if table is None:
                continue
            try:
                why = open_sections(index.path / table).changed()
            except (FileNotFoundError, IndexDamaged) as error:
                why = str(error)
            if why:
                found.append(f"{index.path / table}: {why}")
    everything = np.concatenate(held)
    if whole:
        lost = int((~np.isin(documents, everything)).sum())
        if lost:
            found.append(f"{path}: the features of {lost:,} documents are in no segment")
        if len(np.unique(everything)) != len(everything):
            found.append(f"{path}: a content is stored twice")
    return found


def _date(value: int | None) -> datetime | None:
    return None if value is None else moment(value)
