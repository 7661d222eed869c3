"""The pinned floor: figures on the labelled pages may rise freely and fall only by a stated decision."""

from __future__ import annotations

import pytest
from conftest import labelled

import samecore
from samecore.lab.evaluate import Evaluation, Truth, evaluate, read_labels


@pytest.fixture(scope="module")
def pages() -> tuple[samecore.Result, Truth]:
    folder = labelled("spotsigs")
    return samecore.find(folder, floor=0.07), read_labels(folder / "labels.tsv")


def test_the_default_method_on_news_pages(pages: tuple[samecore.Result, Truth]) -> None:
    figures = evaluate(*pages)
    assert figures.best_pairs.f1 >= 0.95
    assert figures.best_groups.f1 >= 0.96
    # and at the threshold users get, not only at the best one
    assert figures.threshold == 0.14
    assert figures.pairs.f1 >= 0.95
    assert figures.groups.f1 >= 0.96
    assert figures.bcubed is not None
    assert figures.bcubed.f1 >= 0.93
    assert figures.adjusted_rand is not None
    assert figures.adjusted_rand >= 0.955


def test_without_the_pages_that_look_misfiled(pages: tuple[samecore.Result, Truth]) -> None:
    result, truth = pages
    rows = (labelled("spotsigs") / "suspect_docs.tsv").read_text("utf-8").splitlines()[1:]
    suspect = {"/".join(row.split("\t")[:2]) for row in rows}
    rest = Truth({id: cluster for id, cluster in truth.clusters.items() if id not in suspect})
    assert len(rest.clusters) < len(truth.clusters)
    figures = evaluate(result, rest)
    assert figures.pairs.f1 >= 0.965
    assert figures.groups.f1 >= 0.975


def test_the_exact_matcher_finds_what_brute_force_finds(pages: tuple[samecore.Result, Truth]) -> None:
    brute = samecore.find(labelled("spotsigs"), floor=0.07, match="brute")
    assert pages[0].pairs.equals(brute.pairs)


@pytest.mark.parametrize(("words", "floor"), [("bigrams", 0.92), ("dictionary", 0.92)])
def test_versions_of_chinese_laws(words: str, floor: float) -> None:
    folder = labelled("zh_laws")
    if words == "dictionary":
        pytest.importorskip("jieba")
    result = samecore.find(
        folder, method=samecore.method("spotsigs", unspaced=words), threshold=0.2, floor=0.02
    )
    figures: Evaluation = evaluate(result, read_labels(folder / "labels.tsv"))
    assert figures.best_pairs.f1 >= floor
