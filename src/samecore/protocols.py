"""The exchangeable parts, one per stage. This page is the architecture.

A part is a plain function or a frozen dataclass that holds its settings; anything
callable with the right signature fits. A `Method` names one part per stage.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import pyarrow as pa

from samecore.features.csr import Counts, Features, Keys, Occurrence


class FeaturePart(Protocol):
    """Texts to features: spots, shingles, k-grams."""

    def __call__(self, texts: pa.LargeStringArray, /, *, threads: int = 1) -> Features: ...

    def occurrences(self, text: str) -> list[Occurrence]:
        """Every feature of one text in text order, with the characters it covers."""
        ...


@runtime_checkable
class Fittable(Protocol):
    """A feature part that must see some texts first, such as antecedents chosen by the corpus."""

    def fit(self, texts: pa.LargeStringArray) -> FeaturePart: ...


class StringPart(Protocol):
    """Texts to the strings that are compared, for matchers that go by strings and not by sets of keys.

    An empty string stays empty; equal strings count as the same content, with a score of 1.
    """

    def __call__(self, texts: pa.LargeStringArray, /, *, threads: int = 1) -> pa.LargeStringArray: ...


@runtime_checkable
class FieldedPart(Protocol):
    """A feature part that looks at more of a document than its text, such as its title or address."""

    def fielded(self, batch: pa.RecordBatch, /, *, threads: int = 1) -> Features:
        """The features of a batch with `id`, `text`, `title` and whatever else the source has."""
        ...


@runtime_checkable
class PlacedPart(Protocol):
    """A feature part that can tell where in a text its features stand; frames of sites are learned by that."""

    def placed(self, texts: pa.LargeStringArray, /, *, threads: int = 1) -> Features:
        """The same features as a call gives, with their `places`."""
        ...


class WeightPart(Protocol):
    """Features to features of the same documents: entries dropped, or weights set.

    Document frequencies are those of the features, or of a frozen `table` from so many `documents`.
    """

    def __call__(
        self,
        features: Features,
        /,
        *,
        threads: int = 1,
        table: tuple[Keys, Counts] | None = None,
        documents: int | None = None,
    ) -> Features: ...
