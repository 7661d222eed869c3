"""Every named system as a recipe: one part per stage, a few lines each.

    >>> import samecore
    >>> samecore.method("spotsigs-2007").threshold
    0.2

A recipe can be taken apart and put together again with `dataclasses.replace`:

    >>> from dataclasses import replace
    >>> mine = replace(samecore.method("spotsigs"), threshold=0.3, weights=())
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any

from samecore.errors import SettingError, unknown_name
from samecore.features.antecedents import AutoSpots
from samecore.features.dictionary import DictionaryWords
from samecore.features.shingles import MAX_WIDTH, Shingles
from samecore.features.spots import Profile, Spot, Spots
from samecore.match.parts import Brute, Containment, Cosine, Exact, Matcher, SpotSigs2008
from samecore.match.sketched import Agreement, Henzinger, Lsh, SharedValues, SimHashBits
from samecore.match.threshold import exact_threshold
from samecore.protocols import FeaturePart, WeightPart
from samecore.sketch.imatch import IMatch
from samecore.sketch.modp import ModP
from samecore.sketch.supershingles import SuperShingles
from samecore.text.language import LANGUAGES, language
from samecore.text.modes import MODES
from samecore.weights.parts import IdfRange, IdfWeights


@dataclass(frozen=True)
class Method:
    """A recipe: which part serves at each stage.

    `text` is the text mode for HTML, `features` turns text into keys. A document with
    fewer than `min_features` of them (counted with repetitions) is given the features
    of `fallback` instead, if there is one. `weights` are applied in order. `multiset`
    says whether repetitions count. `match` is the matcher, `threshold` the score from
    which two documents count as near-duplicates, inclusive.
    """

    name: str
    features: FeaturePart
    text: str = "visible"
    fallback: FeaturePart | None = None
    min_features: int = 1
    weights: tuple[WeightPart, ...] = ()
    multiset: bool = True
    match: Matcher = field(default_factory=Exact)
    threshold: float = 0.5
    about: str = ""

    def __post_init__(self) -> None:
        if self.text not in MODES:
            raise unknown_name("text mode", self.text, MODES)
        if self.min_features < 1:
            raise SettingError("min_features", found=self.min_features, expected="at least 1")
        exact_threshold(self.threshold)

    def to_dict(self) -> dict[str, Any]:
        """The recipe as plain lists and dictionaries, each part tagged with its name."""
        encoded = _encode(self)
        assert isinstance(encoded, dict)
        return encoded

    @staticmethod
    def from_dict(encoded: dict[str, Any]) -> Method:
        """The recipe that `to_dict` wrote."""
        method = _decode(encoded)
        if not isinstance(method, Method):
            raise SettingError(
                "method", found=encoded.get("part"), expected="a dictionary written by Method.to_dict"
            )
        return method

    def seeded(self, seed: int) -> Method:
        """The same recipe with every hash seeded by `seed`."""
        fallback = None if self.fallback is None else _seeded(self.fallback, seed)
        return replace(self, features=_seeded(self.features, seed), fallback=fallback)


def _seeded(part: Any, seed: int) -> Any:
    if isinstance(part, DictionaryWords):
        return replace(part, features=_seeded(part.features, seed))
    if is_dataclass(part) and not isinstance(part, type) and hasattr(part, "seed"):
        return replace(part, seed=seed)
    return part


# -- recipes ------------------------------------------------------------------------------


#: The default threshold: most of a page in a frame is not the story (docs/decisions/0001).
FRAMED_THRESHOLD = 0.14

#: Scripts without spaces are read as character bigrams, which say less than a word: one more makes up for it.
UNSPACED = ("zh", "ja")

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
    chinese: str = "bigrams",
    threshold: float = FRAMED_THRESHOLD,
) -> Method:
    """Spot signatures with the defaults that did best on labelled news pages (docs/decisions/0001).

    languages: which antecedents to use; with several each document is read in the one that fits
        it best, and "auto" chooses antecedents from the documents, for any language.
    chinese: "bigrams" of characters, or "dictionary" words by jieba (docs/decisions/0002).
    """
    features: FeaturePart = _spots(languages, distance, chain)
    if chinese not in ("bigrams", "dictionary"):
        raise unknown_name("chinese", chinese, ("bigrams", "dictionary"))
    if chinese == "dictionary":
        if not isinstance(features, Spots):
            raise SettingError("chinese", found=chinese, expected="'bigrams' with languages='auto'")
        features = DictionaryWords(features)
    return Method(
        name="spotsigs",
        features=features,
        text="prose",
        fallback=Shingles(width=3),
        min_features=8,
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
        threshold=threshold,
        about="one in m shingles (Broder); Jaccard of the samples, an estimate of that of the documents",
    )


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
    *, width: int = 8, bits: int = 384, agreeing: int = 320, text: str = "visible", threshold: float = 0.5
) -> Method:
    """Shingling candidates, filtered by simhash: both must agree.

    Henzinger asks for 372 of 384 bits over words. Here both look at the same shingles, of which one changed word
    spoils `width`, so fewer bits are asked for: 320 are a cosine of about 0.87.
    """
    return Method(
        name="henzinger",
        features=Shingles(width=width),
        text=text,
        multiset=False,
        match=Henzinger(Lsh(slots=256), bits, agreeing),
        threshold=threshold,
        about="pairs by shingles that also agree in 320 of 384 simhash bits",
    )


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


#: Name -> function that makes the recipe. The one table behind `method` and `--method`.
METHODS: dict[str, Callable[..., Method]] = {
    "spotsigs": spotsigs,
    "spotsigs-2008": spotsigs_2008,
    "spotsigs-2007": spotsigs_2007,
    "spotsigs-code": spotsigs_code,
    "shingles": shingles,
    "containment": containment,
    "tfidf-cosine": tfidf_cosine,
    "binary-cosine": binary_cosine,
    "kgram-jaccard": kgram_jaccard,
    "minhash": minhash,
    "minhash-estimate": minhash_estimate,
    "shingles-modp": shingles_modp,
    "supershingles": supershingles,
    "supershingles-sorted": supershingles_sorted,
    "lsh-s": lsh_s,
    "simhash": simhash,
    "simhash-tables": simhash_tables,
    "henzinger": henzinger,
    "imatch": imatch,
    "imatch-s": imatch_s,
    "exact": exact,
}


def method(name: str, **settings: Any) -> Method:
    """The recipe of that name; `settings` are the keyword arguments of its function."""
    if name not in METHODS:
        raise unknown_name("method", name, METHODS)
    try:
        return METHODS[name](**settings)
    except TypeError as error:
        raise SettingError(f"method {name}", found=settings, expected=str(error)) from None


def _spots(languages: str | Sequence[str], distance: int, chain: int) -> Spots | AutoSpots:
    if languages == "auto":
        return AutoSpots(steps=(distance,) * chain)
    codes = (languages,) if isinstance(languages, str) else tuple(languages)
    return Spots(tuple(profile(code, (distance,) * (chain + (code in UNSPACED))) for code in codes))


def _english(antecedents: Sequence[str], steps: tuple[int, ...]) -> Spots:
    spots = tuple(Spot(word, steps) for word in antecedents)
    return Spots((Profile("en", spots, language("en").stop_words),))


def profile(code: str, steps: tuple[int, ...]) -> Profile:
    """The shipped lists of one language with the same steps for every antecedent."""
    words = language(code)
    return Profile(code, tuple(Spot(word, steps) for word in words.antecedents), words.stop_words)


# -- a recipe as plain data ---------------------------------------------------------------

_FEATURES = (Spots, Profile, Spot, AutoSpots, DictionaryWords, Shingles, ModP)
_WEIGHTS = (IdfRange, IdfWeights)
_MATCHERS = (
    Exact,
    Brute,
    SpotSigs2008,
    Containment,
    Cosine,
    Lsh,
    SharedValues,
    SimHashBits,
    Henzinger,
    Agreement,
)
_SKETCHES = (IMatch, SuperShingles)
_PARTS = {part.__name__: part for part in (Method, *_FEATURES, *_WEIGHTS, *_MATCHERS, *_SKETCHES)}


def _encode(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        tagged = {"part": type(value).__name__}
        if tagged["part"] not in _PARTS:
            raise SettingError(
                "part", found=tagged["part"], expected=f"one that can be stored: {', '.join(_PARTS)}"
            )
        return tagged | {one.name: _encode(getattr(value, one.name)) for one in fields(value) if one.init}
    if isinstance(value, frozenset):
        return {"set": sorted(value)}
    if isinstance(value, tuple):
        return [_encode(item) for item in value]
    if callable(value):
        raise SettingError(
            "part", found=value, expected="parts that can be stored; a function of your own cannot"
        )
    return value


def _decode(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_decode(item) for item in value)
    if isinstance(value, dict) and "set" in value:
        return frozenset(value["set"])
    if isinstance(value, dict) and "part" in value:
        if value["part"] not in _PARTS:
            raise unknown_name("part", value["part"], _PARTS)
        return _PARTS[value["part"]](
            **{name: _decode(item) for name, item in value.items() if name != "part"}
        )
    return value
