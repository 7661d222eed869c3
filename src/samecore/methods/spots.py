"""Recipes on spot signatures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from samecore.errors import SettingError, unknown_name
from samecore.features.antecedents import AutoSpots
from samecore.features.any_language import AnyLanguage
from samecore.features.dictionary import DictionaryWords
from samecore.features.shingles import Shingles
from samecore.features.spots import Profile, Spot, Spots
from samecore.match.parts import SpotSigs2008
from samecore.match.sketched import Agreement, Lsh
from samecore.methods.recipe import Method
from samecore.protocols import FeaturePart
from samecore.sketch.imatch import IMatch
from samecore.text.language import LANGUAGES, language
from samecore.weights.parts import IdfRange

#: The default threshold: most of a page in a frame is not the story (docs/decisions/0001).
FRAMED_THRESHOLD = 0.14

#: Scripts without spaces are read as character bigrams, which say less than a word: so many more make up for it.
#: A Chinese word has two characters; one of Thai, Lao, Khmer or Burmese about five, vowels included. Dictionary words,
#: which are short, get one more.
UNSPACED = {"zh": 1, "ja": 1, "th": 3, "lo": 3, "km": 3, "my": 3}

#: SpotSigs 2008, section 5.4: documents with fewer spot signatures are left out there; here they fall back.
PAPER_LEAST = 5

#: SpotSigs 2008, section 5.3.2: the articles and the forms of be, can, will, have and do.
PAPER_ANTECEDENTS: tuple[str, ...] = (
    *("a", "an", "the"),
    *("be", "am", "is", "are", "was", "were", "been", "being"),
    *("can", "could", "will", "would", "have", "has", "had", "having"),
    *("do", "does", "did", "done", "doing"),
)


def spotsigs(
    *,
    languages: str | Sequence[str] = LANGUAGES,
    distance: int = 1,
    chain: int = 1,
    unspaced: str = "bigrams",
    threshold: float = FRAMED_THRESHOLD,
) -> Method:
    """Spot signatures with the defaults that did best on labelled news pages (docs/decisions/0001).

    languages: which antecedents to use; with several each document is read in the one that fits
        it best. "auto" also learns antecedents from the documents that fit none of the lists,
        "learn" from all of them, whatever their language.
    unspaced: scripts without spaces as "bigrams" of characters, or "dictionary" words by jieba
        and BudouX (docs/decisions/0002).
    """
    features: FeaturePart = _spots(languages, distance, chain, most=3 if unspaced == "bigrams" else 1)
    if unspaced not in ("bigrams", "dictionary"):
        raise unknown_name("unspaced", unspaced, ("bigrams", "dictionary"))
    if unspaced == "dictionary":
        if not isinstance(features, Spots):
            raise SettingError("unspaced", found=unspaced, expected=f"'bigrams' with languages={languages!r}")
        features = DictionaryWords(features, script="any")
    return Method(
        name="spotsigs",
        features=features,
        text="prose",
        fallback=Shingles(width=3),
        min_features=8,
        frame="ignore",
        threshold=threshold,
        about="spot signatures of the running text, multiset Jaccard, found exactly; the default",
    )


def spotsigs_2008(
    *,
    antecedents: Sequence[str] = PAPER_ANTECEDENTS,
    distance: int = 2,
    chain: int = 3,
    threshold: float = 0.44,
) -> Method:
    """The best settings printed in SpotSigs 2008: a(2,3), idf in [0.2, 0.85], threshold 0.44."""
    return Method(
        name="spotsigs-2008",
        features=_english(antecedents, (distance,) * chain),
        fallback=Shingles(width=3),
        min_features=PAPER_LEAST,
        weights=(IdfRange(low=0.2, high=0.85),),
        match=SpotSigs2008(),
        threshold=threshold,
        about="SpotSigs 2008 as printed: a(2,3), idf in [0.2, 0.85], its own matcher",
    )


def spotsigs_2007(
    *, spots: Sequence[str] = ("is(2)", "the(2)", "was(2)", "that(2)"), threshold: float = 0.2
) -> Method:
    """The first report: a(d) or a(m,n) on the undressed page, no stop words skipped, set Jaccard."""
    parsed = tuple(Spot.parse(spot, form="2007") for spot in spots)
    return Method(
        name="spotsigs-2007",
        features=Spots(
            (Profile("2007", parsed, frozenset()),), skip_stop_words=False, partial=False, key="spot"
        ),
        text="raw",
        fallback=Shingles(width=3),
        multiset=False,
        threshold=threshold,
        about="SpotSigs 2007: a(d) and a(m,n), raw page, set Jaccard",
    )


def spotsigs_code(*, antecedents: Sequence[str] = PAPER_ANTECEDENTS, threshold: float = 0.44) -> Method:
    """The authors' released program: chain 1, distance 1, antecedent left out of the key."""
    return Method(
        name="spotsigs-code",
        features=replace(_english(antecedents, (1,)), key="chain"),
        fallback=Shingles(width=3),
        min_features=4,
        weights=(IdfRange(low=0.2, high=0.85, form="code"),),
        threshold=threshold,
        about="SpotSigs as its authors released it, which differs from the paper",
    )


def lsh_s(*, bands: int = 32, rows: int = 6, threshold: float = 0.44) -> Method:
    """LSH-S of SpotSigs 2008: k = 6 by l = 32 min-hashes of spot signatures, linear functions mod a prime."""
    return Method(
        name="lsh-s",
        features=_english(PAPER_ANTECEDENTS, (2, 2, 2)),
        fallback=Shingles(width=3),
        min_features=PAPER_LEAST,
        weights=(IdfRange(low=0.2, high=0.85),),
        match=Lsh(bands=bands, rows=rows, family="mod-prime"),
        threshold=threshold,
        about="LSH-S of SpotSigs 2008: k=6, l=32 min-hashes of spot signatures, verified",
    )


def imatch_s(*, low: float = 0.4, high: float = 0.75, lexicons: int = 1, required: int = 1) -> Method:
    """I-Match-S of SpotSigs 2008: I-Match over spot signatures."""
    return Method(
        name="imatch-s",
        features=_english(PAPER_ANTECEDENTS, (2, 2, 2)),
        fallback=Shingles(width=3),
        min_features=PAPER_LEAST,
        multiset=False,
        match=Agreement(IMatch(idf=(low, high), lexicons=lexicons), required),
        threshold=1.0,
        about="I-Match over spot signatures",
    )


def _spots(
    languages: str | Sequence[str], distance: int, chain: int, *, most: int = 3
) -> Spots | AutoSpots | AnyLanguage:
    """Spots of these languages; chains of unspaced scripts are up to `most` longer."""
    learned = AutoSpots(steps=(distance,) * chain)
    if languages == "learn":
        return learned
    codes = (languages,) if isinstance(languages, str) else tuple(languages)
    if len(codes) > 1 and {"auto", "learn"} & set(codes):
        raise SettingError("languages", found=",".join(codes), expected="'auto' or 'learn' alone, or a list")
    longer = {code: min(most, extra) for code, extra in UNSPACED.items()}
    profiles = (
        profile(code, (distance,) * (chain + longer.get(code, 0)))
        for code in (LANGUAGES if languages == "auto" else codes)
    )
    listed = Spots(tuple(profiles))
    return AnyLanguage(listed, learned) if languages == "auto" else listed


def _english(antecedents: Sequence[str], steps: tuple[int, ...]) -> Spots:
    spots = tuple(Spot(word, steps) for word in antecedents)
    return Spots((Profile("en", spots, language("en").stop_words),))


def profile(code: str, steps: tuple[int, ...]) -> Profile:
    """The shipped lists of one language with the same steps for every antecedent."""
    words = language(code)
    return Profile(code, tuple(Spot(word, steps) for word in words.antecedents), words.stop_words)
