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
from samecore.sketch.modp import ModP, containment, estimate, sketch

texts = st.text(st.sampled_from("ab c é中日.½"), max_size=60) | st.text(max_size=30)


@same_unicode
@settings(max_examples=120, deadline=None)
@given(
    st.lists(texts, max_size=4),
    st.sampled_from([1, 2, 7]),
    st.sampled_from([1, 3]),
    st.integers(0, 2**64 - 1),
)
def test_kernel_equals_twin(documents: list[str], modulus: int, width: int, seed: int) -> None:
    documents = [text.encode("utf-8", "replace").decode() for text in documents]
    found = sketch(documents, width=width, modulus=modulus, seed=seed, threads=2)
    stored = sketch(Shingles(width=width)(documents), modulus=modulus, seed=seed)
    for i, text in enumerate(documents):
        counts = dict(shingle_twin.shingles(text.encode(), width=width))
        expected = [(key, counts[key]) for key in twin.modp(list(counts), modulus=modulus, seed=seed)]
        for features in (found, stored):
            row = features.row(i)
            assert (
                list(zip(features.keys[row].tolist(), features.counts[row].tolist(), strict=True)) == expected
            )


def test_the_lectures_roses() -> None:
    kept = sketch(["a rose is red a rose is white", "a rose is white a rose is red"], width=4, modulus=1)
    assert estimate(kept, kept, left_document=0, right_document=1) == 0.25
    assert containment(kept, kept, left_document=0, right_document=1) == 0.4


def test_laws() -> None:
    part = ModP(modulus=2, shingles=Shingles(width=1))
    kept = part(["a b c d e f g h i j", "a b c d e f g h i j k l m n o p q r s t", ""])
    one_way = containment(kept, kept, left_document=0, right_document=1)
    assert one_way == 1.0
    assert containment(kept, kept, left_document=1, right_document=0) < 1.0
    between = estimate(kept, kept, left_document=0, right_document=1)
    assert between == estimate(kept, kept, left_document=1, right_document=0)
    assert 0.0 < between < 1.0
    assert estimate(kept, kept) == 1.0
    assert estimate(kept, kept, left_document=2, right_document=2) == 0.0
    assert containment(kept, kept, left_document=2, right_document=0) == 0.0


def test_weights_come_along_and_do_not_count() -> None:
    features = Features(
        np.array([0, 3]),
        np.array([1, 2, 3], np.uint64),
        np.array([1, 2, 3], np.uint32),
        np.array([5, 6, 7], np.uint32),
    )
    kept = sketch(features, modulus=1)
    assert kept.weights is not None
    assert kept.weights.tolist() == [5, 6, 7]
    assert estimate(kept, features) == 1.0


def test_estimates_are_right_on_average() -> None:
    """Half of one document is in the other; the sample is one in eight, as are the keys of one seed to the next."""
    union = np.random.default_rng(3).integers(0, 2**64, 1500, dtype=np.uint64)
    left, right = np.sort(union[:1000]), np.sort(union[500:])
    features = Features(np.array([0, 1000, 2000]), np.concatenate([left, right]), np.ones(2000, np.uint32))
    resembling, contained, sizes = [], [], []
    for seed in range(1500):
        kept = sketch(features, modulus=8, seed=seed)
        resembling.append(estimate(kept, kept, left_document=0, right_document=1))
        contained.append(containment(kept, kept, left_document=0, right_document=1))
        sizes.append(len(kept.keys))
    assert np.mean(sizes) == pytest.approx(250, abs=2)
    # A ratio over about 187 (and 125) sampled shingles.
    assert np.mean(resembling) == pytest.approx(1 / 3, abs=4 * (1 / 3 * 2 / 3 / 187 / 1500) ** 0.5)
    assert np.var(resembling) == pytest.approx(1 / 3 * 2 / 3 / 187, rel=0.2)
    assert np.mean(contained) == pytest.approx(1 / 2, abs=4 * (1 / 4 / 125 / 1500) ** 0.5)


def test_threads_and_batches() -> None:
    chosen = np.random.default_rng(5)
    documents = [" ".join(map(str, chosen.integers(0, 9000, n))) for n in (0, 9, 11, 60_000, 3)] * 30
    whole, alone = sketch(documents), [sketch([text]) for text in documents]
    other = sketch(documents, threads=3)
    assert np.array_equal(whole.keys, other.keys)
    assert np.array_equal(whole.offsets, other.offsets)
    assert np.array_equal(whole.keys, np.concatenate([one.keys for one in alone]))


def test_golden_keys() -> None:
    found = sketch(["one two three four five six seven"], width=1, modulus=3)
    assert found.keys.tolist() == [
        0x45BB88DA5F8666D0,
        0x828591408DE36D54,
        0xD35947DFDD735D65,
        0xDE9220DB7A86FB99,
    ]


@pytest.mark.parametrize("wrong", [{"modulus": 0}, {"modulus": 1.5}, {"seed": -1}])
def test_wrong_settings(wrong: dict[str, Any]) -> None:
    with pytest.raises(SettingError, match="expected"):
        ModP(**wrong)
