"""Labels from a file: the cluster of documents, or judged pairs, with everything wrong in them named by row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from samecore.errors import InputError
from samecore.learn.objective import Ints
from samecore.read.labels import is_same, label_rows

#: So many problems a message lists.
LISTED = 10


@dataclass(frozen=True)
class Problem:
    """A row of a labels file that was not used: its number (the header is row 1), the kind, and why."""

    row: int
    kind: str
    why: str

    def __str__(self) -> str:
        return f"row {self.row}: {self.why}"


@dataclass(frozen=True)
class Labels:
    """Clusters by id, or judged pairs (left, right, same); `problems` are the rows that were left out.

    `rows` says in which row each id was first named.
    """

    clusters: Mapping[str, str] = field(default_factory=dict)
    judged: tuple[tuple[str, str, bool], ...] = ()
    problems: tuple[Problem, ...] = ()
    rows: Mapping[str, int] = field(default_factory=dict)

    @property
    def ids(self) -> list[str]:
        """Every id with a usable label, in order of first mention."""
        if self.clusters:
            return list(self.clusters)
        return list(dict.fromkeys(id for left, right, _ in self.judged for id in (left, right)))

    def report(self) -> list[str]:
        """What was wrong, in a few lines for people."""
        if not self.problems:
            return []
        kinds: dict[str, int] = {}
        for one in self.problems:
            kinds[one.kind] = kinds.get(one.kind, 0) + 1
        counted = ", ".join(f"{count:,} {kind}" for kind, count in kinds.items())
        lines = [f"labels: {len(self.problems):,} rows were left out ({counted})"]
        lines += [f"  {one}" for one in self.problems[:LISTED]]
        if len(self.problems) > LISTED:
            lines.append(f"  and {len(self.problems) - LISTED:,} more")
        return lines


def read_labels(path: str | Path) -> Labels:
    """Labels from a CSV, TSV or Parquet file with columns (id, cluster), or (left, right, same)."""
    found = label_rows(path)
    if found.pairs:
        return judged_pairs(found.judged, where=str(path))
    return clusters(found.clusters, where=str(path))


def clusters(rows: Iterable[tuple[str, str]], *, where: str = "labels") -> Labels:
    """Labels from (id, cluster). An id with two clusters is left out altogether."""
    found: dict[str, str] = {}
    first: dict[str, int] = {}
    contradicted: dict[str, Problem] = {}
    problems: list[Problem] = []
    for row, (id, cluster) in enumerate(rows, start=2):
        if not id or not cluster:
            problems.append(
                Problem(row, "missing", f"{'the id' if not id else f'the cluster of {id!r}'} is missing")
            )
        elif found.setdefault(id, cluster) != cluster:
            why = f"{id!r} is in {cluster!r} here and in {found[id]!r} in row {first[id]}; neither is used"
            contradicted.setdefault(id, Problem(row, "contradictory", why))
        first.setdefault(id, row)
    problems += contradicted.values()
    kept = {id: cluster for id, cluster in found.items() if id not in contradicted}
    return _checked(Labels(kept, (), tuple(sorted(problems, key=lambda one: one.row)), first), where)


def judged_pairs(rows: Iterable[tuple[str, str, str]], *, where: str = "labels") -> Labels:
    """Labels from (left, right, same). Pairs called neither the same nor different, such as "uncertain", are left out,
    and so are those that contradict another row, or what other rows together imply."""
    problems: list[Problem] = []
    first: dict[str, int] = {}
    found: dict[tuple[str, str], tuple[bool, int]] = {}
    dropped: set[tuple[str, str]] = set()
    for row, (left, right, word) in enumerate(rows, start=2):
        pair = (min(left, right), max(left, right))
        same = is_same(word)
        for id in pair:
            first.setdefault(id, row)
        if not left or not right:
            problems.append(Problem(row, "missing", "an id is missing"))
        elif left == right:
            problems.append(Problem(row, "pointless", f"{left!r} is compared with itself"))
        elif same is None:
            why = f"{word!r} is neither a yes nor a no" if word else "the judgement is missing"
            problems.append(Problem(row, "undecided" if word else "missing", why))
        elif pair in found and found[pair][0] != same:
            why = f"{left!r} and {right!r} were judged otherwise in row {found[pair][1]}; neither is used"
            problems.append(Problem(row, "contradictory", why))
            dropped.add(pair)
        else:
            found.setdefault(pair, (same, row))
    kept = {pair: one for pair, one in found.items() if pair not in dropped}
    union: dict[str, str] = {}

    def root(id: str) -> str:
        while union.setdefault(id, id) != id:
            union[id] = union[union[id]]
            id = union[id]
        return id

    for left, right in (pair for pair, (same, _) in kept.items() if same):
        union[root(left)] = root(right)
    judged = []
    for (left, right), (same, row) in kept.items():
        if not same and root(left) == root(right):
            why = f"{left!r} and {right!r} are different here, but the same by other rows together"
            problems.append(Problem(row, "contradictory", why))
        else:
            judged.append((left, right, same))
    return _checked(Labels({}, tuple(judged), tuple(sorted(problems, key=lambda one: one.row)), first), where)


def _checked(labels: Labels, where: str) -> Labels:
    if not labels.ids:
        why = f": {labels.problems[0]}" if labels.problems else ""
        raise InputError(f"there is no usable label{why}", where=where)
    return labels


# -- against the documents there are ---------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Truth:
    """Labels as numbers: the labelled documents as rows of a corpus, and what is known of their pairs.

    `unit[i]` is what document `documents[i]` is resampled and split with: its cluster, or for judged pairs the
    documents it is linked to by judgements. `cluster` is -1 everywhere for judged pairs; those are in `judged`,
    which numbers documents within `documents`.
    """

    documents: Ints
    unit: Ints
    cluster: Ints
    judged: tuple[Ints, Ints, np.ndarray[tuple[int, ...], np.dtype[np.bool_]]] | None
    names: tuple[str, ...]

    @property
    def units(self) -> int:
        """How many units there are to split."""
        return int(self.unit.max(initial=-1)) + 1

    def pairs(
        self, units: Ints | None = None
    ) -> tuple[Ints, Ints, np.ndarray[tuple[int, ...], np.dtype[np.bool_]]]:
        """All judged pairs among the documents of some units (all by default): (left, right, same)."""
        chosen = np.ones(len(self.documents), np.bool_) if units is None else np.isin(self.unit, units)
        if self.judged is not None:
            left, right, same = self.judged
            kept = chosen[left] & chosen[right]
            return left[kept], right[kept], same[kept]
        here = np.flatnonzero(chosen)
        one, two = np.triu_indices(len(here), 1)
        left, right = here[one], here[two]
        return left, right, self.cluster[left] == self.cluster[right]


def match_labels(
    labels: Labels, ids: Sequence[str], *, where: str = "labels"
) -> tuple[Truth, tuple[Problem, ...]]:
    """The labels of the documents with these ids, and a problem for each label of a document there is not."""
    rows = {id: row for row, id in enumerate(ids)}
    unknown = [id for id in labels.ids if id not in rows]
    problems = tuple(
        Problem(labels.rows.get(id, 0), "unknown", f"no document has the id {id!r}") for id in unknown
    )
    known = [id for id in labels.ids if id in rows]
    if not known:
        raise InputError(
            f"no labelled id is among the documents: labels have {labels.ids[0]!r}, "
            f"documents {ids[0] if len(ids) else None!r}",
            where=where,
        )
    documents = np.array([rows[id] for id in known], np.int64)
    if labels.clusters:
        names, unit = np.unique([labels.clusters[id] for id in known], return_inverse=True)
        unit = unit.reshape(-1).astype(np.int64)
        return Truth(documents, unit, unit, None, tuple(names.tolist())), problems
    place = {id: n for n, id in enumerate(known)}
    usable = [(place[a], place[b], same) for a, b, same in labels.judged if a in place and b in place]
    left, right = (np.array([one[side] for one in usable], np.int64) for side in (0, 1))
    same = np.array([one[2] for one in usable], np.bool_)
    unit = _components(len(known), left, right)
    used = np.zeros(len(known), np.bool_)
    used[left] = used[right] = True
    if not used.any():
        raise InputError("no judged pair has both of its documents among the documents", where=where)
    return Truth(documents, unit, np.full(len(known), -1, np.int64), (left, right, same), ()), problems


def _components(count: int, left: Ints, right: Ints) -> Ints:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(left)), (left, right)), shape=(count, count))
    return np.asarray(connected_components(graph, directed=False)[1], np.int64)


def check_enough(truth: Truth, *, least: int = 2, where: str = "labels") -> None:
    """InputError unless there are same and different pairs, from at least `least` units that can be told apart."""
    left, _, same = truth.pairs()
    if not same.any():
        raise InputError("no two documents are labelled the same; learning needs pairs that are", where=where)
    if same.all():
        what = "one cluster" if truth.judged is None else "pairs that are the same"
        expected = "documents that are known to differ as well"
        raise InputError(f"the labels have {what} only; expected {expected}", where=where)
    if truth.units < least:
        raise InputError(
            f"expected at least {least} groups of labelled documents, found {truth.units}", where=where
        )
    assert len(left)
