"""Dictionary words, and the way back from spaced text to the text as it was."""

from __future__ import annotations

import sys

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samecore.errors import MissingExtra, SettingError
from samecore.text import segment as module
from samecore.text.segment import Segmented, segment


def pairs_of(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(0, len(run), 2)]


def check_offsets(text: str, found: Segmented) -> None:
    """Every character that was there is traced back to where it was."""
    spaced = found.texts[0].as_py().encode()
    original = text.encode()
    cuts = set(found.cuts.tolist())
    kept = [i for i in range(len(spaced)) if i not in cuts]
    assert bytes(spaced[i] for i in kept) == original
    assert found.original(0, kept).tolist() == list(range(len(original)))
    assert found.original(0, [len(spaced)]).tolist() == [len(original)]


@given(st.text(alphabet="ab 中文字词é。\n", max_size=40))
def test_offsets_lead_back(text: str) -> None:
    found = segment(pa.array([text], pa.large_string()), pairs_of)
    check_offsets(text, found)


def test_only_runs_of_the_script_are_split() -> None:
    found = segment(pa.array(["abcdef 中文字词 ghi", None, "", "かなカナ"], pa.large_string()), pairs_of)
    assert found.texts.to_pylist() == ["abcdef 中文 字词 ghi", None, "", "かなカナ"]
    kana = segment(pa.array(["かなカナ漢字"]), pairs_of, script="japanese")
    assert kana.texts.to_pylist() == ["かな カナ 漢字"]
    thai = segment(pa.array(["ภาษาไทย x"]), lambda run: [run[:4], run[4:]], script="thai")
    assert thai.texts.to_pylist() == ["ภาษา ไทย x"]
    assert found.starts.tolist() == [0, 1, 1, 1, 1]


def test_bad_segmenters_and_settings() -> None:
    with pytest.raises(SettingError, match="join"):
        segment(pa.array(["中文"]), lambda run: ["中"])
    with pytest.raises(SettingError, match="any, han, japanese, thai"):
        segment(pa.array(["中文"]), script="khmer")


def test_jieba_words() -> None:
    pytest.importorskip("jieba")
    text = "我来到北京清华大学 and 上海"
    found = segment(pa.array([text]))
    assert "北京" in found.texts[0].as_py().split()
    check_offsets(text, found)


def test_budoux_words() -> None:
    pytest.importorskip("budoux")
    thai = "ฉันจะไปโรงเรียนกับเพื่อน ok"
    found = segment(pa.array([thai]), script="thai")
    assert "โรงเรียน" in found.texts[0].as_py().split()
    check_offsets(thai, found)
    japanese = "友達と一緒に学校へ行きました。"
    found = segment(pa.array([japanese]), script="japanese")
    assert {"友達", "と", "学校", "へ"} <= set(found.texts[0].as_py().split())
    check_offsets(japanese, found)


def test_any_script_by_its_own_segmenter() -> None:
    pytest.importorskip("budoux")
    pytest.importorskip("jieba")
    texts = ["北京大学的学生", "東京大学の学生と北京大学", "โรงเรียนของฉัน北京大学", "plain", None]
    found = segment(pa.array(texts, pa.large_string()), script="any").texts.to_pylist()
    assert found[0].split()[:2] == ["北京大学", "的"]
    assert "の" in found[1].split()
    assert found[2].split() == ["โรงเรียน", "ของ", "ฉัน北京大学"]
    assert found[3:] == ["plain", None]


def test_without_budoux(monkeypatch: pytest.MonkeyPatch) -> None:
    module._budoux.cache_clear()
    monkeypatch.setitem(sys.modules, "budoux", None)
    with pytest.raises(MissingExtra, match=r"samecore\[segment\]"):
        segment(pa.array(["ไทย"]), script="thai")


def test_without_jieba(monkeypatch: pytest.MonkeyPatch) -> None:
    module._jieba.cache_clear()
    monkeypatch.setitem(sys.modules, "jieba", None)
    with pytest.raises(MissingExtra, match=r"samecore\[zh\]"):
        segment(pa.array(["中文"]))
