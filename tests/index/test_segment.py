"""Segment files: what is written is what the format says, for new ones as for merged ones."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import segment as twin

from samecore.index.errors import IndexFault
from samecore.index.merge import merge_segments
from samecore.index.segment import open_segment, write_segment

sys.path.insert(0, str(Path(__file__).parent))
from rows import features, made

ROWS = st.lists(
    st.dictionaries(
        st.integers(0, 30) | st.integers(0, 2**64 - 1),
        st.sampled_from([1, 1, 1, 2, 255, 256, 70_000]),
        max_size=8,
    ),
    max_size=20,
)


def write(path: Path, rows: list[dict[int, int]], first: int) -> list[tuple[int, int, dict[int, int]]]:
    sizes = [sum(row.values()) for row in rows]
    numbers = range(first, first + len(rows))
    write_segment(
        path, features(rows), numbers=np.array(numbers, np.uint32), sizes=np.array(sizes, np.uint32)
    )
    mixed = [{twin.mix(key): count for key, count in row.items()} for row in rows]
    return sorted(zip(numbers, sizes, mixed, strict=True), key=lambda one: (one[1], one[0]))


@settings(max_examples=60)
@given(left=ROWS, right=ROWS, data=st.data())
def test_files_hold_what_was_written_and_merged(
    tmp_path_factory: pytest.TempPathFactory,
    left: list[dict[int, int]],
    right: list[dict[int, int]],
    data: st.DataObject,
) -> None:
    folder = tmp_path_factory.mktemp("segments")
    expected = [write(folder / "a.seg", left, 1), write(folder / "b.seg", right, 1 + len(left))]
    assert [twin.read(folder / "a.seg"), twin.read(folder / "b.seg")] == expected
    segments = [open_segment(folder / "a.seg"), open_segment(folder / "b.seg")]
    assert [one.damage() for one in segments] == ["", ""]
    live = [
        np.array(data.draw(st.lists(st.booleans(), min_size=len(one), max_size=len(one))), np.bool_)
        for one in segments
    ]
    assert merge_segments(folder / "c.seg", segments, live=live) == sum(int(mask.sum()) for mask in live)
    kept = [
        one
        for side, mask in zip(expected, live, strict=True)
        for one, is_live in zip(side, mask, strict=True)
        if is_live
    ]
    assert twin.read(folder / "c.seg") == sorted(kept, key=lambda one: (one[1], one[0]))
    assert open_segment(folder / "c.seg").damage() == ""


def test_the_bytes_of_version_1_are_pinned(tmp_path: Path) -> None:
    numbers = list(range(40))
    rows = made(numbers)
    write_segment(
        tmp_path / "a.seg",
        rows,
        numbers=np.array(numbers, np.uint32) + 1,
        sizes=rows.totals().astype(np.uint32),
    )
    digest = hashlib.sha256((tmp_path / "a.seg").read_bytes()).hexdigest()
    assert digest == "c7f5ff64b02091d33903ebea83cbfbc7c55ccf9227b3b60ff42be48ed07a7ca4"


def test_another_version_is_refused(tmp_path: Path) -> None:
    import struct
    import zlib

    write(tmp_path / "a.seg", [{1: 1}], 1)
    data = bytearray((tmp_path / "a.seg").read_bytes())
    struct.pack_into("<I", data, 8, 2)
    struct.pack_into("<I", data, 264, zlib.crc32(data[:264]))
    (tmp_path / "a.seg").write_bytes(data)
    with pytest.raises(IndexFault, match="expected version 1, found 2"):
        open_segment(tmp_path / "a.seg")
