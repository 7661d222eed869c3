"""Streams of bytes from files and standard input, plain, .gz or .zst."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from samecore.errors import InputError

GZIP_MAGIC = b"\x1f\x8b"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
CHUNK_BYTES = 1 << 21

CODECS = {".gz": "gzip", ".zst": "zstd", ".zstd": "zstd"}
# Names of compressions that are neither read nor written.
OTHER_CODECS = (".bz2", ".xz", ".lzma", ".lz4", ".lzo", ".br", ".sz", ".snappy", ".z", ".zip", ".7z", ".rar")


class CutShort(Exception):  # noqa: N818 - named for what happened
    """A compressed stream that ends or breaks too early.

    `rest` holds what could still be decompressed, up to the last whole line.
    """

    def __init__(self, message: str, rest: bytes) -> None:
        super().__init__(message)
        self.rest = rest


def codec_of(path: str | Path) -> str | None:
    """'gzip', 'zstd' or None, by the name of a file."""
    return CODECS.get(Path(path).suffix.lower())


def standard_input() -> Any:
    """The bytes of standard input; an InputError if they were read already."""
    if sys.stdin.buffer.closed:
        raise InputError("standard input was read already and cannot be read again", where="-")
    return sys.stdin.buffer


def open_stream(path: str) -> Any:
    """The decompressed bytes of `path` as a pyarrow file; '-' is standard input.

    Whether they are compressed is seen from the first bytes, not the name.
    """
    raw: Any
    if path == "-":
        stream = standard_input()
        head = stream.peek(4)[:4] if hasattr(stream, "peek") else b""
        raw = pa.PythonFile(stream, mode="r")
    else:
        raw = pa.OSFile(path, "rb")
        head = raw.read(4)
        raw.seek(0)
    codec = "gzip" if head.startswith(GZIP_MAGIC) else "zstd" if head == ZSTD_MAGIC else None
    return raw if codec is None else pa.CompressedInputStream(raw, codec)


def read_chunks(path: str, *, chunk_bytes: int = CHUNK_BYTES) -> Iterator[bytes]:
    """The bytes of `path`, decompressed, in chunks; raises `CutShort` where the stream breaks."""
    with open_stream(path) as stream:
        if not isinstance(stream, pa.CompressedInputStream):
            while chunk := stream.read(chunk_bytes):
                yield chunk
            return
        while True:
            # Read into our own zeroed buffer: pyarrow throws away a chunk it cannot fill, but what
            # it had decompressed by then is here, and whole lines of it are good.
            buffer = bytearray(chunk_bytes)
            try:
                size = stream.readinto(buffer)
            except OSError as error:
                raise CutShort(str(error), bytes(buffer[: buffer.rfind(b"\n") + 1])) from error
            if size == 0:
                return
            yield bytes(memoryview(buffer)[:size])
