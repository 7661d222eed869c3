"""The Hamming matcher, slow and obvious: every pair, bit by bit counted."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Rows = npt.NDArray[np.uint64]
Pair = tuple[int, int, int]


def distance(left: Rows, right: Rows) -> int:
    return sum(bin(int(a) ^ int(b)).count("1") for a, b in zip(left, right, strict=True))


def hamming_join(rows: Rows, limit: int) -> list[Pair]:
    n = len(rows)
    pairs = ((i, j, distance(rows[i], rows[j])) for i in range(n) for j in range(i + 1, n))
    return [pair for pair in pairs if pair[2] <= limit]


def hamming_look_up(queries: Rows, stored: Rows, limit: int) -> list[Pair]:
    pairs = (
        (i, j, distance(query, kept)) for i, query in enumerate(queries) for j, kept in enumerate(stored)
    )
    return [pair for pair in pairs if pair[2] <= limit]


def hamming_distinct(rows: Rows) -> tuple[list[int], list[int]]:
    """(group of each row, first row of each group), groups numbered by first appearance."""
    seen: dict[bytes, int] = {}
    first = [i for i, row in enumerate(rows) if seen.setdefault(row.tobytes(), i) == i]
    number = {rows[i].tobytes(): g for g, i in enumerate(first)}
    return [number[row.tobytes()] for row in rows], first


def hamming_expand(group: list[int], pairs: list[Pair]) -> list[Pair]:
    """Pairs of groups as pairs of documents, the pairs inside a group included."""
    near = {(left, right): bits for left, right, bits in pairs}
    near.update({(right, left): bits for left, right, bits in pairs})
    near.update({(g, g): 0 for g in group})
    return [
        (i, j, near[group[i], group[j]])
        for i in range(len(group))
        for j in range(i + 1, len(group))
        if (group[i], group[j]) in near
    ]


def hamming_pairs_numpy(left: Rows, right: Rows, limit: int, *, self_join: bool) -> list[Pair]:
    """The same answer a block of rows at a time, for sizes where pure Python takes too long."""
    table = np.array([bin(byte).count("1") for byte in range(256)], dtype=np.uint16)
    pairs: list[Pair] = []
    for i, query in enumerate(left):
        start = i + 1 if self_join else 0
        differing = (right[start:] ^ query).view(np.uint8)
        bits = table[differing].sum(axis=1, dtype=np.int64)
        near = np.flatnonzero(bits <= limit)
        pairs += [(i, start + int(j), int(bits[j])) for j in near]
    return pairs
