"""The matchers as parts of a recipe, and their names.

A matcher is given a `Job`, the features of distinct contents of one collection or of two, and
gives the pairs that score at least its threshold.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from samecore.errors import SettingError, unknown_name
from samecore.features.csr import Features, concatenate
from samecore.match import procedures
from samecore.match.brute import brute
from samecore.match.containment import containment
from samecore.match.cosine import cosine
from samecore.match.exact import exact
from samecore.match.matches import Matches
from samecore.match.spotsigs2008 import spotsigs2008
from samecore.similarity.cosine import Measure, Vectors, binary, term_counts, tfidf
from samecore.weights.idf import document_frequencies


@dataclass(frozen=True, eq=False)
class Job:
    """What to match: `features` with themselves, or with `other`; at least `threshold`.

    `multiset`: repetitions count. `limit`: more pairs than this are an error, not an answer.
    `strings` are what the method's string part made of each content, for matchers that compare them.
    """

    features: Features
    other: Features | None
    threshold: float
    multiset: bool = True
    threads: int = 1
    limit: int | None = None
    strings: pa.LargeStringArray | None = None
    other_strings: pa.LargeStringArray | None = None


class Scored(Protocol):
    """What comes back: pairs by (left, right) and their scores."""

    @property
    def left(self) -> npt.NDArray[np.uint32]: ...
    @property
    def right(self) -> npt.NDArray[np.uint32]: ...
    @property
    def score(self) -> npt.NDArray[np.float64]: ...


class Matcher(Protocol):
    """A matcher. `measure` names what the score is; `all_pairs` says that every pair above the threshold
    comes back, not only a forest of them; `approximate` that pairs may be missed or scores estimated, and
    that it works at one threshold rather than down to a floor. One that also has `needs_strings = True`
    compares `Job.strings`. What it returns may have `notes`."""

    name: ClassVar[str]
    measure: ClassVar[str]

    @property
    def approximate(self) -> bool: ...

    @property
    def all_pairs(self) -> bool: ...

    def __call__(self, job: Job) -> Scored: ...


@runtime_checkable
class ComparesStrings(Protocol):
    """What a matcher of strings also has, so that any two of them can be explained."""

    def score_strings(self, left: str, right: str) -> float:
        """The score of two strings that the recipe's string part made, below the threshold too."""
        ...

    def evidence(self, left: str, right: str) -> tuple[str, ...]:
        """Lines for people: what was compared and how the score comes about."""
        ...


@dataclass(frozen=True)
class Exact:
    """The exact join: Jaccard, the same pairs as brute force. `forest` keeps only what components need."""

    forest: bool = False
    name: ClassVar[str] = "exact"
    measure: ClassVar[str] = "jaccard"
    approximate: ClassVar[bool] = False

    @property
    def all_pairs(self) -> bool:
        return not self.forest

    def __call__(self, job: Job) -> Scored:
        return _exact(job, "forest" if self.forest else "pairs")


def _exact(job: Job, output: Literal["pairs", "forest"]) -> Scored:
    return exact(
        job.features,
        job.other,
        threshold=job.threshold,
        multiset=job.multiset,
        threads=job.threads,
        output=output,
        max_pairs=job.limit,
    )


@dataclass(frozen=True)
class Brute:
    """Every pair, one by one: Jaccard. The oracle, for small collections."""

    name: ClassVar[str] = "brute"
    measure: ClassVar[str] = "jaccard"
    approximate: ClassVar[bool] = False
    all_pairs: ClassVar[bool] = True

    def __call__(self, job: Job) -> Scored:
        return brute(job.features, job.other, threshold=job.threshold, multiset=job.multiset)


@dataclass(frozen=True)
class SpotSigs2008:
    """The matcher of SpotSigs 2008: Jaccard, with its two kinds of pruning as switches."""

    partitions: bool = True
    pruning: bool = True
    name: ClassVar[str] = "spotsigs-2008"
    measure: ClassVar[str] = "jaccard"
    approximate: ClassVar[bool] = False
    all_pairs: ClassVar[bool] = True

    def __call__(self, job: Job) -> Scored:
        if (
            job.other is not None
        ):  # the paper matches a collection with itself; the exact join gives the same pairs
            return _exact(job, "pairs")
        return spotsigs2008(
            job.features,
            threshold=job.threshold,
            multiset=job.multiset,
            partitions=self.partitions,
            pruning=self.pruning,
            threads=job.threads,
        ).pairs


@dataclass(frozen=True)
class Containment:
    """The share of the smaller document that lies in the other, exactly."""

    name: ClassVar[str] = "containment"
    measure: ClassVar[str] = "containment"
    approximate: ClassVar[bool] = False
    all_pairs: ClassVar[bool] = True

    def __call__(self, job: Job) -> Scored:
        return containment(
            job.features,
            job.other,
            threshold=job.threshold,
            multiset=job.multiset,
            threads=job.threads,
            max_pairs=job.limit,
        )


@dataclass(frozen=True)
class Cosine:
    """Cosine or extended Jaccard of weighted vectors, exactly.

    values: "tfidf" (frequencies are those among the distinct contents matched), "counts" or "binary".
    """

    values: Literal["tfidf", "counts", "binary"] = "tfidf"
    similarity: Measure = "cosine"
    name: ClassVar[str] = "cosine"
    measure: ClassVar[str] = "cosine"
    approximate: ClassVar[bool] = False
    all_pairs: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.values not in ("tfidf", "counts", "binary"):
            raise unknown_name("values", self.values, ("tfidf", "counts", "binary"))

    def __call__(self, job: Job) -> Scored:
        sides = [job.features] if job.other is None else [job.features, job.other]
        vectors = self._vectors(sides, job.threads)
        return cosine(
            vectors[0],
            None if job.other is None else vectors[1],
            threshold=job.threshold,
            measure=self.similarity,
            threads=job.threads,
            max_pairs=job.limit,
        )

    def _vectors(self, sides: list[Features], threads: int) -> list[Vectors]:
        if self.values != "tfidf":
            return [(binary if self.values == "binary" else term_counts)(side) for side in sides]
        together = sides[0] if len(sides) == 1 else concatenate(sides)
        table = document_frequencies(together, threads=threads)
        return [tfidf(side, table=table, documents=len(together), threads=threads) for side in sides]


@dataclass(frozen=True)
class InOrder:
    """The procedures of SpotSigs 2007: each document with the one it is declared a duplicate of, no other.

    kind: "incremental" (a duplicate does not enter the index, unless `add_duplicates`) or "full".
    guess: "first" or "best", see `samecore.match.procedures`.
    shuffle: take documents in an order drawn from `seed`, as the paper does, not in that of the input.
    """

    kind: Literal["incremental", "full"] = "incremental"
    guess: procedures.Guess = "best"
    add_duplicates: bool = False
    shuffle: bool = False
    seed: int = 0
    name: ClassVar[str] = "incremental"
    measure: ClassVar[str] = "jaccard"
    approximate: ClassVar[bool] = True  # what is found depends on the threshold and the order
    all_pairs: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.kind not in ("incremental", "full"):
            raise unknown_name("kind", self.kind, ("incremental", "full"))
        if self.guess not in procedures.GUESSES:
            raise unknown_name("guess", self.guess, procedures.GUESSES)

    def __call__(self, job: Job) -> Scored:
        if job.other is not None:
            raise SettingError("match", found=self.kind, expected="'exact' to compare two collections")
        order = procedures.shuffled(len(job.features), self.seed) if self.shuffle else None
        if self.kind == "full":
            found = procedures.full(
                job.features,
                threshold=job.threshold,
                guess=self.guess,
                multiset=job.multiset,
                order=order,
            )
        else:
            found = procedures.incremental(
                job.features,
                threshold=job.threshold,
                guess=self.guess,
                multiset=job.multiset,
                add_duplicates=self.add_duplicates,
                order=order,
            )
        own = found.duplicates
        partner, score = found.partner[own], found.score[own]
        pairs, first = np.unique(
            np.stack((np.minimum(own, partner), np.maximum(own, partner))), axis=1, return_index=True
        )
        return Matches(pairs[0].astype(np.uint32), pairs[1].astype(np.uint32), score[first])


#: Name -> matcher, for the command line and `find(match=...)`: other ways to the same scores.
MATCHERS: dict[str, Matcher] = {
    "exact": Exact(),
    "exact-forest": Exact(forest=True),
    "brute": Brute(),
    "spotsigs-2008": SpotSigs2008(),
    "incremental": InOrder(),
    "full": InOrder("full"),
}
