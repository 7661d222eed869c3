"""The collision curve, and the choice of bands and rows for a recall."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samecore.errors import SettingError
from samecore.match.banding import SPOTSIGS_2008, Banding, bands_needed, choose_banding

thresholds = st.integers(1, 100).map(lambda percent: percent / 100)
recalls = st.sampled_from([0.5, 0.9, 0.95, 0.99, 0.999])


def test_curve_is_the_formula() -> None:
    banding = Banding(bands=5, rows=3)
    for j, p in banding.curve(steps=10):
        assert p == pytest.approx(1 - (1 - j**3) ** 5, abs=1e-12)
    assert banding.probability(0.0) == 0.0
    assert banding.probability(1.0) == 1.0
    np.testing.assert_allclose(banding.probability(np.array([0.5])), [1 - (1 - 0.125) ** 5])
    # Tiny probabilities keep their digits.
    assert Banding(2, 20).probability(0.01) == pytest.approx(2e-40)


def test_the_paper() -> None:
    assert (SPOTSIGS_2008.rows, SPOTSIGS_2008.bands) == (6, 32)
    assert SPOTSIGS_2008.slots == 192
    # "about 90 percent recall on the Gold Set" is far from what two pages at the
    # threshold 0.44 itself can expect: most of its pairs lie above.
    assert SPOTSIGS_2008.expected_recall(0.44) == pytest.approx(0.208, abs=0.001)
    assert SPOTSIGS_2008.expected_recall(0.8) > 0.999


@given(thresholds, recalls, st.integers(1, 300))
def test_choice(threshold: float, recall: float, slots: int) -> None:
    least = bands_needed(1, threshold, recall)
    if slots < least:
        with pytest.raises(SettingError, match=f"at least {least} for"):
            choose_banding(slots, threshold=threshold, recall=recall)
        return
    chosen = choose_banding(slots, threshold=threshold, recall=recall)
    assert chosen.slots <= slots
    assert chosen.expected_recall(threshold) >= recall
    if chosen.bands > 1:
        assert Banding(chosen.bands - 1, chosen.rows).expected_recall(threshold) < recall
    if chosen.rows < slots:  # one more row does not fit
        assert bands_needed(chosen.rows + 1, threshold, recall) * (chosen.rows + 1) > slots or threshold == 1
    # The threshold is the worst case of what should be found.
    above = np.linspace(threshold, 1, 50)
    assert (np.diff(chosen.probability(above)) >= -1e-15).all()


@given(thresholds, recalls, st.integers(1, 12))
def test_fewest_bands(threshold: float, recall: float, rows: int) -> None:
    if threshold**rows < 1e-6:
        return
    bands = bands_needed(rows, threshold, recall)
    assert 1 - (1 - threshold**rows) ** bands >= recall - 1e-9
    assert bands == 1 or 1 - (1 - threshold**rows) ** (bands - 1) < recall + 1e-9


def test_declared_similarities() -> None:
    # Rounding up to whole bands may favour fewer rows at some similarities.
    low = choose_banding(200, threshold=0.7, similarities=[0.1, 0.2])
    assert low == choose_banding(200, threshold=0.7)
    for similarities in ([0.05], [0.6, 0.65], [0.69]):
        chosen = choose_banding(200, threshold=0.7, similarities=similarities)
        assert chosen.expected_recall(0.7) >= 0.99
        best = min(
            Banding(bands_needed(r, 0.7), r).probability(np.array(similarities)).sum()
            for r in range(1, 200)
            if bands_needed(r, 0.7) * r <= 200
        )
        assert chosen.probability(np.array(similarities)).sum() == pytest.approx(best)
    # Nothing below the threshold: the fewest slots.
    assert choose_banding(128, threshold=0.5, similarities=[0.9]) == Banding(bands_needed(1, 0.5), 1)


def test_refusals() -> None:
    for bands, rows in ((0, 1), (1, 0), (-1, 2)):
        with pytest.raises(SettingError, match="at least 1"):
            Banding(bands, rows)
    for recall in (0.0, 1.0, math.nan):
        with pytest.raises(SettingError, match="recall"):
            choose_banding(128, threshold=0.8, recall=recall)
    with pytest.raises(SettingError, match="threshold"):
        choose_banding(128, threshold=1.2)
    with pytest.raises(SettingError, match="at least 44 for a recall"):
        choose_banding(43, threshold=0.1)
