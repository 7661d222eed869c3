"""Pinned floors of bench/containment.py: containment and resemblance on the labelled sets.

docs/containment.md has the figures; they may rise freely and fall only by a stated decision.
"""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType

import pytest
from conftest import ROOT, labelled


@pytest.fixture(scope="module")
def bench() -> ModuleType:
    spec = importlib.util.spec_from_file_location("bench_containment", ROOT / "bench" / "containment.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("width", [1, 2, 3, 5])
def test_the_degree_of_copying(bench: ModuleType, width: int) -> None:
    orders = bench.degrees_of_copying(labelled("clough_stevenson"), width).orders()
    own = orders["query in candidate"]
    assert own.spearman >= 0.72
    assert own.kendall >= 0.60
    assert own.ordered >= 0.855
    assert abs(own.ordered - orders["jaccard"].ordered) <= 0.02  # neither is clearly better
    if width == 5:
        assert own.spearman >= 0.795


def test_the_parent_of_a_reply(bench: ModuleType) -> None:
    found = bench.quoted_parents(labelled("newsgroups"), 5)
    assert found["candidate in query"].questions == 300
    assert found["candidate in query"].first >= 0.82
    assert found["jaccard"].first >= 0.84
    # one threshold for all replies
    assert found["smaller"].best_f1 >= 0.745
    assert found["smaller"].recall >= 3 * found["jaccard"].recall
    assert found["smaller"].precision >= 0.9


@pytest.mark.parametrize("width", [1, 2, 3, 5])
def test_the_source_of_a_suspicious_document(bench: ModuleType, width: int) -> None:
    found = bench.sources_of_copies(labelled("pan13"), width)
    floor = {1: 0.65, 2: 0.89, 3: 1.0, 5: 1.0}[width]
    assert found["smaller"].questions == 76
    assert found["smaller"].first >= floor
    assert found["smaller"].first >= found["jaccard"].first
    if width >= 3:
        assert found["smaller"].precision == 1.0
        assert found["smaller"].recall >= 0.2
        assert found["jaccard"].recall == 0.0  # at 0.5 resemblance finds none
