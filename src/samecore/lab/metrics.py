"""How good groups and scored pairs are, measured against labels.

Labels name the true cluster of each document: numbers or strings, None or NaN for a
document whose cluster is not known, which is then left out of every count. The other
form is a list of judged pairs: (left, right, same or not), and only these count.

Nothing here enumerates pairs of documents: groups are compared through their
contingency table, so a cluster of a million is one row.

Where there is nothing to get wrong the figure is 1.0: precision when nothing was
predicted, recall when nothing was to be found.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from samecore.errors import InputError, SettingError

Numbers = npt.NDArray[np.uint32]
Scores = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]
Labels: TypeAlias = "Sequence[Any] | npt.NDArray[Any] | pa.Array | pa.ChunkedArray"
Judged: TypeAlias = tuple[Numbers, Numbers, npt.NDArray[np.bool_]]


@dataclass(frozen=True)
class Quality:
    """Precision, recall and their harmonic mean, all in [0, 1]."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True)
class PairQuality(Quality):
    """`found` of the `predicted` pairs are right, of `actual` pairs there are."""

    found: int
    predicted: int
    actual: int

    @classmethod
    def of(cls, found: int, predicted: int, actual: int) -> PairQuality:
        """The quality that these counts give."""
        return cls(
            precision=_ratio(found, predicted),
            recall=_ratio(found, actual),
            f1=_ratio(2 * found, predicted + actual),
            found=found,
            predicted=predicted,
            actual=actual,
        )


@dataclass(frozen=True, eq=False)
class Sweep:
    """The best threshold, and the whole curve, by falling threshold.

    Pairs with the same score enter together, so every row of the curve can be had by
    setting the threshold to its value.
    """

    threshold: float
    """Highest F1; among equals the highest threshold. 1.0 if there are no pairs at all."""
    best: PairQuality
    thresholds: Scores
    precision: Scores
    recall: Scores
    f1: Scores
    found: Codes
    predicted: Codes

    def at(self, threshold: float) -> PairQuality:
        """The quality at any threshold; above the highest score nothing is predicted."""
        row = int(np.searchsorted(-self.thresholds, -threshold, side="right")) - 1
        if row < 0:
            return PairQuality.of(0, 0, self.best.actual)
        return PairQuality.of(int(self.found[row]), int(self.predicted[row]), self.best.actual)


def of_groups(groups: Labels, labels: Labels) -> PairQuality:
    """Pair quality of `groups`: two documents in the same group are a predicted pair.

    >>> of_groups([0, 0, 0, 3], ["a", "a", "b", "b"])
    PairQuality(precision=0.3333333333333333, recall=0.5, f1=0.4, found=1, predicted=3, actual=2)
    """
    table = _contingency(groups, labels)
    return PairQuality.of(_pairs(table.both), _pairs(table.group), _pairs(table.cluster))


def of_pairs(left: Numbers, right: Numbers, labels: Labels) -> PairQuality:
    """Quality of a list of pairs of documents, each pair listed once."""
    right_or_wrong, actual = _judge(left, right, labels)
    return PairQuality.of(
        int(np.count_nonzero(right_or_wrong == 1)), int(np.count_nonzero(right_or_wrong >= 0)), actual
    )


def of_groups_judged(groups: Labels, judged: Judged) -> PairQuality:
    """Pair quality of `groups` over judged pairs (left, right, same) of documents alone."""
    group, _ = _codes(groups)
    same = np.asarray(judged[2], dtype=np.bool_)
    together = group[np.asarray(judged[0])] == group[np.asarray(judged[1])]
    return PairQuality.of(
        int(np.count_nonzero(together & same)), int(np.count_nonzero(together)), int(np.count_nonzero(same))
    )


def best_threshold(left: Numbers, right: Numbers, score: Scores, labels: Labels) -> Sweep:
    """Sweeps scored pairs over all their distinct scores; a pair not listed is never found."""
    same, actual = _judge(left, right, labels)
    known = same >= 0
    return sweep(np.asarray(score)[known], same[known] == 1, actual=actual)


def best_threshold_judged(left: Numbers, right: Numbers, score: Scores, *, judged: Judged) -> Sweep:
    """The same against judged pairs (left, right, same), in any order and either direction.

    Scored pairs that were not judged are left out; judged ones that are not listed
    are never found. A pair judged twice is an InputError.
    """
    keys = _pair_keys(judged[0], judged[1])
    by_key = np.argsort(keys, kind="stable")
    keys, same = keys[by_key], np.asarray(judged[2], dtype=np.bool_)[by_key]
    twice = np.flatnonzero(keys[1:] == keys[:-1])
    if len(twice):
        key = int(keys[twice[0]])
        raise InputError(f"expected each judged pair once, found ({key >> 32}, {key & 0xFFFFFFFF}) twice")
    actual = int(np.count_nonzero(same))
    if len(keys) == 0:
        return sweep(np.empty(0), np.empty(0, dtype=np.bool_), actual=0)
    wanted = _pair_keys(left, right)
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    hit = keys[at] == wanted
    return sweep(np.asarray(score)[hit], same[at[hit]], actual=actual)


def sweep(score: Scores, same: npt.NDArray[np.bool_], *, actual: int) -> Sweep:
    """The best threshold for scores of pairs that are the `same` or not.

    `actual` is the number of true pairs, listed or not, so at least the true ones here.
    """
    if np.isnan(score).any():
        raise SettingError("score", found="NaN", expected="a number for each pair")
    falling = np.argsort(-score, kind="stable")
    ordered = score[falling]
    last = (
        np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True))
        if len(ordered)
        else np.empty(0, np.int64)
    )
    thresholds = ordered[last]
    found = np.cumsum(same[falling], dtype=np.int64)[last]
    predicted = last + 1
    f1 = 2 * found / (predicted + actual)
    if len(last) == 0:
        nothing = PairQuality.of(0, 0, actual)
        return Sweep(1.0, nothing, thresholds, np.empty(0), np.empty(0), f1, found, predicted)
    # The first of equal maxima is the highest threshold. Equal fractions are equal
    # floats, since each is one correctly rounded division.
    best = int(np.argmax(f1))
    return Sweep(
        threshold=float(thresholds[best]),
        best=PairQuality.of(int(found[best]), int(predicted[best]), actual),
        thresholds=thresholds,
        precision=found / predicted,
        recall=found / actual if actual else np.ones(len(last)),
        f1=f1,
        found=found,
        predicted=predicted,
    )


def bcubed(groups: Labels, labels: Labels) -> Quality:
    """B-cubed (Bagga and Baldwin): quality seen from each document, averaged.

    The precision of a document is the share of its group that belongs to its cluster,
    its recall the share of its cluster that is in its group, itself included. 1.0 if
    no document has a label.
    """
    table = _contingency(groups, labels)
    total = int(table.both.sum())
    if total == 0:
        return Quality(1.0, 1.0, 1.0)
    squares = table.both.astype(np.float64) ** 2
    # fsum: the same to the last bit whatever the order of the documents.
    precision = math.fsum(squares / table.group[table.group_of]) / total
    recall = math.fsum(squares / table.cluster[table.cluster_of]) / total
    return Quality(precision, recall, 2 * precision * recall / (precision + recall))


def adjusted_rand(groups: Labels, labels: Labels) -> float:
    """Adjusted Rand index: 1.0 for the same grouping, about 0 for a random one, at least -1.

    1.0 also where both are trivial in the same way (all apart or all together), since
    then chance leaves no room.
    """
    table = _contingency(groups, labels)
    together, predicted, actual = _pairs(table.both), _pairs(table.group), _pairs(table.cluster)
    total = int(table.both.sum())
    every = total * (total - 1) // 2
    # (together - e) / ((predicted + actual) / 2 - e) with e = predicted * actual / every,
    # in whole numbers as long as it goes.
    above = 2 * (together * every - predicted * actual)
    below = (predicted + actual) * every - 2 * predicted * actual
    return 1.0 if below == 0 else above / below


def clusters(groups: Labels, labels: Labels) -> pa.Table:
    """One row per true cluster, the largest first: how it was found and what came with it.

    Columns: `cluster`; `size` in documents; `pieces`, the groups it is spread over;
    `largest`, its documents in the group that holds most of them; `strangers`, labelled
    documents of other clusters in the groups it touches; `recall` of its pairs, 1.0 for
    a single document.
    """
    table = _contingency(groups, labels)
    k = len(table.cluster)
    largest = np.zeros(k, dtype=np.int64)
    np.maximum.at(largest, table.cluster_of, table.both)
    strangers = np.zeros(k, dtype=np.int64)
    np.add.at(strangers, table.cluster_of, table.group[table.group_of] - table.both)
    found = np.zeros(k, dtype=np.int64)
    np.add.at(found, table.cluster_of, table.both * (table.both - 1) // 2)
    possible = table.cluster * (table.cluster - 1) // 2
    by_size = np.argsort(-table.cluster, kind="stable")
    columns = {
        "cluster": table.names.take(pa.array(by_size)),
        "size": table.cluster[by_size],
        "pieces": np.bincount(table.cluster_of, minlength=k)[by_size],
        "largest": largest[by_size],
        "strangers": strangers[by_size],
        "recall": np.where(possible > 0, found / np.maximum(possible, 1), 1.0)[by_size],
    }
    return pa.table(columns)


@dataclass(frozen=True, eq=False)
class _Contingency:
    """Documents per cell of (group, cluster), for the cells that are not empty."""

    both: Codes
    group_of: Codes
    cluster_of: Codes
    group: Codes
    cluster: Codes
    names: pa.Array


def _contingency(groups: Labels, labels: Labels) -> _Contingency:
    group, _ = _codes(groups)
    cluster, names = _codes(labels)
    if len(group) != len(cluster):
        raise InputError(f"expected one label per document: {len(group)} groups, {len(cluster)} labels")
    if (group[cluster >= 0] < 0).any():
        raise InputError("expected a group for every labelled document, found None or NaN")
    group, cluster = group[cluster >= 0], cluster[cluster >= 0]
    width = max(len(names), 1)
    cells, both = np.unique(group * width + cluster, return_counts=True)
    return _Contingency(
        both=both,
        group_of=cells // width,
        cluster_of=cells % width,
        group=np.bincount(group),
        cluster=np.bincount(cluster, minlength=len(names)),
        names=names,
    )


def _codes(values: Labels) -> tuple[Codes, pa.Array]:
    """A number per distinct value in order of appearance, -1 for none; and the values."""
    array = values
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    if not isinstance(array, pa.Array):
        array = pa.array(array, from_pandas=True)
    if pa.types.is_null(array.type):
        return np.full(len(array), -1, dtype=np.int64), pa.array([], pa.string())
    if pa.types.is_dictionary(array.type):  # may list values that no document has
        array = array.dictionary_decode()
    encoded = array.dictionary_encode()
    codes: Codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    return codes, encoded.dictionary


def _judge(left: Numbers, right: Numbers, labels: Labels) -> tuple[npt.NDArray[np.int8], int]:
    """For each pair 1 same, 0 not, -1 not known; and the number of true pairs in all."""
    cluster, _ = _codes(labels)
    a, b = cluster[left], cluster[right]
    same = np.where((a >= 0) & (b >= 0), a == b, -1).astype(np.int8)
    return same, _pairs(np.bincount(cluster[cluster >= 0]))


def _pairs(sizes: Codes) -> int:
    return int(np.sum(sizes * (sizes - 1) // 2))


def _pair_keys(left: Numbers, right: Numbers) -> npt.NDArray[np.uint64]:
    a, b = np.asarray(left, dtype=np.uint64), np.asarray(right, dtype=np.uint64)
    keys: npt.NDArray[np.uint64] = np.minimum(a, b) << np.uint64(32) | np.maximum(a, b)
    return keys


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 1.0
