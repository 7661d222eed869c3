"""Recipes on w-shingles, compared as sets."""

from __future__ import annotations

from samecore.features.shingles import MAX_WIDTH, Shingles
from samecore.match.parts import Containment
from samecore.match.sampled import Sampled
from samecore.methods.recipe import Method
from samecore.sketch.modp import ModP


def shingles(*, width: int = 5, unit: str = "words", text: str = "visible", threshold: float = 0.5) -> Method:
    """Every run of `width` words or characters, set Jaccard, found exactly (Lecture)."""
    return Method(
        name="shingles",
        features=Shingles(width=width, unit=unit),  # type: ignore[arg-type]
        text=text,
        multiset=False,
        threshold=threshold,
        about="w-shingles, set Jaccard, found exactly",
    )


def shingles_modp(
    *, width: int = 10, modulus: int = 25, text: str = "visible", threshold: float = 0.5
) -> Method:
    """Broder's sketch: the shingles whose hash is 0 modulo m; Jaccard of what is left, an estimate."""
    return Method(
        name="shingles-modp",
        features=ModP(modulus=modulus, shingles=Shingles(width=width)),
        text=text,
        fallback=Shingles(width=width),
        multiset=False,
        match=Sampled(),
        threshold=threshold,
        about="one in m shingles (Broder); Jaccard of the samples, an estimate of that of the documents",
    )


def containment(*, width: int = 5, text: str = "visible", threshold: float = 0.5) -> Method:
    """How much of the smaller document lies in the other: finds quotations and extended copies."""
    return Method(
        name="containment",
        features=Shingles(width=width),
        text=text,
        multiset=False,
        match=Containment(),
        threshold=threshold,
        about="share of the smaller document that lies in the other, by shingles; finds quoted and extended copies",
    )


def exact(*, text: str = "visible") -> Method:
    """Texts that are the same word for word, whatever their case, spacing and punctuation."""
    return Method(
        name="exact",
        features=Shingles(width=MAX_WIDTH),  # wider than any text: one shingle of all its words
        text=text,
        multiset=False,
        threshold=1.0,
        about="the same words in the same order; case, spacing and punctuation aside",
    )
