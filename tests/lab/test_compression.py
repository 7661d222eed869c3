"""The pinned floors of the compression methods on the labelled sets."""

from __future__ import annotations

import pytest
from conftest import labelled

import samecore
from samecore.lab.bootstrap import interval
from samecore.lab.data import Labelled, load, sweep
from samecore.lab.evaluate import Truth, evaluate


@pytest.fixture(scope="module")
def pages() -> tuple[samecore.Result, Labelled]:
    folder = labelled("spotsigs")
    own = load("spotsigs", folder.parent)
    return samecore.find(own.documents, method="signcd", floor=0.05), own


def test_signcd_on_news_pages(pages: tuple[samecore.Result, Labelled]) -> None:
    """As groups it is well above 0.92; pair by pair only without the pages that look misfiled."""
    result, own = pages
    figures = evaluate(result, own.truth)
    assert figures.groups.f1 >= 0.92
    assert figures.best_groups.f1 >= 0.95
    assert figures.best_pairs.f1 >= 0.905
    rows = (labelled("spotsigs") / "suspect_docs.tsv").read_text("utf-8").splitlines()[1:]
    suspect = {"/".join(row.split("\t")[:2]) for row in rows}
    rest = Truth({id: cluster for id, cluster in own.truth.clusters.items() if id not in suspect})
    assert evaluate(result, rest).best_pairs.f1 >= 0.93


def test_p1_loses_no_pair_of_the_news_pages(pages: tuple[samecore.Result, Labelled]) -> None:
    off = samecore.find(pages[1].documents, method=samecore.method("signcd", pruning="off"), floor=0.05)
    assert off.pairs.equals(pages[0].pairs)


def test_signcd_on_chinese_news() -> None:
    folder = labelled("zh_finance")
    own = load("zh_finance", folder.parent)
    result = samecore.find(own.documents, method="signcd", floor=0.5, threshold=0.8, group="components")
    found = sweep(result, own)
    assert found.best.f1 >= 0.93
    low, high = interval(result, own, found.threshold)
    assert low <= found.best.f1 <= high
    assert low >= 0.85
