from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from conftest import same_unicode
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import shingles as shingle_twin
from twins import sketch as twin

from samecore.errors import SettingError
from samecore.features.csr import Features
from samecore.features.shingles import Shingles
from samecore.sketch.simhash import SimHash, cosine, distance, estimate, sketch
from samecore.weights.idf import idf_weights

texts = st.text(st.sampled_from("ab c é中日.½"), max_size=60) | st.text(max_size=30)
weight = st.integers(1, 5) | st.integers(1, 2**31 - 1)
entries = st.dictionaries(st.integers(0, 2**64 - 1), st.tuples(weight, weight), max_size=12)


def features_of(documents: list[dict[int, tuple[int, int]]]) -> Features:
    rows = [sorted(document.items()) for document in documents]
    flat = [entry for row in rows for entry in row]
    return Features(
        np.cumsum([0] + [len(row) for row in rows], dtype=np.int64),
        np.array([key for key, _ in flat], np.uint64),
        np.array([count for _, (count, _) in flat], np.uint32),
        np.array([own for _, (_, own) in flat], np.uint32),
    )


@settings(max_examples=120, deadline=None)
@given(st.lists(entries, max_size=4), st.sampled_from([64, 128, 320]), st.integers(0, 2**64 - 1))
def test_features_equal_twin(documents: list[dict[int, tuple[int, int]]], bits: int, seed: int) -> None:
    features = features_of(documents)
    for weighting in ("unit", "tf", "idf"):
        found = sketch(features, bits=bits, weighting=weighting, seed=seed, threads=2)  # type: ignore[arg-type]
        assert found.shape == (len(documents), bits // 64)
        for document, row in zip(documents, found.tolist(), strict=True):
            weights = {"unit": lambda c, w: 1, "tf": lambda c, w: c, "idf": lambda c, w: c * w}[weighting]
            own = [(key, weights(*pair)) for key, pair in document.items()]
            assert row == twin.simhash(own, bits=bits, seed=seed)


@same_unicode
@settings(max_examples=100, deadline=None)
@given(st.lists(texts, max_size=3), st.sampled_from([1, 2, 5]), st.sampled_from(["words", "characters"]))
def test_texts_equal_twin(documents: list[str], width: int, unit: Any) -> None:
    documents = [text.encode("utf-8", "replace").decode() for text in documents]
    found = sketch(documents, width=width, unit=unit)
    unit_weights = sketch(documents, width=width, unit=unit, weighting="unit")
    for i, text in enumerate(documents):
        counted = shingle_twin.shingles(text.encode(), width=width, unit=unit)
        assert found[i].tolist() == twin.simhash(counted, bits=64)
        assert unit_weights[i].tolist() == twin.simhash([(key, 1) for key, _ in counted], bits=64)


def test_long_document_threads_and_prefix() -> None:
    chosen = np.random.default_rng(5)
    documents = [" ".join(map(str, chosen.integers(0, 900, n))) for n in (0, 1, 255, 256, 257, 70_000)] * 30
    whole = sketch(documents, bits=256)
    assert np.array_equal(whole, sketch(documents, bits=256, threads=3))
    assert np.array_equal(whole, sketch(Shingles(width=1)(documents), bits=256, threads=2))
    assert np.array_equal(whole, np.concatenate([sketch([text], bits=256) for text in documents]))
    assert np.array_equal(whole[:, :1], sketch(documents))
    assert not whole[0].any()


def test_weights_beyond_32_bits() -> None:
    chosen = np.random.default_rng(2)
    keys = np.sort(chosen.integers(0, 2**64, 700, dtype=np.uint64))
    counts = chosen.integers(1, 2**32, 700, dtype=np.uint32)
    ones = np.ones(700, np.uint32)
    for weights in (ones, ones * np.uint32(2_000_003)):
        found = sketch(Features(np.array([0, 700]), keys, counts, weights), weighting="idf")
        own = [(int(k), int(c) * int(w)) for k, c, w in zip(keys, counts, weights, strict=True)]
        assert found[0].tolist() == twin.simhash(own, bits=64)
    with pytest.raises(ValueError, match=r"below 2\*\*63"):
        sketch(Features(np.array([0, 700]), keys, counts, ones * np.uint32(2**32 - 1)), weighting="idf")


def test_ties_are_zero() -> None:
    # A key and another of the same weight: where their signs differ, the sum is 0.
    one, two = sketch(["a"])[0], sketch(["b"])[0]
    assert sketch(["a b"])[0] == one & two


def test_golden_bytes() -> None:
    assert sketch(["the same core in another frame"], bits=128).tolist() == [
        [0x6111D48920822196, 0xE2ECC090230950BA]
    ]
    assert sketch(["the same core"], width=2, seed=9).tolist() == [[0x221350C0A0902050]]


def test_distance_and_cosine() -> None:
    left, right = np.array([0, 0b1011], np.uint64), np.array([1, 0], np.uint64)
    assert distance(left, right) == 4
    assert estimate(left, right) == 1 - 4 / 128
    assert cosine(left, right) == math.cos(math.pi * 4 / 128)
    assert cosine(left, ~left) == -1.0
    with pytest.raises(SettingError, match="same width"):
        distance(left, right[:1])


@settings(max_examples=50, deadline=None)
@given(entries, entries)
def test_laws_of_the_estimate(left: dict[int, tuple[int, int]], right: dict[int, tuple[int, int]]) -> None:
    rows = sketch(features_of([left, right]), bits=128)
    assert 0.0 <= estimate(rows[0], rows[1]) == estimate(rows[1], rows[0]) <= 1.0
    assert estimate(rows[0], rows[0]) == 1.0


@pytest.mark.parametrize(("size", "shared"), [(200, 100), (200, 180)])
def test_bias_and_variance(size: int, shared: int) -> None:
    """Over thousands of pairs a bit differs with probability angle / pi, each by itself."""
    pairs, bits = 1500, 256
    chosen = np.random.default_rng(shared)
    keys = []
    for _ in range(pairs):
        union = chosen.integers(0, 2**64, 2 * size - shared, dtype=np.uint64)
        keys += [np.sort(union[:size]), np.sort(union[size - shared :])]
    offsets = np.arange(0, (2 * pairs + 1) * size, size, dtype=np.int64)
    rows = sketch(Features(offsets, np.concatenate(keys), np.ones(2 * pairs * size, np.uint32)), bits=bits)
    found = np.array([estimate(rows[2 * i], rows[2 * i + 1]) for i in range(pairs)])
    truth = 1 - math.acos(shared / size) / math.pi
    variance = truth * (1 - truth) / bits
    # Sums of signs are whole numbers: a tie moves the probability by about 1 / size.
    assert abs(found.mean() - truth) < 4 * (variance / pairs) ** 0.5 + 0.25 / size
    assert abs(found.var() / variance - 1) < 4.5 * (2 / pairs) ** 0.5 + 2 / size


def test_idf_needs_weights() -> None:
    features = Shingles(width=1)([f"word{i} and more" for i in range(30)])
    assert sketch(idf_weights(features), weighting="idf").shape == (30, 1)
    with pytest.raises(SettingError, match="idf_weights"):
        sketch(features, weighting="idf")
    with pytest.raises(SettingError, match="idf_weights"):
        sketch(["a text"], weighting="idf")


@pytest.mark.parametrize(
    "wrong", [{"bits": 0}, {"bits": 65}, {"bits": 8192}, {"weighting": "x"}, {"seed": -1}]
)
def test_wrong_settings(wrong: dict[str, Any]) -> None:
    with pytest.raises(SettingError, match="expected"):
        SimHash(**wrong)
