"""What frames cost: `python bench/frames.py [scale.parquet]`, `find` with and without learning them.

The documents get addresses by their folders, some 4,000 hosts, since the collection has none; the made
pages are checked first. Processor time is given too: on a busy machine it is the steadier figure.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import samecore
from samecore.lab import made
from samecore.lab.evaluate import evaluate


def check() -> None:
    """The answer before the time: made pages, frames ignored and not."""
    pages = made.labelled("made:frame=0.6")
    for frame in ("off", "ignore"):
        found = evaluate(samecore.find(pages.documents, frame=frame), pages.truth)
        print(
            f"made pages, {frame:6}  precision {found.pairs.precision:.3f}  recall {found.pairs.recall:.3f}"
        )
    assert found.pairs.precision >= 0.99, "frames were not told from cores"


def with_addresses(path: Path, to: Path) -> None:
    """The collection with a host for each folder, of up to five levels."""
    table = pq.read_table(path)
    folders = ["-".join(id.split("/")[:-1][:5]).replace(" ", "_") for id in table["id"].to_pylist()]
    urls = [f"https://{folder or 'root'}.example/{row}" for row, folder in enumerate(folders)]
    print(f"{table.num_rows:,} documents of {len(set(folders)):,} hosts")
    pq.write_table(table.append_column("url", pa.array(urls)), to)


def run(path: str, frame: str) -> None:
    """One run, in a process of its own."""
    start = time.perf_counter()
    found = samecore.find(path, threshold=0.5, frame=frame)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(
        f"{frame:6}  {time.perf_counter() - start:6.2f} s  {time.process_time():6.2f} s of processor  "
        f"{memory / 1e9:.2f} GB  {len(found.found):,} pairs of contents",
        flush=True,
    )


def main(arguments: list[str]) -> None:
    if len(arguments) == 2:
        run(*arguments)
        return
    check()
    data = os.environ.get("SAMECORE_DATA")
    path = Path(arguments[0]) if arguments else Path(data) / "scale.parquet" if data else None
    if path is None or not path.exists():
        print("no scale.parquet: set SAMECORE_DATA or name the file to measure a whole run")
        return
    with tempfile.TemporaryDirectory() as folder:
        named = Path(folder) / "named.parquet"
        with_addresses(path, named)
        for frame in ("off", "ignore") * 2:
            subprocess.run([sys.executable, __file__, str(named), frame], check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
