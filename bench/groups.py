"""How long grouping takes: `python bench/groups.py [--quick]`.

Seeded graphs of scored pairs, built outside the timed part; each figure is the best
of three and stands beside its ratio to plain components on the same graph.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from samecore.group import components, flags, leader, linkage

Graph = tuple[int, npt.NDArray[np.uint32], npt.NDArray[np.uint32], npt.NDArray[np.float64]]


def _graph(n: int, a: npt.NDArray[Any], b: npt.NDArray[Any], rng: np.random.Generator, low: float) -> Graph:
    keep = a != b
    keys = np.unique(
        np.minimum(a, b)[keep].astype(np.uint64) << np.uint64(32) | np.maximum(a, b)[keep].astype(np.uint64)
    )
    left = (keys >> np.uint64(32)).astype(np.uint32)
    right = (keys & np.uint64(0xFFFFFFFF)).astype(np.uint32)
    return n, left, right, rng.uniform(low, 1.0, len(keys))


def families(n: int, pairs: int, seed: int = 1) -> Graph:
    """Near-duplicate families of sixteen, spread over the numbers, as matchers find them."""
    rng = np.random.default_rng(seed)
    family = rng.permutation(n)
    a = rng.integers(0, n, int(pairs * 1.9))
    b = np.clip(a // 16 * 16 + rng.integers(0, 16, len(a)), 0, n - 1)
    g = _graph(n, family[a], family[b], rng, 0.25)
    return (g[0], *(x[:pairs] for x in g[1:]))  # type: ignore[return-value]


def percolated(n: int, pairs: int, seed: int = 2) -> Graph:
    """One component of random pairs: chaining at its worst."""
    rng = np.random.default_rng(seed)
    return _graph(n, rng.integers(0, n, pairs), rng.integers(0, n, pairs), rng, 0.25)


def hubs(n: int, pairs: int, seed: int = 3) -> Graph:
    """A few contents (templates) that match nearly everything."""
    rng = np.random.default_rng(seed)
    return _graph(n, (n * rng.random(pairs) ** 8).astype(np.int64), rng.integers(0, n, pairs), rng, 0.25)


def clique(n: int, seed: int = 4, low: float = 0.25) -> Graph:
    """A template: every pair is listed."""
    a, b = np.triu_indices(n, 1)
    return _graph(n, a, b, np.random.default_rng(seed), low)


def best_of(work: Callable[[], object], times: int = 3) -> float:
    """The shortest of a few runs, in seconds."""
    spent = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        spent.append(time.perf_counter() - start)
    return min(spent)


def main() -> None:
    scale = 10 if "--quick" in sys.argv else 1
    graphs = {
        "families 1M contents": families(1_000_000 // scale, 5_000_000 // scale),
        "percolated 1M contents": percolated(1_000_000 // scale, 5_000_000 // scale),
        "percolated 20k contents": percolated(20_000 // scale, 2_000_000 // scale),
        "hubs 20k contents": hubs(20_000 // scale, 2_000_000 // scale),
        "clique of 3000": clique(3_000 // scale),
        "clique of 3000, all high": clique(3_000 // scale, low=0.6),
    }
    print(f"{'graph':26}{'pairs':>10}  {'part':12}{'seconds':>8}  x components")
    for name, graph in graphs.items():
        ones = np.ones(graph[0], dtype=np.uint32)
        labels = linkage.average(*graph, threshold=0.5, multiplicity=ones)
        parts: dict[str, Callable[[], object]] = {
            "components": lambda g=graph: components.group(*g, threshold=0.5),
            "leader": lambda g=graph: leader.group(*g, threshold=0.5),
            "average": lambda g=graph, m=ones: linkage.average(*g, threshold=0.5, multiplicity=m),
            "average, 2t": lambda g=graph, m=ones: linkage.average(
                *g, threshold=0.5, multiplicity=m, threads=2
            ),
            "complete": lambda g=graph: linkage.complete(*g, threshold=0.5),
            "flags": lambda g=graph, x=labels: flags.describe(*g, labels=x, threshold=0.5),
        }
        base = 0.0
        for part, work in parts.items():
            seconds = best_of(work)
            base = base or seconds
            print(f"{name:26}{len(graph[1]):>10,}  {part:12}{seconds:>8.3f}  {seconds / base:.1f}")


if __name__ == "__main__":
    main()
