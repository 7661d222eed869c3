"""What an index does for its user: answers, groups, dates, methods, and what it refuses."""

from __future__ import annotations

import gc
import os
import sqlite3
import subprocess
import sys
import threading
import time
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import NEWS, story

import samecore
from samecore.errors import InputError, SettingError
from samecore.features.csr import Features
from samecore.index import places
from samecore.index.errors import IndexFault, IndexLocked

sys.path.insert(0, str(Path(__file__).parent))
from rows import features, made


@pytest.fixture
def index(tmp_path: Path) -> samecore.Index:
    return samecore.Index.create(tmp_path / "index", "spotsigs", threshold=0.5)


def test_features_and_answers_are_those_of_find(tmp_path: Path) -> None:
    for name in ("spotsigs", "spotsigs-2008", "shingles", "simhash"):
        method = replace(samecore.method(name), frame="off")
        result = samecore.find(NEWS, method=method, group="components")
        expected = {(row["left"], row["right"], row["score"]) for row in result.pairs.to_pylist()}
        with samecore.Index.create(tmp_path / name, method, corpus=NEWS) as index:
            index.seed(NEWS)
            found = set()
            for batch in index.batches(NEWS):
                order = {id: row for row, id in enumerate(batch.ids)}
                for id, matches in zip(batch.ids, index.query_many(batch), strict=True):
                    found |= {(id, one.id, one.score) for one in matches if order[id] < order[one.id]}
            assert found == expected, name
            assert expected


def test_a_new_collection_against_an_index_is_find_against(tmp_path: Path) -> None:
    from samecore.index.against import find_against

    old, new = NEWS, NEWS / "plain-sheet"
    expected = samecore.find(new, against=old, method=replace(samecore.method("spotsigs"), frame="off"))
    with samecore.Index.create(tmp_path / "index", "spotsigs") as index:
        index.seed(old)
        result = find_against(new, index)
        assert result.pairs.sort_by("right").sort_by("left") == expected.pairs.sort_by("right").sort_by(
            "left"
        )
        assert result.at(0.5).pair_count == expected.at(0.5).pair_count
        result.write(tmp_path / "result")
        index.remove(list(index.ids()))
        assert find_against(new, index).pair_count == 0
    assert samecore.load(tmp_path / "result").pair_count == expected.pair_count


def test_first_and_best_guess_and_duplicates_left_out(index: samecore.Index) -> None:
    ten = dict.fromkeys(range(10), 1)
    nine, eight = dict.fromkeys(range(9), 1), dict.fromkeys(range(8), 1)
    assert index.add("eight", features([eight])).status == "new"
    assert index.add("ten", features([ten])).partner == "eight"
    best = index.add("best", features([nine]), guess="best", duplicates=False)
    assert (best.partner, best.score, best.stored) == ("ten", 0.9, False)
    first = index.add("first", features([nine]), guess="first", duplicates=False)
    assert (first.partner, first.score) == ("eight", 8 / 9)
    assert list(index.ids()) == ["eight", "ten"]
    with pytest.raises(SettingError, match="guess"):
        index.add("x", features([nine]), guess="last")


def test_a_tie_at_the_threshold_is_a_match(tmp_path: Path) -> None:
    with samecore.Index.create(tmp_path / "i", "spotsigs", threshold=0.35) as index:
        index.add("a", features([dict.fromkeys(range(20), 1)]))
        assert index.seen(features([dict.fromkeys(range(7), 1)])) is not None  # 7/20
        assert index.seen(features([dict.fromkeys(range(6), 1)])) is None
        assert index.seen(features([dict.fromkeys(range(7), 1)]), threshold=0.3500001) is None


def test_groups_keep_the_oldest_id_and_younger_ones_redirect(tmp_path: Path) -> None:
    left, right = dict.fromkeys(range(10), 1), dict.fromkeys(range(10, 20), 1)
    both = left | right
    with samecore.Index.create(tmp_path / "i", "spotsigs", threshold=0.5, groups="components") as index:
        for id, row in (("a", left), ("b", right), ("a2", left), ("b2", right)):
            index.add(id, features([row]))
        assert [(one.id, one.members) for one in index.groups()] == [("a", ("a", "a2")), ("b", ("b", "b2"))]
        assert index.history("b2") == []
        answer = index.add("both", features([both]))
        assert (answer.partner, answer.group) == ("a", "a")
        assert [(one.id, one.members) for one in index.groups()] == [("a", ("a", "b", "a2", "b2", "both"))]
        assert index.group_of("b2") == "a"
        (merge,) = index.history("both")
        assert (merge.younger, merge.older) == ("b", "a")
        assert abs(merge.date - datetime.now(timezone.utc)) < timedelta(minutes=5)
        index.remove(["a", "b"])
        assert index.group_of("b2") == index.group_of("b") == "a"  # a group keeps its id
        assert [(one.id, one.members) for one in index.groups()] == [("a", ("a2", "b2", "both"))]
        with pytest.raises(InputError, match="no document and no group"):
            index.group_of("nobody")


def test_groups_by_partner_merge_on_request_alone(index: samecore.Index) -> None:
    left, right = dict.fromkeys(range(10), 1), dict.fromkeys(range(10, 20), 1)
    for id, row in (("a", left), ("b", right), ("both", left | right)):
        index.add(id, features([row]))
    assert [(one.id, one.members) for one in index.groups()] == [("a", ("a", "both"))]
    assert index.merge_groups("b", "both") == "a"
    assert index.group_of("b") == "a"
    assert index.query(features([right]))[0].group == "a"


def test_similar_and_fresh_enough(index: samecore.Index) -> None:
    for day in (1, 2, 3):
        index.add(f"day {day}", story(1), date=f"2026-11-0{day}T12:00:00Z")
    ids = [one.id for one in index.query(story(1), newer_than="2026-11-01T12:00:00+00:00")]
    assert ids == ["day 2", "day 3"]
    assert index.seen(story(1), newer_than=datetime(2026, 11, 3, 12, tzinfo=timezone.utc)) is None
    found = index.seen(story(1), newer_than=datetime(2026, 11, 2, 13))
    assert found is not None
    assert found.date == datetime(2026, 11, 3, 12, tzinfo=timezone.utc)
    with pytest.raises(SettingError, match="newer_than"):
        index.seen(story(1), newer_than="yesterday")


def test_sources_are_read_with_their_dates_and_bad_documents_are_skipped(index: samecore.Index) -> None:
    rows = [
        {"id": "a", "text": story(1), "date": "2020-01-01"},
        {"id": "b", "text": "..."},
        {"id": "c", "text": story(1), "date": "once upon a time"},
    ]
    answers = {one.id: one for one in index.add_many(rows)}
    assert {id: one.status for id, one in answers.items()} == {"a": "new", "b": "skipped", "c": "duplicate"}
    assert "no words" in answers["b"].reason
    first, second = index.query(story(1))
    assert (first.date.year, second.date.year) == (2020, datetime.now(timezone.utc).year)
    assert index.add("d", "!?").status == "skipped"
    assert list(index.ids()) == ["a", "c"]


def test_ids_twice_and_unknown_ids(index: samecore.Index) -> None:
    index.add("a", story(1))
    with pytest.raises(InputError, match="'a' is there already"):
        index.add("a", story(2))
    with pytest.raises(InputError, match="'a' is there already"):
        index.seed([("b", story(3)), ("a", story(2))])
    assert list(index.ids()) == ["a"]
    assert index.add("a", story(2), update=True).status == "new"
    assert index.seen(story(1)) is None
    with pytest.raises(InputError, match="no document with the id 'x' and 1 more"):
        index.remove(["a", "x", "y"])
    assert "a" in index
    for bad in ("", 7):
        with pytest.raises(InputError, match="expected an id that is a text"):
            index.add(bad, story(3))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="twice in one batch"):
        index.add_batch(index.batch(made([1, 2]), ids=["t", "t"]))


def test_a_closed_index_says_so(index: samecore.Index) -> None:
    index.close()
    with pytest.raises(IndexFault, match="closed database; open the index again"):
        index.seen(story(1))


def test_copies_cost_one_content(index: samecore.Index) -> None:
    index.seed(index.batch(made([3] * 500), ids=[str(i) for i in range(500)]))
    for id in ("x", "y"):
        assert index.add(id, made([3])).partner == "0"
    facts = index.stats()
    assert (facts.documents, facts.contents) == (502, 1)
    index.remove([str(i) for i in range(500)])
    index.compact()
    assert [one.id for one in index.query(made([3]))] == ["x", "y"]


def test_the_table_of_frequencies_is_frozen_until_refreshed(tmp_path: Path) -> None:
    texts = [(str(number), story(number)) for number in range(30)]
    with samecore.Index.create(tmp_path / "i", "spotsigs-2008") as index:
        index.add_many(texts)
        assert index.stats().corpus == 0
        before = index.query(story(3))
        with samecore.Index(tmp_path / "i") as reader:
            asked = reader._one(story(3))  # weighed by the old table, asked after the new one came
            index.refresh()
            assert [one.id for one in reader.query_many(asked)[0]] == ["3"]
            assert reader.stats().corpus == index.stats().corpus == 30
        assert [one.id for one in before] == [one.id for one in index.query(story(3))] == ["3"]
        index.add("later", story(3))
        assert index.stats().corpus == 30
        assert index.verify() == []
        expected = samecore.find(texts, method="spotsigs-2008")
        with index.reading():
            stored = index.snapshot.segments[index.snapshot.names[0]]  # type: ignore[index]
            assert sorted(stored.arrays["sizes"].tolist()) == sorted(
                expected.features.totals().tolist()  # type: ignore[union-attr]
            )
    with (
        samecore.Index.create(tmp_path / "j", "shingles") as index,
        pytest.raises(SettingError, match="refresh"),
    ):
        index.refresh()


def test_antecedents_chosen_from_a_corpus_are_stored(tmp_path: Path) -> None:
    method = samecore.method("spotsigs", languages="auto")
    with pytest.raises(SettingError, match="corpus"):
        samecore.Index.create(tmp_path / "i", method)
    with samecore.Index.create(tmp_path / "i", method, corpus=NEWS) as index:
        index.seed(NEWS)
    with samecore.Index(tmp_path / "i", method=method) as index:
        assert len(index) == 64


def test_another_method_is_refused(tmp_path: Path, index: samecore.Index) -> None:
    samecore.Index(index.path, method="spotsigs").close()
    with pytest.raises(
        IndexFault, match="made with the method 'spotsigs' and refuses 'shingles': they differ in"
    ):
        samecore.Index(index.path, method="shingles")
    with pytest.raises(SettingError, match="Jaccard or by simhash"):
        samecore.Index.create(tmp_path / "c", "tfidf-cosine")


def test_what_is_no_index_is_refused(tmp_path: Path, index: samecore.Index) -> None:
    with pytest.raises(IndexFault, match="found nothing; create one first"):
        samecore.Index(tmp_path / "nowhere")
    (tmp_path / "file").write_text("a text")
    with pytest.raises(IndexFault, match="found a file"):
        samecore.Index(tmp_path / "file")
    (tmp_path / "folder").mkdir()
    with pytest.raises(IndexFault, match=r"a folder without index\.db"):
        samecore.Index(tmp_path / "folder")
    sqlite3.connect(tmp_path / "folder" / "index.db").executescript(
        "CREATE TABLE t (a); INSERT INTO t VALUES (1)"
    ).connection.close()
    with pytest.raises(IndexFault, match="another SQLite file"):
        samecore.Index(tmp_path / "folder")
    with pytest.raises(IndexFault, match="is an index already"):
        samecore.Index.create(index.path)
    index.close()
    database = sqlite3.connect(index.path / "index.db")
    database.execute("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(IndexFault, match="expected format 1, found 99"):
        samecore.Index(index.path)


def test_a_lock_says_who_holds_it_and_readers_go_on(index: samecore.Index) -> None:
    index.add("a", story(1))
    script = (
        "import sys, samecore\n"
        "index = samecore.Index(sys.argv[1])\n"
        "assert index.seen(sys.argv[2]).id == 'a'\n"
        "try:\n    index.add('b', sys.argv[2])\n"
        "except samecore.SamecoreError as error:\n    print(error)\n"
    )
    arguments = [sys.executable, "-c", script, str(index.path), story(1)]
    said = subprocess.run(arguments, capture_output=True, check=True).stdout.decode()
    assert f"found process {os.getpid()} on " in said
    with samecore.Index(index.path) as other:
        with pytest.raises(IndexLocked, match=r"reading is possible meanwhile"):
            other.remove("a")
        index.add("b", story(2))
        assert other.seen(story(2)) is not None  # a reader sees what was committed since
        index.compact()
        assert [one.id for one in other.query(story(2))] == ["b"]
        index.close()
        other.remove("a")


def test_network_file_systems_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(
        f"/dev/sda / ext4 rw 0 0\nserver:/x {tmp_path}/far\\040away nfs4 rw 0 0\nx {tmp_path}/ssh fuse.sshfs rw 0 0\n"
    )
    monkeypatch.setattr(places, "MOUNTS", mounts)
    for name in ("far away", "ssh"):
        with pytest.raises(IndexFault, match=r"expected a local file system, found (nfs4|fuse\.sshfs)"):
            samecore.Index.create(tmp_path / name / "index")
    samecore.Index.create(tmp_path / "near").close()


def test_threads_that_add_share_commits_and_fail_alone(index: samecore.Index) -> None:
    index.add("taken", made([999]))
    errors: list[Exception] = []

    def work(start: int) -> None:
        for number in range(start, start + 25):
            try:
                index.add("taken" if number % 25 == 7 else str(number), made([number]))
            except InputError as error:
                errors.append(error)

    threads = [threading.Thread(target=work, args=(25 * number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(errors) == 6
    assert len(index) == 1 + 6 * 24
    assert index.verify() == []


def test_all_that_wait_are_served_by_one_commit(
    index: samecore.Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    changes = []
    changing = index.changing
    monkeypatch.setattr(index, "changing", lambda: changes.append(1) or changing())
    threads = [threading.Thread(target=index.add, args=(str(n), made([n]))) for n in range(8)]
    with index.lock:
        for thread in threads:
            thread.start()
        while len(index.adder._waiting) < 8:
            time.sleep(0.001)
    for thread in threads:
        thread.join()
    assert (len(index), len(changes)) == (8, 1)


def test_what_fails_in_a_shared_commit_fails_alone(index: samecore.Index) -> None:
    """Keys out of order are found while others of the same commit are stored already."""
    unsorted = Features(np.array([0, 2]), np.array([5, 1], np.uint64), np.array([1, 1], np.uint32))
    rows = {"good": made([1]), "bad": unsorted, "also good": made([4])}
    failed: dict[str, Exception] = {}

    def add(id: str) -> None:
        try:
            index.add(id, rows[id])
        except ValueError as error:
            failed[id] = error

    threads = [threading.Thread(target=add, args=(id,)) for id in rows]
    with index.lock:
        for number, thread in enumerate(threads, 1):
            thread.start()
            while len(index.adder._waiting) < number:
                time.sleep(0.001)
    for thread in threads:
        thread.join()
    assert set(failed) == {"bad"}
    assert set(index.ids()) == {"good", "also good"}
    assert index.verify() == []


def test_an_add_that_is_interrupted_while_it_waits_is_not_done_later(
    index: samecore.Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(index.adder, "_working", True)
        patched.setattr(index.adder._turn, "wait", interrupted)
        with pytest.raises(KeyboardInterrupt):
            index.add("a", story(1))
    assert index.add("b", story(1)).status == "new"
    assert list(index.ids()) == ["b"]


def test_very_common_signatures_do_not_slow_queries(tmp_path: Path) -> None:
    # Ten keys that are in every document, as on the pages of one site; the other twenty are rare.
    many = 60_000
    rare = np.sort(np.random.default_rng(3).integers(1000, 2**60, (many, 20), dtype=np.uint64), axis=1)
    common = np.broadcast_to(np.arange(10, dtype=np.uint64), (many, 10))
    spent = {}
    for name, keys in (("rare", rare), ("common", np.concatenate([common, rare], axis=1))):
        offsets = np.arange(many + 1, dtype=np.int64) * keys.shape[1]
        corpus = Features(offsets, keys.reshape(-1).copy(), np.ones(keys.size, np.uint32))
        with samecore.Index.create(tmp_path / name, "spotsigs", threshold=0.5) as index:
            index.seed(index.batch(corpus, ids=[str(i) for i in range(many)]))
            rows = [corpus.rows(i, i + 1) for i in range(0, many, 200)]
            index.seen(rows[0])
            start = time.thread_time()
            found = [index.seen(one) for one in rows]
            spent[name] = time.thread_time() - start
            assert [one and one.id for one in found] == [str(i) for i in range(0, many, 200)]
    # Twenty elements decide at this threshold, so the ten long lists need not be read.
    assert spent["common"] < 4 * spent["rare"]


def test_find_takes_an_index_to_compare_with(tmp_path: Path) -> None:
    texts = [story(1), story(2), story(3)]
    with samecore.Index.create(tmp_path / "seen", method="shingles", threshold=0.3) as index:
        for number, text in enumerate(texts[:2]):
            index.add(f"old{number}", text)
        new = [("again", story(1) + " " + story(9, sentences=2)), ("fresh", story(3))]
        found = samecore.find(new, against=index).pairs.to_pylist()
        assert [(row["left"], row["right"]) for row in found] == [("again", "old0")]
        assert found == samecore.find(new, against=index, method="shingles").pairs.to_pylist()
        with pytest.raises(samecore.SamecoreError, match="refuses 'minhash'"):
            samecore.find(new, against=index, method="minhash")


@pytest.mark.parametrize("date", [1e300, float("inf"), 10**30, 1.7e12, -1e12, "0001-01-01T00:00:00+14:00"])
def test_a_date_that_could_not_be_told_again_is_refused(index: samecore.Index, date: object) -> None:
    with pytest.raises(SettingError, match="years 1 to 9999"):
        index.add("a", story(1), date=date)
    with pytest.raises(SettingError, match="years 1 to 9999"):
        index.query(story(1), newer_than=date)


def test_dates_are_kept_to_the_microsecond(index: samecore.Index) -> None:
    dates = [
        datetime(1, 1, 1),
        datetime(9999, 12, 31, 23, 59, 59, 999_999),
        datetime(2999, 5, 6, 7, 8, 9, 11),
    ]
    for number, date in enumerate(dates):
        index.add(f"{number}", story(1), date=date)
    found = {one.id: one.date.replace(tzinfo=None) for one in index.query(story(1))}
    assert found == {f"{number}": date for number, date in enumerate(dates)}
    assert [one.id for one in index.query(story(1), newer_than=dates[2])] == ["1"]
    assert index.stats().oldest == dates[0].replace(tzinfo=timezone.utc)


def test_dates_of_a_column_that_are_none_do_not_spoil_an_index(index: samecore.Index, tmp_path: Path) -> None:
    before = datetime.now(timezone.utc)
    table = pa.table({"id": ["a"], "text": [story(1)], "date": [1_700_000_000_000]})
    pq.write_table(table, tmp_path / "seconds.parquet")
    far = pa.array([2**52], pa.timestamp("ms"))
    pq.write_table(pa.table({"id": ["b"], "text": [story(1)], "date": far}), tmp_path / "far.parquet")
    for name in ("seconds.parquet", "far.parquet"):
        index.add_many(tmp_path / name)
    for found in index.query(story(1)):
        assert abs((found.date - before).total_seconds()) < 60


def test_ids_that_cannot_be_stored_are_refused_and_not_there(index: samecore.Index) -> None:
    lone = "\ud800"
    for call in (lambda: index.add(lone, story(1)), lambda: index.remove(lone), lambda: index.group_of(lone)):
        with pytest.raises(InputError, match="expected an id that is a text"):
            call()
    assert lone not in index
    assert object() not in index


def test_stats_count_the_groups_there_are(index: samecore.Index) -> None:
    for number in range(4):
        index.add(f"{number}", story(number))
        index.add(f"{number}-again", story(number))
    assert index.stats().groups == len(index.groups()) == 4
    index.merge_groups("0", "1")
    index.remove(["0", "0-again"])
    index.remove(["3"])
    assert [one.members for one in index.groups()] == [("1", "1-again"), ("2", "2-again")]
    assert index.stats().groups == 2


def test_copies_do_not_slow_what_is_added_or_asked(tmp_path: Path) -> None:
    """Of a content only the oldest live document is looked up, however many copies there are."""
    with samecore.Index.create(tmp_path / "index", "minhash", threshold=0.5) as index:
        rows = features([{1: 1, 2: 1, 3: 1}] * 1000)
        index.seed(index.batch(rows, ids=[f"{n}" for n in range(1000)]))
        looked_up = 0
        index.database.set_progress_handler(lambda: count(), 100)

        def count() -> None:
            nonlocal looked_up
            looked_up += 100

        assert index.add("b", features([{1: 1, 2: 1, 3: 1}])).partner == "0"
        assert index.seen(features([{1: 1, 2: 1, 3: 1}])).id == "0"
        index.database.set_progress_handler(None, 0)
        assert looked_up < 2000


def test_a_copy_joins_the_groups_of_all_copies_where_groups_are_components(tmp_path: Path) -> None:
    with samecore.Index.create(tmp_path / "index", "minhash", threshold=0.5, groups="components") as index:
        index.seed(index.batch(features([{1: 1, 2: 1, 3: 1}] * 3), ids=["a", "b", "c"]))
        index.add("d", features([{1: 1, 2: 1, 3: 1}]))
        assert [one.members for one in index.groups()] == [("a", "b", "c", "d")]


def test_closing_lets_go_of_the_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("samecore.index.seeding.DIRECT_LIMIT", 2)
    with samecore.Index.create(tmp_path / "index", "minhash") as index:
        index.seed(index.batch(features([{1: 1}, {2: 1}, {3: 1}]), ids=["a", "b", "c"]))
    gc.disable()
    try:
        before = len(os.listdir("/proc/self/fd"))
        for _ in range(20):
            with samecore.Index(tmp_path / "index") as opened:
                assert opened.seen(features([{1: 1}]))
        assert len(os.listdir("/proc/self/fd")) == before
    finally:
        gc.enable()


def test_a_closed_index_says_so_and_takes_no_lock(tmp_path: Path) -> None:
    index = samecore.Index.create(tmp_path / "index", "minhash")
    index.close()
    for call in (lambda: index.add("a", features([{1: 1}])), index.verify, index.compact, lambda: len(index)):
        with pytest.raises(IndexFault, match="open the index again"):
            call()
    with samecore.Index(tmp_path / "index") as other:
        assert other.add("a", features([{1: 1}])).stored


def test_compacting_while_threads_add_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("samecore.index.upkeep.RECENT_LIMIT", 20)
    failed: list[BaseException] = []
    monkeypatch.setattr(threading, "excepthook", lambda told: failed.append(told.exc_value))
    index = samecore.Index.create(tmp_path / "index", "minhash", threshold=0.5)
    index.upkeep.rotate_at = 20
    adding = True

    def compact() -> None:
        while adding:
            index.compact()

    def add(worker: int) -> None:
        for n in range(60):
            first = 1_000_000 * worker + 100 * n
            index.add_batch(
                index.batch(
                    features([{first + k: 1} for k in range(15)]), ids=[f"{first + k}" for k in range(15)]
                )
            )

    compacting = threading.Thread(target=compact)
    workers = [threading.Thread(target=add, args=(one,)) for one in range(2)]
    for one in (compacting, *workers):
        one.start()
    for one in workers:
        one.join()
    adding = False
    compacting.join()
    assert failed == []
    assert index.upkeep.trouble == ""
    assert len(index) == 2 * 60 * 15
    assert index.verify() == []
    index.close()


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may write anywhere"
)
def test_a_folder_that_cannot_be_written_to_is_named(tmp_path: Path) -> None:
    samecore.Index.create(tmp_path / "index", "minhash").close()
    (tmp_path / "index" / "index.db").chmod(0o444)
    (tmp_path / "index").chmod(0o555)
    try:
        with pytest.raises(IndexFault, match="right to write"), samecore.Index(tmp_path / "index") as index:
            len(index)
    finally:
        (tmp_path / "index").chmod(0o755)
