"""The Hamming matcher against its twin, on random, clustered and hostile fingerprints."""

from __future__ import annotations

import doctest
import os
import subprocess
import sys
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import hamming as twin

from samecore.errors import SettingError
from samecore.match import hamming

Rows = npt.NDArray[np.uint64]
KINDS = ("uniform", "clustered", "low 48 shared", "few bits", "skewed", "identical", "one block apart")


def make(kind: str, n: int, words: int, seed: int) -> Rows:
    """Seeded fingerprints; every kind but the first is hard on some table."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 2**64, (n, words), dtype=np.uint64)
    one = np.uint64(1)
    if kind == "clustered":  # a few centres, each document some flips away from one
        centres = rows[: max(1, n // 8)]
        rows = centres[rng.integers(0, len(centres), n)].copy()
        for i in range(n):
            for bit in rng.integers(0, 64 * words, rng.integers(0, 6)):
                rows[i, bit // 64] ^= one << np.uint64(bit % 64)
    elif kind == "low 48 shared":
        rows[:, :-1] = rows[0, :-1]
        rows[:, -1] = (rows[:, -1] & np.uint64(0xFFFF << 48)) | (rows[0, -1] & np.uint64((1 << 48) - 1))
    elif kind == "few bits":
        rows &= np.uint64(0x8001_0000_0001_0003)
    elif kind == "skewed":  # bits set once in 16
        for _ in range(3):
            rows &= rng.integers(0, 2**64, (n, words), dtype=np.uint64)
    elif kind == "identical":
        rows[:] = rows[0]
    elif kind == "one block apart":  # equal but for the low 16 bits of each word
        rows = rows[0] ^ (rows & np.uint64(0xFFFF))
    return rows


def listed(pairs: hamming.HammingPairs) -> list[tuple[int, int, int]]:
    return list(zip(pairs.left.tolist(), pairs.right.tolist(), pairs.distance.tolist(), strict=True))


widths = st.sampled_from([1, 2, 16])
kinds = st.sampled_from(KINDS)
engines = st.sampled_from(["auto", "tables", "brute"])
seeds = st.integers(0, 2**32)
limits = st.one_of(st.integers(0, 12), st.integers(0, 1100))


@given(kinds, st.integers(0, 70), widths, seeds, limits, engines, st.integers(1, 3))
@settings(max_examples=150, deadline=None)
def test_join_is_brute_force(
    kind: str, n: int, words: int, seed: int, limit: int, engine: hamming.Engine, threads: int
) -> None:
    rows = make(kind, n, words, seed) if n else np.empty((0, words), dtype=np.uint64)
    matches = hamming.join(rows, max_bits=limit, engine=engine, threads=threads)
    wanted = twin.hamming_pairs_numpy(rows, rows, limit, self_join=True)
    assert listed(matches.expand(threads=threads)) == wanted
    assert matches.rows == len(wanted)
    group, first = twin.hamming_distinct(rows)
    assert matches.left.group.tolist() == group
    assert matches.left.first.tolist() == first
    assert twin.hamming_expand(group, listed(matches.contents)) == wanted


@given(kinds, st.integers(0, 40), st.integers(0, 40), widths, seeds, limits, engines, st.integers(1, 3))
@settings(max_examples=150, deadline=None)
def test_look_up_is_brute_force(
    kind: str, asked: int, kept: int, words: int, seed: int, limit: int, engine: hamming.Engine, threads: int
) -> None:
    rows = make(kind, asked + kept + 1, words, seed)
    queries, stored = rows[:asked], rows[asked : asked + kept]
    matches = hamming.look_up(queries, stored, max_bits=limit, engine=engine, threads=threads)
    wanted = twin.hamming_pairs_numpy(queries, stored, limit, self_join=False)
    assert listed(matches.expand(threads=threads)) == wanted
    assert matches.rows == len(wanted)


@given(st.integers(0, 12), widths, seeds, st.integers(0, 1100))
@settings(max_examples=30, deadline=None)
def test_the_quick_oracle_is_the_slow_one(n: int, words: int, seed: int, limit: int) -> None:
    rows = make("clustered", n + 1, words, seed)
    assert twin.hamming_pairs_numpy(rows, rows, limit, self_join=True) == twin.hamming_join(rows, limit)
    assert twin.hamming_pairs_numpy(rows[:3], rows, limit, self_join=False) == twin.hamming_look_up(
        rows[:3], rows, limit
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("words", "limit"), [(1, 1), (1, 3), (1, 7), (1, 14), (2, 3), (2, 6), (16, 6), (16, 102)]
)
def test_engines_and_threads_agree_on_longer_runs(kind: str, words: int, limit: int) -> None:
    # Long enough that runs are split, recut into fresh blocks, or handed to the scan.
    # Tables are hopeless for many bits, and slow, but must still be right.
    rows = make(kind, 2500 if limit < 14 else 300, words, 7)
    expected = hamming.join(rows, max_bits=limit, engine="brute").contents
    for engine, threads in (("auto", 1), ("tables", 1), ("tables", 2), ("tables", 3), ("brute", 3)):
        found = hamming.join(rows, max_bits=limit, engine=engine, threads=threads).contents  # type: ignore[arg-type]
        for name in ("left", "right", "distance"):
            assert np.array_equal(getattr(expected, name), getattr(found, name)), (engine, threads)
    queries, stored = rows[::3], rows[1::3]
    half = hamming.look_up(queries, stored, max_bits=limit, engine="brute").expand()
    for engine, threads in (("auto", 1), ("tables", 2)):
        matches = hamming.look_up(queries, stored, max_bits=limit, engine=engine, threads=threads)  # type: ignore[arg-type]
        found = matches.expand()
        assert np.array_equal(half.left, found.left)
        assert np.array_equal(half.right, found.right)
        assert np.array_equal(half.distance, found.distance)


@pytest.mark.parametrize("level", ["portable", "avx2"])
def test_lower_instruction_sets_give_the_same_pairs(level: str) -> None:
    code = (
        "import numpy as np; from samecore.match import hamming\n"
        "rng = np.random.default_rng(3)\n"
        "for words, limit in ((1, 3), (1, 9), (1, 30), (3, 40), (16, 300)):\n"
        "    rows = rng.integers(0, 2**64, (601, words), dtype=np.uint64)\n"
        "    rows[300:] = rows[:301] ^ (rows[:301] >> np.uint64(7) & np.uint64(0x11))\n"
        "    for engine in ('tables', 'brute'):\n"
        "        p = hamming.join(rows, max_bits=limit, engine=engine).contents\n"
        "        print(len(p), int(p.left.sum()), int(p.right.sum()), int(p.distance.sum()))\n"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, **extra},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for extra in ({"SAMECORE_CPU": level}, {})
    }
    assert len(outputs) == 1


def test_many_identical_fingerprints_stay_one_content() -> None:
    rows = np.full(200_000, 42, dtype=np.uint64)
    rows[5] = 43
    matches = hamming.join(rows, max_bits=3)
    assert listed(matches.contents) == [(0, 1, 1)]
    assert matches.rows == 200_000 * 199_999 // 2
    assert matches.left.sizes.tolist() == [199_999, 1]
    with pytest.raises(SettingError, match="at least 19999900000"):
        matches.expand()
    asked = hamming.look_up(rows[:6], rows, max_bits=0)
    assert asked.rows == 5 * 199_999 + 1


def test_score_and_threshold_are_inclusive() -> None:
    rows = np.array([[0, 0], [0, (1 << 32) - 1]], dtype=np.uint64)
    assert hamming.max_bits_at(0.75, 128) == 32
    pairs = hamming.join(rows, max_bits=hamming.max_bits_at(0.75, 128)).expand()
    assert pairs.score.dtype == np.float64
    assert pairs.score.tolist() == [0.75]
    assert len(hamming.join(rows, max_bits=31).expand()) == 0
    # 1 - 0.9 is below 0.1 in floats; as decimals a tenth is a tenth.
    assert hamming.max_bits_at(0.9, 640) == 64
    assert hamming.max_bits_at(Fraction(61, 64), 64) == 3
    assert (hamming.max_bits_at(1.0, 64), hamming.max_bits_at(0.0, 64)) == (0, 64)


def test_every_pair_when_the_limit_is_the_width() -> None:
    rows = make("uniform", 30, 1, 1)
    assert len(hamming.join(rows, max_bits=64).expand()) == 30 * 29 // 2
    assert len(hamming.join(rows, max_bits=10**6).expand()) == 30 * 29 // 2


@pytest.mark.parametrize("engine", ["tables", "brute"])
def test_max_pairs_is_a_guard(engine: hamming.Engine) -> None:
    rows = np.arange(300, dtype=np.uint64)
    there = len(hamming.join(rows, max_bits=3, engine=engine).contents)
    assert len(hamming.join(rows, max_bits=3, engine=engine, max_pairs=there).contents) == there
    with pytest.raises(SettingError, match="max_pairs"):
        hamming.join(rows, max_bits=3, engine=engine, max_pairs=there - 1, threads=2)
    with pytest.raises(SettingError, match="max_pairs"):
        hamming.look_up(rows, rows, max_bits=3, engine=engine, max_pairs=there)


@pytest.mark.parametrize(
    ("rows", "options", "name"),
    [
        (np.zeros(3, dtype=np.int64), {"max_bits": 1}, "fingerprints"),
        (np.zeros((3, 0), dtype=np.uint64), {"max_bits": 1}, "fingerprints"),
        (np.zeros((3, 65), dtype=np.uint64), {"max_bits": 1}, "fingerprints"),
        (np.zeros(3, dtype=np.uint64), {"max_bits": -1}, "max_bits"),
        (np.zeros(3, dtype=np.uint64), {"max_bits": 1, "threads": 0}, "threads"),
        (np.zeros(3, dtype=np.uint64), {"max_bits": 1, "engine": "magic"}, "engine"),
    ],
)
def test_bad_settings_are_named(rows: Rows, options: dict[str, int], name: str) -> None:
    with pytest.raises(SettingError, match=f"^{name}: expected"):
        hamming.join(rows, **options)  # type: ignore[arg-type]


def test_widths_must_be_equal() -> None:
    with pytest.raises(SettingError, match="128 bits like the stored"):
        hamming.look_up(np.zeros((1, 1), dtype=np.uint64), np.zeros((1, 2), dtype=np.uint64), max_bits=1)
    with pytest.raises(SettingError, match="threshold"):
        hamming.max_bits_at(1.1, 64)


def test_the_example_runs() -> None:
    assert doctest.testmod(hamming).failed == 0
