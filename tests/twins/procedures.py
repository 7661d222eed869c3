"""Figure 8 of SpotSigs 2007, repaired, line by line: the oracle of `samecore.match.procedures`."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import NamedTuple


class Outcome(NamedTuple):
    partner: int
    score: Fraction
    collisions: int
    compared: int


def match(
    documents: list[Counter[int]],
    order: list[int],
    *,
    threshold: Fraction,
    full: bool = False,
    best: bool = False,
    add_duplicates: bool = False,
    size_bound: bool = False,
    seeds: int = 0,
) -> tuple[dict[int, Outcome], list[int]]:
    """What became of each document that was matched, and the index in the order of entry."""
    index = list(order) if full else list(order[:seeds])
    outcomes = {}
    for document in order if full else order[seeds:]:
        mine = documents[document]
        met: list[int] = []
        compared = 0
        found: list[tuple[Fraction, int]] = []
        for signature in sorted(mine):
            for other in index:
                if other == document or other in met or signature not in documents[other]:
                    continue
                if found and not best:
                    continue  # declared a duplicate already
                met.append(other)
                theirs = documents[other]
                smaller, larger = sorted((mine.total(), theirs.total()))
                if size_bound and Fraction(smaller, larger) < threshold:
                    continue
                compared += 1
                confidence = Fraction((mine & theirs).total(), (mine | theirs).total())
                if confidence >= threshold:
                    found.append((confidence, other))
        if found:
            confidence, other = max(found, key=lambda one: (one[0], -index.index(one[1])))
            outcomes[document] = Outcome(other, confidence, len(met), compared)
        else:
            outcomes[document] = Outcome(-1, Fraction(0), len(met), compared)
        if not full and (not found or add_duplicates):
            index.append(document)
    return outcomes, index
