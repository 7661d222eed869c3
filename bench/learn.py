"""How long training takes, and what a model costs over tf-idf vectors.

    python bench/learn.py [scale.parquet] [--documents 30000] [--threads 2]

Training: 80,000 preference pairs on the labelled pages in SAMECORE_DATA/spotsigs; bar: under 20 s on two cores.
Vectors: `LearnedVectors` with every feature against shingles and tf-idf of the same texts; bar: within 3 times.
Before it is timed the core must agree with numpy on the first documents. Times are the best of `--repeat`, on the wall
clock and in processor seconds, which a busy machine disturbs less.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from samecore.features.facts import FEATURES
from samecore.features.frequencies import Frequencies
from samecore.features.learned import LearnedVectors
from samecore.features.shingles import Shingles
from samecore.similarity.cosine import tfidf
from samecore.weights.idf import document_frequencies

NEWS = Path(__file__).parent.parent / "examples" / "news"


def best(run: Callable[[], object], repeat: int) -> tuple[float, float]:
    wall, used = np.inf, np.inf
    for _ in range(repeat):
        started, before = time.perf_counter(), time.process_time()
        run()
        wall = min(wall, time.perf_counter() - started)
        used = min(used, time.process_time() - before)
    return float(wall), float(used)


def texts_of(path: str | None, documents: int) -> pa.RecordBatch:
    if path is not None:
        column = pq.read_table(path, columns=["text"])["text"].slice(0, documents).combine_chunks()
        column = column if isinstance(column, pa.Array) else pa.concat_arrays(column.chunks)
    else:
        pages = [page.read_text("utf-8") for page in sorted(NEWS.rglob("*.html"))]
        column = pa.array(pages * max(1, documents // 100))
    return pa.RecordBatch.from_pydict({"text": column.cast(pa.large_string())})


def vectors(path: str | None, documents: int, threads: int, repeat: int) -> None:
    batch = texts_of(path, documents)
    texts = batch.column("text")
    print(f"vectors of {batch.num_rows} texts, {texts.nbytes / 1e6:.0f} MB, {threads} threads")
    chance = np.random.default_rng(0)
    weights = tuple((name, float(chance.uniform(-0.5, 1.5))) for name in FEATURES)
    for k in (1, 3):
        taken = Shingles(width=k)(texts, threads=threads)
        grams = Frequencies.of_documents(*document_frequencies(taken, threads=threads), len(taken))
        words = grams
        if k > 1:
            single = Shingles(width=1)(texts, threads=threads)
            words = Frequencies.of_documents(*document_frequencies(single, threads=threads), len(single))
        part = LearnedVectors(k, weights, grams, words)
        few = batch.slice(0, 300)
        fast, slow = part.fielded(few, threads=threads), part.weigh(part.facts(few))
        assert np.array_equal(fast.keys, slow.keys)
        assert np.array_equal(fast.counts, slow.counts)
        plain = best(lambda k=k: tfidf(Shingles(width=k)(texts, threads=threads), threads=threads), repeat)  # type: ignore[misc]
        learned = best(lambda part=part: part.fielded(batch, threads=threads), repeat)  # type: ignore[misc]
        ratio = [one / two for one, two in zip(learned, plain, strict=True)]
        print(
            f"k = {k}: tf-idf {plain[0]:.2f} s ({plain[1]:.2f} cpu), learned {learned[0]:.2f} s ({learned[1]:.2f} cpu), "
            f"{ratio[0]:.2f} times ({ratio[1]:.2f} cpu); bar 3",
            flush=True,
        )


def training(threads: int, repeat: int) -> None:
    from samecore.learn.fit import Training, fit, prepare
    from samecore.learn.train import train

    data = os.environ.get("SAMECORE_DATA")
    if data is None or not (Path(data) / "spotsigs").exists():
        print("training: SAMECORE_DATA is not set or has no spotsigs/; left out")
        return
    from samecore.learn.corpus import read_corpus
    from samecore.learn.labels import match_labels, read_labels

    folder = Path(data) / "spotsigs"
    labels = read_labels(folder / "labels.tsv")
    corpus = read_corpus(str(folder), labels.ids, threads=threads)
    truth, _ = match_labels(labels, corpus.ids)
    for measure in ("cosine", "jaccard"):
        settings = Training(measure=measure)  # type: ignore[arg-type]
        wall, used = best(
            lambda settings=settings: fit(prepare(corpus, truth, settings, threads=threads), settings),  # type: ignore[misc]
            repeat,
        )
        print(
            f"training, {settings.preferences:,} preferences, {len(truth.documents)} pages, {measure}: "
            f"{wall:.1f} s ({used:.1f} cpu); bar 20 s",
            flush=True,
        )
    wall, used = best(lambda: train(labels, str(folder), threads=threads), 1)
    print(f"samecore train, pages read and five folds held back in turn: {wall:.1f} s ({used:.1f} cpu)")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parquet", nargs="?")
    parser.add_argument("--documents", type=int, default=30_000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=3)
    asked = parser.parse_args()
    vectors(asked.parquet, asked.documents, asked.threads, asked.repeat)
    training(asked.threads, asked.repeat)


if __name__ == "__main__":
    main()
