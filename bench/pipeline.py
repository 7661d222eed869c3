"""The whole way, as a user meets it: `python bench/pipeline.py [scale.parquet]`.

Start-up of the package and of the command, then `samecore find` from a Parquet file to a written
result, each in a process of its own, with the memory it took at most beside the size of the text.
Without an argument the file is looked for in SAMECORE_DATA.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.parquet as pq

SAMECORE = [sys.executable, "-m", "samecore"]


def timed(command: list[str], *, runs: int) -> float:
    """The best wall time of several runs, in seconds."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        times.append(time.perf_counter() - start)
    return min(times)


def peak_memory(command: list[str]) -> int:
    """The most memory a command held at once, in bytes (Linux counts in KiB)."""
    code = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    done = subprocess.run([sys.executable, "-c", code, *command], check=True, capture_output=True)
    return int(done.stdout) * 1024


def start_up() -> None:
    """Imports and help."""
    empty = timed([sys.executable, "-c", "pass"], runs=5)
    for name, command, bar in (
        ("import samecore", [sys.executable, "-c", "import samecore"], 0.3),
        ("samecore --help", [*SAMECORE, "--help"], 0.5),
    ):
        seconds = timed(command, runs=5)
        print(
            f"{name:28} {seconds:6.3f} s   bar {bar} s   {seconds / empty:5.1f} x an empty Python ({empty:.3f} s)"
        )


def end_to_end(path: Path) -> None:
    """From Parquet to a written result."""
    text = pc.sum(pc.binary_length(pq.read_table(path, columns=["text"])["text"])).as_py()
    rows = pq.read_metadata(path).num_rows
    print(f"\n{path.name}: {rows:,} documents, {text / 1e6:.0f} MB of text")
    with tempfile.TemporaryDirectory() as folder:
        for threshold, bar in (("0.5", "10 s"), ("0.14", "none")):
            command = [*SAMECORE, "find", str(path), "--threshold", threshold, "-o", f"{folder}/result"]
            one = timed([*command, "--threads", "1"], runs=1)
            both = timed(command, runs=3)
            memory = peak_memory(command)
            print(
                f"find --threshold {threshold:5} {both:6.2f} s   bar {bar:5}  {one / both:4.2f} x faster than one thread   "
                f"{memory / 1e9:.2f} GB, {memory / text:.2f} x the text (bar 4)"
            )


def main(arguments: list[str]) -> None:
    start_up()
    data = os.environ.get("SAMECORE_DATA")
    path = Path(arguments[0]) if arguments else Path(data) / "scale.parquet" if data else None
    if path is None or not path.exists():
        print("no scale.parquet: set SAMECORE_DATA or name the file to measure a whole run")
        return
    end_to_end(path)


if __name__ == "__main__":
    main(sys.argv[1:])
