"""What a recipe is, and how it is stored as plain data."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any

from samecore.errors import SettingError, unknown_name
from samecore.features.antecedents import AutoSpots
from samecore.features.any_language import AnyLanguage
from samecore.features.dictionary import DictionaryWords
from samecore.features.frequencies import Frequencies
from samecore.features.learned import LearnedVectors
from samecore.features.punctuation import Punctuation, Signatures
from samecore.features.sentences import Sentences, SentenceStrings
from samecore.features.shingles import Shingles
from samecore.features.spots import Profile, Spot, Spots
from samecore.features.strings import SpotStrings, WholeText
from samecore.match.blocks import SentenceBlocks
from samecore.match.compressed import Compression
from samecore.match.edits import Edit
from samecore.match.henzinger import Henzinger
from samecore.match.parts import Brute, Containment, Cosine, Exact, InOrder, Matcher, SpotSigs2008
from samecore.match.sampled import Sampled
from samecore.match.sketched import Agreement, Lsh, SharedValues, SimHashBits
from samecore.match.threshold import exact_threshold
from samecore.match.weighted import BucketedMinHash, WeightedLsh
from samecore.protocols import FeaturePart, StringPart, WeightPart
from samecore.sketch.imatch import IMatch
from samecore.sketch.modp import ModP
from samecore.sketch.supershingles import SuperShingles
from samecore.text.modes import MODES
from samecore.text.strings import NormalisedText
from samecore.weights.parts import IdfRange, IdfWeights

#: What becomes of the frames of sites: nothing is learned, they are reported, or only cores are compared.
FRAMES = ("off", "report", "ignore")


@dataclass(frozen=True)
class Method:
    """A recipe: which part serves at each stage.

    `text` is the text mode for HTML, `undisguise` undoes plain tricks of spammers in
    it (docs/languages.md), `features` turns text into keys. A document with
    fewer than `min_features` of them (counted with repetitions) is given the features
    of `fallback` instead, if there is one. `weights` are applied in order. `multiset`
    says whether repetitions count. `strings`, for matchers that compare strings, says
    what is kept of each text; documents with equal strings are then the same content.
    `frame` says what is done about the frames of sites, where they can be learned (docs/frames.md):
    "ignore" compares cores alone, "report" compares whole documents and tells the two apart, "off"
    does neither. `match` is the matcher, `threshold` the score from which two documents count as
    near-duplicates, inclusive.
    """

    name: str
    features: FeaturePart
    text: str = "visible"
    fallback: FeaturePart | None = None
    min_features: int = 1
    weights: tuple[WeightPart, ...] = ()
    multiset: bool = True
    strings: StringPart | None = None
    frame: str = "off"
    match: Matcher = field(default_factory=Exact)
    threshold: float = 0.5
    about: str = ""
    undisguise: bool = False

    def __post_init__(self) -> None:
        if self.text not in MODES:
            raise unknown_name("text mode", self.text, MODES)
        if self.min_features < 1:
            raise SettingError("min_features", found=self.min_features, expected="at least 1")
        if getattr(self.match, "needs_strings", False) != (self.strings is not None):
            expected = "a part for a matcher that compares strings, and None for any other"
            raise SettingError("strings", found=(self.strings, self.match), expected=expected)
        if self.frame not in FRAMES:
            raise unknown_name("frame", str(self.frame), FRAMES)
        if self.frame != "off" and self.strings is not None:
            raise SettingError("frame", found=self.frame, expected="'off' for a method that compares strings")
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
        seeded = _seeded(self, seed)
        assert isinstance(seeded, Method)
        return seeded


def _seeded(part: Any, seed: int) -> Any:
    """A part, and the parts it is made of, with their seeds set."""
    if not is_dataclass(part) or isinstance(part, type):
        return part
    inner = {one.name: getattr(part, one.name) for one in fields(part) if one.init}
    changed = {name: _seeded(value, seed) for name, value in inner.items()}
    changed |= {"seed": seed} if "seed" in inner else {}
    return replace(part, **{name: value for name, value in changed.items() if value is not inner[name]})


_FEATURES = (
    Spots,
    Profile,
    Spot,
    AutoSpots,
    AnyLanguage,
    DictionaryWords,
    Shingles,
    ModP,
    Punctuation,
    Sentences,
    LearnedVectors,
    Frequencies,
)
_STRINGS = (NormalisedText, Signatures, SpotStrings, WholeText, SentenceStrings)
_WEIGHTS = (IdfRange, IdfWeights)
_MATCHERS = (
    Exact,
    Brute,
    SpotSigs2008,
    InOrder,
    Containment,
    Cosine,
    Lsh,
    SharedValues,
    SimHashBits,
    Henzinger,
    Agreement,
    BucketedMinHash,
    WeightedLsh,
    Sampled,
    Edit,
    Compression,
    SentenceBlocks,
)
_SKETCHES = (IMatch, SuperShingles)
_PARTS = {part.__name__: part for part in (Method, *_FEATURES, *_STRINGS, *_WEIGHTS, *_MATCHERS, *_SKETCHES)}


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
