"""Several segments made into one, in 64 parts, so that memory stays far below the size of the result."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from samecore import _core
from samecore.features.csr import concatenate
from samecore.index.segment import CHUNK_BYTES, Segment, Writer, write_raw, writing

PARTS = 64
MIN_BITS, MAX_BITS = 6, 28
NOWHERE = np.uint32(2**32 - 1)


def merge_segments(
    path: Path, segments: Sequence[Segment], *, live: Sequence[npt.NDArray[np.bool_]] | None = None
) -> int:
    """Write one segment with the contents of several, all or those that are `live`; how many there are."""
    kept = [np.ones(len(one), np.bool_) for one in segments] if live is None else list(live)
    sizes = np.concatenate([one.arrays["sizes"][mask] for one, mask in zip(segments, kept, strict=True)])
    numbers = np.concatenate([one.arrays["numbers"][mask] for one, mask in zip(segments, kept, strict=True)])
    # Each segment lies by size already and the sort is stable, so places ascend within it.
    order = np.argsort(sizes, kind="stable")
    place = np.empty(len(order), np.uint32)
    place[order] = np.arange(len(order), dtype=np.uint32)
    places, start = [], 0
    for one, mask in zip(segments, kept, strict=True):
        to = np.full(len(one), NOWHERE, np.uint32)
        count = int(mask.sum())
        to[mask] = place[start : start + count]
        places.append(to)
        start += count
    keys = sum(len(one.arrays["keys"]) for one in segments)
    bits = min(max(MIN_BITS, (keys // 8).bit_length() - 1), MAX_BITS)
    words = segments[0].print_words
    with writing(path, print_words=words) as file:
        file.section("numbers", numbers[order])
        file.section("sizes", sizes[order])
        if words:
            rows = [
                one.prints[mask] for one, mask in zip(segments, kept, strict=True) if one.prints is not None
            ]
            file.section("prints", np.concatenate(rows)[order])
        raws = [one.raw for one in segments]
        if all(one is not None for one in raws):
            chosen = [one.take(np.flatnonzero(mask)) for one, mask in zip(raws, kept, strict=True) if one]
            write_raw(file, concatenate(chosen).take(order))
        _write_lists(file, path.parent, [one.core for one in segments], places, bits)
    return len(order)


def _write_lists(
    file: Writer, folder: Path, segments: list[Any], places: list[npt.NDArray[np.uint32]], bits: int
) -> None:
    """Words go to the file as they come; keys and values wait beside it until the words are complete."""
    starts: list[npt.NDArray[np.uint32]] = []
    keys = words = 0
    with tempfile.TemporaryFile(dir=folder) as key_file, tempfile.TemporaryFile(dir=folder) as value_file:
        file.begin("words")
        for part in range(PARTS):
            part_starts, part_keys, part_values, part_words = _core.index_merge(segments, places, part, bits)
            if words + len(part_words) >= 2**31:
                raise OverflowError("more than 2**31 - 1 words of postings in one segment")
            file.write(part_words)
            starts.append(part_starts + np.uint32(keys))
            key_file.write(part_keys.data)
            is_list = part_values >= 2**31
            part_values[is_list] += np.uint32(words)
            value_file.write(part_values.data)
            keys, words = keys + len(part_keys), words + len(part_words)
        for name, waiting, kind in (("keys", key_file, "<u8"), ("values", value_file, "<u4")):
            waiting.seek(0)
            file.begin(name)
            while chunk := waiting.read(CHUNK_BYTES):
                file.write(np.frombuffer(chunk, kind))
        file.section("starts", np.concatenate([*starts, np.array([keys], np.uint32)]))
