"""A writer is killed, again and again: what it acknowledged is there, nothing is half there, all is sound.

`make crash` does this a hundred times; SAMECORE_CRASHES says how often.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

import samecore

sys.path.insert(0, str(Path(__file__).parent))
from rows import made, row

CRASHES = int(os.environ.get("SAMECORE_CRASHES", "10"))
SCRIPT = Path(__file__).parent / "crashing.py"
POINTS = ["replace:1", "replaced:2", "replace:4", "unlink:1"]


class Account:
    """What must be in the index, and what may be: a change that was begun and never acknowledged."""

    def __init__(self) -> None:
        self.stored: set[int] = set()

    def settle(self, log: list[str], found: set[int]) -> None:
        """Go through what a writer said before it died; a last change that is open is all there or not at all."""
        begun: tuple[str, set[int]] | None = None
        for line in log:
            words = line.split()
            if words[0] == "begin":
                begun = (words[1], {int(one) for one in words[2:]})
            elif words[0] == "done" and begun is not None:
                self._apply(begun)
                begun = None
        if begun is not None and begun[1]:
            # A seed is stored in one transaction here, a batch always is.
            inside = begun[1] & found
            assert inside in (set(), begun[1]), f"{begun[0]} is half done"
            if (begun[0] == "store") == bool(inside):
                self._apply(begun)
        assert found == self.stored

    def _apply(self, change: tuple[str, set[int]]) -> None:
        if change[0] == "store":
            self.stored |= change[1]
        elif change[0] == "remove":
            self.stored -= change[1]


def live_and_die(folder: Path, seed: int, *, point: str | None = None, wait_s: float = 0.0) -> list[str]:
    """What a writer said until it died: by its own hand at a point, or killed after a while."""
    arguments = [sys.executable, str(SCRIPT), str(folder), str(seed), *([point] if point else [])]
    # Unbuffered, or reading the first line would take others with it that `communicate` then misses.
    with subprocess.Popen(arguments, bufsize=0, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        first = child.stdout.readline()
        assert first == b"ready\n", child.stderr.read().decode()
        try:
            rest, errors = child.communicate(timeout=wait_s or (20 if point else 0))
            assert child.returncode == -9, errors.decode()
        except subprocess.TimeoutExpired:
            child.kill()
            rest, errors = child.communicate()
        assert errors == b"", errors.decode()
    lines = rest.decode().split("\n")
    return [line for line in lines[:-1] if line]  # the last may be cut off


def check(folder: Path, account: Account, log: list[str]) -> None:
    with samecore.Index(folder) as index:
        assert index.verify() == []
        account.settle(log, {int(id) for id in index.ids()})
        for number in sorted(account.stored)[:: max(1, len(account.stored) // 20)]:
            matches = index.query(made([number]), threshold=0.4)
            scores = {str(one): jaccard(number, one) for one in account.stored}
            assert {one.id: one.score for one in matches} == {
                id: score for id, score in scores.items() if score >= 0.4
            }
        leftovers = {path.name for path in folder.iterdir() if path.suffix == ".part"}
    with samecore.Index(folder) as index:
        index.add("again", "The next writer is not hindered by what the last one left behind in the folder.")
        index.remove("again")
        assert not leftovers & {path.name for path in folder.iterdir()}


def jaccard(left: int, right: int) -> float:
    one, other = row(left), row(right)
    keys = one.keys() | other.keys()
    low = sum(min(one.get(key, 0), other.get(key, 0)) for key in keys)
    return low / sum(max(one.get(key, 0), other.get(key, 0)) for key in keys)


def test_a_killed_writer_loses_nothing_it_acknowledged(tmp_path: Path) -> None:
    folder, account = tmp_path / "index", Account()
    samecore.Index.create(folder, "spotsigs", threshold=0.5).close()
    chance = random.Random(7)
    for crash in range(CRASHES):
        log = live_and_die(folder, crash, wait_s=chance.uniform(0, 0.4))
        check(folder, account, log)


@pytest.mark.parametrize("point", POINTS)
def test_killed_while_a_segment_is_written_named_or_replaced(tmp_path: Path, point: str) -> None:
    folder, account = tmp_path / "index", Account()
    samecore.Index.create(folder, "spotsigs", threshold=0.5).close()
    check(folder, account, live_and_die(folder, POINTS.index(point), point=point))


def test_killed_while_threads_share_commits(tmp_path: Path) -> None:
    folder, stored = tmp_path / "index", set()
    samecore.Index.create(folder, "spotsigs", threshold=0.5).close()
    for crash in range(max(2, CRASHES // 10)):
        words = [line.split() for line in live_and_die(folder, crash, point="threads", wait_s=0.4)]
        begun, done = ({int(one) for kind, one in words if kind == asked} for asked in ("begin", "done"))
        with samecore.Index(folder) as index:
            found = {int(id) for id in index.ids()}
            assert done | stored <= found <= begun | stored
            assert len(done) > 8
            assert index.verify() == []
            for number in sorted(found)[::20]:
                match = index.seen(made([number]))
                assert match is not None
                assert match.score == 1.0
        stored = found
