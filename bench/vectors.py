"""How long the weighted joins take, and how that grows: cosine, extended Jaccard, containment.

    python bench/vectors.py scale.parquet [--measure cosine] [--threshold 0.9] [--threads 2]
    python bench/vectors.py --hostile [--documents 200000]

The vectors are tf-idf weights of single words (`--weights binary` for plain sets), made
outside the timed part. Samples are nested: the smaller ones are part of the larger. Before
it is timed the join must agree with a score for every pair of the first 300 documents.
Times are the best of `--repeat` on the wall clock, and in processor seconds, which a busy
machine disturbs less. `--hostile` makes documents of which a fifth share one template.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from samecore.features.csr import Features
from samecore.features.shingles import Shingles
from samecore.match.containment import SLACK, containment
from samecore.match.cosine import WeightedPairs, cosine
from samecore.match.pairs import Pairs
from samecore.similarity.cosine import Vectors, binary, score, tfidf


def load(path: str, threads: int) -> Features:
    table = pq.read_table(path, columns=["text"])
    texts = pa.concat_arrays(table["text"].chunks).cast(pa.large_string())
    return Shingles(width=1)(texts, threads=threads)


def hostile(documents: int, seed: int = 0) -> Features:
    """Words by Zipf's law, 60 to a document; every fifth has the same 60 words of frame as well."""
    chance = np.random.default_rng(seed)
    owner = np.repeat(np.arange(documents), 60)
    words = (chance.pareto(0.7, len(owner)) * 50).clip(0, 2e8).astype(np.uint64) + np.uint64(1000)
    framed = np.repeat(np.arange(0, documents, 5), 60)
    frame = np.tile(np.arange(60, dtype=np.uint64), len(framed) // 60)
    owner, words = np.concatenate([owner, framed]), np.concatenate([words, frame])
    order = np.lexsort((words, owner))
    owner, words = owner[order], words[order]
    new = np.ones(len(owner), bool)
    new[1:] = (owner[1:] != owner[:-1]) | (words[1:] != words[:-1])
    starts = np.flatnonzero(new)
    counts = np.diff(np.append(starts, len(owner))).astype(np.uint32)
    offsets = np.concatenate([[0], np.cumsum(np.bincount(owner[starts], minlength=documents))])
    return Features(offsets.astype(np.int64), words[starts], counts)


def check(vectors: Vectors, threshold: float, measure: str, sample: int = 300) -> None:
    """The join of the first documents equals every pair scored one by one."""
    end = int(vectors.offsets[min(sample, len(vectors))])
    few = Vectors(vectors.offsets[: sample + 1], vectors.keys[:end], vectors.values[:end])
    found = cosine(few, threshold=threshold, measure=measure).expand()  # type: ignore[arg-type]
    every = [
        (a, b)
        for a in range(len(few))
        for b in range(a + 1, len(few))
        if score(few, few, left_document=a, right_document=b, measure=measure) >= threshold  # type: ignore[arg-type]
    ]
    assert list(zip(found.left.tolist(), found.right.tolist(), strict=True)) == every


def best(run: Callable[[], WeightedPairs | Pairs], repeat: int) -> tuple[float, float, WeightedPairs | Pairs]:
    wall, processor = np.inf, np.inf
    for _ in range(repeat):
        started, used = time.perf_counter(), time.process_time()
        result = run()
        wall = min(wall, time.perf_counter() - started)
        processor = min(processor, time.process_time() - used)
    return wall, processor, result


def sizes_of(documents: int) -> list[int]:
    return sorted({min(size, documents) for size in (12_000, 25_000, 50_000, documents)})


def nested(documents: int, size: int) -> npt.NDArray[np.int64]:
    return np.sort(np.random.default_rng(0).permutation(documents)[:size]).astype(np.int64)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parquet", nargs="?")
    parser.add_argument("--hostile", action="store_true")
    parser.add_argument("--documents", type=int, default=200_000)
    parser.add_argument("--measure", choices=("cosine", "jaccard", "containment"), default="cosine")
    parser.add_argument("--weights", choices=("tfidf", "binary"), default="tfidf")
    parser.add_argument("--threshold", type=float, default=0.9)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=2)
    asked = parser.parse_args()
    if asked.parquet is None and not asked.hostile:
        parser.error("give a Parquet file with a column `text`, or --hostile")
    features = hostile(asked.documents) if asked.hostile else load(asked.parquet, asked.threads)
    print(f"{len(features)} documents, {len(features.keys)} entries, {asked.threads} threads")
    print(
        f"{asked.measure} >= {asked.threshold}, "
        + (f"slack {SLACK}" if asked.measure == "containment" else asked.weights)
    )
    print(f"{'documents':>10} {'entries':>10} {'seconds':>8} {'cpu s':>8} {'pairs':>9}  work")
    for size in sizes_of(len(features)):
        part = features.take(nested(len(features), size))
        if asked.measure == "containment":
            wall, used, found = best(
                lambda part=part: containment(part, threshold=asked.threshold, threads=asked.threads),  # type: ignore[misc]
                asked.repeat,
            )
            work: object = ""
        else:
            vectors = tfidf(part, threads=asked.threads) if asked.weights == "tfidf" else binary(part)
            check(vectors, asked.threshold, asked.measure)
            wall, used, found = best(
                lambda vectors=vectors: cosine(  # type: ignore[misc]
                    vectors, threshold=asked.threshold, measure=asked.measure, threads=asked.threads
                ),
                asked.repeat,
            )
            assert isinstance(found, WeightedPairs)
            work = found.work
        print(
            f"{size:>10} {len(part.keys):>10} {wall:>8.2f} {used:>8.2f} {len(found):>9}  {work}", flush=True
        )
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GB")


if __name__ == "__main__":
    main()
