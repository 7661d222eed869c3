"""Torn and changed files, full disks: detected and named; the rest stays readable and the index usable."""

from __future__ import annotations

import contextlib
import os
import random
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import samecore
from samecore.index.errors import IndexDamaged, IndexFault
from samecore.index.segment import HEADER_BYTES, open_sections

sys.path.insert(0, str(Path(__file__).parent))
from rows import made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two segments of 60 documents and some recent ones."""
    with samecore.Index.create(tmp_path / "index", "spotsigs", threshold=0.4) as index:
        for start in (0, 60):
            index.seed(
                index.batch(
                    made(list(range(start, start + 60))), ids=[str(i) for i in range(start, start + 60)]
                )
            )
            index.upkeep.rotate()
        index.seed(index.batch(made([120, 121]), ids=["120", "121"]))
    return tmp_path / "index"


def segments(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.seg"))


def test_a_torn_segment_is_named_and_the_rest_is_readable(folder: Path) -> None:
    torn = segments(folder)[0]
    torn.write_bytes(torn.read_bytes()[:-100])
    with samecore.Index(folder) as index:
        with pytest.raises(IndexDamaged, match=f"{torn.name}: torn: expected .* bytes"):
            index.query(made([70]))
        assert index.verify()[0].startswith(str(torn))
    with samecore.Index(folder, skip_damaged=True) as index:
        assert [one.id for one in index.query(made([70]))][:1] == ["70"]
        assert [one.id for one in index.query(made([121]))][:1] == ["121"]
        assert index.query(made([7])) == []
        assert list(index.damaged) == [torn.name]


@pytest.mark.parametrize("content", [b"", b"something else", bytes(4096)])
def test_a_foreign_or_missing_segment_is_named(folder: Path, content: bytes) -> None:
    file = segments(folder)[1]
    file.write_bytes(content)
    with samecore.Index(folder, skip_damaged=True) as index:
        assert [one.id for one in index.query(made([7]))][:1] == ["7"]
        assert any(str(file) in problem for problem in index.verify())
    file.unlink()
    with samecore.Index(folder) as index:
        with pytest.raises(IndexFault, match=f"{file.name}: a segment is missing"):
            index.query(made([7]))
        assert any(f"{file}: is missing" in problem for problem in index.verify())


def test_every_section_is_covered_by_a_checksum(folder: Path) -> None:
    file = segments(folder)[0]
    whole = file.read_bytes()
    for name, (at, size, _) in open_sections(file).place.items():
        if size:
            changed = bytearray(whole)
            changed[at + size // 2] ^= 4
            file.write_bytes(changed)
            with samecore.Index(folder) as index:
                assert any(str(file) in one and name in one for one in index.verify()), name
    file.write_bytes(whole)
    with samecore.Index(folder) as index:
        assert index.verify() == []


def test_any_flipped_bit_is_found_and_no_query_crashes(folder: Path) -> None:
    file = segments(folder)[0]
    whole = file.read_bytes()
    chance = random.Random(1)
    padding = bytearray(len(whole))
    padding[:HEADER_BYTES] = bytes([1]) * HEADER_BYTES
    for at, size, _ in open_sections(file).place.values():
        padding[at : at + size] = bytes([1]) * size
    covered = [at for at in range(len(whole)) if padding[at] and not 264 <= at < HEADER_BYTES]
    for _ in range(60):
        changed = bytearray(whole)
        changed[chance.choice(covered)] ^= 1 << chance.randrange(8)
        file.write_bytes(changed)
        with samecore.Index(folder, skip_damaged=True) as index:
            assert any(str(file) in problem for problem in index.verify())
            for number in range(0, 120, 7):
                with contextlib.suppress(IndexDamaged):
                    index.query(made([number]), threshold=0.1)


def test_a_damaged_database_is_named(folder: Path) -> None:
    file = folder / "index.db"
    whole = file.read_bytes()
    file.write_bytes(whole[:4096] + bytes(len(whole) - 4096))
    with pytest.raises(IndexFault, match=r"index\.db"):
        samecore.Index(folder)
    file.write_bytes(b"no database at all, but a text of some length" * 100)
    with pytest.raises(IndexDamaged, match=r"index\.db.*not a database"):
        samecore.Index(folder)


FULL = textwrap.dedent("""
    import resource, sys
    sys.path.insert(0, sys.argv[2])
    from rows import made
    import samecore
    from samecore.index.errors import IndexFault

    index = samecore.Index(sys.argv[1])
    for number in range(1000, 1010):
        index.add(str(number), made([number]))
    before = sorted(index.ids())
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]

    def limit(size):
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))

    def refused(work):
        try:
            work()
        except IndexFault as error:
            return str(error)
        raise AssertionError("it should not have fitted")

    limit(65_536)
    numbers = list(range(2000, 2600))
    batch = index.batch(made(numbers), ids=[str(one) for one in numbers])
    assert "nothing was stored" in refused(lambda: index.seed(batch)), "recent contents"
    from samecore.index import seeding
    seeding.DIRECT_LIMIT = 100
    assert "nothing was stored" in refused(lambda: index.seed(batch)), "a segment"
    def fill():
        for number in range(3000, 3400):
            index.add(str(number), made([number]))
            before.append(str(number))
    assert "nothing was stored" in refused(fill), "one by one"
    refused(index.compact)
    assert sorted(index.ids()) == sorted(before)
    assert index.query(made([1003]))[0].id == "1003"
    limit(hard)
    assert index.verify() == []
    index.seed(batch)
    index.compact()
    assert index.query(made([2003]))[0].id == "2003"
    assert sorted(index.ids()) == sorted(before + batch.ids)
    index.close()
    assert samecore.Index(sys.argv[1]).verify() == []
""")


@pytest.mark.skipif(sys.platform != "linux", reason="a limit on the size of files stands for a full disk")
def test_a_full_disk_fails_cleanly(folder: Path) -> None:
    arguments = [sys.executable, "-c", FULL, str(folder), str(Path(__file__).parent)]
    done = subprocess.run(arguments, capture_output=True, check=False, env=os.environ)
    assert done.returncode == 0, done.stderr.decode()
