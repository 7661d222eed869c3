"""How fast texts become sketches, alone and side by side with the libraries people use now.

    python bench/sketch.py [scale.parquet] [--level avx2] [--no-peers]

First each instruction set by itself, one thread: MB of text per second of processor time,
which other work on the machine does not lower. Then datasketch, rensa and gaoya on the same
documents with the same settings (128 slots, shingles of 5 lower-case words), once from text,
their own way of making shingles included, and once with the shingles handed over ready. The
answers are checked first: every one must estimate a known Jaccard similarity. A peer that is
not installed is left out with a note.
"""

from __future__ import annotations

import argparse
import importlib
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).parent))
from text import made_up_prose

from samecore import _core
from samecore.features.csr import Features
from samecore.features.shingles import Shingles
from samecore.sketch import imatch, minhash, modp, simhash, supershingles
from samecore.text.tokens import buffers

SLOTS, WIDTH = 128, 5
BARS = {"portable": 70, "avx2": 280, "avx512": 280}  # MB/s of one thread, MinHash from text
PEER_BARS = {"datasketch": 60, "rensa": 20, "gaoya": 8}  # times as fast per document, from text
WORD = re.compile(r"\w+")


def busy_s(work: Callable[[], object], rounds: int = 5) -> float:
    """The least processor time of several runs."""
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def documents(path: str | None, megabytes: int) -> tuple[str, pa.Array]:
    if path is None:
        return "made-up prose", made_up_prose(megabytes)
    table = pq.read_table(path, columns=["source", "text"])
    texts = pa.concat_arrays(table.filter(pc.equal(table["source"], "acl-abstracts"))["text"].chunks)
    return "acl-abstracts", texts[: megabytes * 1000]


def measure(path: str | None) -> None:
    level = _core.cpu_level()
    name, texts = documents(path, 20)
    offsets = buffers(texts)[1]
    size = float(offsets[-1] - offsets[0]) / 1e6
    print(f"{level}, one thread, {name}, {size:.0f} MB of {len(texts)} texts (MB/s busy)")
    works: dict[str, Callable[[], object]] = {
        "minhash, 128 slots": lambda: minhash.sketch(texts),
        "minhash, 256 slots": lambda: minhash.sketch(texts, slots=256),
        "mod 25": lambda: modp.sketch(texts),
        "supershingles, 84 -> 6": lambda: supershingles.sketch(texts),
        "simhash, 64 bits of words": lambda: simhash.sketch(texts),
        "simhash, 384 bits of words": lambda: simhash.sketch(texts, bits=384),
        "I-Match of words": lambda: imatch.sketch(texts),
    }
    for label, work in works.items():
        speed = size / busy_s(work)
        bar = f"  bar {BARS[level]}, x{speed / BARS[level]:.2f}" if label == "minhash, 128 slots" else ""
        print(f"  {label:28} {speed:5.0f}{bar}")


def python_shingles(text: str) -> list[str]:
    """What users of the peers write."""
    words = WORD.findall(text.lower())
    return [" ".join(words[i : i + WIDTH]) for i in range(max(1, len(words) - WIDTH + 1))]


def of_datasketch(module: Any) -> dict[str, Callable[[Any], object]]:
    def sketch(shingles: list[list[bytes]]) -> list[Any]:
        return list(module.MinHash.bulk(shingles, num_perm=SLOTS))

    def ready(texts: list[str]) -> list[list[bytes]]:
        return [[shingle.encode() for shingle in python_shingles(text)] for text in texts]

    return {"ready": ready, "sketch": sketch, "estimate": lambda rows: rows[0].jaccard(rows[1])}


def of_rensa(module: Any) -> dict[str, Callable[[Any], object]]:
    def sketch(shingles: list[list[str]]) -> list[Any]:
        found = []
        for own in shingles:
            row = module.RMinHash(num_perm=SLOTS, seed=1)
            row.update(own)
            found.append(row)
        return found

    return {
        "ready": lambda texts: [python_shingles(text) for text in texts],
        "sketch": sketch,
        "estimate": lambda rows: rows[0].jaccard(rows[1]),
    }


def of_gaoya(module: Any) -> dict[str, Callable[[Any], object]]:
    """It shingles in its own core, and has no sketch without an index."""

    def index(analyzer: Any = "word") -> Any:
        return module.minhash.MinHashStringIndex(
            hash_size=32, jaccard_threshold=0.0, num_bands=SLOTS // 4, band_size=4, analyzer=analyzer,
            lowercase=True, ngram_range=(WIDTH, WIDTH),
        )  # fmt: skip

    def whole(texts: list[str]) -> Any:
        found = index()
        for i, text in enumerate(texts):
            found.insert_document(i, text)
        return found

    def sketch(shingles: list[list[str]]) -> Any:
        found = index(lambda shingles: shingles)
        for i, own in enumerate(shingles):
            found.insert_document(i, own)
        return found

    return {
        "ready": lambda texts: [python_shingles(text) for text in texts],
        "sketch": sketch,
        "whole": whole,
    }


PEERS = {"datasketch": of_datasketch, "rensa": of_rensa, "gaoya": of_gaoya}


def check_answers(rows: Any, estimate: Callable[[Any], Any] | None, truth: float, name: str) -> None:
    if estimate is None:
        return
    error = (truth * (1 - truth) / SLOTS) ** 0.5
    assert abs(estimate(rows) - truth) < 5 * error, f"{name}: the estimate is wrong"


def compare(path: str | None) -> None:
    name, texts = documents(path, 2)
    listed = texts.to_pylist()
    shingles = Shingles(width=WIDTH)
    features: Features = shingles(texts)
    pair = [listed[0], listed[0] + " " + listed[1][: len(listed[0]) // 2]]
    both = shingles(pair)
    truth = len(np.intersect1d(both.keys[both.row(0)], both.keys[both.row(1)])) / len(np.unique(both.keys))
    check_answers(minhash.sketch(pair), lambda rows: minhash.estimate(rows[0], rows[1]), truth, "samecore")
    from_text = busy_s(lambda: minhash.sketch(texts))
    from_list = busy_s(lambda: minhash.sketch(listed))
    from_ready = busy_s(lambda: minhash.sketch(features))
    per = 1e6 / len(listed)
    print(
        f"\n{len(listed)} documents of {name}, {SLOTS} slots, one process (microseconds of CPU per document)"
    )
    print(
        f"  samecore    from text {from_text * per:8.1f} (list of str {from_list * per:.1f})   ready {from_ready * per:8.1f}"
    )
    for peer, make in PEERS.items():
        try:
            module = importlib.import_module(peer)
        except ImportError:
            print(f"  {peer:11} not installed: pip install {peer}")
            continue
        work = make(module)
        ready: Any = work["ready"](listed)
        whole = work.get("whole", lambda t, w=work: w["sketch"](w["ready"](t)))
        check_answers(work["sketch"](work["ready"](pair)), work.get("estimate"), truth, peer)  # type: ignore[arg-type]
        text_s = busy_s(lambda w=whole: w(listed), 3)  # type: ignore[misc]
        ready_s = busy_s(lambda w=work, r=ready: w["sketch"](r), 3)  # type: ignore[misc]
        print(
            f"  {peer:11} from text {text_s * per:8.1f}, samecore x{text_s / from_list:6.1f} (bar {PEER_BARS[peer]})"
            f"   ready {ready_s * per:8.1f}, samecore x{ready_s / from_ready:6.1f}"
        )
        if peer == "rensa":
            flat_s = busy_s(
                lambda m=module: m.RMinHash.digest_matrix_from_flat_token_hashes(
                    features.keys, features.offsets.astype(np.uint64), SLOTS, 1
                )
            )
            print(f"{'':14}ready as hashes {flat_s * per:8.1f}, samecore x{flat_s / from_ready:6.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parquet", nargs="?")
    parser.add_argument("--level", choices=list(BARS), action="append")
    parser.add_argument("--no-peers", action="store_true")
    arguments = parser.parse_args()
    if os.environ.get("SAMECORE_BENCH") == "1":
        measure(arguments.parquet)
        return
    for level in arguments.level or BARS:
        environment = {**os.environ, "SAMECORE_CPU": level, "SAMECORE_BENCH": "1"}
        command = [sys.executable, __file__, *([arguments.parquet] if arguments.parquet else [])]
        subprocess.run(command, env=environment, check=True)
    if not arguments.no_peers:
        compare(arguments.parquet)


if __name__ == "__main__":
    main()
