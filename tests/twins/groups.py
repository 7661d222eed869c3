"""Slow, obvious twins of the grouping kernels: definitions first, speed nowhere.

A graph is `n` contents and scored pairs (left < right, sorted). Signatures follow
`samecore._core`; a pair that is not listed counts as 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, product


def components(
    n: int, left: Sequence[int], right: Sequence[int], score: Sequence[float], threshold: float
) -> list[int]:
    """Relabels both ends with the smaller label until nothing changes."""
    labels = list(range(n))
    changed = True
    while changed:
        changed = False
        for a, b, s in zip(left, right, score, strict=True):
            if s >= threshold and labels[a] != labels[b]:
                labels[a] = labels[b] = min(labels[a], labels[b])
                changed = True
    return labels


def stars(
    n: int,
    left: Sequence[int],
    right: Sequence[int],
    score: Sequence[float],
    threshold: float,
    order: Sequence[int],
) -> tuple[list[int], list[float]]:
    """Each content joins the best earlier leader it reaches the threshold with, or leads."""
    listed = {(a, b): s for a, b, s in zip(left, right, score, strict=True)}
    leaders: list[int] = []
    leader_of, score_with = list(range(n)), [1.0] * n
    for content in order:
        best, best_score = content, -1.0
        for leader in leaders:  # in the order of visits: only a higher score replaces
            s = listed.get((min(leader, content), max(leader, content)), 0.0)
            if s >= threshold and s > best_score:
                best, best_score = leader, s
        if best == content:
            leaders.append(content)
        else:
            leader_of[content], score_with[content] = best, best_score
    return leader_of, score_with


Groups = list[set[int]]
Listed = dict[tuple[int, int], float]


def average_linkage(
    n: int,
    left: Sequence[int],
    right: Sequence[int],
    score: Sequence[float],
    threshold: float,
    multiplicity: Sequence[int],
    threads: int = 1,
) -> list[int]:
    """Greedy merging by the mean score over all pairs of documents across."""

    def steps(value: float) -> int:
        return math.floor(value * 2**48 + 0.5)

    def similarity(a: set[int], b: set[int], listed: Listed) -> int:
        total = sum(
            steps(listed.get((min(x, y), max(x, y)), 0.0)) * multiplicity[x] * multiplicity[y]
            for x, y in product(a, b)
        )
        return total // (sum(multiplicity[x] for x in a) * sum(multiplicity[y] for y in b))

    return _greedy(n, left, right, score, threshold, similarity, max(steps(threshold) - 2, 1))


def complete_linkage(
    n: int,
    left: Sequence[int],
    right: Sequence[int],
    score: Sequence[float],
    threshold: float,
    threads: int = 1,
) -> list[int]:
    """Greedy merging by the lowest score across."""

    def similarity(a: set[int], b: set[int], listed: Listed) -> float:
        return min(listed.get((min(x, y), max(x, y)), 0.0) for x, y in product(a, b))

    return _greedy(n, left, right, score, threshold, similarity, threshold)


def _greedy(
    n: int,
    left: Sequence[int],
    right: Sequence[int],
    score: Sequence[float],
    threshold: float,
    similarity: Callable[[set[int], set[int], Listed], float],
    least: float,
) -> list[int]:
    """Within each component: merge the most similar two, ties by their earliest listed pair."""
    listed = {(a, b): s for a, b, s in zip(left, right, score, strict=True)}
    component = components(n, left, right, score, threshold)
    labels = list(range(n))
    for root in sorted(set(component)):
        groups: Groups = [{c} for c in range(n) if component[c] == root]
        while True:
            best: tuple[float, int, int, int, int] | None = None
            for i, j in combinations(range(len(groups)), 2):
                across = [
                    (min(x, y), max(x, y))
                    for x, y in product(groups[i], groups[j])
                    if (min(x, y), max(x, y)) in listed
                ]
                s = similarity(groups[i], groups[j], listed)
                if s < least or not across:
                    continue
                first = min(across)
                candidate = (s, -first[0], -first[1], i, j)
                if best is None or candidate > best:
                    best = candidate
            if best is None:
                break
            _, _, _, i, j = best
            groups[i] |= groups.pop(j)
        for group in groups:
            for content in group:
                labels[content] = min(group)
    return labels


def spanning_forest(n: int, left: Sequence[int], right: Sequence[int]) -> list[int]:
    """1 for an edge whose ends are not yet connected by the edges before it."""
    return [
        int(labels[a] != labels[b])
        for i, (a, b) in enumerate(zip(left, right, strict=True))
        for labels in [components(n, left[:i], right[:i], [1.0] * i, 1.0)]
    ]


def bridges(n: int, left: Sequence[int], right: Sequence[int]) -> tuple[list[int], list[int]]:
    """Takes out each edge in turn and looks whether its ends fall apart."""
    edges, parts = [], []
    for i, (a, b) in enumerate(zip(left, right, strict=True)):
        rest = [j for j in range(len(left)) if j != i]
        labels = components(n, [left[j] for j in rest], [right[j] for j in rest], [1.0] * len(rest), 1.0)
        if labels[a] != labels[b]:
            edges.append(i)
            parts.append(min(labels.count(labels[a]), labels.count(labels[b])))
    return edges, parts


def joints(n: int, left: Sequence[int], right: Sequence[int]) -> tuple[list[int], list[int]]:
    """Takes out each node in turn and sets each part its neighbours fall into against the other parts."""
    nodes, parts = [], []
    for v in range(n):
        edges = list(zip(left, right, strict=True))
        around = {b if a == v else a for a, b in edges if v in (a, b)}
        rest = [(a, b) for a, b in edges if v not in (a, b)]
        labels = components(n, [a for a, _ in rest], [b for _, b in rest], [1.0] * len(rest), 1.0)
        sizes = [labels.count(label) for label in {labels[w] for w in around}]
        if len(sizes) > 1:
            nodes.append(v)
            parts.append(max(min(size, sum(sizes) - size) for size in sizes))
    return nodes, parts


def same_pairs(labels: Sequence[object]) -> set[tuple[int, int]]:
    """All pairs of documents with the same label; None is no label."""
    return {
        (a, b)
        for a, b in combinations(range(len(labels)), 2)
        if labels[a] is not None and labels[a] == labels[b]
    }


def bcubed(groups: Sequence[object], labels: Sequence[object]) -> tuple[Fraction, Fraction]:
    """Precision and recall, document by document, over the documents with a label."""
    known = [d for d in range(len(labels)) if labels[d] is not None]
    precision = recall = Fraction(0)
    for d in known:
        group = {e for e in known if groups[e] == groups[d]}
        cluster = {e for e in known if labels[e] == labels[d]}
        precision += Fraction(len(group & cluster), len(group))
        recall += Fraction(len(group & cluster), len(cluster))
    return precision / len(known), recall / len(known)
