from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from twins import join as twin

from samecore.errors import SettingError
from samecore.weights.idf import (
    MIN_CORPUS,
    document_frequencies,
    entry_frequencies,
    frequency_bounds,
    idf_range,
    idf_weights,
    normalised_idf,
    range_applies,
)

documents = st.lists(
    st.dictionaries(st.integers(0, 2**64 - 1) | st.integers(0, 20), st.integers(1, 3), max_size=8),
    max_size=30,
)


@given(documents, st.sampled_from([1, 2, 3]))
def test_frequencies_are_their_twin(made: list[dict[int, int]], threads: int) -> None:
    features = twin.make(made)
    expected = twin.document_frequencies(features)
    keys, frequencies = document_frequencies(features, threads=threads)
    assert keys.tolist() == sorted(expected)
    assert frequencies.tolist() == [expected[key] for key in sorted(expected)]
    by_entry = [expected[key] for key in features.keys.tolist()]
    assert entry_frequencies(features, threads=threads).tolist() == by_entry
    assert entry_frequencies(features, table=(keys, frequencies)).tolist() == by_entry


def test_many_buckets() -> None:
    generator = np.random.default_rng(0)
    made = [dict.fromkeys(generator.integers(0, 3000, 40).tolist(), 1) for _ in range(2000)]
    features = twin.make(made)
    expected = twin.document_frequencies(features)
    for threads in (1, 3):
        keys, frequencies = document_frequencies(features, threads=threads)
        assert dict(zip(keys.tolist(), frequencies.tolist(), strict=True)) == expected
        assert np.all(keys[1:] > keys[:-1])
        assert entry_frequencies(features, threads=threads).tolist() == [
            expected[k] for k in features.keys.tolist()
        ]


def test_both_forms() -> None:
    assert normalised_idf(1, 100) == normalised_idf(1, 100, form="code") == 1.0
    assert normalised_idf(100, 100) == 0.0
    assert normalised_idf(10, 100) == pytest.approx(0.5)
    assert normalised_idf(10, 99, form="code") == pytest.approx(0.5)
    assert normalised_idf(100, 100, form="code") == pytest.approx(math.log(1.01) / math.log(101))
    assert normalised_idf(1, 1) == 1.0
    with pytest.raises(SettingError, match="form"):
        normalised_idf(1, 10, form="codes")  # type: ignore[arg-type]


@given(st.floats(0, 1), st.floats(0, 1), st.integers(1, 3000), st.sampled_from(["paper", "code"]))
def test_bounds_are_the_range(a: float, b: float, corpus: int, form: str) -> None:
    low, high = min(a, b), max(a, b)
    least, most = frequency_bounds(low, high, corpus, form=form)  # type: ignore[arg-type]
    for frequency in {
        1,
        corpus,
        *range(max(least - 1, 1), min(least + 2, corpus)),
        *range(max(most - 1, 1), min(most + 2, corpus)),
    }:
        inside = low <= normalised_idf(frequency, corpus, form=form) <= high  # type: ignore[arg-type]
        assert inside == (least <= frequency <= most)


def test_range_drops_rare_and_common() -> None:
    made = [{0: 1, 1 + k % 10: 2, 100 + k: 1} for k in range(100)]
    features = twin.make(made)
    kept = idf_range(features, 0.2, 0.85)  # frequencies 2 to 39 of 100
    assert len(kept) == 100
    assert sorted(set(kept.keys.tolist())) == list(range(1, 11))
    assert kept.counts.tolist() == [2] * 100
    assert kept.offsets.tolist() == list(range(101))
    weighted = idf_range(idf_weights(features), 0.2, 0.85)
    assert weighted.weights is not None
    assert weighted.weights.tolist() == [500] * 100


def test_a_small_corpus_has_no_range() -> None:
    features = twin.make([{k: 1} for k in range(MIN_CORPUS - 1)])
    assert not range_applies(len(features))
    assert idf_range(features, 0.2, 0.85) is features
    assert range_applies(MIN_CORPUS)
    assert len(idf_range(twin.make([{k: 1} for k in range(MIN_CORPUS)]), 0.2, 0.85).keys) == 0
    assert idf_range(twin.make([]), 0.2, 0.85).keys.size == 0


def test_a_frozen_table() -> None:
    table = (np.array([1, 2], np.uint64), np.array([50, 1000], np.uint32))
    features = twin.make([{1: 1, 2: 1, 3: 1}])
    kept = idf_range(features, 0.2, 0.85, table=table, documents=1000)
    assert kept.keys.tolist() == [1]
    weighted = idf_weights(features, table=table, documents=1000)
    assert weighted.weights is not None
    assert weighted.weights.tolist() == [round(1000 * math.log(20) / math.log(1000)), 1, 1000]
    assert (
        idf_weights(features, table=(table[0][:0], table[1][:0]), documents=9).weights.tolist() == [1000] * 3
    )  # type: ignore[union-attr]
    with pytest.raises(SettingError, match="documents"):
        idf_range(features, 0.2, 0.85, table=table)
    with pytest.raises(SettingError, match="low <= high"):
        idf_range(features, 0.9, 0.85)
    with pytest.raises(SettingError, match="scale"):
        idf_weights(features, scale=0)
