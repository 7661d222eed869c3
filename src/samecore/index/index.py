"""`Index`: have I seen this before?

    >>> import samecore, tempfile
    >>> folder = tempfile.mkdtemp() + "/seen"
    >>> index = samecore.Index.create(folder, method="spotsigs", threshold=0.5)
    >>> story = "The ferry was late because a whale had been seen in the harbour, and the crew is still waiting."
    >>> index.add("a", story).status
    'new'
    >>> answer = index.add("b", story + " More soon.")
    >>> answer.status, answer.partner
    ('duplicate', 'a')
    >>> index.seen("Nothing is like the other two here, and the index was asked in vain.") is None
    True
    >>> index.close()

Answers are exact: those of comparing with every stored document. docs/index.md says how it is used,
docs/index-format.md what is on disk.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from samecore import read
from samecore.errors import InputError, SettingError
from samecore.features.csr import Features
from samecore.index import asking, creating, groups, writing
from samecore.index.adding import Answer, Options
from samecore.index.asking import Match
from samecore.index.checking import Stats, problems, stats
from samecore.index.dates import asked_date
from samecore.index.groups import Group, Merge
from samecore.index.recipe import Batch
from samecore.index.seeding import seed
from samecore.index.session import Session
from samecore.index.snapshot import fraction
from samecore.methods import Method
from samecore.result import Result


class Index(Session):
    """An index on disk. Any number of processes may read; the first change takes the writer's lock until `close`.

    path: the folder, made by `Index.create`.
    method: if given, the recipe that the index must have; another is an IndexFault.
    skip_damaged: answer from what is readable when a segment is torn; `damaged` says what is missing.
    """

    def __init__(
        self, path: str | Path, *, method: str | Method | None = None, skip_damaged: bool = False
    ) -> None:
        super().__init__(Path(path), method=method, skip_damaged=skip_damaged)

    @staticmethod
    def create(
        path: str | Path,
        method: str | Method = "spotsigs",
        *,
        threshold: float | None = None,
        corpus: Any = None,
        groups: str = "partner",
        seed: int = 0,
        **reading: Any,
    ) -> Index:
        """A new, empty index in the folder `path`, which must not exist or be empty.

        method: a recipe matched by Jaccard or simhash; it is stored, and never changes.
        threshold: the score from which a document counts as seen; the method's own by default.
        corpus: documents whose frequencies are frozen for the idf parts of the method (and from which
            antecedents are chosen, where they must be). Without it nothing is common or rare until `refresh`.
            If the method ignores frames, as "spotsigs" does, those of the hosts in it are learned, and left out
            of all pages of these hosts.
        groups: "partner": a duplicate joins the group of the document it was found to duplicate;
            "components": it joins those of all that match, which become one.
        """
        creating.create(
            Path(path), method, threshold=threshold, corpus=corpus, groups=groups, seed=seed, reading=reading
        )
        return Index(path)

    # -- asking -------------------------------------------------------------------------

    def seen(
        self,
        text: str | bytes | Features,
        *,
        threshold: float | None = None,
        newer_than: Any = None,
        url: str | None = None,
    ) -> Match | None:
        """The stored document most like this one (of several the oldest), or None. Nothing is stored.

        text: a text, a page as bytes, or the features of one document. url: where it is from, if the index knows
        the frames of hosts; by default what the page says of itself.
        """
        found = self.query(text, threshold=threshold, best=1, newer_than=newer_than, url=url)
        return found[0] if found else None

    def query(
        self,
        text: str | bytes | Features,
        *,
        threshold: float | None = None,
        best: int | None = None,
        newer_than: Any = None,
        url: str | None = None,
    ) -> list[Match]:
        """All stored documents that score at least the threshold, or the `best` so many, best first.

        newer_than: only documents with a later date: a datetime, an ISO 8601 text or seconds since 1970.
        """
        found = self.query_many(
            self._one(text, url=url), threshold=threshold, best=best, newer_than=newer_than
        )
        return found[0] if found else []

    def find_against(self, source: Any, *, method: str | Method | None = None, **settings: Any) -> Result:
        """`samecore.find(source, against=index)`: which documents of a collection are stored here.

        method: if given, it must be that of the index. settings: `threshold`, `floor`, `group`, `keep`, `threads`,
        and how `source` is read.
        """
        from samecore.index.against import find_against

        if method is not None:
            creating.check_method(self.path, self.recipe.method, method)
        return find_against(source, self, **settings)

    def query_many(
        self,
        batch: Batch,
        *,
        threshold: float | None = None,
        best: int | None = None,
        newer_than: Any = None,
        threads: int = 1,
    ) -> list[list[Match]]:
        """`query` for each row of a batch, as `batches` and `batch` make them."""
        asked = self.threshold if threshold is None else threshold
        fraction(asked)
        if best is not None and (not isinstance(best, int) or best < 1):
            raise SettingError("best", found=best, expected="at least 1, or None for all")
        after = None if newer_than is None else asked_date(newer_than, name="newer_than")
        return asking.query(self, batch, asked, best=best, after=after, threads=threads)

    # -- changing -----------------------------------------------------------------------

    def add(
        self,
        id: str,
        text: str | bytes | Features,
        *,
        date: Any = None,
        url: str | None = None,
        threshold: float | None = None,
        guess: str = "best",
        duplicates: bool = True,
        update: bool = False,
    ) -> Answer:
        """Store one document, durably, and say whether it is new or which stored one it duplicates.

        date: now by default. url: where it is from, as for `seen`. guess: the partner is the "best" match, or the "first": the oldest that
        reaches the threshold. duplicates=False: a duplicate is answered but not stored. An id that is
        there already is an InputError, or with `update` its document is removed before this one is answered.
        What has no features is "skipped": it is not stored and replaces nothing.
        """
        writing.check_ids([id])
        batch = self._one(text, id=id, date=date, url=url)
        (answer,) = self.add_batch(
            batch, threshold=threshold, guess=guess, duplicates=duplicates, update=update
        )
        return answer

    def add_many(
        self,
        source: Any,
        *,
        threshold: float | None = None,
        guess: str = "best",
        duplicates: bool = True,
        update: bool = False,
        threads: int | None = None,
        **reading: Any,
    ) -> list[Answer]:
        """`add` for every document of a source (whatever `samecore.find` takes), as if one by one.

        Durable in parts of PART_ROWS documents; if one fails, those before it are stored.
        """
        answers: list[Answer] = []
        for batch in self.batches(source, threads=threads, **reading):
            answers += self.add_batch(
                batch, threshold=threshold, guess=guess, duplicates=duplicates, update=update
            )
        return answers

    def add_batch(
        self,
        batch: Batch,
        *,
        threshold: float | None = None,
        guess: str = "best",
        duplicates: bool = True,
        update: bool = False,
    ) -> list[Answer]:
        """`add` for the rows of a batch, as `batches` and `batch` make them: as if one by one.

        The answers of the rows, then those of the documents that the batch could not be given. Without
        `update` an id that comes twice, or is there already, is an InputError before anything is stored.
        Up to PART_ROWS rows are durable as a whole or not at all, more of them in parts of so many.
        """
        asked = self.threshold if threshold is None else threshold
        fraction(asked)
        options = Options(asked, guess, duplicates, update, self.manifest["groups"] == "components")
        parts = list(batch.parts())
        if len(parts) > 1 and not update:
            with self.reading():
                self.keeper.refuse_stored(self.database, batch.filled().ids)
        return [answer for part in parts for answer in self.adder.add(part, options)]

    def seed(self, source: Any, *, update: bool = False, threads: int | None = None, **reading: Any) -> int:
        """Store documents without asking about each: examples known beforehand, or a bulk load. How many.

        source: whatever `samecore.find` takes, or a `Batch` of ready features. Every document begins a
        group of its own. Durable batch by batch.
        """
        batches = [source] if isinstance(source, Batch) else self.batches(source, threads=threads, **reading)
        return sum(seed(self, batch, update=update, threads=_threads(threads)) for batch in batches)

    def remove(self, ids: str | Iterable[str]) -> int:
        """Remove documents by id, all or none; how many. An unknown id is an InputError."""
        if isinstance(ids, str) or not isinstance(ids, Iterable):
            ids = [ids]
        return self.keeper.remove(list(ids))

    def merge_groups(self, left: str, right: str) -> str:
        """Make the groups of two documents one; the id of the older, which stays."""
        return self.keeper.merge_groups(left, right)

    def compact(self) -> None:
        """Write all live contents into one segment and drop what was removed."""
        self.upkeep.compact()

    def refresh(self) -> None:
        """Freeze the document frequencies of what is stored now, and weigh everything anew by them."""
        self.upkeep.refresh()

    # -- looking ------------------------------------------------------------------------

    @property
    def threshold(self) -> float:
        """The score from which a document counts as seen, unless said otherwise."""
        return self.recipe.threshold

    @property
    def method(self) -> Method:
        """The recipe of the index."""
        return self.recipe.method

    @property
    def damaged(self) -> dict[str, str]:
        """Segments that cannot be read, with the reason; only with `skip_damaged`."""
        with self.reading():
            return dict(self.snapshot.damaged)

    def __len__(self) -> int:
        """How many documents are stored."""
        with self.reading():
            return int(self.database.execute("SELECT count(*) FROM documents").fetchone()[0])

    def __contains__(self, id: object) -> bool:
        with self.reading():
            return writing.is_id(id) and bool(self.keeper.numbers(self.database, [str(id)]))

    def ids(self) -> Iterator[str]:
        """The ids of all stored documents in the order of adding. What is added meanwhile may be missing."""
        last = 0
        while True:
            with self.reading():
                rows = self.database.execute(
                    "SELECT number, id FROM documents WHERE number > ? ORDER BY number LIMIT 10000", (last,)
                ).fetchall()
            if not rows:
                return
            last = rows[-1][0]
            yield from (id for _, id in rows)

    def groups(self) -> list[Group]:
        """All groups of two or more stored documents, oldest first."""
        with self.reading():
            return list(groups.everyone(self.database))

    def group_of(self, id: str) -> str:
        """The id of the group a document is in; a former group id leads to the present one."""
        with self.reading():
            return groups.name(self.database, self._group_number(id))

    def history(self, id: str) -> list[Merge]:
        """The merges that made the group of a document (or the group of that id) what it is, oldest first."""
        with self.reading():
            return groups.history(self.database, self._group_number(id))

    def stats(self) -> Stats:
        """Documents, contents, segments, bytes and dates, in numbers."""
        with self.reading():
            return stats(self)

    def verify(self) -> list[str]:
        """Read everything and name each file that is damaged and why; empty if all is well."""
        return problems(self)

    # -- inside -------------------------------------------------------------------------

    def batches(self, source: Any, *, threads: int | None = None, **reading: Any) -> Iterator[Batch]:
        """The documents of a source as batches for `add_batch`, `seed` and `query_many`."""
        opened = source if isinstance(source, read.Source) else read.open(source, **reading)
        now = time.time_ns() // 1000
        yield from self.recipe.read(opened, threads=_threads(threads), now=now)

    def batch(self, features: Features, *, ids: list[str], dates: Sequence[Any] | None = None) -> Batch:
        """Ready features, as the method's feature part makes them, as a batch."""
        now = time.time_ns() // 1000
        stamps = [now] * len(ids) if dates is None else [asked_date(one) for one in dates]
        return self.recipe.batch(features, ids=ids, dates=stamps)

    def _one(
        self, text: str | bytes | Features, *, id: str = "", date: Any = None, url: str | None = None
    ) -> Batch:
        stamp = time.time_ns() // 1000 if date is None else asked_date(date)
        if isinstance(text, Features):
            if len(text) != 1:
                raise SettingError("features", found=f"{len(text)} rows", expected="those of one document")
            return self.recipe.batch(text, ids=[id], dates=[stamp])
        if not isinstance(text, str | bytes):
            raise InputError(f"expected a text, bytes or features, found {type(text).__name__}")
        return self.recipe.of_one(text, id=id, date=stamp, url=url)

    def _group_number(self, id: str) -> int:
        writing.check_ids([id])
        number = groups.number_of(self.database, id)
        if number is None:
            raise InputError(f"no document and no group with the id {id!r}", where=str(self.path))
        return number

    def __enter__(self) -> Index:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Index {str(self.path)!r}: {self.method.name} at {self.threshold:g}>"


def _threads(threads: int | None) -> int:
    return threads or os.cpu_count() or 1
