"""How fast are the matchers? Each figure with its bar, or its ratio to the one beside it.

python bench/join.py            all of it, a few minutes
python bench/join.py --quick    without the corpora of a million
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from corpus import Corpus, make_corpus

from samecore.features.csr import Features
from samecore.match.exact import exact, join, prepare
from samecore.match.spotsigs2008 import spotsigs2008

T = TypeVar("T")


def best(times: int, call: Callable[..., T], *inputs: object, **options: object) -> tuple[float, T]:
    """Seconds of the quickest of a few runs, and what it returned."""
    shortest = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        result = call(*inputs, **options)
        shortest = min(shortest, time.perf_counter() - start)
    return shortest, result


def verdict(seconds: float, bar: float) -> str:
    return f"{seconds:7.3f} s   {seconds / bar:5.2f} of the bar of {bar:g} s"


def check_planted(corpus: Corpus, threshold: float, threads: int) -> None:
    """Every planted pair that reaches the threshold must be among the pairs found."""
    from samecore.similarity.jaccard import score

    features = corpus.features
    found = exact(features, threshold=threshold, threads=threads).expand()
    known = set(zip(found.left.tolist(), found.right.tolist(), strict=True))
    for original, copy in corpus.planted[:2000].tolist():
        reached = score(features, features, left_document=original, right_document=copy) >= threshold
        assert reached == ((original, copy) in known), (original, copy)


def rare(threads: int) -> None:
    print("== 100,000 documents, about 50 signatures each, most of them unique")
    corpus = make_corpus(100_000)
    features = corpus.features
    check_planted(corpus, 0.5, threads)
    for threshold in (0.5, 0.8):
        seconds, pairs = best(5, exact, features, threshold=threshold, threads=threads)
        print(f"exact {threshold}, {threads} threads  {verdict(seconds, 0.5)}   {len(pairs):,} pairs")
    alone, _ = best(5, exact, features, threshold=0.5, threads=1)
    both, _ = best(5, exact, features, threshold=0.5, threads=2)
    print(f"exact 0.5, 1 thread   {alone:7.3f} s   2 threads are {alone / both:.2f} times as fast")
    ready, prepared = best(5, prepare, features, threads=threads)
    joined, _ = best(5, join, prepared, threshold=0.5, threads=threads)
    print(f"  of which ranking    {ready:7.3f} s   joining {joined:.3f} s, {joined / ready:.0%} of that")
    for threshold in (0.5, 0.8):
        ours, pairs = best(3, exact, features, threshold=threshold, threads=threads)
        theirs, matched = best(1, spotsigs2008, features, threshold=threshold, threads=threads)
        assert len(matched.pairs) == pairs.expanded_count()
        print(f"spotsigs-2008 {threshold}     {theirs:7.3f} s   {theirs / ours:.1f} times exact, same pairs")


def growth(threads: int, sizes: list[int]) -> None:
    print("== growth, rare preset at 0.5")
    seconds = []
    for documents in sizes:
        taken, _ = best(3, exact, make_corpus(documents).features, threshold=0.5, threads=threads)
        seconds.append(taken)
        note = verdict(taken, 6.0) if documents == 1_000_000 else f"{taken:7.3f} s"
        print(f"{documents:>9,} documents  {note}")
    slope = np.polyfit(np.log(sizes), np.log(seconds), 1)[0]
    print(f"fitted exponent from {sizes[0]:,} to {sizes[-1]:,}: {slope:.2f}")


def default_like(threads: int, sizes: list[int]) -> None:
    print("== default-like preset: short chains, common signatures; threshold 0.2, kept down to 0.1")
    for documents in sizes:
        ready, prepared = best(
            1, prepare, make_corpus(documents, preset="default-like").features, threads=threads
        )
        print(f"{documents:>9,} documents  ranking {ready:.3f} s")
        before = ready
        for threshold in (0.3, 0.2, 0.1):
            taken, pairs = best(1, join, prepared, threshold=threshold, threads=threads)
            ratio = f"{taken / before:.2f} times the above"
            print(f"    join {threshold}  {taken:7.3f} s   {len(pairs):,} pairs   {ratio}")
            before = taken
        taken, forest = best(1, join, prepared, threshold=0.1, threads=threads, output="forest")
        print(f"    forest 0.1 {taken:6.3f} s   {len(forest):,} edges   {taken / before:.2f} times the pairs")


def against_set_similarity_search(threads: int) -> None:
    try:
        from SetSimilaritySearch import all_pairs
    except ImportError:
        print("== SetSimilaritySearch is not installed")
        return
    print("== against SetSimilaritySearch (pure Python all-pairs), the same sets")
    cases = ((20_000, "rare", 0.5), (20_000, "rare", 0.8), (3_000, "default-like", 0.2))
    for documents, preset, threshold in cases:
        features = make_corpus(documents, preset=preset).features
        theirs, found = best(
            1, lambda *given: list(all_pairs(*given)), as_sets(features), "jaccard", threshold
        )
        ours, pairs = best(5, exact, features, threshold=threshold, multiset=False, threads=threads)
        same = {(min(a, b), max(a, b)) for a, b, _ in found}
        every = pairs.expand()
        assert same == set(zip(every.left.tolist(), every.right.tolist(), strict=True))
        print(
            f"{documents:,} {preset} at {threshold}: {theirs:.2f} s against {ours:.4f} s, "
            f"{theirs / ours:.0f} times (bar: 50); {len(same):,} pairs, the same"
        )


def as_sets(features: Features) -> list[list[int]]:
    return [features.keys[features.row(document)].tolist() for document in range(len(features))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="leave out the corpora of a million")
    parser.add_argument("--threads", type=int, default=2)
    chosen = parser.parse_args()
    rare(chosen.threads)
    against_set_similarity_search(chosen.threads)
    growth(
        chosen.threads, [25_000, 50_000, 100_000, 250_000] + ([] if chosen.quick else [500_000, 1_000_000])
    )
    default_like(chosen.threads, [25_000, 100_000] if chosen.quick else [25_000, 100_000, 400_000])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"peak memory of this process: {peak / 2**20:.1f} GiB (the generator included)")


if __name__ == "__main__":
    main()
