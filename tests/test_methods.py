"""Recipes: they can be taken apart, stored and put together again."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

import samecore
from samecore.errors import SettingError
from samecore.features.dictionary import DictionaryWords
from samecore.features.shingles import Shingles
from samecore.features.spots import Profile, Spot, Spots
from samecore.weights.parts import IdfRange


@pytest.mark.parametrize("name", samecore.METHODS)
def test_recipes_survive_being_stored(name: str) -> None:
    method = samecore.method(name)
    assert samecore.Method.from_dict(json.loads(json.dumps(method.to_dict()))) == method
    assert method.name == name
    assert method.about


def test_the_stored_form_is_pinned() -> None:
    spots = Spots((Profile("en", (Spot("the", (1, 2)),), frozenset({"the", "of"})),))
    method = samecore.Method(
        "mine", spots, fallback=Shingles(width=3), weights=(IdfRange(0.2, 0.85),), threshold=0.3
    )
    assert json.dumps(method.to_dict()) == (
        '{"part": "Method", "name": "mine", "features": {"part": "Spots", "profiles": [{"part": "Profile", "name": "en", '
        '"spots": [{"part": "Spot", "antecedent": "the", "steps": [1, 2]}], "stop_words": {"set": ["of", "the"]}}], '
        '"skip_stop_words": true, "partial": true, "key": "antecedent", "cjk": "bigrams", "seed": 0, "otherwise": null, "least": 0}, "text": "visible", '
        '"fallback": {"part": "Shingles", "width": 3, "unit": "words", "cjk": "bigrams", "seed": 0}, "min_features": 1, '
        '"weights": [{"part": "IdfRange", "low": 0.2, "high": 0.85, "form": "paper"}], "multiset": true, "strings": null, '
        '"frame": "off", "match": {"part": "Exact", "forest": false}, "threshold": 0.3, "about": "", "undisguise": false}'
    )


def test_papers_settings_are_the_papers() -> None:
    paper = samecore.method("spotsigs-2008")
    assert isinstance(paper.features, Spots)
    assert {spot.steps for spot in paper.features.profiles[0].spots} == {(2, 2, 2)}
    assert paper.weights == (IdfRange(0.2, 0.85),)
    assert paper.threshold == 0.44
    first = samecore.method("spotsigs-2007", spots=("is(3,4)",))
    assert isinstance(first.features, Spots)
    assert first.features.profiles[0].spots == (Spot("is", (3, 4)),)
    assert not first.features.skip_stop_words
    assert not first.multiset
    released = samecore.method("spotsigs-code")
    assert isinstance(released.features, Spots)
    assert released.features.key == "chain"
    assert released.min_features == 4


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"text": "visable"}, "did you mean 'visible'"),
        ({"threshold": 0}, "threshold"),
        ({"min_features": 0}, "min_features"),
    ],
)
def test_misuse_is_reported_when_a_recipe_is_built(change: dict[str, object], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        replace(samecore.method("spotsigs"), **change)  # type: ignore[arg-type]


def test_unknown_names_and_settings_are_named() -> None:
    with pytest.raises(SettingError, match="did you mean 'spotsigs-2008'"):
        samecore.method("spotsig-2008")
    with pytest.raises(SettingError, match="chains"):
        samecore.method("spotsigs", chains=3)
    with pytest.raises(SettingError, match="language"):
        samecore.method("spotsigs", languages=("en", "xx"))
    with pytest.raises(SettingError, match="one of"):
        samecore.Method.from_dict({"part": "Unheard"})


def test_seeds_reach_every_part() -> None:
    seeded = samecore.method("spotsigs").seeded(7)
    assert seeded.features.seed == seeded.fallback.seed == 7  # type: ignore[attr-defined,union-attr]
    words = replace(samecore.method("spotsigs"), features=DictionaryWords(Shingles())).seeded(7)
    assert words.features.features.seed == 7  # type: ignore[attr-defined]


def test_functions_of_ones_own_cannot_be_stored() -> None:
    mine = DictionaryWords(Shingles(), segmenter=lambda run: [run])
    with pytest.raises(SettingError, match="function of your own"):
        replace(samecore.method("spotsigs"), features=mine).to_dict()


@pytest.mark.parametrize("name", ["minhash", "henzinger", "imatch", "shingles-modp", "simhash"])
def test_a_seed_reaches_every_part(name: str) -> None:
    def seeds(encoded: object) -> list[object]:
        if isinstance(encoded, dict):
            own = [encoded["seed"]] if "seed" in encoded else []
            return own + [seed for value in encoded.values() for seed in seeds(value)]
        return [seed for value in encoded for seed in seeds(value)] if isinstance(encoded, list) else []

    found = seeds(samecore.method(name).seeded(7).to_dict())
    assert found
    assert set(found) == {7}


def test_strings_belong_to_matchers_that_compare_them() -> None:
    with pytest.raises(SettingError, match="strings"):
        samecore.Method("mine", Shingles(width=3), strings=lambda texts, threads=1: texts)


@pytest.mark.parametrize(
    ("name", "settings", "said"),
    [
        (
            "shingles",
            {"languages": "auto"},
            "setting of shingles: expected .*width.* found 'languages'",
        ),
        ("news.model", {"languages": "en"}, "a model has its own"),
        ("spotsigs", {"languages": ("auto", "en")}, "'auto' or 'learn' alone"),
    ],
)
def test_settings_that_cannot_be_are_named(name: str, settings: dict[str, Any], said: str) -> None:
    with pytest.raises(SettingError, match=said):
        samecore.method(name, **settings)
