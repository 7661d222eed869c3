"""Recipes on sketches of shingles: min-hash, supershingles, simhash, I-Match."""

from __future__ import annotations

from dataclasses import replace

from samecore.features.shingles import Shingles
from samecore.match.henzinger import Henzinger
from samecore.match.sketched import Agreement, Lsh, SharedValues, SimHashBits
from samecore.methods.recipe import Method
from samecore.sketch.imatch import IMatch
from samecore.sketch.supershingles import SuperShingles
from samecore.text.strings import NormalisedText


def minhash(
    *, width: int = 5, slots: int = 128, recall: float = 0.99, text: str = "visible", threshold: float = 0.7
) -> Method:
    """Min-hash of shingles, LSH bands for the asked-for recall, every candidate verified."""
    return Method(
        name="minhash",
        features=Shingles(width=width),
        text=text,
        multiset=False,
        match=Lsh(recall=recall, slots=slots),
        threshold=threshold,
        about="min-hash bands of shingles for an asked-for recall, verified",
    )


def minhash_estimate(
    *, width: int = 5, slots: int = 128, text: str = "visible", threshold: float = 0.5
) -> Method:
    """Min-hash of shingles without verification: the score is the share of slots that agree (Lecture)."""
    return Method(
        name="minhash-estimate",
        features=Shingles(width=width),
        text=text,
        multiset=False,
        match=SharedValues(slots=slots),
        threshold=threshold,
        about="min-hash of shingles, not verified: all pairs by the share of slots that agree",
    )


def supershingles(*, width: int = 5, text: str = "visible", threshold: float = 0.8) -> Method:
    """DSC-SS as ANDD has it: 84 minima in 6 blocks of 14, candidates agree in one block and are verified."""
    return Method(
        name="supershingles",
        features=Shingles(width=width),
        text=text,
        multiset=False,
        match=Lsh(slots=84, bands=6, rows=14),
        threshold=threshold,
        about="6 supershingles of 14 minima each; at least one agrees, verified",
    )


def supershingles_sorted(*, width: int = 5, slots: int = 84, run: int = 14, text: str = "visible") -> Method:
    """DSC-SS as the Lecture has it: shingles over the sorted sketch; one in common is a match."""
    return Method(
        name="supershingles-sorted",
        features=Shingles(width=width),
        text=text,
        multiset=False,
        match=Agreement(SuperShingles(form="sorted", slots=slots, run=run)),
        threshold=1.0,
        about="supershingles over the sorted sketch; one in common is a match",
    )


def simhash(
    *, bits: int = 64, weighting: str = "tf", k: int = 1, text: str = "visible", threshold: float = 0.9
) -> Method:
    """Charikar's fingerprints of k-grams; the score is 1 - differing bits / width."""
    return Method(
        name="simhash",
        features=Shingles(width=k),
        text=text,
        match=SimHashBits(bits=bits, weighting=weighting),  # type: ignore[arg-type]
        threshold=threshold,
        about="simhash fingerprints of words, all pairs within the bits that the threshold allows",
    )


def simhash_tables(*, bits: int = 3, k: int = 1, text: str = "visible") -> Method:
    """Manku's setting: 64-bit fingerprints within 3 bits, by permuted tables, exactly."""
    return replace(
        simhash(k=k, text=text, threshold=1 - bits / 64),
        name="simhash-tables",
        about="64-bit simhash within 3 bits, by permuted tables (Manku)",
    )


def henzinger(
    *, width: int = 8, bits: int = 384, agreeing: int = 340, text: str = "visible", threshold: float = 0.5
) -> Method:
    """Pairs by shingles, filtered by a simhash of the words: both must agree.

    340 of 384 bits are a cosine of about 0.94, chosen on the labelled sets: `henzinger_2006` asks for more.
    """
    return Method(
        name="henzinger",
        features=Shingles(width=width),
        text=text,
        multiset=False,
        strings=NormalisedText(),
        match=Henzinger(Lsh(slots=256), bits, agreeing),
        threshold=threshold,
        about=f"pairs by shingles that also agree in {agreeing} of {bits} simhash bits over words",
    )


def henzinger_2006(*, text: str = "visible", threshold: float = 0.5) -> Method:
    """Henzinger's own setting, 372 of 384 bits: a cosine of about 0.995, so hardly any word may differ."""
    return replace(henzinger(agreeing=372, text=text, threshold=threshold), name="henzinger-2006")


def imatch(
    *, low: float = 0.4, high: float = 0.75, lexicons: int = 1, required: int = 1, text: str = "visible"
) -> Method:
    """I-Match: the same SHA-1 of all terms in an idf range; with `lexicons`, of random subsets of them."""
    return Method(
        name="imatch",
        features=Shingles(width=1),
        text=text,
        multiset=False,
        match=Agreement(IMatch(idf=(low, high), lexicons=lexicons), required),
        threshold=1.0,
        about="one SHA-1 over the terms with idf in [0.4, 0.75]; equal is a match",
    )
