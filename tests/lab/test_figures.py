"""Figures: what is drawn can be told apart."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from itertools import pairwise
from typing import Any

import pytest

from samecore.lab.experiment import Figure
from samecore.lab.figures import draw


def bars(svg: str) -> list[tuple[float, float]]:
    """Left and right end of each bar, from the paths that are filled with a colour and clipped to the axes."""
    found = []
    for path in re.findall(r'<path d="([^"]*)" clip-path[^>]*style="fill: #', svg):
        x = [float(number) for number in re.findall(r"[ML] ([0-9.]+) ", path)]
        found.append((min(x), max(x)))
    return found


def rows(**own: list[Any]) -> list[dict[str, Any]]:
    return [
        {"data": "made", **dict(zip(own, values, strict=True))} for values in zip(*own.values(), strict=True)
    ]


def test_no_bar_hides_another() -> None:
    pytest.importorskip("matplotlib")
    measured = rows(case=["1", "1", "2", "2"], threshold=[0.7, 0.2, 0.7, 0.2], f1=[0.9, 0.8, 0.7, 0.9])
    svg = draw(Figure(x="case", y="f1", kind="bar"), measured, title="t")
    ElementTree.fromstring(svg)
    drawn = sorted(bars(svg))
    assert len(drawn) == 4
    assert all(one[1] <= two[0] + 0.01 for one, two in pairwise(drawn))
    assert "threshold 0.7" in svg
    assert "threshold 0.2" in svg


def test_a_best_threshold_per_case_makes_no_legend() -> None:
    pytest.importorskip("matplotlib")
    measured = rows(case=["snappy", "lz4"], threshold=[0.22, 0.24], f1=[0.9, 0.8])
    svg = draw(Figure(x="case", y="f1", kind="bar"), measured, title="t")
    assert "threshold" not in svg
    assert len(bars(svg)) == 2


def test_lines_beyond_the_colours_are_drawn_otherwise() -> None:
    pytest.importorskip("matplotlib")
    many = [str(number) for number in range(10)]
    measured = rows(case=many * 2, x=[1] * 10 + [2] * 10, y=list(range(20)))
    svg = draw(Figure(x="x", y="y"), measured, title="t")
    assert "stroke-dasharray" in svg
