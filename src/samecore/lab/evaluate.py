"""A result against labels: its pairs, its groups, and the thresholds that would have been best."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from samecore.contents import expand
from samecore.errors import InputError, SettingError
from samecore.lab import metrics
from samecore.lab.metrics import PairQuality, Quality
from samecore.read.labels import is_same, label_rows
from samecore.result import MAX_PAIR_ROWS, Result

#: Thresholds tried for groups: steps of 0.01 up to 0.3, where framed pages decide, then of 0.05.
GROUP_THRESHOLDS = (
    *(round(0.01 * step, 2) for step in range(2, 31)),
    *(round(0.05 * step, 2) for step in range(7, 21)),
)


@dataclass(frozen=True)
class Truth:
    """Labels as they were read: the cluster of each id, or judged pairs (left, right, same)."""

    clusters: dict[str, str]
    judged: tuple[tuple[str, str, bool], ...] = ()


@dataclass(frozen=True, eq=False)
class Evaluation:
    """All figures of one result. With judged pairs alone there are no B-cubed, ARI and clusters."""

    documents: int
    labelled: int
    unknown: int
    threshold: float
    pairs: PairQuality
    best_pairs: PairQuality
    best_pair_threshold: float
    grouping: str
    groups: PairQuality
    best_groups: PairQuality
    best_group_threshold: float
    bcubed: Quality | None
    adjusted_rand: float | None
    clusters: pa.Table | None

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain data, without the table of clusters."""
        plain = {name: value for name, value in vars(self).items() if name != "clusters"}
        return {name: asdict(value) if isinstance(value, Quality) else value for name, value in plain.items()}


def read_labels(path: str | Path) -> Truth:
    """Labels from a CSV, TSV or Parquet file: columns (id, cluster), or (left, right, same).

    Other usual names of these columns are understood. Judged pairs whose `same` is neither a yes
    nor a no, such as "uncertain", are left out.
    """
    found = label_rows(path)
    if found.pairs:
        told = ((left, right, is_same(word)) for left, right, word in found.judged)
        return Truth({}, tuple((left, right, same) for left, right, same in told if same is not None))
    truth: dict[str, str] = {}
    for row, (name, label) in enumerate(found.clusters, start=2):
        if not label:  # not labelled
            continue
        if truth.setdefault(name, label) != label:
            raise InputError(
                f"{name!r} is labelled {truth[name]!r} and {label!r}", where=f"{path}, line {row}"
            )
    return Truth(truth)


def evaluate(result: Result, truth: Truth) -> Evaluation:
    """Pair and group quality of `result` at its threshold, and at the best one above its floor."""
    if result.settings.pairs != "all":
        raise SettingError(
            "result", found=f"a run that kept only {result.settings.pairs}", expected="all pairs; use find"
        )
    if result.pair_count > MAX_PAIR_ROWS:
        expected = f"at most {MAX_PAIR_ROWS:,}; raise the threshold or leave copies out"
        raise SettingError("pairs", found=f"{result.pair_count:,}", expected=expected)
    rows = {id: row for row, id in enumerate(result.ids.to_pylist())}
    labels: list[str | None] = [truth.clusters.get(id) for id in rows]
    known = [(rows[a], rows[b], same) for a, b, same in truth.judged if a in rows and b in rows]
    judged: metrics.Judged = (
        np.array([a for a, _, _ in known], np.uint32),
        np.array([b for _, b, _ in known], np.uint32),
        np.array([same for _, _, same in known], np.bool_),
    )
    mentioned = set(truth.clusters) | {id for a, b, _ in truth.judged for id in (a, b)}
    found = len(mentioned & rows.keys())
    if found == 0:
        example = min(mentioned, default=None)
        raise InputError(
            f"no labelled id is among the documents: labels have {example!r}, documents {next(iter(rows), None)!r}"
        )

    parts = list(expand(result.members, result.found, copies=True))
    left = np.concatenate([np.empty(0, np.uint32), *(part[0].astype(np.uint32) for part in parts)])
    right = np.concatenate([np.empty(0, np.uint32), *(part[1].astype(np.uint32) for part in parts)])
    score = np.concatenate([np.empty(0), *(part[2] for part in parts)])

    def of_groups(threshold: float) -> PairQuality:
        groups = _groups(result.at(threshold))
        return metrics.of_groups_judged(groups, judged) if truth.judged else metrics.of_groups(groups, labels)

    if truth.judged:
        sweep = metrics.best_threshold_judged(left, right, score, judged=judged)
    else:
        sweep = metrics.best_threshold(left, right, score, labels)
    floor, threshold = result.settings.floor, result.settings.threshold
    tried = {t: of_groups(t) for t in GROUP_THRESHOLDS if t >= floor}
    best = max(tried, key=lambda t: (tried[t].f1, t), default=threshold)
    groups = _groups(result)
    return Evaluation(
        documents=len(result),
        labelled=found,
        unknown=len(mentioned) - found,
        threshold=threshold,
        pairs=sweep.at(threshold),
        best_pairs=sweep.best,
        best_pair_threshold=sweep.threshold,
        grouping=result.settings.group,
        groups=of_groups(threshold),
        best_groups=tried.get(best) or of_groups(threshold),
        best_group_threshold=best,
        bcubed=None if truth.judged else metrics.bcubed(groups, labels),
        adjusted_rand=None if truth.judged else metrics.adjusted_rand(groups, labels),
        clusters=None if truth.judged else metrics.clusters(groups, labels),
    )


def _groups(result: Result) -> npt.NDArray[np.int64]:
    """The group of each document; a skipped one is alone."""
    group = result.groups["group"].fill_null(-1).to_numpy()
    return np.where(group < 0, len(group) + np.arange(len(group)), group)
