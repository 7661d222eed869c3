"""Figures of a run at its own threshold."""

from __future__ import annotations

import samecore
from samecore.lab.evaluate import Truth, evaluate

TEXTS = {
    "a": "the cat is on the mat and the dog was in the house of the king with a hat",
    "b": "the cat is on the mat and the dog was in the house of the king with a hat today",
    "c": "a ship is at the pier while the crew has a rest in the bar of the old town",
}


def found(clusters: dict[str, str]) -> tuple[float, float, int]:
    documents = [{"id": id, "text": text} for id, text in TEXTS.items()]
    pairs = evaluate(samecore.find(documents, threshold=0.5), Truth(clusters)).pairs
    return pairs.precision, pairs.recall, pairs.predicted


def test_pairs_that_are_all_right() -> None:
    assert found({"a": "one", "b": "one", "c": "two"}) == (1.0, 1.0, 1)


def test_pairs_that_are_all_wrong() -> None:
    assert found({"a": "one", "b": "two", "c": "two"}) == (0.0, 0.0, 1)


def test_no_pairs() -> None:
    assert found({"a": "one", "c": "one"}) == (1.0, 0.0, 0)
