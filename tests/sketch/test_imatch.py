from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import sketch as twin

from samecore.errors import SettingError
from samecore.features.csr import Features
from samecore.features.shingles import Shingles
from samecore.sketch.imatch import IMatch, agreeing, estimate, sketch
from samecore.weights.idf import document_frequencies

keys = st.sets(st.integers(0, 2**64 - 1), max_size=12).map(sorted)


def sets(documents: list[list[int]]) -> Features:
    flat = [key for document in documents for key in document]
    offsets = np.cumsum([0] + [len(document) for document in documents], dtype=np.int64)
    return Features(offsets, np.array(flat, np.uint64), np.ones(len(flat), np.uint32))


@settings(max_examples=150, deadline=None)
@given(
    st.lists(keys, max_size=4),
    st.sampled_from([1, 4]),
    st.sampled_from([1, 5]),
    st.sampled_from([0.5, 2 / 3, 1.0]),
    st.integers(0, 2**64 - 1),
)
def test_equals_twin(
    documents: list[list[int]], min_terms: int, lexicons: int, keep: float, seed: int
) -> None:
    found = sketch(sets(documents), min_terms=min_terms, lexicons=lexicons, keep=keep, seed=seed)
    assert found.shape == (len(documents), lexicons, 20)
    for own, rows in zip(documents, found, strict=True):
        expected = twin.imatch(own, min_terms=min_terms, lexicons=lexicons, keep=keep, seed=seed)
        assert [bytes(row) for row in rows] == expected


@settings(max_examples=60, deadline=None)
@given(keys, keys)
def test_laws_of_the_estimate(left: list[int], right: list[int]) -> None:
    rows = sketch(sets([left, right]), min_terms=1, lexicons=3)
    assert estimate(rows[0], rows[1]) == estimate(rows[1], rows[0])
    assert estimate(rows[0], rows[1]) in (0.0, 1.0)
    assert estimate(rows[0], rows[0]) == (1.0 if left else 0.0)


def corpus(seed: int = 1) -> list[str]:
    """Documents of common words, words of a middling frequency and words of their own."""
    chance = random.Random(seed)
    middling = [f"middling{i}" for i in range(30)]
    return [
        " ".join(["the", "of", "and", *chance.sample(middling, 8), f"unique{d}", f"alone{d}"])
        for d in range(60)
    ]


def test_words_outside_the_lexicon_do_not_matter() -> None:
    """Order, repetition, the commonest words and the rarest ones leave a signature as it is."""
    documents = corpus()
    words = documents[0].split()
    changed = [w for w in words if w != "the" and not w.startswith("unique")]
    random.Random(2).shuffle(changed)
    documents.append(" ".join([*changed, *changed, "mistyped", "of"]))
    documents.append(" ".join(w for w in words if w != words[3]))  # a retained word is gone
    rows = sketch(documents, idf=(0.2, 0.75))
    assert estimate(rows[0], rows[-2]) == 1.0
    assert estimate(rows[0], rows[-1]) == 0.0
    assert estimate(rows[0], rows[1]) == 0.0
    assert estimate(*sketch([documents[0], documents[-2]])) == 0.0, "without the lexicon they differ"


def test_random_lexicons_forgive_a_changed_term() -> None:
    documents = corpus()
    words = documents[0].split()
    documents.append(" ".join(w for w in words if w != words[3]))
    rows = sketch(documents, idf=(0.2, 0.75), lexicons=20)
    held = agreeing(rows[0], rows[-1])
    assert 1 <= held < 20, "lexicons without the term agree, the whole one does not"
    assert estimate(rows[0], rows[-1], required=held) == 1.0
    assert estimate(rows[0], rows[-1], required=held + 1) == 0.0
    assert agreeing(rows[0], rows[0]) == 20


def test_shares_of_lexicons() -> None:
    """With one of the terms changed, a sub-lexicon agrees with probability 1 - keep."""
    shared = list(range(1, 60))
    rows = sketch(sets([[*shared, 1000], [*shared, 2000]]), lexicons=3001, keep=0.75)
    expected = 0.25 * 0.25
    assert agreeing(rows[0], rows[1]) / 3000 == pytest.approx(
        expected, abs=4 * (expected * 0.94 / 3000) ** 0.5
    )


def test_minimum_length() -> None:
    documents = ["a b c", "a b c d", "a b c d"]
    rows = sketch(documents, min_terms=4)
    assert estimate(rows[0], rows[0]) == 0.0
    assert estimate(rows[1], rows[2]) == 1.0
    padded = corpus()
    assert sketch(padded, idf=(0.2, 0.75), min_share=0.5).any()
    assert not sketch(padded, idf=(0.2, 0.75), min_share=0.9).any()


def test_table_fixes_the_lexicon() -> None:
    documents = corpus()
    terms = Shingles(width=1)(documents)
    table = document_frequencies(terms)
    whole = sketch(terms, idf=(0.2, 0.75))
    alone = [sketch([text], idf=(0.2, 0.75), table=table, documents=len(documents)) for text in documents]
    assert np.array_equal(whole, np.concatenate(alone))
    assert np.array_equal(whole, sketch(documents, idf=(0.2, 0.75), threads=2))


def test_golden_bytes() -> None:
    found = sketch(["the same core in another frame"], lexicons=2)
    assert [bytes(row).hex() for row in found[0]] == [
        "71d22077245cb9e90c84bb4c7054b13ec816a9b9",
        "0e70931a785bf40146e26237fbc8e168dc233b82",
    ]


@pytest.mark.parametrize(
    "wrong",
    [
        {"idf": (0.5, 0.2)},
        {"min_terms": 0},
        {"lexicons": 0},
        {"keep": 0.0},
        {"keep": 1.1},
        {"min_share": 2.0},
        {"seed": -1},
    ],
)
def test_wrong_settings(wrong: dict[str, Any]) -> None:
    with pytest.raises(SettingError, match="expected"):
        IMatch(**wrong)


def test_lexicons_must_be_as_many() -> None:
    with pytest.raises(SettingError, match="both sides"):
        agreeing(np.zeros((2, 20), np.uint8), np.zeros((3, 20), np.uint8))
