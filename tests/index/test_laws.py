"""The law of the index: after any sequence of changes every answer is that of comparing with all that is stored."""

from __future__ import annotations

import shutil
import sys
import tempfile
from dataclasses import replace
from datetime import datetime, timezone
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import ROOT
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from twins.index import SlowIndex

import samecore
from samecore.features.csr import Features
from samecore.index import seeding, upkeep
from samecore.index.recipe import Batch
from samecore.match.exact import exact
from samecore.methods import method

sys.path.insert(0, str(ROOT))
from bench.corpus import make_corpus

ROWS = st.dictionaries(st.integers(0, 9), st.integers(1, 3), min_size=1, max_size=6)
THRESHOLDS = ("0.2", "0.35", "0.5", "0.75", "1")
PRINTS = st.integers(0, 2**64 - 1) | st.sampled_from([0, 1, 3, 7, 2**63, 2**64 - 1])


def features(rows: list[dict[int, int]]) -> Features:
    offsets = np.concatenate(([0], np.cumsum([len(row) for row in rows]))).astype(np.int64)
    ordered = [item for row in rows for item in sorted(row.items())]
    keys, counts = zip(*ordered, strict=True) if ordered else ((), ())
    return Features(offsets, np.array(keys, np.uint64), np.array(counts, np.uint32))


class Life(RuleBasedStateMachine):
    """Documents come and go, the index is compacted, rotated and reopened; the twin knows the answers."""

    @initialize(
        threshold=st.sampled_from(THRESHOLDS),
        kind=st.sampled_from(["multiset", "set", "simhash"]),
        limit=st.integers(1, 6),
    )
    def begin(self, threshold: str, kind: str, limit: int) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.kind = kind
        recipe = replace(method("spotsigs"), multiset=kind == "multiset")
        if kind == "simhash":
            recipe = method("simhash")
        self.index = samecore.Index.create(self.folder / "index", recipe, threshold=float(threshold))
        self.twin = SlowIndex(Fraction(threshold), multiset=kind == "multiset", bits=64)
        self.count = 0
        self.limits = upkeep.RECENT_LIMIT, seeding.DIRECT_LIMIT
        # So few that the log is turned over and segments are merged all the time.
        upkeep.RECENT_LIMIT, seeding.DIRECT_LIMIT = limit, limit + 1
        self.index.upkeep.rotate_at = limit

    def teardown(self) -> None:
        if hasattr(self, "index"):
            assert self.index.verify() == []
            assert self.index.upkeep.trouble == ""
            self.index.close()
            upkeep.RECENT_LIMIT, seeding.DIRECT_LIMIT = self.limits
            shutil.rmtree(self.folder)

    def batch(self, rows: list[Any], ids: list[str], dates: list[int]) -> Batch:
        """Fingerprints cannot be asked for by features, so they are put into the batch as they are."""
        if self.kind != "simhash":
            return self.index.batch(features(rows), ids=ids, dates=dates)
        prints = np.array(rows, np.uint64).reshape(-1, 1)
        batch = self.index.batch(features([{1: 1}] * len(rows)), ids=ids, dates=dates)
        return replace(batch, prints=prints)

    def some(self, data: Any, many: int) -> list[Any]:
        kind = PRINTS if self.kind == "simhash" else ROWS
        rows = data.draw(st.lists(kind, min_size=1, max_size=many))
        stored = [row for _, row, _ in self.twin.documents.values()]
        if stored and data.draw(st.booleans()):  # one that is there already
            rows.append(data.draw(st.sampled_from(stored)))
        return rows

    def names(self, many: int) -> list[str]:
        self.count += many
        return [f"d{number}" for number in range(self.count - many, self.count)]

    @rule(
        data=st.data(),
        date=st.integers(0, 5),
        guess=st.sampled_from(["best", "first"]),
        duplicates=st.booleans(),
    )
    def add(self, data: Any, date: int, guess: str, duplicates: bool) -> None:
        rows = self.some(data, 4)
        ids = self.names(len(rows))
        answers = self.index.add_batch(
            self.batch(rows, ids, [date] * len(rows)), guess=guess, duplicates=duplicates
        )
        for id, row, answer in zip(ids, rows, answers, strict=True):
            expected = self.twin.add(id, row, date, guess=guess, duplicates=duplicates)
            if expected is None:
                assert (answer.status, answer.partner) == ("new", None)
            else:
                assert (answer.status, answer.partner, answer.score) == (
                    "duplicate",
                    expected[0],
                    float(expected[1]),
                )
            assert answer.stored == (id in self.twin.documents)

    @rule(data=st.data(), date=st.integers(0, 5))
    def seed(self, data: Any, date: int) -> None:
        rows = self.some(data, 8)
        ids = self.names(len(rows))
        self.index.seed(self.batch(rows, ids, [date] * len(rows)))
        for id, row in zip(ids, rows, strict=True):
            self.twin.number += 1
            self.twin.documents[id] = (self.twin.number, row, date)

    @precondition(lambda self: self.twin.documents)
    @rule(data=st.data())
    def remove(self, data: Any) -> None:
        ids = data.draw(
            st.lists(st.sampled_from(list(self.twin.documents)), min_size=1, max_size=4, unique=True)
        )
        self.index.remove(ids)
        for id in ids:
            del self.twin.documents[id]

    @precondition(lambda self: self.count)
    @rule(data=st.data())
    def update(self, data: Any) -> None:
        """Of documents that are there, or were, perhaps twice in a batch."""
        rows = self.some(data, 3)
        ids = [f"d{data.draw(st.integers(0, self.count - 1))}" for _ in rows]
        answers = self.index.add_batch(self.batch(rows, ids, [9] * len(rows)), update=True)
        for id, row, answer in zip(ids, rows, answers, strict=True):
            self.twin.documents.pop(id, None)
            expected = self.twin.add(id, row, 9)
            assert answer.partner == (None if expected is None else expected[0])

    @rule()
    def compact(self) -> None:
        self.index.compact()
        assert self.index.stats().dead == 0

    @rule()
    def reopen(self) -> None:
        self.index.close()
        self.index = samecore.Index(self.folder / "index")
        self.index.upkeep.rotate_at = upkeep.RECENT_LIMIT

    @rule(data=st.data(), threshold=st.sampled_from([None, *THRESHOLDS]), best=st.sampled_from([None, 1, 2]))
    def ask(self, data: Any, threshold: str | None, best: int | None) -> None:
        rows = self.some(data, 3)
        after = data.draw(st.sampled_from([None, 0, 2]))
        least = None if threshold is None else Fraction(threshold)
        found = self.index.query_many(
            self.batch(rows, [""] * len(rows), [0] * len(rows)),
            threshold=None if threshold is None else float(threshold),
            best=best,
            newer_than=None if after is None else datetime.fromtimestamp(after, timezone.utc),
        )
        with samecore.Index(self.folder / "index") as reader:  # another reader sees the same
            again = reader.query_many(self.batch(rows, [""] * len(rows), [0] * len(rows)), threshold=1.0)
        for row, matches, equal in zip(rows, found, again, strict=True):
            expected = self.twin.query(row, threshold=least, best=best, newer_than=after)
            assert [(one.id, one.score) for one in matches] == [(id, float(score)) for id, score in expected]
            assert [one.id for one in equal] == [id for id, _ in self.twin.query(row, threshold=Fraction(1))]

    @invariant()
    def no_two_groups_share_an_id(self) -> None:
        if hasattr(self, "index"):
            with self.index.reading():
                ids = list(self.twin.documents)
                number = {id: self.index._group_number(id) for id in ids}
                assert len({self.index.group_of(id) for id in ids}) == len(set(number.values()))

    @invariant()
    def holds_what_was_added(self) -> None:
        if hasattr(self, "index"):
            assert list(self.index.ids()) == [
                id for id, _ in sorted(self.twin.documents.items(), key=lambda item: item[1][0])
            ]


TestLife = Life.TestCase
TestLife.settings = settings(
    max_examples=20, stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck)
)


@pytest.mark.parametrize("preset", ["default-like", "rare"])
def test_segments_of_some_size_give_the_pairs_of_the_exact_join(tmp_path: Path, preset: str) -> None:
    corpus = make_corpus(3000, mean=30, preset=preset, seed=5).features
    pairs = exact(corpus, threshold=0.2).expand()
    expected = set(zip(pairs.left.tolist(), pairs.right.tolist(), pairs.score.tolist(), strict=True))
    with samecore.Index.create(tmp_path / "i", "spotsigs", threshold=0.2) as index:
        batch = index.batch(corpus, ids=[str(i) for i in range(len(corpus))])
        for start in range(0, 3000, 1000):
            index.seed(batch.rows(start, start + 1000))
            index.upkeep.rotate()
        assert index.stats().segments == 3
        for threads in (1, 2):
            answers = index.query_many(batch, threads=threads)
            found = {(row, int(one.id), one.score) for row, matches in enumerate(answers) for one in matches}
            assert {pair for pair in found if pair[0] < pair[1]} == expected
            assert all((right, left, score) in found for left, right, score in expected)
            index.compact()
