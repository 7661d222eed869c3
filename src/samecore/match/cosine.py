"""The exact matcher for weighted vectors: cosine or extended Jaccard, as brute force would find.

`docs/weighted-join.md` derives it from the naive loop. In short: identical vectors
collapse, the entries of each are ranked from common to rare, inverted lists hold only the
rare end that a partner must share, and lengths bound what the rest can add.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from samecore import _core
from samecore.errors import SettingError, unknown_name
from samecore.features.csr import Features
from samecore.match.exact import NO_LIMIT, TooManyPairs
from samecore.match.pairs import Documents, Pairs, Scores
from samecore.match.threshold import Number, exact_threshold
from samecore.similarity.cosine import MEASURES, Measure, Vectors, as_vectors

#: Vectors indexed at a time. Bounds the memory of the lists; the answer does not depend on it.
BLOCK_ROWS = 2**18


@dataclass(frozen=True, eq=False)
class WeightedPairs:
    """Pairs by (left, right) with their scores; left < right where there is one collection.

    Identical vectors are one content: pairs are of their first documents only, and
    `content` (`other_content`) says which document stands for which. `expand` gives the
    pairs of all documents. `work` counts what the search did, by name.
    """

    left: Documents
    right: Documents
    score: Scores
    content: Documents | None = None
    other_content: Documents | None = None
    work: dict[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.left)

    def expanded_count(self) -> int:
        """How many rows `expand` would have, without making them."""
        return self._plain().expanded_count()

    def expand(self) -> WeightedPairs:
        """The pairs of all documents, identical ones among them with score 1."""
        if self.content is None:
            return self
        every = self._plain().expand()
        return WeightedPairs(every.left, every.right, every.score, work=self.work)

    def _plain(self) -> Pairs:
        documents = 0 if self.content is None else len(self.content)
        return Pairs(
            self.left, self.right, self.score, np.zeros(len(self), np.uint32), np.zeros(documents, np.uint32),
            content=self.content, other_content=self.other_content,
        )  # fmt: skip


def cosine(
    vectors: Vectors | Features,
    other: Vectors | Features | None = None,
    *,
    threshold: Number,
    measure: Measure = "cosine",
    threads: int = 1,
    max_pairs: int | None = None,
) -> WeightedPairs:
    """All pairs whose `measure` is at least `threshold`; with `other`, of one from each.

    Features are taken as their term counts. The score is that of
    `samecore.similarity.cosine.score`, bit for bit, and the threshold is compared with it.
    Vectors without positive values match nothing. Above `max_pairs` pairs of distinct
    vectors the search stops with TooManyPairs. The result is the same for any number of
    threads.
    """
    if measure not in MEASURES:
        raise unknown_name("measure", measure, MEASURES)
    if max_pairs is not None and max_pairs < 0:
        raise SettingError("max_pairs", found=max_pairs, expected="at least 0, or None")
    exact_threshold(threshold)  # refuses what is not in (0, 1]
    limit = NO_LIMIT if max_pairs is None else max_pairs
    one = as_vectors(vectors)
    two = None if other is None else as_vectors(other)
    try:
        left, right, score, content, other_content, work = _core.vector_join(
            one.offsets, one.keys, one.values,
            None if two is None else two.offsets,
            None if two is None else two.keys,
            None if two is None else two.values,
            float(Fraction(str(threshold))), measure == "jaccard", threads, limit, BLOCK_ROWS,
        )  # fmt: skip
    except OverflowError:
        raise TooManyPairs(limit) from None
    return WeightedPairs(left, right, score, content, None if two is None else other_content, dict(work))
