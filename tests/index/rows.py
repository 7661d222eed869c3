"""Made-up features for the tests of the index, the same for the same number."""

from __future__ import annotations

import random
from functools import cache

import numpy as np

from samecore.features.csr import Features


@cache
def row(number: int) -> dict[int, int]:
    """Every third document is like one before it; a few keys are in most documents."""
    base = number - number % 3
    chance = random.Random(base)
    keys = {chance.randrange(10**6): 1 for _ in range(20)} | dict.fromkeys(range(5), 1 + base % 2)
    if number % 3:
        keys |= {10**7 + number * 10 + step: 1 for step in range(number % 3 * 3)}
    return keys


def features(rows: list[dict[int, int]]) -> Features:
    """Keys and counts of each row."""
    offsets = np.concatenate(([0], np.cumsum([len(row) for row in rows]))).astype(np.int64)
    ordered = [item for row in rows for item in sorted(row.items())]
    keys, counts = zip(*ordered, strict=True) if ordered else ((), ())
    return Features(offsets, np.array(keys, np.uint64), np.array(counts, np.uint32))


def made(numbers: list[int]) -> Features:
    """The features of documents by number."""
    return features([row(number) for number in numbers])
