"""Floors for what is found in mails and posts; the figures are in docs/mail.md."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from conftest import labelled

import samecore
from samecore import read
from samecore.lab.evaluate import Truth, evaluate, read_labels


@pytest.mark.parametrize(("method", "floor"), [("shingles", 0.83), ("spotsigs", 0.82)])
def test_campaigns(method: str, floor: float) -> None:
    folder = labelled("email_spamassassin")
    result = samecore.find(folder, method=method, threshold=0.5)
    figures = evaluate(result, read_labels(folder / "labels.tsv"))
    assert figures.labelled == 103
    assert figures.best_pairs.f1 >= floor
    assert figures.best_pairs.recall >= 0.96


@pytest.mark.parametrize(
    ("method", "quotes", "floor"),
    [("shingles", "keep", 1.0), ("spotsigs", "strip", 0.99), ("containment", "strip", 0.99)],
)
def test_crossposts(method: str, quotes: str, floor: float) -> None:
    folder = labelled("newsgroups")
    result = samecore.find(folder, method=method, threshold=0.9, quotes=quotes)
    alone = {id: f"alone: {id}" for id in result.ids.to_pylist() if not id.endswith(".tsv")}
    figures = evaluate(result, Truth(alone | read_labels(folder / "crosspost_labels.tsv").clusters))
    assert figures.best_pairs.f1 >= floor


def test_quotes_lead_to_the_parent() -> None:
    folder = labelled("newsgroups")
    rows = [line.split("\t") for line in (folder / "reply_parent.tsv").read_text().split("\n")[1:] if line]
    parent = dict(rows)
    posts = pa.Table.from_batches(list(read.open(folder).batches())).select(["id", "text"])
    quoted = pa.Table.from_batches(list(read.open(folder, quotes="only").batches())).select(["id", "text"])
    quoted = quoted.filter(pc.is_in(quoted["id"], value_set=pa.array(list(parent))))
    quoted = quoted.set_column(0, "id", pa.array([f"q:{id}" for id in quoted["id"].to_pylist()]))
    found = samecore.find(quoted, against=posts, method="containment", threshold=0.5).pairs
    pairs = set(zip(found["left"].to_pylist(), found["right"].to_pylist(), strict=True))
    assert sum((f"q:{reply}", post) in pairs for reply, post in parent.items()) >= 230
