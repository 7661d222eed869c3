"""All pairs within 3 bits of 64-bit fingerprints, side by side with simhash-pybind.

    python bench/hamming.py                 # 1M and 10M, peer included
    python bench/hamming.py --sizes 1000000 --no-peer

CPU seconds of the whole process, one thread, best of `--repeats`; the answers are
compared first at the smallest size. The peer gets a Python set, the form it works on,
made outside the timed part; it sees each distinct fingerprint once, so it cannot report
identical ones, and ours are timed with collapsing included. Its number of blocks is
the one that is fastest for it at each size.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from samecore.match import hamming

Rows = npt.NDArray[np.uint64]


def fingerprints(n: int, *, seed: int = 1) -> Rows:
    """Uniform, but 1 in 20 is a copy of another with up to 3 bits flipped, 1 in 20 an exact copy."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 2**64, n, dtype=np.uint64)
    copies = n // 20
    places = rng.choice(np.arange(n // 2, n), 2 * copies, replace=False)
    near = rows[rng.integers(0, n // 2, copies)]
    for _ in range(3):
        flip = np.uint64(1) << rng.integers(0, 64, copies).astype(np.uint64)
        near = near ^ np.where(rng.random(copies) < 0.6, flip, np.uint64(0))
    rows[places[:copies]] = near
    rows[places[copies:]] = rows[rng.integers(0, n // 2, copies)]
    return rows


def best_cpu_s(work: Callable[[], object], repeats: int) -> float:
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def peak_mb_of(work: Callable[[], object]) -> int | None:
    """Memory `work` takes beyond what was there before it; None where the system does not tell."""
    try:
        Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
        before, _ = _resident_kb()
        work()
        return (_resident_kb()[1] - before) // 1024
    except OSError:
        return None


def _resident_kb() -> tuple[int, int]:
    lines = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(lines["VmRSS"].split()[0]), int(lines["VmHWM"].split()[0])


def value_pairs(rows: Rows, max_bits: int) -> set[tuple[int, int]]:
    matches = hamming.join(rows, max_bits=max_bits)
    values = rows[matches.left.first]
    left, right = values[matches.contents.left], values[matches.contents.right]
    return set(zip(np.minimum(left, right).tolist(), np.maximum(left, right).tolist(), strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000_000, 10_000_000])
    parser.add_argument("--bits", type=int, default=3)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument(
        "--blocks", type=int, nargs="+", default=[4, 5, 6], help="settings to try for the peer"
    )
    parser.add_argument("--no-peer", action="store_true")
    options = parser.parse_args()

    if not options.no_peer:
        import simhash

        rows = fingerprints(min(100_000, *options.sizes))
        peer = simhash.find_all(set(rows.tolist()), options.bits + 2, options.bits)
        ordered = {(min(pair), max(pair)) for pair in peer}
        assert ordered == value_pairs(rows, options.bits), "the answers differ"
        print(f"same {len(ordered)} pairs of distinct fingerprints as simhash-pybind at n = {len(rows)}")

    before = 0.0
    for n in options.sizes:
        rows = fingerprints(n)
        work = partial(hamming.join, rows, max_bits=options.bits)
        extra_mb = peak_mb_of(work)
        ours = best_cpu_s(work, options.repeats)
        matches = work()
        growth = f", {ours / before:.1f} times the size before" if before else ""
        before = ours
        print(
            f"n = {n}: {len(matches.left)} distinct, {len(matches.contents)} pairs of them, "
            f"{matches.rows} pairs of documents; {ours:.2f} CPU s{growth}; "
            f"{extra_mb} MB at the peak beside the input of {rows.nbytes >> 20} MB"
        )
        del matches
        if options.no_peer:
            continue
        # Its settings differ little and each run takes a while: once each.
        hashes = set(rows.tolist())
        times = {
            blocks: best_cpu_s(partial(simhash.find_all, hashes, blocks, options.bits), 1)
            for blocks in options.blocks
        }
        blocks = min(times, key=lambda b: times[b])
        ratio = times[blocks] / ours
        listed = ", ".join(f"{blocks} blocks {seconds:.1f}" for blocks, seconds in times.items())
        print(f"    simhash-pybind: {listed} CPU s; ours is {ratio:.1f} times as fast as its best")


if __name__ == "__main__":
    main()
