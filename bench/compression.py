"""Compression distances: `[SAMECORE_DATA=...] python bench/compression.py [scale.parquet]`.

Pairs per second and thread, SigNCD over the labelled pages end to end, what pruning saves and loses, and a large
collection by candidates with their recall. `--figure FILE` only draws Figure 1 of SigNCD as an SVG.
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

import samecore
from samecore import read
from samecore.collect import collect
from samecore.features.csr import none
from samecore.features.punctuation import Signatures
from samecore.features.shingles import Shingles
from samecore.lab.data import load
from samecore.lab.evaluate import evaluate
from samecore.match.compressed import CANDIDATE_WORDS, Compression
from samecore.match.compression import Bound, Sorted
from samecore.match.parts import Job
from samecore.similarity.compression import compressor, distance, score
from samecore.similarity.jaccard import score as jaccard

THRESHOLDS = (0.1, 0.17, 0.3, 0.5, 0.7, 0.9)
NAMES = ("snappy", "lz4", "gzip", "zstd")


def prose(words: int, seed: int = 1) -> str:
    """Made-up text with a vocabulary like that of real ones and a comma after every tenth word or so."""
    chance = random.Random(seed)
    letters = "etaoinshrdlucmfwyp"
    vocabulary = ["".join(chance.choices(letters, k=chance.randint(2, 9))) for _ in range(8000)]
    ranks = [1 / (n + 3) for n in range(len(vocabulary))]
    return " ".join(
        word + ("," if chance.random() < 0.09 else "." if chance.random() < 0.05 else "")
        for word in chance.choices(vocabulary, ranks, k=words)
    )


def best(run: Callable[[], Any], times: int = 3) -> tuple[float, float, Any]:
    """Least wall time and processor time of several runs, and what the last one gave."""
    walls, busy, answer = [], [], None
    for _ in range(times):
        wall, cpu = time.perf_counter(), time.process_time()
        answer = run()
        walls.append(time.perf_counter() - wall)
        busy.append(time.process_time() - cpu)
    return min(walls), min(busy), answer


# -- speed --------------------------------------------------------------------------------


def rate() -> None:
    print(
        "all pairs of 300 made-up signatures of some 200 bytes, and of 60 texts of 4 KB; thousand pairs per second"
    )
    short = Signatures()([prose(350, seed) for seed in range(300)])
    long = pa.array([prose(650, seed) for seed in range(60)], pa.large_string())
    for label, strings in (("signatures", short), ("texts", long)):
        pairs = len(strings) * (len(strings) - 1) // 2
        for name in NAMES:
            matcher = Compression(name, "off")
            job = Job(none(len(strings)), None, 0.1, strings=strings)
            rows = matcher(job)
            some = [
                (int(a), int(b), s)
                for a, b, s in zip(rows.left[:20], rows.right[:20], rows.score[:20], strict=True)
            ]
            assert all(
                s == score(strings[a].as_py(), strings[b].as_py(), compressor=name) for a, b, s in some
            )
            _, one, _ = best(lambda: matcher(job))  # noqa: B023 - called at once
            wall, _, _ = best(lambda: matcher(replace(job, threads=2)))  # noqa: B023
            print(
                f"  {label:10} {name:6} {pairs / one / 1e3:8.1f} by one thread, {pairs / wall / 1e3:8.1f} by the clock with two"
            )


def pages(base: Path) -> None:
    labelled = load("spotsigs", base)
    for name in ("signcd", "signcd-2016", "spotsigncd", "ncd", "sentence-blocks"):
        run = partial(samecore.find, labelled.documents, method=name, group="components", threads=2)
        wall, cpu, result = best(run, 2)
        bar = ", bar 3 s" if name == "signcd" else ""
        print(
            f"  {name:16} {wall:6.2f} s by the clock, {cpu:6.2f} s of processor time{bar}: {result.settings.notes[-1]}"
        )


# -- pruning ------------------------------------------------------------------------------


def pruning(base: Path) -> None:
    """How much P1 and P2 save, and which pairs they lose when the formula is taken as printed."""
    sets = {"spotsigs": "pages", "zh_finance": "Chinese articles"}
    for name, label in sets.items():
        if not (base / name).exists():
            continue
        found = collect(read.open(load(name, base).documents), samecore.method("signcd"), threads=2)
        assert found.strings is not None
        strings = found.strings.unique()
        strings = strings.filter(pc.not_equal(strings, ""))
        for codec in ("snappy", "lz4"):
            print(
                f"  {label}, {codec}: share of pairs compared, pairs lost of those found, slack that would lose none"
            )
            ordered = Sorted.of(strings, None, compressor(codec), monotone=False, threads=2)
            first, second = np.triu_indices(len(ordered), 1)
            large = ordered.size[second]
            similar = ordered.shared(first, second) / large
            ratio = ordered.size[first] / large
            for threshold in THRESHOLDS:
                reached = similar >= threshold
                p1 = ratio >= threshold
                reach = ordered.partners(Fraction(str(threshold)))
                bound, spent = Bound.of(ordered, pivots=32, reach=reach, most=1 - threshold, threads=2)
                p2 = p1 & bound.allows(first, second)
                slack = float(np.max((similar - ratio)[reached], initial=0.0))
                table = bound.distance
                gap = np.array([np.abs(row[first[reached]] - row[second[reached]]) for row in table])
                over = np.nan_to_num(gap).max(axis=0, initial=0.0) - (1 - similar[reached])
                print(
                    f"    at {threshold:4.2f}  P1 {p1.mean():6.1%}, lost {int((reached & ~p1).sum())} of {int(reached.sum())}, slack {max(slack, 0):.3f};"
                    f"  P1+P2 {(p2.sum() + spent) / len(first):6.1%} with the pivots, lost {int((reached & ~p2).sum())}, slack {np.max(over, initial=0.0):.3f}"
                )


# -- scale --------------------------------------------------------------------------------


def scale(path: str, queries: int = 60) -> None:
    wall, cpu, result = best(lambda: samecore.find(path, method="signcd-candidates", group="components"), 1)
    print(
        f"  {len(result):,} documents: {wall:.0f} s by the clock, {cpu:.0f} s of processor time; {result.settings.notes[-1]}"
    )
    found = collect(read.open(path), samecore.method("signcd-candidates"), threads=2)
    assert found.strings is not None
    strings = found.strings.unique()
    strings = strings.filter(pc.not_equal(strings, ""))
    chosen = np.sort(np.random.default_rng(1).choice(len(strings), queries, replace=False))
    rest = np.setdiff1d(np.arange(len(strings)), chosen)
    one, two = strings.take(pa.array(chosen)), strings.take(pa.array(rest))
    every = Compression()(Job(none(len(one)), none(len(two)), 0.4, threads=2, strings=one, other_strings=two))
    runs = Shingles(width=CANDIDATE_WORDS)
    left, right = runs(one), runs(two)
    alike = np.array(
        [
            jaccard(left.rows(a, a + 1), right.rows(b, b + 1))
            for a, b in zip(every.left.tolist(), every.right.tolist(), strict=True)
        ]
    )
    length = np.minimum(_lengths(one)[every.left], _lengths(two)[every.right])
    print(f"  recall of candidates at 0.1 against all partners of {queries} documents:")
    for threshold in (0.4, 0.5, 0.6):
        for least in (0, 60):
            own = (every.score >= threshold) & (length >= least)
            print(
                f"    at {threshold} or more, signatures of {least} bytes or more: {(alike[own] >= 0.1).mean() if own.any() else 1.0:6.1%} of {int(own.sum())}"
            )


def _lengths(strings: pa.LargeStringArray) -> npt.NDArray[np.int64]:
    lengths: npt.NDArray[np.int64] = pc.binary_length(strings).to_numpy(zero_copy_only=False)
    return lengths


# -- quality and the figure -----------------------------------------------------------------


def quality(base: Path) -> None:
    for name in ("signcd", "spotsigncd", "ncd", "sentence-blocks"):
        labelled = load("spotsigs", base)
        figures = evaluate(samecore.find(labelled.documents, method=name, floor=0.05), labelled.truth)
        print(
            f"  {name:16} best pairs {figures.best_pairs.f1:.3f} at {figures.best_pair_threshold:.2f}, "
            f"best groups {figures.best_groups.f1:.3f} at {figures.best_group_threshold:.2f}"
        )


def figure(path: Path) -> None:
    """NCD and SigNCD of the first n bytes of a text and themselves, up to 200 KB, as the compressor gives it."""
    from samecore.lab.experiment import Figure
    from samecore.lab.figures import draw

    text = prose(40_000)
    rows = []
    for kilobytes in (1, 2, 4, 6, 8, 12, 16, 20, 24, 28, 32, 36, 40, 48, 64, 80, 96, 128, 160, 200):
        start = text[: kilobytes * 1000]
        signature = Signatures()([start])[0].as_py()
        rows += [
            {
                "data": "made-up text",
                "case": case,
                "KB": kilobytes,
                "distance of a text and itself": distance(own, own, compressor=name),
            }
            for case, own, name in (
                ("NCD, snappy", start, "snappy"),
                ("NCD, lz4", start, "lz4"),
                ("NCD, gzip", start, "gzip"),
                ("SigNCD, snappy", signature, "snappy"),
            )
        ]
    drawing = draw(
        Figure(x="KB", y="distance of a text and itself"),
        rows,
        title="The first n bytes of two equal documents",
    )
    path.write_text(drawing, "utf-8")
    print(f"wrote {path}")


def main() -> None:
    arguments = sys.argv[1:]
    if arguments[:1] == ["--figure"]:
        figure(Path(arguments[1]))
        return
    print("speed")
    rate()
    base = os.environ.get("SAMECORE_DATA")
    if base and (Path(base) / "spotsigs").exists():
        print("the labelled pages end to end, two threads")
        pages(Path(base))
        print("quality on the labelled pages")
        quality(Path(base))
        print("pruning, with the formula as printed")
        pruning(Path(base))
    if arguments:
        print("a large collection by candidates")
        scale(arguments[0])


if __name__ == "__main__":
    main()
