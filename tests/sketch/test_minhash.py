from __future__ import annotations

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
from samecore.sketch.minhash import MinHash, estimate, estimates, sketch

texts = st.text(st.sampled_from("ab c é中日.½"), max_size=60) | st.text(max_size=30)
keys = st.sets(st.integers(0, 50) | st.integers(0, 2**64 - 1), max_size=300).map(sorted)


def features_of(documents: list[list[tuple[int, int]]]) -> Features:
    entries = [entry for document in documents for entry in document]
    offsets = np.cumsum([0] + [len(document) for document in documents], dtype=np.int64)
    return Features(
        offsets, np.array([k for k, _ in entries], np.uint64), np.array([c for _, c in entries], np.uint32)
    )


def sets(documents: list[list[int]]) -> Features:
    return features_of([[(key, 1) for key in document] for document in documents])


@same_unicode
@settings(max_examples=150, deadline=None)
@given(
    st.lists(texts, max_size=4),
    st.sampled_from([1, 2, 5, 40]),
    st.sampled_from(["words", "characters"]),
    st.sampled_from([1, 15, 16, 17, 64, 130]),
    st.sampled_from([0, 7, 2**64 - 1]),
)
def test_texts_equal_twin(documents: list[str], width: int, unit: Any, slots: int, seed: int) -> None:
    documents = [text.encode("utf-8", "replace").decode() for text in documents]
    found = sketch(documents, width=width, unit=unit, slots=slots, seed=seed, threads=2)
    assert found.dtype == np.uint32
    assert found.shape == (len(documents), slots)
    for text, row in zip(documents, found.tolist(), strict=True):
        own = [key for key, _ in shingle_twin.shingles(text.encode(), width=width, unit=unit)]
        assert row == twin.minhash(own, slots=slots, seed=seed)


@settings(max_examples=100, deadline=None)
@given(st.lists(keys, max_size=4), st.sampled_from([1, 16, 48, 128, 200]), st.integers(0, 2**64 - 1))
def test_features_equal_twin(documents: list[list[int]], slots: int, seed: int) -> None:
    features = sets(documents)
    fast = sketch(features, slots=slots, seed=seed)
    prime = sketch(features, slots=slots, seed=seed, family="mod-prime")
    assert prime.dtype == np.uint64
    for i, own in enumerate(documents):
        assert fast[i].tolist() == twin.minhash(own, slots=slots, seed=seed)
        assert prime[i].tolist() == twin.minhash_prime(own, slots=slots, seed=seed)


@settings(max_examples=50, deadline=None)
@given(st.dictionaries(st.integers(0, 2**64 - 1), st.integers(1, 9), max_size=20), st.sampled_from([8, 33]))
def test_multiset_equals_twin(counted: dict[int, int], slots: int) -> None:
    document = sorted(counted.items())
    for multiset in (False, True):
        found = sketch(features_of([document]), slots=slots, multiset=multiset)
        assert found[0].tolist() == twin.minhash(twin.elements(document, multiset=multiset), slots=slots)


@settings(max_examples=60, deadline=None)
@given(keys, keys, st.sampled_from(["multiply", "mod-prime"]))
def test_laws_of_the_estimate(left: list[int], right: list[int], family: Any) -> None:
    rows = sketch(sets([left, right]), slots=64, family=family)
    none = int(np.iinfo(rows.dtype).max)
    value = estimate(rows[0], rows[1])
    assert value == twin.estimate(rows[0].tolist(), rows[1].tolist(), none=none)
    assert value == estimate(rows[1], rows[0])
    assert 0.0 <= value <= 1.0
    assert estimate(rows[0], rows[0]) == (1.0 if left else 0.0)


def test_long_document_and_threads() -> None:
    chosen = np.random.default_rng(5)
    documents = [
        " ".join(map(str, chosen.integers(0, 9000, n))) for n in (0, 1, 5, 255, 259, 260, 261, 70_000, 3)
    ] * 40
    whole = sketch(documents, threads=1)
    assert np.array_equal(whole, sketch(documents, threads=3))
    assert np.array_equal(whole, sketch(Shingles()(documents), threads=2)), "with or without stored shingles"
    assert np.array_equal(whole, np.concatenate([sketch([text]) for text in documents]))
    assert np.array_equal(whole[:, :50], sketch(documents, slots=50)), "a shorter sketch begins a longer one"
    counted = sketch(documents, multiset=True)
    assert np.array_equal(counted, sketch(Shingles()(documents), multiset=True, threads=2))


def test_golden_bytes() -> None:
    row = sketch(["the same core in another frame"], width=3, slots=4)
    assert row.tolist() == [[0x36BEF8A2, 0x46CA4D6F, 0x262A2E08, 0x2AEEA7DE]]
    prime = sketch(["the same core in another frame"], width=3, slots=2, family="mod-prime", seed=3)
    assert prime.tolist() == [[0x500787D55ABBEFC, 0x3DEF0CCCDA74487]]


def test_the_lectures_examples() -> None:
    # Sketches of {1..5} and {1, 2, 5, 6, 7} under five permutations: 2/5 against 3/7.
    left = np.array([568, 1150, 6119, 6880, 1905], np.uint32)
    right = np.array([568, 1150, 4567, 5633, 834], np.uint32)
    assert estimate(left, right) == 2 / 5
    rows = sketch(sets([[1000, 2000, 3000, 4000, 5000], [1000, 2000, 5000, 6000, 7000]]), slots=1 << 16)
    assert estimate(rows[0], rows[1]) == pytest.approx(3 / 7, abs=4 * (3 / 7 * 4 / 7 / 2**16) ** 0.5)
    roses = sketch(["a rose is red a rose is white", "a rose is white a rose is red"], width=4, slots=1 << 16)
    assert estimate(roses[0], roses[1]) == pytest.approx(0.25, abs=4 * (0.25 * 0.75 / 2**16) ** 0.5)


# Linear functions of consecutive numbers are not random: the paper's family takes hashes.
@pytest.mark.parametrize(
    ("family", "numbered"), [("multiply", False), ("multiply", True), ("mod-prime", False)]
)
@pytest.mark.parametrize(("size", "shared"), [(20, 10), (300, 100), (300, 240), (2000, 1800)])
def test_bias_and_variance(family: Any, size: int, shared: int, numbered: bool) -> None:
    """Over thousands of pairs the estimate has the mean J and the variance J (1 - J) / slots.

    Keys are hashes, or plain numbers 0, 1, 2, ... as a caller's own vocabulary would be.
    """
    pairs = 400 if family == "mod-prime" else 2000
    slots, union = 128, 2 * size - shared
    truth = shared / union
    chosen = np.random.default_rng(size + shared)
    documents = []
    for pair in range(pairs):
        vocabulary = (
            np.arange(pair * union, (pair + 1) * union, dtype=np.uint64)
            if numbered
            else chosen.integers(0, 2**64, union, dtype=np.uint64)
        )
        documents += [np.sort(vocabulary[:size]), np.sort(vocabulary[size - shared :])]
    features = Features(
        np.arange(0, (2 * pairs + 1) * size, size, dtype=np.int64),
        np.concatenate(documents),
        np.ones(2 * pairs * size, np.uint32),
    )
    rows = sketch(features, slots=slots, seed=size, family=family)
    found = estimates(rows, np.arange(0, 2 * pairs, 2), np.arange(1, 2 * pairs, 2))
    variance = truth * (1 - truth) / slots
    assert abs(found.mean() - truth) < 4 * (variance / pairs) ** 0.5
    # The variance of a sample variance is about 2 variance**2 / pairs.
    assert abs(found.var() / variance - 1) < 4.5 * (2 / pairs) ** 0.5


def test_seeds_are_independent() -> None:
    chosen = np.random.default_rng(1)
    union = np.sort(chosen.integers(0, 2**64, 150, dtype=np.uint64))
    features = sets([union[:100].tolist(), union[50:].tolist()])
    found = np.array([estimate(*sketch(features, slots=64, seed=seed)) for seed in range(2000)])
    variance = (1 / 3) * (2 / 3) / 64
    assert abs(found.mean() - 1 / 3) < 4 * (variance / 2000) ** 0.5
    assert abs(found.var() / variance - 1) < 4.5 * (2 / 2000) ** 0.5


def test_estimates_against_another_matrix() -> None:
    left, right = sketch(["a b c", "d e f"], width=1), sketch(["d e f", "", "a b c"], width=1)
    assert estimates(left, [0, 1, 1], [2, 0, 1], other=right, threads=2).tolist() == [1.0, 1.0, 0.0]
    assert estimates(left, [], []).tolist() == []
    with pytest.raises(SettingError, match="same settings"):
        estimates(left, [0], [0], other=sketch(["x"], slots=64))
    with pytest.raises(ValueError, match="numbers of rows"):
        estimates(left, [0], [2])


@pytest.mark.parametrize(
    "wrong", [{"slots": 0}, {"slots": 1 << 17}, {"slots": True}, {"family": "x"}, {"seed": -1}]
)
def test_wrong_settings(wrong: dict[str, Any]) -> None:
    with pytest.raises(SettingError, match="expected"):
        MinHash(**wrong)


def test_no_documents() -> None:
    assert sketch([]).shape == (0, 128)
    assert sketch(sets([])).shape == (0, 128)
    assert sketch([""], family="mod-prime")[0, 0] == 2**64 - 1
