"""Measures against figures worked out by hand."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest

import samecore
from samecore.errors import InputError
from samecore.features.csr import Features
from samecore.lab import made
from samecore.lab.bootstrap import interval
from samecore.lab.data import Labelled
from samecore.lab.evaluate import Truth
from samecore.lab.measures.common import features_of, recipe, signatures
from samecore.lab.measures.compressing import pruning
from samecore.lab.measures.curves import MEAN, cluster_cosine, curve, quality
from samecore.lab.measures.ordered import procedures
from samecore.lab.measures.sketching import same_site
from samecore.methods import method
from samecore.weights.parts import IdfRange

SMALL = "made:stories=8,copies=3,sites=3"


def sets(features: Features) -> list[set[int]]:
    return [
        set(features.keys[a:b].tolist())
        for a, b in zip(features.offsets[:-1].tolist(), features.offsets[1:].tolist(), strict=True)
    ]


def test_strict_recall_credits_only_partners_of_the_same_story() -> None:
    labelled = made.labelled(SMALL + ",frame=0.6")
    spots = ["is(2)", "the(2)"]
    found = procedures(labelled, {"kind": "full", "guess": "best", "spots": spots, "thresholds": [0.05, 0.2]})
    features, ids = features_of(labelled, method("spotsigs-2007", spots=tuple(spots)))
    own, story = sets(features), labelled.labels(ids)
    for row in found:
        declared = right = 0
        for one, mine in enumerate(own):
            scores = [
                len(mine & other) / len(mine | other) if two != one and mine | other else -1.0
                for two, other in enumerate(own)
            ]
            if max(scores) >= row["threshold"]:
                declared += 1
                best = {two for two, score in enumerate(scores) if score == max(scores)}
                assert len({story[two] for two in best}) == 1, "a tie would leave it open"
                right += story[best.pop()] == story[one]
        assert row["precision"] == pytest.approx(right / declared)
        assert row["recall"] == pytest.approx(right / len(own))


def test_the_cosine_of_a_cluster_is_the_mean_of_its_pairs() -> None:
    texts = {"a": "the cat sat", "b": "the cat ran", "c": "", "d": "the dog", "e": "the dog", "f": "alone"}
    labels = {"a": "1", "b": "1", "c": "1", "d": "2", "e": "2", "f": "3"}
    labelled = Labelled(pa.table({"id": list(texts), "text": list(texts.values())}), Truth(labels))
    rows = {row["cluster"]: row for row in cluster_cosine(labelled, {})}
    assert rows["2"]["cosine"] == pytest.approx(1.0)
    assert 0 < rows["1"]["cosine"] < 1 / 3, "one pair of three has something in common"
    assert rows[MEAN]["cosine"] == pytest.approx((rows["1"]["cosine"] + rows["2"]["cosine"]) / 2)
    assert set(rows) == {"1", "2", MEAN}


def test_pruning_counts_the_comparisons_with_pivots() -> None:
    labelled = made.labelled(SMALL)
    settings = {"method": "signcd", "distances": [0.9]}
    off, first, both = (
        pruning(labelled, {**settings, "options": {"pruning": way}})[0] for way in ("off", "P1", "P1+P2")
    )
    contents = len(labelled.documents)
    assert off["compared"] == contents * (contents - 1) // 2
    assert off["spared"] == 0
    assert first["compared"] <= off["compared"]
    pivots = samecore.find(
        labelled.documents,
        method=samecore.method("signcd", pruning="P1+P2"),
        threshold=0.1,
        floor=0.1,
        group="components",
    ).settings.notes
    told = [int(note.split()[1].replace(",", "")) for note in pivots if note.startswith("P2:")]
    assert both["compared"] > told[0] > 0


def test_a_curve_says_nothing_below_the_floor() -> None:
    labelled = made.labelled(SMALL)
    rows = curve(labelled, {"method": "minhash", "options": {"threshold": 0.5}})
    assert rows[0]["threshold"] > 0.2
    assert (
        quality(labelled, {"method": "minhash", "options": {"threshold": 0.5}, "at": 0.1})[0]["f1 at"] is None
    )


def test_documents_without_a_site_are_left_out() -> None:
    labelled = made.labelled(SMALL + ",frame=0")
    urls = [None if row % 2 else url for row, url in enumerate(labelled.documents["url"].to_pylist())]
    at = labelled.documents.column_names.index("url")
    documents = labelled.documents.set_column(at, "url", pa.array(urls))
    rows = same_site(Labelled(documents, labelled.truth), {"method": "spotsigs"})
    host = {
        id: (url or "").split("/")[2:3] for id, url in zip(documents["id"].to_pylist(), urls, strict=True)
    }
    pairs = samecore.find(documents).pairs.to_pylist()
    known = [pair for pair in pairs if host[pair["left"]] and host[pair["right"]]]
    assert sum(row["pairs"] for row in rows) == len(known) < len(pairs)
    with pytest.raises(InputError, match="url"):
        same_site(Labelled(documents.drop_columns(["url"]), labelled.truth), {"method": "spotsigs"})


def test_the_interval_is_that_of_drawing_clusters_one_by_one() -> None:
    labelled = made.labelled("made:stories=6,copies=3,sites=2,frame=0.6")
    result = samecore.find(labelled.documents, threshold=0.2, floor=0.02)
    ids = result.ids.to_pylist()
    story = dict(zip(ids, labelled.labels(ids), strict=True))
    found = {frozenset((p["left"], p["right"])) for p in result.pairs.to_pylist() if p["score"] >= 0.2}
    names = list(dict.fromkeys(story.values()))
    drawn = np.random.default_rng(0).multinomial(len(names), np.full(len(names), 1 / len(names)), size=1000)
    values = []
    for draw in drawn:
        times = dict(zip(names, draw.tolist(), strict=True))
        right = wrong = actual = 0
        for one, two in combinations(ids, 2):
            hit = frozenset((one, two)) in found
            if story[one] == story[two]:
                actual += times[story[one]]
                right += hit * times[story[one]]
            else:
                wrong += hit * times[story[one]] * times[story[two]]
        values.append(2 * right / (right + wrong + actual) if right + wrong + actual else 1.0)
    low, high = np.quantile(values, [0.025, 0.975])
    assert interval(result, labelled, 0.2) == pytest.approx((low, high))


def test_an_idf_range_keeps_how_the_method_counts() -> None:
    assert recipe({"method": "spotsigs-code", "idf": [0.3, 0.8]}).weights == (
        IdfRange(0.3, 0.8, form="code"),
    )
    assert recipe({"method": "shingles", "idf": [0.3, 0.8]}).weights == (IdfRange(0.3, 0.8),)
    assert recipe({"method": "spotsigs-2008", "idf": [0.0, 1.0]}).weights == ()


def test_the_signatures_of_imatch_are_those_of_its_lexicon() -> None:
    labelled = made.labelled("made:stories=40,copies=3")
    words = method("imatch")
    everything, _ = features_of(labelled, words)
    kept = IdfRange(0.4, 0.75)(everything)
    assert signatures(labelled, words) == len(np.unique(kept.keys)) < len(np.unique(everything.keys))
