"""Recipes on compression distance, and on blocks of sentences that SigNCD was compared with."""

from __future__ import annotations

from collections.abc import Sequence

from samecore.errors import unknown_name
from samecore.features.punctuation import COMMAS, Punctuation, Signatures
from samecore.features.sentences import Sentences, SentenceStrings
from samecore.features.shingles import Shingles
from samecore.features.spots import Spots
from samecore.features.strings import SpotStrings, WholeText
from samecore.match.blocks import SentenceBlocks
from samecore.match.compressed import Compression
from samecore.methods.recipe import Method
from samecore.methods.spots import UNSPACED, profile
from samecore.similarity.compression import DEFAULT
from samecore.text.language import LANGUAGES

#: Words before and after each mark, by their names in the paper.
SIGNATURES = {"1L": (1, 0), "1R": (0, 1), "2": (1, 1), "4": (2, 2), "6": (3, 3)}


def signcd(
    *,
    marks: str = COMMAS,
    signature: str = "1L",
    compressor: str = DEFAULT,
    pruning: str = "P1",
    slack: float = 0.0,
    text: str = "signcd",
    threshold: float = 0.17,
) -> Method:
    """SigNCD: compression distance of the words before each comma, all pairs.

    signature: "1L", "1R", "2", "4" or "6", see `samecore.features.punctuation`.
    """
    spots = _punctuation(marks, signature)
    return Method(
        name="signcd",
        features=spots,
        strings=Signatures(spots),
        text=text,
        match=Compression(compressor, pruning, slack),  # type: ignore[arg-type]
        threshold=threshold,
        about="SigNCD: compression distance of the words before each comma, all pairs with P1",
    )


def signcd_2016(
    *,
    marks: str = COMMAS,
    signature: str = "1L",
    compressor: str = DEFAULT,
    pruning: str = "P1",
    threshold: float = 0.3,
) -> Method:
    """SigNCD as printed: Algorithm 1, greedy, with P1, NCD at most 0.7, the joint size as the compressor gives it."""
    spots = _punctuation(marks, signature)
    return Method(
        name="signcd-2016",
        features=spots,
        strings=Signatures(spots),
        text="signcd",
        match=Compression(compressor, pruning, monotone=False, greedy=True),  # type: ignore[arg-type]
        threshold=threshold,
        about="SigNCD as printed: Algorithm 1 (greedy) with P1; groups by components only",
    )


def signcd_candidates(
    *,
    marks: str = COMMAS,
    signature: str = "1L",
    compressor: str = DEFAULT,
    candidates: float = 0.1,
    text: str = "signcd",
    threshold: float = 0.5,
) -> Method:
    """SigNCD for large collections: only signatures with enough pairs of adjacent words in common are compressed together."""
    spots = _punctuation(marks, signature)
    return Method(
        name="signcd-candidates",
        features=spots,
        strings=Signatures(spots),
        text=text,
        match=Compression(compressor, candidates=candidates),
        threshold=threshold,
        about="SigNCD for large collections: candidates share runs of signatures, then compression decides",
    )


def ncd(
    *, compressor: str = DEFAULT, pruning: str = "P1", text: str = "signcd", threshold: float = 0.22
) -> Method:
    """Compression distance of whole texts, all pairs."""
    return Method(
        name="ncd",
        features=Shingles(width=3),
        strings=WholeText(),
        text=text,
        match=Compression(compressor, pruning),  # type: ignore[arg-type]
        threshold=threshold,
        about="compression distance of whole texts, all pairs; for texts up to some 30 KB",
    )


def spotsigncd(
    *,
    languages: Sequence[str] = LANGUAGES,
    distance: int = 1,
    chain: int = 1,
    compressor: str = DEFAULT,
    pruning: str = "P1",
    text: str = "signcd",
    threshold: float = 0.2,
) -> Method:
    """SpotSigNCD: compression distance of the spot signatures of SpotSigs, in the order of the text."""
    spots = Spots(tuple(profile(code, (distance,) * (chain + (code in UNSPACED))) for code in languages))
    return Method(
        name="spotsigncd",
        features=spots,
        strings=SpotStrings(spots),
        fallback=Shingles(width=3),
        min_features=3,
        text=text,
        match=Compression(compressor, pruning),  # type: ignore[arg-type]
        threshold=threshold,
        about="SpotSigNCD: compression distance of spot signatures, all pairs with P1",
    )


def sentence_blocks(
    *,
    positions: Sequence[int] = (0, 1, -1),
    length: bool = True,
    block: int = 1,
    text: str = "signcd",
    threshold: float = 0.1,
) -> Method:
    """SL+ST: sentences by their number of terms and the terms at some positions, matched in blocks.

    positions: which terms of a sentence count, from the front or (negative) from the end.
    length: whether the number of terms counts.
    block: only runs of at least so many common sentences count.
    """
    sentences = Sentences(positions=tuple(positions), length=length)
    return Method(
        name="sentence-blocks",
        features=sentences,
        strings=SentenceStrings(sentences),
        text=text,
        match=SentenceBlocks(block=block),
        threshold=threshold,
        about="SL+ST: common blocks of sentences, each known by its length and a few of its words",
    )


def _punctuation(marks: str, signature: str) -> Punctuation:
    signature = str(signature)  # 2, 4 and 6 are numbers as well
    if signature not in SIGNATURES:
        raise unknown_name("signature", signature, SIGNATURES)
    before, after = SIGNATURES[signature]
    return Punctuation(marks=marks, before=before, after=after)
