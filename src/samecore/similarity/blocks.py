"""Common blocks of two sequences of symbols, found with a suffix automaton, and a similarity made of them.

A block is a run of symbols that both sequences have. With w the weight of a symbol,

    score = matched / (all of left + all of right - matched)

where `matched` is the weight of the symbols that stand in a block of at least `block` symbols, each counted as
often as it does so on the side where it does so less often. With `block` = 1 this is the multiset Jaccard.

    >>> score(["a", "b", "c", "x"], ["b", "c", "y"], block=2)
    0.4
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise


class Suffixes:
    """The suffix automaton of a sequence: every run of its symbols is a path from the start.

    Built in time linear in its length, with at most twice as many states (Blumer et al. 1985).
    """

    def __init__(self, symbols: Sequence[str]) -> None:
        self._next: list[dict[str, int]] = [{}]
        self._link = [-1]
        self._length = [0]
        last = 0
        for symbol in symbols:
            last = self._add(last, symbol)

    def _add(self, last: int, symbol: str) -> int:
        """One more symbol at the end; gives the state of the whole sequence."""
        state = self._state(self._length[last] + 1, {}, 0)
        at = last
        while at >= 0 and symbol not in self._next[at]:
            self._next[at][symbol] = state
            at = self._link[at]
        if at < 0:
            return state
        target = self._next[at][symbol]
        if self._length[target] == self._length[at] + 1:
            self._link[state] = target
            return state
        copy = self._state(self._length[at] + 1, dict(self._next[target]), self._link[target])
        self._link[target] = self._link[state] = copy
        while at >= 0 and self._next[at].get(symbol) == target:
            self._next[at][symbol] = copy
            at = self._link[at]
        return state

    def _state(self, length: int, following: dict[str, int], link: int) -> int:
        self._next.append(following)
        self._link.append(link)
        self._length.append(length)
        return len(self._next) - 1

    def longest(self, symbols: Sequence[str]) -> list[int]:
        """For each place of another sequence: how long the longest run is that ends there and occurs in this one."""
        found, state, length = [], 0, 0
        for symbol in symbols:
            while state and symbol not in self._next[state]:
                state = self._link[state]
                length = self._length[state]
            if symbol in self._next[state]:
                state, length = self._next[state][symbol], length + 1
            else:
                length = 0
            found.append(length)
        return found


@dataclass(frozen=True)
class Block:
    """A run of symbols `start:end` of a sequence that the other one has, and that cannot be made longer."""

    start: int
    end: int


def blocks(symbols: Sequence[str], other: Suffixes, *, least: int = 1) -> list[Block]:
    """The maximal common blocks of at least `least` symbols, in order. They may overlap."""
    ends = [*other.longest(symbols), 0]
    found = []
    for place, (length, following) in enumerate(pairwise(ends)):
        if length >= max(least, 1) and following != length + 1:
            found.append(Block(place + 1 - length, place + 1))
    return found


def covered(symbols: Sequence[str], other: Suffixes, *, block: int = 1) -> Counter[str]:
    """How often each symbol stands in a common block of at least `block` symbols."""
    counted: Counter[str] = Counter()
    done = 0
    for one in blocks(symbols, other, least=block):
        counted.update(symbols[max(one.start, done) : one.end])
        done = max(done, one.end)
    return counted


def score(
    left: Sequence[str],
    right: Sequence[str],
    *,
    block: int = 1,
    weights: Mapping[str, int] | None = None,
    min_score: float = 0.0,
) -> float:
    """The share of what both have together that lies in common blocks, in [0, 1]; 0.0 when it is below `min_score`.

    1.0 for equal sequences of at least `block` symbols, 0.0 for empty ones. `weights` are those of the symbols, 1 each
    by default.
    """
    value = matched_score(left, Suffixes(left), right, Suffixes(right), block=block, weights=weights)
    return value if value >= min_score else 0.0


def matched_score(
    left: Sequence[str],
    left_suffixes: Suffixes,
    right: Sequence[str],
    right_suffixes: Suffixes,
    *,
    block: int = 1,
    weights: Mapping[str, int] | None = None,
) -> float:
    """`score`, for callers that keep the automata."""
    if list(left) == list(right):  # also where it is shorter than a block
        return 1.0 if left else 0.0
    both = covered(left, right_suffixes, block=block) & covered(right, left_suffixes, block=block)
    matched = _mass(both, weights)
    union = _mass(Counter(left), weights) + _mass(Counter(right), weights) - matched
    return matched / union if union else 0.0


def upper_bound(left_mass: int, right_mass: int) -> float:
    """The highest score of two sequences that weigh so much: smaller / larger; 0 if either is empty."""
    small, large = sorted((left_mass, right_mass))
    return small / large if small else 0.0


def _mass(counted: Counter[str], weights: Mapping[str, int] | None) -> int:
    return sum(count * (1 if weights is None else weights[symbol]) for symbol, count in counted.items())
