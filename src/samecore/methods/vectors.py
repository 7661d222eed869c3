"""Recipes on weighted vectors of k-grams."""

from __future__ import annotations

from samecore.features.shingles import Shingles
from samecore.match.parts import Cosine
from samecore.methods.recipe import Method


def tfidf_cosine(*, k: int = 1, text: str = "visible", threshold: float = 0.7) -> Method:
    """Cosine of tf-idf vectors of k-grams, found exactly."""
    return Method(
        name="tfidf-cosine",
        features=Shingles(width=k),
        text=text,
        match=Cosine("tfidf"),
        threshold=threshold,
        about="cosine of tf-idf weighted k-grams, found exactly",
    )


def binary_cosine(*, k: int = 3, text: str = "visible", threshold: float = 0.5) -> Method:
    """Cosine of binary vectors of k-grams, found exactly."""
    return Method(
        name="binary-cosine",
        features=Shingles(width=k),
        text=text,
        multiset=False,
        match=Cosine("binary"),
        threshold=threshold,
        about="cosine of binary k-grams, found exactly",
    )


def kgram_jaccard(*, k: int = 3, text: str = "visible", threshold: float = 0.3) -> Method:
    """Extended Jaccard of tf-idf vectors of k-grams, found exactly (ANDD's second similarity)."""
    return Method(
        name="kgram-jaccard",
        features=Shingles(width=k),
        text=text,
        match=Cosine("tfidf", similarity="jaccard"),
        threshold=threshold,
        about="extended Jaccard of tf-idf weighted k-grams, found exactly",
    )
