"""A segment file read the slow way, byte by byte as docs/index-format.md describes it."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

NAMES = (
    "numbers", "sizes", "starts", "keys", "values", "words", "prints", "raw_offsets", "raw_keys", "raw_counts",
)  # fmt: skip
WIDE = ("keys", "prints", "raw_offsets", "raw_keys")
MASK = 2**64 - 1


def mix(key: int) -> int:
    """The key as segments hold it."""
    key = ((key ^ key >> 30) * 0xBF58476D1CE4E5B9) & MASK
    key = ((key ^ key >> 27) * 0x94D049BB133111EB) & MASK
    return key ^ key >> 31


def read(path: Path) -> list[tuple[int, int, dict[int, int]]]:
    """(number, size, {mixed key: count}) of every content, in the order of the file; all checks made."""
    data = path.read_bytes()
    magic, version, _, length = struct.unpack_from("<8sIIQ", data)
    assert (magic, version, length) == (b"samecore", 1, len(data))
    assert struct.unpack_from("<I", data, 264)[0] == zlib.crc32(data[:264])
    sections: dict[str, tuple[int, ...]] = {}
    for number, name in enumerate(NAMES):
        at, size, crc, zero = struct.unpack_from("<QQII", data, 24 + 24 * number)
        assert at % 64 == 0
        assert zero == 0
        assert zlib.crc32(data[at : at + size]) == crc
        item = 8 if name in WIDE else 4
        sections[name] = struct.unpack_from(f"<{size // item}{'Q' if item == 8 else 'I'}", data, at)
    contents: list[tuple[int, int, dict[int, int]]] = [
        (number, size, {}) for number, size in zip(sections["numbers"], sections["sizes"], strict=True)
    ]
    bits = (len(sections["starts"]) - 1).bit_length() - 1
    for at, (key, value) in enumerate(zip(sections["keys"], sections["values"], strict=True)):
        bucket = key >> (64 - bits) if bits else 0
        assert sections["starts"][bucket] <= at < sections["starts"][bucket + 1]
        for place, count in _list(sections["words"], value):
            contents[place][2][key] = count
    return contents


def _list(words: tuple[int, ...], value: int) -> list[tuple[int, int]]:
    if value < 2**31:
        return [(value, 1)]
    at = value - 2**31
    length, width = words[at] >> 2, words[at] & 3
    places = words[at + 1 : at + 1 + length]
    after = words[at + 1 + length :]
    if width == 0:
        return [(place, 1) for place in places]
    if width == 2:
        return list(zip(places, after, strict=False))
    packed = struct.pack(f"<{(length + 3) // 4}I", *after[: (length + 3) // 4])
    return list(zip(places, packed, strict=False))
