"""Documents in languages without lists get antecedents of their own, and take none from the others."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest

import samecore
from samecore.errors import SettingError
from samecore.features.any_language import AnyLanguage, detect
from samecore.features.spots import Spots

SAMPLES: dict[str, list[str]] = json.loads(
    (Path(__file__).parents[1] / "text" / "fixtures" / "languages.json").read_text("utf-8")
)
# Made up: no list knows a word of it, and "zuq", "qo" and "nev" are everywhere.
UNKNOWN = [
    " ".join(f"zuq verba{i}{k} qo noma{k} fik{(i * k) % 17} nev temar{i % 7}{k}" for k in range(12))
    for i in range(40)
]


def texts(*parts: list[str]) -> pa.Array:
    return pa.array([text for part in parts for text in part], pa.large_string())


def auto() -> AnyLanguage:
    part = samecore.method("spotsigs", languages="auto").features
    assert isinstance(part, AnyLanguage)
    return part


def test_an_unknown_language_is_learned() -> None:
    corpus = texts(SAMPLES["en"], UNKNOWN, SAMPLES["ja"], SAMPLES["ru"])
    fitted = auto().fit(corpus)
    found = fitted(corpus)
    assert found.languages().to_pylist() == ["en"] * 3 + ["learned"] * 40 + ["ja"] * 3 + ["ru"] * 3
    assert found.totals()[3:43].min() >= 8
    assert fitted.otherwise is not None
    assert {"zuq", "qo", "nev"} <= {spot.antecedent for spot in fitted.otherwise.spots}


@pytest.mark.parametrize("code", SAMPLES)
def test_languages_are_detected(code: str) -> None:
    assert detect(SAMPLES[code]).to_pylist() == [code] * len(SAMPLES[code])


def test_what_is_no_language_is_null() -> None:
    assert detect(["", "12345", "xyzzy plugh frobnicate", UNKNOWN[0]]).to_pylist() == [None] * 4
    assert detect([]).to_pylist() == []


def test_nothing_to_learn_leaves_the_lists_alone() -> None:
    listed = texts(*SAMPLES.values())
    assert auto().fit(listed) == samecore.method("spotsigs").features
    assert auto().fit(pa.array([], pa.large_string())) == samecore.method("spotsigs").features
    few = texts(SAMPLES["en"], UNKNOWN[:9])  # nine documents are not a language
    assert auto().fit(few) == samecore.method("spotsigs").features
    noise = texts(SAMPLES["en"], [" ".join(f"w{i}x{k}" for k in range(40)) for i in range(20)])
    assert auto().fit(noise) == samecore.method("spotsigs").features


def test_find_says_the_language_of_each_document() -> None:
    corpus = [*SAMPLES["de"], *UNKNOWN, "12345 67890", *SAMPLES["th"]]
    result = samecore.find(corpus, method=samecore.method("spotsigs", languages="auto"), threshold=0.5)
    names = result.documents["language"].to_pylist()
    assert names == ["de"] * 3 + ["learned"] * 40 + ["learned"] + ["th"] * 2
    default = samecore.find(corpus, threshold=0.5).documents["language"].to_pylist()
    assert default[:3] == ["de"] * 3
    assert default[43] is None
    fixed = samecore.find(corpus, method=samecore.method("spotsigs", languages="de"), threshold=0.5)
    assert "language" not in fixed.documents.column_names
    assert isinstance(fixed.settings.method.features, Spots)


def test_learned_antecedents_are_stored_and_explained(tmp_path: Path) -> None:
    corpus = [*UNKNOWN, UNKNOWN[0] + " zuq plus"]
    result = samecore.find(corpus, method=samecore.method("spotsigs", languages="auto"), threshold=0.5)
    assert samecore.Method.from_dict(result.settings.method.to_dict()) == result.settings.method
    assert result.explain("0", "40").score > 0.9


@pytest.mark.parametrize(
    "sentence",
    [
        "\u0e41\u0e21\u0e27\u0e2d\u0e22\u0e39\u0e48\u0e17\u0e35\u0e48\u0e1a\u0e49\u0e32\u0e19\u0e41\u0e25\u0e30\u0e2d\u0e22\u0e39\u0e48\u0e17\u0e35\u0e48\u0e19\u0e35\u0e48",
        "\u1000\u103b\u103d\u1014\u103a\u1010\u1031\u102c\u103a\u101e\u100a\u103a \u1021\u102d\u1019\u103a\u1010\u103d\u1004\u103a\u101b\u103e\u102d\u101e\u100a\u103a",
    ],
    ids=["Thai", "Burmese"],
)
def test_signs_that_are_no_words_are_no_antecedents(sentence: str) -> None:
    """In Thai the commonest characters are vowel signs, which stand for nothing alone."""
    texts = [f"{sentence} {number}" for number in range(12)]
    found = samecore.find(texts, method=samecore.method("spotsigs", languages="learn"))
    assert found.counts()["groups"] == 1


def test_it_cannot_explain_before_it_is_fitted() -> None:
    with pytest.raises(SettingError, match="fit"):
        auto().occurrences("text")
    with pytest.raises(SettingError, match="auto"):
        samecore.method("spotsigs", languages="auto", unspaced="dictionary")
