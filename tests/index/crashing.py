"""A writer that works until it is killed. What it begins and what was acknowledged goes to standard output.

    crashing.py INDEX SEED [POINT]
    crashing.py INDEX SEED threads

With a POINT, 'replace:2' or 'unlink:1', it kills itself just before that call of os.replace or Path.unlink;
'replaced:2' just after.
With 'threads', eight of them add one document after the other and share commits.
"""

from __future__ import annotations

import os
import pathlib
import random
import signal
import sys
import threading

sys.path.insert(0, os.path.dirname(__file__))
from rows import made

from samecore.index import seeding, upkeep
from samecore.index.index import Index


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def arm(point: str) -> None:
    """Kill this process at the n-th call."""
    name, _, count = point.partition(":")
    left = int(count)
    owner, attribute = (pathlib.Path, "unlink") if name == "unlink" else (os, "replace")
    original = getattr(owner, attribute)

    def deadly(*arguments: object, **options: object) -> object:
        nonlocal left
        left -= 1
        if left == 0 and name != "replaced":
            die()
        result = original(*arguments, **options)
        if left == 0:
            die()
        return result

    setattr(owner, attribute, deadly)


def say(*words: object) -> None:
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


def add_from_threads(index: Index, number: int) -> None:
    def work(numbers: range) -> None:
        for one in numbers:
            say("begin", one)
            index.add(str(one), made([one]))
            say("done", one)

    for start in range(number, number + 8):
        threading.Thread(target=work, args=(range(start, start + 100_000, 8),)).start()


def main() -> None:
    # So few that segments are written and merged all the time.
    upkeep.RECENT_LIMIT, seeding.DIRECT_LIMIT = 20, 15
    chance = random.Random(int(sys.argv[2]))
    index = Index(sys.argv[1])
    index.upkeep.rotate_at = upkeep.RECENT_LIMIT
    stored = sorted(int(id) for id in index.ids())
    number = stored[-1] + 1 if stored else 0
    number += 1000  # whatever an earlier life may have begun
    if sys.argv[3:] == ["threads"]:
        say("ready")
        return add_from_threads(index, number)
    if len(sys.argv) > 3:
        arm(sys.argv[3])
    say("ready")
    while True:
        kind = chance.choice(["add", "add", "batch", "batch", "seed", "remove", "compact"])
        if kind in ("add", "batch", "seed"):
            many = (
                1 if kind == "add" else chance.randrange(2, 8) if kind == "batch" else chance.randrange(1, 40)
            )
            numbers = list(range(number, number + many))
            number += many
            batch = index.batch(made(numbers), ids=[str(one) for one in numbers])
            say("begin", "store", *numbers)
            if kind == "seed":
                index.seed(batch, threads=1)
            else:
                index.add_batch(batch)
            stored += numbers
        elif kind == "remove" and len(stored) > 5:
            numbers = chance.sample(stored, chance.randrange(1, 5))
            say("begin", "remove", *numbers)
            index.remove([str(one) for one in numbers])
            stored = [one for one in stored if one not in numbers]
        elif kind == "compact":
            say("begin", "compact")
            index.compact()
        else:
            continue
        say("done")


if __name__ == "__main__":
    main()
