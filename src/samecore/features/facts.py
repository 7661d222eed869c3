"""What is known of each k-gram of a document, and the features a learned weight is made of.

Hajishirzi, Yih and Kolcz (2010), Table 1, and facts of the page beyond it. A fact is one byte; a feature is a
function of one fact, or the product of two such functions, with values from 0 to 1. `FEATURES` is the one table
of them; a plain function of `Facts` can be added to it for a run (`Feature.of`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

import samecore._core as _core
from samecore.errors import SettingError, unknown_name
from samecore.features.csr import Counts, Keys, Offsets
from samecore.features.frequencies import Codes, Frequencies
from samecore.features.spots import Profile, Spot, Spots
from samecore.text.language import LANGUAGES, language
from samecore.text.tokens import Bytes, buffers, check_threads

Floats: TypeAlias = npt.NDArray[np.float64]
Transform: TypeAlias = Callable[[Floats], Floats]

#: The facts, in the order of the core. Shares run from 0 to 255; a level is 16 log2(x + 1), at most 255.
FACTS = (
    "tf",  # how often the k-gram occurs, at most 255
    "df",  # its code in the table of document frequencies
    "df_avg",  # the average code of its words (k > 1)
    "df_med",  # the median (k > 1)
    "qf",  # its code in the table of query frequencies
    "location",  # level of the number of words before its first occurrence
    "place",  # the share of the text before it
    "length",  # level of the words of the document
    "capital",  # share of its occurrences that begin with a capital
    "title",  # share of its words that stand in the title, or in the subject of a mail
    "url",  # share of its words that stand in the address
    "spots",  # occurrences that follow an antecedent, as spot signatures do, at most 255
    "spot_share",  # share of its occurrences that do
    "stop",  # share of its words that are stop words of the language
    "link",  # share of its occurrences within links (text mode "marked")
    "heading",  # share of its occurrences within headings (text mode "marked")
    "line",  # level of the words of the longest line it stands in
    "marks",  # punctuation marks per word in the line of its occurrences that has most
    "language",  # number of the language, 255 for none
)
MAX_K = 8
CODES = np.arange(256, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Facts:
    """The k-grams of documents in the shape of `Features`, with `codes[entry, fact]` and the batch they are from."""

    offsets: Offsets
    keys: Keys
    counts: Counts
    codes: Codes
    batch: pa.RecordBatch

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def fact(self, name: str) -> Codes:
        """The codes of one fact for every entry."""
        return self.codes[:, FACTS.index(name)]

    def documents(self) -> npt.NDArray[np.int64]:
        """The row in the batch of every entry."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))


@lru_cache(maxsize=1)
def reader() -> Spots:
    """Antecedents and stop words of all languages: one word after an antecedent, as in SpotSigs with d = c = 1."""
    return Spots(
        tuple(
            Profile(
                code,
                tuple(Spot(word, (1,)) for word in language(code).antecedents),
                language(code).stop_words,
            )
            for code in LANGUAGES
        )
    )


def fields(batch: pa.RecordBatch) -> tuple[Bytes, Offsets, Bytes, Offsets, Bytes, Offsets]:
    """Text, title and address of a batch as the core takes them; empty where a document has none."""

    def column(name: str) -> tuple[Bytes, Offsets]:
        there = name in batch.schema.names
        return buffers(batch.column(name) if there else pa.array([""] * batch.num_rows, pa.large_string()))

    return (*column("text"), *column("title"), *column("url"))


def facts(
    batch: pa.RecordBatch,
    *,
    k: int = 1,
    grams: Frequencies | None = None,
    words: Frequencies | None = None,
    queries: Frequencies | None = None,
    threads: int = 1,
) -> Facts:
    """The facts of every k-gram of every document of a batch with `text` and, if known, `title` and `url`.

    grams, words: document frequencies of the k-grams and of single words; queries: those of a query log.
    """
    check_k(k)
    none = Frequencies()
    offsets, keys, counts, codes = _core.facts(
        *fields(batch),
        reader()._compiled[1],
        (grams or none).compiled,
        (words or none).compiled,
        (queries or none).compiled,
        k=k,
        threads=check_threads(threads),
    )
    return Facts(offsets, keys, counts, codes.reshape(-1, len(FACTS)), batch)


def check_k(k: int) -> None:
    """SettingError unless k-grams of this length can be taken."""
    if isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= MAX_K:
        raise SettingError("k", found=k, expected=f"an integer from 1 to {MAX_K}")


# -- features ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Feature:
    """One number per k-gram: `transform` of the codes of `fact`, times `by` of those of `by_fact` if there is one.

    A feature with a `function` of one's own is computed by it instead, in Python.
    """

    name: str
    fact: str = ""
    transform: Transform | None = None
    by_fact: str = ""
    by: Transform | None = None
    function: Callable[[Facts], npt.ArrayLike] | None = None

    @staticmethod
    def of(name: str, function: Callable[[Facts], npt.ArrayLike]) -> Feature:
        """A feature of one's own: `function` gives one number per entry of the facts, best between 0 and 1."""
        return Feature(name, function=function)

    def table(self) -> Floats:
        """The value for every code of `fact`."""
        assert self.transform is not None
        return np.asarray(self.transform(CODES), np.float64)

    def by_table(self) -> Floats:
        """The second factor for every code of `by_fact`; ones without one."""
        return np.ones(256) if self.by is None else np.asarray(self.by(CODES), np.float64)

    def values(self, found: Facts) -> Floats:
        """The feature of every entry."""
        if self.function is not None:
            own = np.asarray(self.function(found), np.float64)
            if own.shape != (len(found.keys),) or not np.isfinite(own).all():
                expected = f"{len(found.keys)} finite numbers, one per entry"
                raise SettingError(f"feature {self.name}", found=f"shape {own.shape}", expected=expected)
            return own
        values = self.table()[found.fact(self.fact)]
        return values * self.by_table()[found.fact(self.by_fact)] if self.by is not None else values


def _share(codes: Floats) -> Floats:
    return codes / 255


def _rest(codes: Floats) -> Floats:
    return 1 - codes / 255


def _log(codes: Floats) -> Floats:
    return np.log2(codes + 1) / 8


def _count(codes: Floats) -> Floats:
    return np.minimum(codes, 32) / 32


def _any(codes: Floats) -> Floats:
    return (codes > 0).astype(np.float64)


def _one(codes: Floats) -> Floats:
    return np.ones(len(codes))


def _is(code: int) -> Transform:
    return lambda codes: (codes == code).astype(np.float64)


def _between(low: float, high: float) -> Transform:
    return lambda codes: ((codes >= low) & (codes < high)).astype(np.float64)


def _level(words: int) -> float:
    """The code of so many words, see `FACTS`."""
    value = words + 1
    power = value.bit_length() - 1
    return 16 * power + (value * 16 >> power) - 16


#: Every feature, its fact and its transform, in the order of a model file. Table 1 of the paper first.
FEATURES: dict[str, Feature] = {
    one.name: one
    for one in (
        Feature("bias", "tf", _one),
        Feature("tf", "tf", _count),
        Feature("log tf", "tf", _log),
        Feature("idf", "df", _rest),
        Feature("rare", "df", _is(0)),
        Feature("df < 0.2", "df", _between(1, 51)),
        Feature("df 0.2-0.4", "df", _between(51, 102)),
        Feature("df 0.4-0.6", "df", _between(102, 153)),
        Feature("df 0.6-0.8", "df", _between(153, 204)),
        Feature("df avg", "df_avg", _rest),
        Feature("df med", "df_med", _rest),
        Feature("qf", "qf", _share),
        Feature("location", "location", _share),
        Feature("first 50 words", "location", _between(0, _level(50))),
        Feature("place", "place", _share),
        Feature("length", "length", _share),
        Feature("capital", "capital", _share),
        Feature("in title", "title", _share),
        Feature("in url", "url", _share),
        # Beyond the paper.
        Feature("follows antecedent", "spots", _any),
        Feature("share after antecedents", "spot_share", _share),
        Feature("stop word", "stop", _share),
        Feature("in link", "link", _share),
        Feature("only in links", "link", _is(255)),
        Feature("in heading", "heading", _share),
        Feature("line", "line", _share),
        Feature("line of 1-4", "line", _between(0, _level(5))),
        Feature("line of 5-9", "line", _between(_level(5), _level(10))),
        Feature("line of 10-19", "line", _between(_level(10), _level(20))),
        Feature("punctuation", "marks", _share),
        Feature("tf idf", "tf", _count, "df", _rest),
        Feature("log tf idf", "tf", _log, "df", _rest),
        Feature("line idf", "line", _share, "df", _rest),
        Feature("antecedent idf", "spots", _any, "df", _rest),
        *(Feature(f"language {code}", "language", _is(n)) for n, code in enumerate(LANGUAGES)),
    )
}

#: The features of the paper, as far as they have a value at all.
PAPER = (
    "bias", "tf", "log tf", "idf", "rare", "df < 0.2", "df 0.2-0.4", "df 0.4-0.6", "df 0.6-0.8", "df avg", "df med",
    "qf", "location", "first 50 words", "place", "length", "capital", "in title", "in url",
)  # fmt: skip


def named_features(names: tuple[str, ...], own: tuple[Feature, ...] = ()) -> tuple[Feature, ...]:
    """The features of these names; `own` are added ones, looked up first."""
    mine = {one.name: one for one in own}
    for name in names:
        if name not in mine and name not in FEATURES:
            raise unknown_name("feature", name, [*mine, *FEATURES])
    return tuple(mine.get(name) or FEATURES[name] for name in names)
