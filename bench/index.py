"""The persistent index: loading, adding, asking, compacting, opening; beside two ways to do the same.

    python bench/index.py                             # 100k and 1M documents, the peers at 100k
    python bench/index.py --sizes 5000000 --no-peers

About 30 signatures a document, seeded; 'default-like' has few signatures of its own and common ones in
up to N^0.8 documents, 'rare' the opposite (bench/corpus.py). Wall-clock times, with the processor time of
the asking thread beside them: on a machine that does other things as well, the second says more.
Asked are documents that are stored (a fifth of them have near-duplicates) and as many that are new.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import sqlite3
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

import samecore
from samecore.features.csr import Features

sys.path.insert(0, str(Path(__file__).parents[1]))
from bench.corpus import make_corpus

THRESHOLD = 0.5
MIB = 1 << 20


def rows_of(corpus: Features, many: int, *, seed: int) -> list[Features]:
    """Some documents of a corpus, one by one."""
    chosen = np.random.default_rng(seed).integers(0, len(corpus), many)
    return [corpus.rows(row, row + 1) for row in chosen.tolist()]


def timed_seen(
    index: samecore.Index, rows: list[Features], *, label: str, threshold: float | None = None
) -> None:
    """Asks one by one and prints rates and percentiles, of wall-clock and of processor time."""
    for row in rows[:200]:
        index.seen(row, threshold=threshold)
    wall, cpu, found = [], [], 0
    for row in rows:
        start, before = time.perf_counter(), time.thread_time()
        found += index.seen(row, threshold=threshold) is not None
        wall.append(time.perf_counter() - start)
        cpu.append(time.thread_time() - before)
    for name, spent in (("wall", sorted(wall)), ("cpu", sorted(cpu))):
        middle, high = spent[len(spent) // 2] * 1e6, spent[int(len(spent) * 0.99)] * 1e6
        print(
            f"  seen, {label}: {len(rows) / sum(spent):,.0f}/s {name}, p50 {middle:.0f} us, p99 {high:.0f} us"
            f" ({found} of {len(rows)} found)"
        )


def resident_bytes() -> int:
    """Memory of this process that is not mapped from files."""
    lines = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(lines["RssAnon"].split()[0]) * 1024


def ours(documents: int, preset: str, folder: Path, *, adds: int) -> None:
    corpus = make_corpus(documents, mean=30, preset=preset).features
    corpus = corpus.take(np.random.default_rng(1).permutation(documents))
    fresh = make_corpus(20_000, mean=30, preset=preset, seed=99).features
    print(f"{documents:,} documents, {preset}, {len(corpus.keys) / documents:.1f} signatures each")
    path = folder / "index"
    shutil.rmtree(path, ignore_errors=True)
    index = samecore.Index.create(path, "spotsigs", threshold=THRESHOLD)
    batch = index.batch(corpus, ids=[f"doc-{number:08d}" for number in range(documents)])
    start, before = time.perf_counter(), time.process_time()
    index.seed(batch)
    loaded = time.perf_counter() - start
    index.upkeep.wait()
    merged, cpu = time.perf_counter() - start, time.process_time() - before
    print(
        f"  bulk load: {documents / loaded:,.0f}/s, with merges {documents / merged:,.0f}/s"
        f" ({documents / cpu:,.0f} per second of processor time); {index.stats().segments} segments"
    )
    half = rows_of(corpus, 2000, seed=2) + rows_of(fresh, 2000, seed=3)
    timed_seen(index, half, label="as loaded")
    start, before = time.perf_counter(), time.process_time()
    index.compact()
    print(
        f"  compaction: {time.perf_counter() - start:.2f} s, {time.process_time() - before:.2f} s of processor time"
    )
    size = sum(entry.stat().st_size for entry in os.scandir(path))
    print(f"  on disk: {size / documents:.0f} bytes a document")
    timed_seen(index, half, label="compacted")
    timed_seen(index, half, label="compacted, threshold 0.14", threshold=0.14)
    singles = [fresh.rows(number, number + 1) for number in range(min(adds, len(fresh)))]
    bare_syncs(folder)
    third = len(singles) // 3
    for turn, threads in enumerate((1, 8, 32)):
        timed_adds(index, singles[turn * third : (turn + 1) * third], threads)
    index.close()
    del index, batch
    best, first, cpu = 1e9, 1e9, 1e9
    for _ in range(5):
        before = resident_bytes()
        start, spent = time.perf_counter(), time.process_time()
        with samecore.Index(path) as index:
            best, cpu = min(best, time.perf_counter() - start), min(cpu, time.process_time() - spent)
            index.seen(half[0])
            first = min(first, time.perf_counter() - start)
            held = resident_bytes() - before
    print(
        f"  open: {best * 1e3:.1f} ms ({cpu * 1e3:.1f} ms of processor time), with a first answer {first * 1e3:.1f} ms; {held / MIB:.0f} MiB of memory beside the mapped files"
    )


def timed_adds(index: samecore.Index, rows: list[Features], threads: int) -> None:
    """Answered, durable adds of one document each."""

    def work(start: int) -> None:
        for number in range(start, len(rows), threads):
            index.add(f"single-{threads}-{number}", rows[number])

    start, before = time.perf_counter(), time.process_time()
    pool = [threading.Thread(target=work, args=(number,)) for number in range(threads)]
    for one in pool:
        one.start()
    for one in pool:
        one.join()
    spent, cpu = time.perf_counter() - start, time.process_time() - before
    print(
        f"  durable answered adds, {threads} threads: {len(rows) / spent:,.0f}/s,"
        f" {cpu / len(rows) * 1e6:.0f} us of processor time each"
    )


def bare_syncs(folder: Path, *, many: int = 2000, size: int = 4 * 4120) -> None:
    """What a durable add cannot beat with one thread: as many bytes as its commit writes, and a sync."""
    data, path = bytes(size), folder / "bare"
    for how, length in (("appended", 0), ("written over", many * size)):
        with path.open("wb", buffering=0) as file:
            file.write(bytes(length))
            os.fsync(file.fileno())
            spent = []
            for number in range(many):
                start = time.perf_counter()
                os.pwrite(file.fileno(), data, number * size)
                os.fdatasync(file.fileno())
                spent.append(time.perf_counter() - start)
        middle = sorted(spent)[many // 2] * 1e6
        print(f"  bare write and sync, {size:,} bytes {how}: {many / sum(spent):,.0f}/s, p50 {middle:.0f} us")
    path.unlink()


def sqlite_postings(documents: int, preset: str, folder: Path) -> None:
    """One table of (key, document), sizes beside it, counting in SQL."""
    corpus = make_corpus(documents, mean=30, preset=preset).features
    path = folder / "postings.db"
    path.unlink(missing_ok=True)
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute(
            "CREATE TABLE postings (key INTEGER, document INTEGER, PRIMARY KEY (key, document)) WITHOUT ROWID"
        )
        database.execute("CREATE TABLE sizes (document INTEGER PRIMARY KEY, size INTEGER)")
        signed = corpus.keys.view(np.int64).tolist()
        owner = np.repeat(np.arange(documents), np.diff(corpus.offsets)).tolist()
        start, before = time.perf_counter(), time.process_time()
        database.execute("BEGIN")
        database.executemany("INSERT INTO postings VALUES (?, ?)", zip(signed, owner, strict=True))
        database.executemany("INSERT INTO sizes VALUES (?, ?)", enumerate(corpus.totals().tolist()))
        database.execute("COMMIT")
        loaded, load_cpu = time.perf_counter() - start, time.process_time() - before
        wall, cpu = [], []
        for row in rows_of(corpus, 200, seed=2):
            keys = row.keys.view(np.int64).tolist()
            begin, before = time.perf_counter(), time.thread_time()
            database.execute(
                "SELECT document, count(*) AS shared, size FROM postings JOIN sizes USING (document) WHERE key IN "
                f"({','.join('?' * len(keys))}) GROUP BY document HAVING shared * 3 >= size + ? ORDER BY shared DESC",
                (*keys, len(keys)),
            ).fetchall()
            wall.append(time.perf_counter() - begin)
            cpu.append(time.thread_time() - before)
    size = path.stat().st_size
    print(
        f"  SQLite postings, {documents:,}: load {documents / loaded:,.0f}/s ({documents / load_cpu:,.0f} per second"
        f" of processor time), seen {len(wall) / sum(wall):,.0f}/s wall,"
        f" {len(cpu) / sum(cpu):,.0f}/s cpu, p99 {sorted(wall)[-2] * 1e3:.1f} ms, {size / documents:.0f} bytes a document"
    )


def datasketch_lsh(documents: int, preset: str) -> None:
    """MinHashLSH of datasketch, in memory, 128 permutations; approximate and gone when the process ends."""
    try:
        from datasketch import MinHash, MinHashLSH
    except ImportError:
        print("  datasketch is not installed")
        return
    corpus = make_corpus(documents, mean=30, preset=preset).features
    lsh = MinHashLSH(threshold=THRESHOLD, num_perm=128)

    def sketch(row: Features) -> MinHash:
        made = MinHash(num_perm=128)
        made.update_batch([key.tobytes() for key in row.keys])
        return made

    rows = [corpus.rows(number, number + 1) for number in range(documents)]
    start, before = time.perf_counter(), time.process_time()
    for number, row in enumerate(rows):
        lsh.insert(number, sketch(row))
    loaded, cpu = time.perf_counter() - start, time.process_time() - before
    spent = []
    for row in rows_of(corpus, 1000, seed=2):
        begin = time.thread_time()
        lsh.query(sketch(row))
        spent.append(time.thread_time() - begin)
    print(
        f"  datasketch MinHashLSH, {documents:,}, in memory: load {documents / loaded:,.0f}/s ({documents / cpu:,.0f} per"
        f" second of processor time), seen {len(spent) / sum(spent):,.0f}/s cpu"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--presets", nargs="+", default=["default-like", "rare"])
    parser.add_argument("--adds", type=int, default=12_000)
    parser.add_argument("--peer-size", type=int, default=100_000)
    parser.add_argument("--no-peers", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for size in options.sizes:
            for preset in options.presets:
                ours(size, preset, folder, adds=options.adds)
        if not options.no_peers:
            print("peers")
            for preset in options.presets:
                sqlite_postings(options.peer_size, preset, folder)
                datasketch_lsh(min(options.peer_size, 20_000), preset)


if __name__ == "__main__":
    main()
