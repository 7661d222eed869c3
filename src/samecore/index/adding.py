"""Documents answered and stored one after the other. Threads that add at the same time share a commit."""

from __future__ import annotations

import sqlite3
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from samecore.errors import InputError, unknown_name
from samecore.index import groups
from samecore.index.recipe import Batch
from samecore.index.writing import check_ids

if TYPE_CHECKING:
    from samecore.index.session import Session

GUESSES = ("best", "first")

#: The oldest live document of a content and its group, and the groups of all.
_OLDEST = (
    "SELECT number, coalesce(grp, number) FROM documents WHERE number = ?1 AND content IS NULL",
    "SELECT number, coalesce(grp, number) FROM documents WHERE content = ?1 ORDER BY number LIMIT 1",
)
_GROUPS = "SELECT DISTINCT coalesce(grp, number) FROM documents WHERE content = ?1"


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


@dataclass(eq=False)
class Request:
    """Documents that wait to be added, and what came of it."""

    batch: Batch
    options: Options
    answers: list[Answer] = field(default_factory=list)
    error: BaseException | None = None
    done: bool = False


class Adder:
    """Adds batches: each as a whole or not at all, its documents as if they came one by one.

    One thread at a time works, for all that wait when it begins: they share a transaction, and the sync of its
    commit. Who is done meanwhile waits for nobody: asking for the lock of the index to learn it
    would have them come and go one by one, with two or three to a commit however many there are.
    """

    def __init__(self, index: Session) -> None:
        self.index = index
        self._turn = threading.Condition()
        self._working = self._company = False
        self._waiting: list[Request] = []

    def add(self, batch: Batch, options: Options) -> list[Answer]:
        """The answers, row by row and then for what the batch skipped."""
        request = Request(batch, options)
        try:
            if self._must_work(request):
                self._serve()
        except BaseException:  # an interrupt; what was not begun is not to be
            with self._turn:
                if request in self._waiting:
                    self._waiting.remove(request)
            raise
        if request.error is not None:
            raise request.error
        skipped = (
            Answer(one.id, "skipped", reason=one.detail.removeprefix(f"{one.id}: ")) for one in batch.skipped
        )
        return [*request.answers, *skipped]

    def _must_work(self, request: Request) -> bool:
        """Wait until a request is done (False), or nobody works for those that wait (True)."""
        with self._turn:
            self._waiting.append(request)
            while self._working and not request.done:
                self._turn.wait()
            if not request.done:
                self._working = True
            return not request.done

    def _serve(self) -> None:
        """Do the work of all that wait."""
        requests: list[Request] = []
        try:
            if self._company:  # those just served come back with more: of 8 threads 6 share a commit, not 4
                time.sleep(0)
            with self.index.lock:  # who comes while others read or compact is in time
                with self._turn:
                    requests, self._waiting = self._waiting, []
                self._company = len(requests) > 1
                self._work(requests)
        finally:
            with self._turn:
                for one in requests:
                    one.done = True
                self._working = False
                self._turn.notify_all()

    def _work(self, requests: list[Request]) -> None:
        try:
            with self.index.changing() as database:
                for request in requests:
                    self._add(database, request)
        except BaseException as error:
            for request in requests:
                request.answers = []
                if len(requests) > 1 and isinstance(error, Exception) and request.error is None:
                    self._work([request])  # what is wrong with one is not the fault of the others
                else:
                    request.error = request.error or error
            return
        self.index.upkeep.rotate_if_due()

    def _add(self, database: sqlite3.Connection, request: Request) -> None:
        options = request.options
        try:
            batch = self.index.recipe.current(request.batch)
            sizes = batch.sizes.tolist()
            self._check(database, batch.ids, sizes, update=options.update)
        except InputError as error:  # nothing has changed yet, the others can go on
            request.error = error
            return
        for row, size in enumerate(sizes):
            if size:
                answer = self._add_one(database, batch.rows(row, row + 1), options)
            else:
                answer = Answer(batch.ids[row], "skipped", reason=batch.why_empty(row))
            request.answers.append(answer)

    def _check(self, database: sqlite3.Connection, ids: list[str], sizes: list[int], *, update: bool) -> None:
        """Refuse what is no id, and without `update` ids that are there already. Rows without features need none."""
        check_ids(ids)
        if update:
            return
        keeper = self.index.keeper
        keeper.refuse_stored(database, [id for id, size in zip(ids, sizes, strict=True) if size])

    def _add_one(self, database: sqlite3.Connection, one: Batch, options: Options) -> Answer:
        keeper, id, now = self.index.keeper, one.ids[0], time.time_ns() // 1000
        if options.update:
            keeper.delete(database, list(keeper.numbers(database, [id]).values()))
        _, contents, scores = self.index.snapshot.search(one, options.threshold)
        found = sorted(zip((-scores).tolist(), contents.tolist(), strict=True))
        partner, score, around = _partner(database, found, options)
        partner_id = None if partner is None else keeper.id_of(database, partner)
        if partner is not None and not options.duplicates:
            group = groups.name(database, groups.root(database, around[0]))
            return Answer(id, "duplicate", partner_id, score, group)
        number = keeper.take_numbers(database, 1)
        content = None
        if found and found[0][0] == -1.0 and not self.index.recipe.weighs:
            content = found[0][1]  # the same features are stored, though perhaps of no live document
        else:
            keeper.store(database, one, [number])
        joined = None
        if partner is not None:
            joined = groups.merge(database, {groups.root(database, group) for group in around}, now=now)
        database.execute(
            "INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?, ?)",
            (number, id, one.dates[0], content, joined, partner, score),
        )
        if joined is None:
            return Answer(id, "new", group=groups.begin(database, number, id), stored=True)
        return Answer(id, "duplicate", partner_id, score, groups.name(database, joined), stored=True)


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
        oldest = next((row for ask in _OLDEST for row in database.execute(ask, (content,)).fetchall()), None)
        if oldest is None:
            continue
        number, group = oldest
        if options.components:
            around.append(group)
            around += (one for (one,) in database.execute(_GROUPS, (content,)))
        ahead = partner is None or (
            number < partner[1] if options.guess == "first" else (score, number) < partner
        )
        if ahead:
            partner, group_of_partner = (score, number), group
    if partner is None:
        return None, None, []
    return partner[1], -partner[0], around if options.components else [group_of_partner]
