"""Leaders without all pairs: the same stars as on all pairs, and no more work than a template is worth."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samecore.features.csr import Features
from samecore.group import leaders as module
from samecore.group.leader import group as stars
from samecore.group.leaders import leaders
from samecore.match.exact import exact


def features_of(rows: list[set[int]]) -> Features:
    keys = [np.array(sorted(row), np.uint64) for row in rows]
    offsets = np.concatenate(([0], np.cumsum([len(row) for row in keys]))).astype(np.int64)
    return Features(
        offsets, np.concatenate([np.empty(0, np.uint64), *keys]), np.ones(int(offsets[-1]), np.uint32)
    )


@st.composite
def corpora(draw: st.DrawFn) -> tuple[Features, np.ndarray]:
    row = st.sets(st.integers(0, 9), min_size=1, max_size=6)
    rows = draw(st.lists(row, max_size=14, unique_by=lambda r: tuple(sorted(r))))
    order = draw(st.permutations(range(len(rows))))
    return features_of(rows), np.array(order, np.int64)


@settings(max_examples=200)
@given(corpora(), st.sampled_from([0.2, 0.5, 0.75, 1.0]), st.integers(1, 5), st.integers(0, 30))
def test_leaders_are_those_of_all_pairs(
    corpus: tuple[Features, np.ndarray], threshold: float, block: int, most: int
) -> None:
    features, order = corpus
    pairs = exact(features, threshold=threshold)
    expected = stars(
        len(features),
        pairs.left,
        pairs.right,
        pairs.score,
        threshold=threshold,
        order=order.astype(np.uint32),
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "FIRST_BLOCK", block)
        patch.setattr(module, "LEAST_BLOCK", 1)
        patch.setattr(module, "MAX_PAIRS", max(most, len(features)))
        found = leaders(features, order=order, threshold=threshold)
    member = np.flatnonzero(expected.leader != np.arange(len(features)))
    wanted = {(min(a, b), max(a, b), s) for a, b, s in zip(
        member.tolist(), expected.leader[member].tolist(), expected.score[member].tolist(), strict=True
    )}  # fmt: skip
    assert set(zip(found.left.tolist(), found.right.tolist(), found.score.tolist(), strict=True)) == wanted


def test_a_template_costs_no_quadratic_number_of_pairs() -> None:
    template = set(range(100))
    rows = [template | {1000 + n, 200_000 + n} for n in range(30_000)]
    found = leaders(features_of(rows), order=np.arange(len(rows)), threshold=0.5)
    assert len(found) == len(rows) - 1
    assert set(found.left.tolist()) == {0}
