"""Which stored documents are like those of a batch."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from samecore.index import groups
from samecore.index.dates import FIRST_DATE, moment
from samecore.index.recipe import Batch

if TYPE_CHECKING:
    from samecore.index.session import Session

#: The oldest live documents of a content, as many as asked for; a negative limit is none.
_OWN = (
    "SELECT number, id, date, coalesce(grp, number) FROM documents "
    "WHERE number = ?1 AND content IS NULL AND date > ?2"
)
_COPIES = (
    "SELECT number, id, date, coalesce(grp, number) FROM documents "
    "WHERE content = ?1 AND date > ?2 ORDER BY number LIMIT ?3"
)


@dataclass(frozen=True)
class Match:
    """A stored document that is like the one asked for: its id, the verified score, its date and group."""

    id: str
    score: float
    date: datetime
    group: str


def query(
    index: Session, batch: Batch, threshold: float, *, best: int | None, after: int | None, threads: int
) -> list[list[Match]]:
    """Per row all matches, or the `best` so many, of documents dated later than `after`; best first, then oldest.

    A row without features has none.
    """
    answers: list[list[Match]] = [[] for _ in range(len(batch))]
    with index.reading():
        batch = index.recipe.current(batch)
        rows, contents, scores = index.snapshot.search(batch, threshold, threads=threads)
        hits: dict[int, list[tuple[float, int]]] = {}
        for row, content, score in zip(rows.tolist(), contents.tolist(), scores.tolist(), strict=True):
            hits.setdefault(row, []).append((-score, content))
        for row, found in hits.items():
            if batch.sizes[row]:  # the fingerprint of nothing is like that of others
                answers[row] = _matches(index, sorted(found), best, after)
    return answers


def _matches(
    index: Session, hits: list[tuple[float, int]], best: int | None, after: int | None
) -> list[Match]:
    """Live documents of the contents found, which lie by score; copies and ties by their number."""
    database = index.database
    found: list[tuple[float, int, str, int, int]] = []
    level = None
    since, most = FIRST_DATE - 1 if after is None else after, -1 if best is None else best
    for score, content in hits:
        if best is not None and len(found) >= best and score != level:
            break  # a content further down cannot be better; one on the same level may be older
        level = score
        found += ((score, *row) for row in database.execute(_OWN, (content, since)))
        found += ((score, *row) for row in database.execute(_COPIES, (content, since, most)))
    found.sort()
    return [
        Match(id, -score, moment(date), groups.name(database, groups.root(database, group)))
        for score, _, id, date, group in found[:best]
    ]
