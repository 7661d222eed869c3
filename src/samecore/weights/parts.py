"""The weights as parts of a recipe."""

from __future__ import annotations

from dataclasses import dataclass

from samecore.features.csr import Counts, Features, Keys
from samecore.weights.idf import Form, frequency_bounds, idf_range, idf_weights


@dataclass(frozen=True)
class IdfRange:
    """Keeps the features whose normalised idf lies in [low, high]; all of them in a very small corpus."""

    low: float = 0.0
    high: float = 1.0
    form: Form = "paper"

    def __post_init__(self) -> None:
        frequency_bounds(self.low, self.high, 1, form=self.form)  # says at once what is wrong with a range

    def __call__(
        self,
        features: Features,
        *,
        threads: int = 1,
        table: tuple[Keys, Counts] | None = None,
        documents: int | None = None,
    ) -> Features:
        return idf_range(
            features, self.low, self.high, form=self.form, table=table, documents=documents, threads=threads
        )


@dataclass(frozen=True)
class IdfWeights:
    """Weighs each feature by its normalised idf, as an integer of at most `scale`."""

    scale: int = 1000
    form: Form = "paper"

    def __call__(
        self,
        features: Features,
        *,
        threads: int = 1,
        table: tuple[Keys, Counts] | None = None,
        documents: int | None = None,
    ) -> Features:
        return idf_weights(
            features, scale=self.scale, form=self.form, table=table, documents=documents, threads=threads
        )
