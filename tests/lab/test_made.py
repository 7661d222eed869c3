"""Made-up collections: the same bytes for a seed, and what was planted is there."""

from __future__ import annotations

import re

import numpy as np
import pytest

import samecore
from samecore.errors import SettingError
from samecore.features.punctuation import Punctuation
from samecore.lab import made
from samecore.lab.evaluate import evaluate
from samecore.match.exact import exact

SMALL = "made:stories=8,copies=3,sites=3"


def test_the_seed_pins_the_pages() -> None:
    assert made.labelled(SMALL).fingerprint() == "9ff964ff87ff6492a6e75e61d8fdbd88"
    assert made.labelled(SMALL + ",seed=1").fingerprint() != made.labelled(SMALL).fingerprint()


@pytest.mark.parametrize("language", ["en", "de", "ru", "zh", "ja"])
def test_stories_are_found_again_in_every_language(language: str) -> None:
    labelled = made.labelled(f"{SMALL},frame=0,language={language}")
    result = samecore.find(labelled.documents)
    assert evaluate(result, labelled.truth).groups.f1 == 1.0


@pytest.mark.parametrize(
    ("setting", "rate"), [("rewrite", 0.5), ("cut", 0.7), ("insert", 1.0), ("quote", 0.8)]
)
def test_every_edit_lowers_the_similarity(setting: str, rate: float) -> None:
    def mean(changed: str) -> float:
        labelled = made.labelled(
            f"made:stories=4,copies=3,frame=0,rewrite=0,cut=0,insert=0,reorder=0{changed}"
        )
        pairs = samecore.find(labelled.documents, method="shingles", threshold=0.01).pairs.to_pylist()
        same = [
            p["score"]
            for p in pairs
            if labelled.truth.clusters[p["left"]] == labelled.truth.clusters[p["right"]]
        ]
        return sum(same) / 12

    assert mean(f",{setting}={rate}") < 0.8 < mean("") == 1.0


def test_the_frame_has_the_share_it_should() -> None:
    whole = made.labelled("made:stories=4,frame=0.6")
    bare = made.labelled("made:stories=4,frame=0")
    lengths = [
        np.mean(samecore.find(one.documents, method="shingles").documents["length"].to_numpy())
        for one in (bare, whole)
    ]
    assert 0.5 < 1 - lengths[0] / lengths[1] < 0.7


@pytest.mark.parametrize("skew", [0.0, 0.7, 1.0])
def test_planted_pairs_have_their_similarity(skew: float) -> None:
    features, pairs, truth = made.planted(600, similarities=(0.3, 0.5, 0.8, 1.0), pairs=20, skew=skew)
    found = exact(features, threshold=0.25).expand()
    scores = dict(
        zip(zip(found.left.tolist(), found.right.tolist(), strict=True), found.score.tolist(), strict=True)
    )
    for (left, right), similarity in zip(pairs.tolist(), truth.tolist(), strict=True):
        assert scores[left, right] == pytest.approx(similarity)
    assert np.abs(truth - np.repeat([0.3, 0.5, 0.8, 1.0], 20)).max() < 0.02


def test_bad_settings_are_named() -> None:
    with pytest.raises(SettingError, match="frame"):
        made.Made(frame=1.0)
    with pytest.raises(SettingError, match="stories"):
        made.labelled("made:stories=0")
    with pytest.raises(SettingError, match="colour"):
        made.labelled("made:colour=red")
    with pytest.raises(SettingError, match="sites"):
        made.labelled("made:sites=many")
    with pytest.raises(SettingError, match="documents"):
        made.planted(10, pairs=100)


@pytest.mark.parametrize("frame", [0.3, 0.6, 0.9])
def test_a_frame_has_its_share_of_the_words(frame: float) -> None:
    pages = made.pages(made.Made(stories=3, copies=2, frame=frame)).documents["body"].to_pylist()
    words = within = 0
    for page in pages:
        text = page.decode()
        text = text[: text.index("<ul>")] + text[text.index("</ul>") :]
        core = text[text.index("<article>") : text.index("</article>")]
        words += len(re.sub("<[^>]*>", " ", text[text.index("<body>") :]).split())
        within += len(re.sub("<[^>]*>", " ", core).split())
    assert 1 - within / words == pytest.approx(frame, abs=0.03)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_stories_have_commas_for_signatures(language: str) -> None:
    labelled = made.labelled(f"{SMALL},language={language}")
    recipe = samecore.method("signcd")
    assert isinstance(recipe.features, Punctuation)
    for body in labelled.documents["body"].to_pylist():
        text = re.sub("<[^>]*>", " ", body.decode())
        spots = [one for one in recipe.features.occurrences(text) if len(one.words) in (1, 6)]
        assert len(spots) >= recipe.features.least
        assert sum(text.count(mark) for mark in ",，") < len(text) / 15
