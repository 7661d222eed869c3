"""Random graphs of scored pairs, with the ties and thresholds that hurt."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st


@dataclass(frozen=True, eq=False)
class Graph:
    n: int
    left: npt.NDArray[np.uint32]
    right: npt.NDArray[np.uint32]
    score: npt.NDArray[np.float64]
    multiplicity: npt.NDArray[np.uint32]

    @property
    def pairs(self) -> tuple[int, npt.NDArray[np.uint32], npt.NDArray[np.uint32], npt.NDArray[np.float64]]:
        return self.n, self.left, self.right, self.score

    @property
    def lists(self) -> tuple[int, list[int], list[int], list[float]]:
        return self.n, self.left.tolist(), self.right.tolist(), self.score.tolist()


def graph(n: int, pairs: dict[tuple[int, int], float], multiplicity: list[int] | None = None) -> Graph:
    ordered = sorted(pairs)
    return Graph(
        n,
        np.array([a for a, _ in ordered], dtype=np.uint32),
        np.array([b for _, b in ordered], dtype=np.uint32),
        np.array([pairs[p] for p in ordered], dtype=np.float64),
        np.array([1] * n if multiplicity is None else multiplicity, dtype=np.uint32),
    )


# A handful of values makes ties common; tenths are not exact in binary.
SCORES = st.one_of(
    st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1 / 3, 2 / 3]),
    st.floats(0.0, 1.0),
)
THRESHOLDS = st.one_of(st.sampled_from([0.05, 0.1, 0.25, 1 / 3, 0.4, 0.5, 0.7, 1.0]), st.floats(0.01, 1.0))


@st.composite
def graphs(draw: st.DrawFn, *, most: int = 9) -> Graph:
    n = draw(st.integers(0, most))
    every = list(combinations(range(n), 2))
    pairs = {}
    if every:
        dense = draw(st.booleans())
        chosen = every if dense else draw(st.lists(st.sampled_from(every), unique=True))
        few = draw(st.booleans())
        values = st.sampled_from(draw(st.lists(SCORES, min_size=1, max_size=3))) if few else SCORES
        pairs = {p: draw(values) for p in chosen}
    multiplicity = draw(st.lists(st.sampled_from([1, 1, 1, 2, 3, 1000]), min_size=n, max_size=n))
    return graph(n, pairs, multiplicity)
