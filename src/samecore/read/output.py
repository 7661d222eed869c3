"""What kept documents are written to: files, compressed or not, folders, standard output."""

from __future__ import annotations

import contextlib
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from samecore.read.atomic import atomic_path


def place_in(folder: Path, name: str) -> Path:
    """Where a document or table of this name goes: never outside `folder`, never on another."""
    steps = [step for step in name.replace("\\", "/").split("/") if step not in ("", ".", "..")] or [
        "unnamed"
    ]
    path = folder.joinpath(*steps)
    count = 1
    while path.exists():
        count += 1
        path = folder.joinpath(*steps[:-1], f"{count}-{steps[-1]}")
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


@contextlib.contextmanager
def sink(target: str | Path) -> Iterator[Path | None]:
    """Where to write: a temporary file that becomes `target` at the end, or None for standard output."""
    if str(target) == "-":
        yield None
    else:
        with atomic_path(target) as path:
            yield path


@contextlib.contextmanager
def output(path: Path | None, codec: str | None) -> Iterator[Any]:
    """Something with `write(bytes)`: a file, compressed if asked, or standard output."""
    if path is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    # A plain Python file below: errors of the disk then come as OSError with their errno.
    with open(path, "wb") as raw:
        if codec is None:
            yield raw
        elif codec == "gzip":
            packed = _Gzip(raw)
            yield packed
            packed.finish()
        else:
            with pa.CompressedOutputStream(pa.PythonFile(raw, mode="w"), codec) as stream:
                yield stream


class _Gzip:
    """A gzip stream at zlib's usual level 6: level 9, that of pyarrow, took 19 s for 64 MB, this 3 s.

    There is no name and no time in it, so that the same lines give the same bytes.
    """

    def __init__(self, raw: Any) -> None:
        self.raw = raw
        self.stream = zlib.compressobj(6, zlib.DEFLATED, 16 + zlib.MAX_WBITS)

    def write(self, data: bytes) -> None:
        self.raw.write(self.stream.compress(data))

    def finish(self) -> None:
        self.raw.write(self.stream.flush())


class Encoder:
    """The text file that csv.writer wants, over a binary one."""

    def __init__(self, out: Any) -> None:
        self.out = out

    def write(self, text: str) -> int:
        self.out.write(text.encode("utf-8", "surrogateescape"))
        return len(text)
