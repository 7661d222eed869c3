"""The slow, obvious index: a dictionary of documents, every one of which is compared."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

Row = dict[int, int]  # key -> count


@dataclass
class SlowIndex:
    """Documents in the order of adding, each with its features or its fingerprint, and date."""

    threshold: Fraction
    multiset: bool = True
    bits: int = 0
    documents: dict[str, tuple[int, Row | int, int]] = field(default_factory=dict)
    number: int = 0

    def score(self, left: Row | int, right: Row | int) -> Fraction:
        """Jaccard of two rows, or the share of equal bits of two fingerprints."""
        if isinstance(left, int) and isinstance(right, int):
            return 1 - Fraction(bin(left ^ right).count("1"), self.bits)
        assert isinstance(left, dict)
        assert isinstance(right, dict)
        keys = left.keys() | right.keys()
        if not self.multiset:
            return Fraction(len(left.keys() & right.keys()), len(keys))
        low = sum(min(left.get(key, 0), right.get(key, 0)) for key in keys)
        high = sum(max(left.get(key, 0), right.get(key, 0)) for key in keys)
        return Fraction(low, high)

    def query(
        self,
        row: Row | int,
        *,
        threshold: Fraction | None = None,
        best: int | None = None,
        newer_than: int | None = None,
    ) -> list[tuple[str, Fraction]]:
        """All matches, best first, then in the order of adding."""
        least = self.threshold if threshold is None else threshold
        found = [
            (-self.score(row, other), number, id)
            for id, (number, other, date) in self.documents.items()
            if newer_than is None or date > newer_than
        ]
        matches = [(id, -score) for score, _, id in sorted(found) if -score >= least and score != 0]
        return matches[:best]

    def add(
        self, id: str, row: Row | int, date: int, *, guess: str = "best", duplicates: bool = True
    ) -> tuple[str, Fraction] | None:
        """The partner and score, or None for a new document."""
        matches = self.query(row)
        if guess == "first":
            matches.sort(key=lambda match: self.documents[match[0]][0])
        if duplicates or not matches:
            self.number += 1
            self.documents[id] = (self.number, row, date)
        return matches[0] if matches else None
