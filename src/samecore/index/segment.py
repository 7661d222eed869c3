"""Segments on disk: written once, whole or not at all, and mapped for reading. docs/index-format.md."""

from __future__ import annotations

import mmap
import os
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from samecore import _core
from samecore.features.csr import Features
from samecore.index.errors import IndexDamaged, IndexFault
from samecore.index.places import sync_folder
from samecore.read.atomic import atomic_path

MAGIC = b"samecore"
VERSION = 1
ALIGNMENT = 64
HEADER_BYTES = 512
CHUNK_BYTES = 8 << 20

#: The sections of a file, in the order of the header's table, with the type of their items.
SECTIONS: dict[str, str] = {
    "numbers": "<u4",
    "sizes": "<u4",
    "starts": "<u4",
    "keys": "<u8",
    "values": "<u4",
    "words": "<u4",
    "prints": "<u8",
    "raw_offsets": "<i8",
    "raw_keys": "<u8",
    "raw_counts": "<u4",
}
_FIXED = struct.Struct("<8sIIQ")  # magic, version, words of a fingerprint, bytes of the file
_ENTRY = struct.Struct("<QQII")  # offset, bytes, crc32, 0
_CRC = struct.Struct("<I")

Array = npt.NDArray[Any]


@dataclass
class Writer:
    """A file being written section after section; `place` is its table of sections."""

    file: BinaryIO
    place: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    _name: str = ""

    def begin(self, name: str) -> None:
        """Start a section; what is written next belongs to it."""
        at = self.file.tell()
        at += -at % ALIGNMENT
        self.file.seek(at)
        self.place[name] = (at, 0, 0)
        self._name = name

    def write(self, items: Array) -> None:
        """Append items to the section."""
        data = np.ascontiguousarray(items, SECTIONS[self._name])
        at, size, crc = self.place[self._name]
        self.file.write(data.data)
        self.place[self._name] = (at, size + data.nbytes, zlib.crc32(data.data, crc))

    def section(self, name: str, items: Array) -> None:
        """A whole section at once."""
        self.begin(name)
        self.write(items)


@contextmanager
def writing(path: Path, *, print_words: int) -> Iterator[Writer]:
    """A new segment file, durable under its name at the end of the block, or not there at all."""
    with atomic_path(path) as temporary, temporary.open("wb") as file:
        file.write(bytes(HEADER_BYTES))
        writer = Writer(file)
        yield writer
        file.seek(0, os.SEEK_END)
        header = _FIXED.pack(MAGIC, VERSION, print_words, file.tell())
        for name in SECTIONS:
            header += _ENTRY.pack(*writer.place.get(name, (0, 0, 0)), 0)
        file.seek(0)
        file.write(header + _CRC.pack(zlib.crc32(header)))
    sync_folder(path.parent)


@dataclass(frozen=True, eq=False)
class Sections:
    """The arrays of a mapped file; their checksums are not checked yet."""

    path: Path
    arrays: dict[str, Array]
    print_words: int
    place: dict[str, tuple[int, int, int]]
    data: mmap.mmap = field(repr=False)

    def changed(self) -> str:
        """Which section has another checksum than when it was written, or ''. Reads all of it."""
        for name, (at, size, crc) in self.place.items():
            found = 0
            for start in range(at, at + size, CHUNK_BYTES):
                found = zlib.crc32(self.data[start : min(start + CHUNK_BYTES, at + size)], found)
            if found != crc:
                return f"section '{name}' has changed: expected checksum {crc:08x}, found {found:08x}"
        return ""


@dataclass(frozen=True, eq=False)
class Segment:
    """An open segment: its arrays, mapped, and the core's view of them."""

    path: Path
    arrays: dict[str, Array]
    print_words: int
    core: Any
    sections: Sections = field(repr=False)

    def __len__(self) -> int:
        return len(self.arrays["numbers"])

    @property
    def prints(self) -> Array | None:
        """The fingerprints, one row per content; None for Jaccard."""
        return self.arrays["prints"].reshape(len(self), self.print_words) if self.print_words else None

    @property
    def raw(self) -> Features | None:
        """The features before any weights, row by row; None where the method has no weights."""
        if not len(self.arrays["raw_offsets"]):
            return None
        return Features(self.arrays["raw_offsets"], self.arrays["raw_keys"], self.arrays["raw_counts"])

    def damage(self) -> str:
        """What is wrong with the file, or ''. Reads all of it."""
        return self.sections.changed() or str(self.core.damage())


def open_sections(path: Path) -> Sections:
    """Map a file of ours; IndexDamaged if the header or the length is not what was written."""
    try:
        with path.open("rb") as file:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except ValueError:
        raise IndexDamaged("torn: expected a segment, found an empty file", path=path) from None
    header = data[:HEADER_BYTES]
    size = _FIXED.size + len(SECTIONS) * _ENTRY.size
    if len(header) < HEADER_BYTES or header[:8] != MAGIC:
        raise IndexDamaged("expected a segment of samecore, found something else", path=path)
    _, version, print_words, length = _FIXED.unpack_from(header)
    if _CRC.unpack_from(header, size)[0] != zlib.crc32(header[:size]):
        raise IndexDamaged("the header has changed", path=path)
    if version != VERSION:
        raise IndexFault(
            f"expected version {VERSION}, found {version}; use a samecore that knows it", path=path
        )
    if length != len(data):
        raise IndexDamaged(f"torn: expected {length:,} bytes, found {len(data):,}", path=path)
    arrays: dict[str, Array] = {}
    place = {}
    for number, (name, kind) in enumerate(SECTIONS.items()):
        at, count, crc, _ = _ENTRY.unpack_from(header, _FIXED.size + number * _ENTRY.size)
        arrays[name] = np.frombuffer(data, kind, count // np.dtype(kind).itemsize, at)
        place[name] = (at, count, crc)
    return Sections(path, arrays, print_words, place, data)


def open_segment(path: Path) -> Segment:
    """Map a segment. Its header is checked, its sections are not: that is what `damage` is for."""
    found = open_sections(path)
    arrays, words = found.arrays, found.print_words
    try:
        prints = arrays["prints"].reshape(-1, words) if words else None
        core = _core.IndexSegment(
            arrays["numbers"],
            arrays["sizes"],
            arrays["starts"],
            arrays["keys"],
            arrays["values"],
            arrays["words"],
            prints,
        )
    except ValueError as error:
        raise IndexDamaged(str(error), path=path) from None
    return Segment(path, arrays, words, core, found)


def write_segment(
    path: Path,
    features: Features,
    *,
    numbers: npt.NDArray[np.uint32],
    sizes: npt.NDArray[np.uint32],
    prints: Array | None = None,
    raw: Features | None = None,
) -> None:
    """A segment of these contents: keys and counts, the number and the weight of each."""
    order = np.argsort(sizes, kind="stable")
    starts, keys, values, words = _core.index_build(
        features.offsets, features.keys, features.counts, order.astype(np.uint32)
    )
    with writing(path, print_words=0 if prints is None else prints.shape[1]) as file:
        file.section("numbers", numbers[order])
        file.section("sizes", sizes[order])
        if prints is not None:
            file.section("prints", prints[order])
        if raw is not None:
            write_raw(file, raw.take(order))
        file.section("words", words)
        file.section("keys", keys)
        file.section("values", values)
        file.section("starts", starts)


def write_raw(file: Writer, raw: Features) -> None:
    """The features before any weights, from which an index is weighed anew."""
    file.section("raw_offsets", raw.offsets)
    file.section("raw_keys", raw.keys)
    file.section("raw_counts", raw.counts)
