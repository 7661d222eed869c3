from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samecore.match.threshold import LIMIT, Threshold, exact_threshold


@pytest.mark.parametrize(
    ("value", "num", "den"),
    [
        (0.35, 7, 20),
        ("0.35", 7, 20),
        ("7/20", 7, 20),
        (Decimal("0.35"), 7, 20),
        (np.float64(0.35), 7, 20),
        (np.float32(0.35), 7, 20),
        (1, 1, 1),
        (1.0, 1, 1),
        (0.6667, 6667, 10000),
        (1e-3, 1, 1000),
    ],
)
def test_the_decimal_as_written(value: float, num: int, den: int) -> None:
    assert exact_threshold(value) == Threshold(num, den)


def test_a_threshold_stays_itself() -> None:
    assert exact_threshold(Threshold(1, 3)) == Threshold(1, 3)


@given(st.floats(0, 1, exclude_min=True), st.integers(1, 2**31 - 1), st.data())
def test_long_decimals_decide_alike(value: float, union: int, data: st.DataObject) -> None:
    tau = exact_threshold(value)
    assert 0 < tau.num <= tau.den <= LIMIT
    exactly = Fraction(str(value))
    near = int(exactly * union)  # the overlaps next to the boundary are the ones that could differ
    for overlap in {max(near - 1, 0), near, min(near + 1, union), data.draw(st.integers(0, union))}:
        assert tau.reached(overlap, union) == (Fraction(overlap, union) >= exactly)


def test_nothing_of_nothing() -> None:
    assert not exact_threshold(0.5).reached(0, 0)
