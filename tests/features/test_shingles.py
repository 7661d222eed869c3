from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from conftest import same_unicode
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import shingles as twin

from samecore.errors import SettingError
from samecore.features.shingles import Shingles
from samecore.features.spots import Profile, Spot, Spots

texts = st.text(st.sampled_from("ab c é中日ー\u0301.½\u00adꟲ"), max_size=60) | st.text(max_size=30)


@same_unicode
@settings(max_examples=300, deadline=None)
@given(
    st.lists(texts, max_size=5),
    st.sampled_from([1, 2, 3, 5, 40]),
    st.sampled_from(["words", "characters"]),
    st.sampled_from(["bigrams", "words"]),
    st.sampled_from([0, 9]),
)
def test_kernel_equals_twin(documents: list[str], width: int, unit: Any, cjk: Any, seed: int) -> None:
    documents = [text.encode("utf-8", "replace").decode() for text in documents]
    shingles = Shingles(width=width, unit=unit, cjk=cjk, seed=seed)
    found = shingles(documents, threads=2)
    placed = shingles.placed(documents, threads=2)
    assert placed.places is not None
    assert (found.offsets.tolist(), found.keys.tolist()) == (placed.offsets.tolist(), placed.keys.tolist())
    for i, text in enumerate(documents):
        expected = twin.occurrences(text.encode(), width=width, unit=unit, cjk=cjk, seed=seed)
        row = found.row(i)
        assert list(zip(found.keys[row].tolist(), found.counts[row].tolist(), strict=True)) == sorted(
            Counter(key for key, _, _ in expected).items()
        )
        first = {key: n for n, (key, _, _) in reversed(list(enumerate(expected)))}
        places = dict(zip(placed.keys[row].tolist(), placed.places[row].tolist(), strict=True))
        if unit == "words":
            assert places == first
        assert (in_order := [places[key] for key in sorted(first, key=first.__getitem__)]) == sorted(in_order)
        data = text.encode()
        spans = [(key, len(data[:start].decode()), len(data[:end].decode())) for key, start, end in expected]
        assert [(o.key, o.start, o.end) for o in shingles.occurrences(text)] == spans


def test_by_hand() -> None:
    assert [o.words for o in Shingles(width=2).occurrences("To be, or not")] == [
        ("to", "be"),
        ("be", "or"),
        ("or", "not"),
    ]
    assert [o.words for o in Shingles(width=9).occurrences("To be")] == [("to", "be")]
    assert [o.words for o in Shingles(width=4, unit="characters").occurrences("To-be!")] == [
        ("to b",),
        ("o be",),
    ]
    assert Shingles().occurrences(" .") == []
    assert Shingles(width=3)(["a b c a b c", "", "x"]).offsets.tolist() == [0, 3, 3, 4]


def test_order_matters_and_kinds_differ() -> None:
    assert Shingles(width=2)(["a b"]).keys[0] != Shingles(width=2)(["b a"]).keys[0]
    chain = Spots((Profile("x", (Spot("a", (1,)),), frozenset()),), key="chain")(["a b"]).keys[0]
    words = Shingles(width=1)(["b"]).keys[0]
    characters = Shingles(width=1, unit="characters")(["b"]).keys[0]
    assert len({int(chain), int(words), int(characters)}) == 3


def test_golden_keys() -> None:
    assert Shingles(width=2)(["same core"]).keys.tolist() == [0x20EF3D1B94F48EED]
    assert Shingles(width=4, unit="characters")(["core"]).keys.tolist() == [0x06B8A1D2C4F42C0E]


def test_large_document() -> None:
    numbers = np.random.default_rng(2).integers(0, 20_000, 200_000)
    found = Shingles(width=1)([" ".join(map(str, numbers))])
    assert np.all(found.keys[1:] > found.keys[:-1])
    assert sorted(found.counts.tolist()) == sorted(Counter(numbers.tolist()).values())


@pytest.mark.parametrize(
    "wrong", [{"width": 0}, {"width": True}, {"unit": "lines"}, {"cjk": "x"}, {"seed": -1}]
)
def test_wrong_settings(wrong: dict[str, Any]) -> None:
    with pytest.raises(SettingError, match="expected"):
        Shingles(**wrong)
