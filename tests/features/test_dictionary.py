"""Dictionary words: a text split by hand gives the same features, and spans lead back to the text."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samecore.errors import SettingError
from samecore.features.dictionary import DictionaryWords
from samecore.features.shingles import Shingles
from samecore.features.spots import Profile, Spot, Spots

CHINESE = Spots((Profile("zh", (Spot("的", (1,)),), frozenset({"的"})),))


def in_twos(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(0, len(run), 2)]


def test_spans_are_those_of_the_unsplit_text() -> None:
    part = DictionaryWords(
        CHINESE, segmenter=lambda run: ["我们", "的", "新闻"] if run == "我们的新闻" else [run]
    )
    text = "a 😀 我们的新闻。"
    (found,) = part.occurrences(text)
    assert text[found.start : found.end] == "的新闻"
    assert found.words == ("的", "新闻")


@given(st.text(alphabet="漢字仮名 ab.é😀", max_size=40))
def test_features_and_occurrences_agree(text: str) -> None:
    part = DictionaryWords(Shingles(width=2), segmenter=in_twos)
    features = part(pa.array([text], pa.large_string()))
    found = part.occurrences(text)
    assert sorted({one.key for one in found}) == features.keys.tolist()
    placed = part.placed(pa.array([text], pa.large_string()))
    assert placed.places is not None
    order = dict.fromkeys(one.key for one in found)
    assert [placed.keys[at] for at in np.argsort(placed.places, kind="stable")] == list(order)
    for one in found:
        assert 0 <= one.start < one.end <= len(text)
        squeezed = "".join(text[one.start : one.end].split())
        assert squeezed.startswith(one.words[0][0])


def test_jieba_is_the_default_for_han() -> None:
    pytest.importorskip("jieba")
    words = [
        word for one in DictionaryWords(Shingles(width=1)).occurrences("中国政府网") for word in one.words
    ]
    assert "中国" in words or "中国政府" in words


def test_scripts_without_a_dictionary_stay_bigrams() -> None:
    part = DictionaryWords(Shingles(width=1), segmenter=in_twos)
    texts = ["中文字词", "ຫໍສະໝຸດ 中文字词", "", "字词中文"]
    plain = Shingles(width=1)(texts[1:2])
    found = part(pa.array(texts, pa.large_string()))
    assert found.keys[found.row(1)].tolist() == plain.keys.tolist()
    assert sorted({one.key for one in part.occurrences(texts[1])}) == plain.keys.tolist()
    assert [len(range(*found.row(i).indices(10**6))) for i in (0, 2, 3)] == [2, 0, 2]
    assert found.keys[found.row(0)].tolist() == found.keys[found.row(3)].tolist()


def test_misuse_is_refused_when_it_is_built() -> None:
    with pytest.raises(SettingError, match="Spots or Shingles"):
        DictionaryWords("words")  # type: ignore[arg-type]
