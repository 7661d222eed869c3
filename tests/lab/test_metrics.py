"""Metrics equal to what enumerating all pairs gives."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from twins import groups as twin
from twins.graphs import SCORES

from samecore.errors import InputError, SettingError
from samecore.lab import metrics

LABELS = st.one_of(st.none(), st.sampled_from(["a", "b", "c", "ü"]))
DOCUMENTS = st.lists(st.tuples(st.integers(0, 4), LABELS), max_size=12)


def split(documents: list[tuple[int, str | None]]) -> tuple[list[int], list[str | None]]:
    return [d[0] for d in documents], [d[1] for d in documents]


@given(DOCUMENTS)
def test_pairs_of_groups(documents: list[tuple[int, str | None]]) -> None:
    groups, labels = split(documents)
    predicted = twin.same_pairs([None if b is None else a for a, b in documents])
    actual = twin.same_pairs(labels)
    quality = metrics.of_groups(groups, labels)
    assert (quality.found, quality.predicted, quality.actual) == (
        len(predicted & actual),
        len(predicted),
        len(actual),
    )
    left, right = (np.array([p[i] for p in sorted(predicted)], dtype=np.uint32) for i in (0, 1))
    assert metrics.of_pairs(left, right, labels) == quality
    known = [d for d in range(len(documents)) if labels[d] is not None]
    every = list(combinations(known, 2))
    judged = (
        np.array([p[0] for p in every], dtype=np.uint32),
        np.array([p[1] for p in every], dtype=np.uint32),
        np.array([p in actual for p in every], dtype=np.bool_),
    )
    assert metrics.of_groups_judged(groups, judged) == quality


@given(DOCUMENTS)
def test_bcubed_and_rand(documents: list[tuple[int, str | None]]) -> None:
    groups, labels = split(documents)
    known = [d for d in documents if d[1] is not None]
    if not known:
        assert metrics.bcubed(groups, labels) == metrics.Quality(1.0, 1.0, 1.0)
        assert metrics.adjusted_rand(groups, labels) == 1.0
        return
    precision, recall = twin.bcubed(groups, labels)
    found = metrics.bcubed(groups, labels)
    assert found.precision == pytest.approx(float(precision))
    assert found.recall == pytest.approx(float(recall))
    assert found.f1 == pytest.approx(float(2 * precision * recall / (precision + recall)))

    predicted, actual = (len(twin.same_pairs([d[i] for d in known])) for i in (0, 1))
    both = len(twin.same_pairs([*known]))
    every = comb(len(known), 2)
    expected = predicted * actual / every if every else 0.0
    room = (predicted + actual) / 2 - expected
    rand = 1.0 if abs(room) < 1e-12 else (both - expected) / room
    assert metrics.adjusted_rand(groups, labels) == pytest.approx(rand)


@given(
    st.lists(LABELS, max_size=7).flatmap(
        lambda labels: st.tuples(
            st.just(labels),
            st.dictionaries(st.sampled_from(list(combinations(range(len(labels)), 2))), SCORES)
            if len(labels) > 1
            else st.just({}),
        )
    )
)
def test_sweep_tries_every_score(case: tuple[list[str | None], dict[tuple[int, int], float]]) -> None:
    labels, scored = case
    pairs = sorted(scored)
    left, right = (np.array([p[i] for p in pairs], dtype=np.uint32) for i in (0, 1))
    score = np.array([scored[p] for p in pairs], dtype=np.float64)
    actual = twin.same_pairs(labels)
    known = [p for p in pairs if labels[p[0]] is not None and labels[p[1]] is not None]
    curve = []
    for threshold in sorted({scored[p] for p in known}, reverse=True):
        predicted = {p for p in known if scored[p] >= threshold}
        curve.append(
            (threshold, metrics.PairQuality.of(len(predicted & actual), len(predicted), len(actual)))
        )
    found = metrics.best_threshold(left, right, score, labels)
    assert found.thresholds.tolist() == [t for t, _ in curve]
    assert found.precision.tolist() == [q.precision for _, q in curve]
    assert found.recall.tolist() == [q.recall for _, q in curve]
    assert found.f1.tolist() == [q.f1 for _, q in curve]
    for threshold, quality in curve:
        assert found.at(threshold) == quality
    for threshold in (0.05, 0.5, 0.95, 1.5):
        lower = [quality for t, quality in curve if t >= threshold]
        assert found.at(threshold) == (lower[-1] if lower else metrics.PairQuality.of(0, 0, len(actual)))
    if curve:
        assert (found.threshold, found.best) == max(curve, key=lambda row: (row[1].f1, row[0]))
    else:
        assert found.best == metrics.PairQuality.of(0, 0, len(actual))

    every = [p for p in combinations(range(len(labels)), 2) if None not in (labels[p[0]], labels[p[1]])]
    judged = (
        np.array([p[1] for p in every], dtype=np.uint32),  # the other way round, and backwards
        np.array([p[0] for p in every], dtype=np.uint32),
        np.array([p in actual for p in every], dtype=np.bool_),
    )
    judged = (judged[0][::-1], judged[1][::-1], judged[2][::-1])
    again = metrics.best_threshold_judged(left, right, score, judged=judged)
    assert (again.threshold, again.best) == (found.threshold, found.best)
    assert again.f1.tolist() == found.f1.tolist()


@given(DOCUMENTS)
def test_cluster_table(documents: list[tuple[int, str | None]]) -> None:
    groups, labels = split(documents)
    rows = metrics.clusters(groups, labels).to_pylist()
    assert [r["size"] for r in rows] == sorted((r["size"] for r in rows), reverse=True)
    assert {r["cluster"] for r in rows} == {x for x in labels if x is not None}
    for row in rows:
        members = [d for d in documents if d[1] == row["cluster"]]
        pieces = {d[0] for d in members}
        counts = [sum(d[0] == g for d in members) for g in pieces]
        assert row["size"] == len(members)
        assert row["pieces"] == len(pieces)
        assert row["largest"] == max(counts)
        assert row["strangers"] == sum(
            d[0] in pieces and d[1] not in (None, row["cluster"]) for d in documents
        )
        pairs = comb(len(members), 2)
        assert row["recall"] == (sum(comb(c, 2) for c in counts) / pairs if pairs else 1.0)


@pytest.mark.parametrize(
    "labels",
    [
        [7, 7, None, 9],
        np.array([7.0, 7.0, np.nan, 9.0]),
        pa.array(["x", "x", None, "y"]),
        pa.chunked_array([pa.array(["x", "x"]), pa.array([None, "y"])]),
        pa.DictionaryArray.from_arrays(pa.array([1, 1, None, 2]), pa.array(["unused", "x", "y"])),
    ],
)
def test_labels_come_in_many_forms(labels: metrics.Labels) -> None:
    assert metrics.of_groups([0, 0, 0, 0], labels) == metrics.PairQuality.of(1, 3, 1)
    assert metrics.clusters([0, 0, 0, 0], labels).num_rows == 2


def test_a_large_cluster_costs_nothing() -> None:
    n = 1_000_000
    quality = metrics.of_groups(np.zeros(n, dtype=np.uint32), np.zeros(n, dtype=np.int64))
    assert quality.found == comb(n, 2)
    assert metrics.adjusted_rand(np.arange(n) // 2, np.arange(n) // 2) == 1.0


def test_wrong_input_is_named() -> None:
    with pytest.raises(InputError, match="1 groups, 2 labels"):
        metrics.of_groups([1], [1, 2])
    with pytest.raises(InputError, match="a group for every labelled document"):
        metrics.of_groups([None, 1], [1, 2])
    with pytest.raises(SettingError, match="NaN"):
        metrics.sweep(np.array([np.nan]), np.array([True]), actual=1)
    one = np.array([1, 2], dtype=np.uint32)
    with pytest.raises(InputError, match=r"found \(1, 2\) twice"):
        metrics.best_threshold_judged(
            one[:1], one[1:], np.array([0.5]), judged=(one, one[::-1], np.array([True, True]))
        )
