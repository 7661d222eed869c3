"""Training end to end on made-up pages: it helps, it repeats itself, and its files are safe."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from framed import pages

import samecore
from samecore.errors import InputError, SettingError
from samecore.features.facts import Feature
from samecore.features.learned import LearnedVectors
from samecore.learn.check import round_threshold
from samecore.learn.experiment import experiment
from samecore.learn.folds import Folds, halves, intervals_of, unit_folds
from samecore.learn.labels import Truth, clusters, judged_pairs, match_labels
from samecore.learn.scores import max_f1
from samecore.learn.suggest import suggest
from samecore.learn.train import Training, train
from samecore.learn.tune import tune
from samecore.match.sketched import SimHashBits
from samecore.match.weighted import BucketedMinHash, WeightedLsh
from samecore.methods.stored import VARIANTS, Model, load_model, model_bytes, save_model

QUICK = Training(preferences=500, most=100, iterations=15)


def table(stories: int = 8) -> pa.Table:
    return pa.Table.from_pylist(pages(stories)[0])


@cache
def model() -> Model:
    return train(pages()[1], table(), training=QUICK, folds=3)[0]


def test_a_model_finds_stories_in_frames() -> None:
    found = samecore.find(table(), method=model().method, group="components")
    groups: dict[int, set[str]] = {}
    for row in found.groups.to_pylist():
        groups.setdefault(row["group"], set()).add(row["id"].split("-")[0])
    assert len(groups) == 8
    assert all(len(stories) == 1 for stories in groups.values())
    assert model().about["metrics"]["f1"] > 0.85


def test_scores_are_the_similarity_of_the_stored_vectors() -> None:
    part = model().method.features
    assert isinstance(part, LearnedVectors)
    found = samecore.find(table(), method=model().method)
    from samecore.learn.corpus import read_corpus
    from samecore.similarity.cosine import score

    batch = read_corpus(table(), [row["id"] for row in pages()[0]]).batch
    vectors = part.fielded(batch)
    ids = batch.column("id").to_pylist()
    assert found.pairs.num_rows > 20
    for row in found.pairs.to_pylist()[:30]:
        left, right = ids.index(row["left"]), ids.index(row["right"])
        assert row["score"] == score(vectors, vectors, left_document=left, right_document=right)


@pytest.mark.parametrize("measure", ["cosine", "jaccard"])
def test_the_same_seed_gives_the_same_bytes(measure: str) -> None:
    settings = replace(QUICK, measure=measure)  # type: ignore[arg-type]
    made = [
        model_bytes(train(pages(5)[1], table(5), training=settings, folds=2, threads=t)[0]) for t in (1, 2)
    ]
    assert made[0] == made[1]
    other = model_bytes(train(pages(5)[1], table(5), training=replace(settings, seed=5), folds=2)[0])
    assert other != made[0]


def test_trigrams_and_features_of_ones_own() -> None:
    own = Feature.of("even", lambda found: (found.keys % 2).astype(float))
    made, _ = train(pages(6)[1], table(6), training=replace(QUICK, k=3), own=[own], folds=2)
    part = made.method.features
    assert isinstance(part, LearnedVectors)
    names = dict(part.weights)
    assert {"df avg", "df med"} <= set(names)
    assert samecore.find(table(6), method=made.method).pairs.num_rows > 0
    if "even" in names:
        with pytest.raises(SettingError, match="Feature"):
            model_bytes(made)


def test_judged_pairs_train_as_well() -> None:
    ids = [row["id"] for row in pages(6)[0]]
    rows = [(ids[0 + 4 * n], ids[1 + 4 * n], "yes") for n in range(6)]
    rows += [(ids[2 + 4 * n], ids[(6 + 4 * n) % 24], "no") for n in range(6)]
    made, notes = train(judged_pairs(rows), table(6), training=QUICK)
    assert samecore.find(table(6), method=made.method).pairs.num_rows > 0
    assert notes


def test_too_few_groups_to_hold_back_is_said() -> None:
    known = clusters([("s0-0", "a"), ("s0-1", "a"), ("s1-0", "b"), ("s1-1", "b")])
    made, notes = train(known, table(2), training=QUICK)
    assert made.about["metrics"]["f1"] is None
    assert any("too few to hold some back" in note for note in notes)


# -- files ------------------------------------------------------------------------------------------


def test_files_come_back_as_they_were(tmp_path: Path) -> None:
    path = tmp_path / "news.model"
    save_model(model(), path)
    assert load_model(path) == model()
    assert samecore.method(str(path)) == model().method
    assert path.read_bytes() == model_bytes(load_model(path))
    assert b"pickle" not in path.read_bytes()
    head = json.loads(path.read_text())
    assert list(head)[:3] == ["format", "version", "about"]


def test_a_file_of_the_first_version_can_be_read() -> None:
    found = load_model(Path(__file__).parent / "golden.model")
    part = found.method.features
    assert isinstance(part, LearnedVectors)
    made = part(["The whale was in the harbour, and the ferry is late."])
    assert made.counts.tolist() == GOLDEN_COUNTS


GOLDEN_COUNTS = [800, 800, 800, 1875, 1875, 376, 1875, 527, 1602]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text[: len(text) // 2], "cut short"),
        (lambda text: text.replace('"version": 1', '"version": 2'), "version 2"),
        (lambda text: text.replace('"k": 1', '"k": 2'), "checksum"),
        (lambda text: "{}", "not a model"),
        (lambda text: "[1]", "not a model"),
        (lambda text: "", "cut short"),
    ],
)
def test_damaged_files_are_refused(tmp_path: Path, change: object, message: str) -> None:
    path = tmp_path / "news.model"
    path.write_bytes(model_bytes(model()))
    path.write_text(change(path.read_text()))  # type: ignore[operator]
    with pytest.raises(InputError, match=message):
        samecore.find(["a", "b"], method=str(path))


def test_a_recipe_that_cannot_be_used_is_refused(tmp_path: Path) -> None:
    import samecore.methods.stored as stored

    content = json.loads(model_bytes(model()))
    content["method"]["features"]["weights"][0][0] = "unheard of"
    del content["sha256"]
    content["sha256"] = stored._digest(content)
    (tmp_path / "news.model").write_text(json.dumps(content))
    with pytest.raises(InputError, match="unheard of"):
        load_model(tmp_path / "news.model")
    with pytest.raises(InputError, match="found none"):
        samecore.method(str(tmp_path / "gone.model"))


@pytest.mark.parametrize("name", VARIANTS)
def test_every_variant_finds_the_stories(name: str, tmp_path: Path) -> None:
    save_model(model(), tmp_path / "news.model")
    recipe = samecore.method(f"{tmp_path}/news.model:{name}")
    found = samecore.find(table(), method=recipe)
    right = sum(row["left"].split("-")[0] == row["right"].split("-")[0] for row in found.pairs.to_pylist())
    assert right >= 36  # of 48
    assert samecore.Method.from_dict(recipe.to_dict()) == recipe


def test_variants_take_their_size(tmp_path: Path) -> None:
    save_model(model(), tmp_path / "a.model")
    assert samecore.method(f"{tmp_path}/a.model:lsh-cos:512").match == SimHashBits(bits=512)
    assert isinstance(samecore.method(f"{tmp_path}/a.model:lsh-jacc:64").match, WeightedLsh)
    assert samecore.method(f"{tmp_path}/a.model:lsh-jacc-2010:40").match == BucketedMinHash(slots=40)
    with pytest.raises(SettingError, match="variant"):
        samecore.method(f"{tmp_path}/a.model:lsh")
    with pytest.raises(InputError, match="number of bits"):
        samecore.method(f"{tmp_path}/a.model:lsh-cos:many")
    few = model().variant(active=5)
    assert isinstance(few.features, LearnedVectors)
    assert few.features.active == 5
    with pytest.raises(InputError, match="only vectors"):
        Model(samecore.method("spotsigs")).variant("lsh-cos")


# -- tuning, suggestions, the experiment --------------------------------------------------------------


def test_tuning_chooses_and_says_how_sure_it_is(tmp_path: Path) -> None:
    done = tune(pages()[1], table(), candidates=["spotsigs", "tfidf-cosine", "exact"], repeats=2)
    rows = {row["method"]: row for row in done.table.to_pylist()}
    assert rows["spotsigs"]["f1"] > rows["exact"]["f1"]
    assert done.model.method.name in ("spotsigs", "tfidf-cosine")
    assert 0 <= rows["spotsigs"]["low"] <= rows["spotsigs"]["f1"] <= rows["spotsigs"]["high"] <= 1
    assert any("label 12 or more" in note for note in done.notes)
    save_model(done.model, tmp_path / "best.model")
    assert samecore.find(table(), method=str(tmp_path / "best.model")).pairs.num_rows


def test_tuning_never_reports_on_what_it_chose_by() -> None:
    """Each half is perfect at its own cut (0.8 and 0.2), and is measured at that of the other."""
    scores, same = np.array([0.9, 0.7, 0.3, 0.1]), np.array([True, False, True, False])
    one = Folds(scores[:2], same[:2], np.array([0, 0]), np.array([0, 1]))
    two = Folds(scores[2:], same[2:], np.array([2, 2]), np.array([2, 3]))
    figures = intervals_of([one, two], seed=0)
    assert figures.recall == 0.5
    assert figures.precision == 0.5


def test_suggestions_are_near_the_cut_and_not_labelled_yet() -> None:
    known = clusters(
        [(row["id"], row["id"].split("-")[0]) for row in pages()[0] if row["id"].endswith(("-0", "-1"))]
    )
    asked = suggest(table(), 6, labels=known, methods=["spotsigs", "tfidf-cosine"])
    assert asked.column_names == ["left", "right", "same", "why", "spotsigs", "tfidf-cosine"]
    assert 0 < asked.num_rows <= 6
    for row in asked.to_pylist():
        assert not (row["left"] in known.clusters and row["right"] in known.clusters)
        assert row["same"] == ""
    with pytest.raises(SettingError, match="at least 1"):
        suggest(table(), 0)


def test_suggestions_say_that_methods_disagree_when_they_do() -> None:
    asked = suggest(table(), 20, methods=["spotsigs", "tfidf-cosine"]).to_pylist()
    cuts = {name: samecore.method(name).threshold for name in ("spotsigs", "tfidf-cosine")}
    apart = [
        row for row in asked if (row["spotsigs"] or 0) >= 2 * cuts["spotsigs"] and row["tfidf-cosine"] is None
    ]
    assert {row["why"] for row in apart} <= {"the methods disagree"}


def test_a_method_that_finds_nothing_is_measured_as_finding_nothing() -> None:
    """Half of the groups may have no pair that scores at all: the cut then lies at the top, not at 0."""
    best = max_f1(np.zeros(4), np.array([True, False, False, False]))
    assert (best.f1, best.threshold) == (0.0, 1.0)
    done = tune(pages()[1], table(), candidates=["exact"], repeats=2)
    assert done.table.to_pylist()[0]["recall"] < 0.1


def test_tuning_tries_recipes_of_one_name_and_warns_of_trained_ones() -> None:
    pair = [samecore.method("shingles", width=width) for width in (1, 3)]
    done = tune(pages()[1], table(), candidates=[*pair, model().method], repeats=1)
    assert {row["method"] for row in done.table.to_pylist()} == {"shingles", "shingles#2", "andd"}
    assert any(note.startswith("andd: learned from labels") for note in done.notes)


def test_the_experiment_compares_on_the_same_splits() -> None:
    done = experiment(pages(6)[1], table(6), training=QUICK, runs=2, grams=(1,), others=("spotsigs",))
    methods = set(done.summary["method"].to_pylist())
    assert {"andd k=1 cosine", "tfidf k=1 jaccard", "binary k=1 cosine", "spotsigs"} <= methods
    assert done.runs.num_rows == 2 * len(methods)
    assert all(0 <= value <= 1 for value in done.runs["f1"].to_pylist())
    assert done.curve["documents"].to_pylist() == sorted(done.curve["documents"].to_pylist())
    assert "lsh-cos bits" in done.signatures["signature"].to_pylist()


def test_folds_keep_units_whole() -> None:
    known, _ = match_labels(pages()[1], [row["id"] for row in pages()[0]])
    parts = unit_folds(known, 4, seed=1)
    assert sorted(np.concatenate(parts).tolist()) == list(range(8))
    one, two = halves(known, seed=3)
    assert not set(one.tolist()) & set(two.tolist())
    lonely = Truth(np.arange(3), np.array([0, 0, 1]), np.array([0, 0, 1]), None, ())
    assert len(unit_folds(lonely, 5, seed=0)) == 1


def test_thresholds_are_cut_never_raised() -> None:
    assert round_threshold(0.2567) == 0.256
    assert round_threshold(1.0) == 1.0
    assert round_threshold(0.0) == 0.001


@pytest.mark.parametrize(
    "settings",
    [{"k": 9}, {"measure": "dice"}, {"preferences": 0}, {"near": 2.0}, {"sharpness": 0.0}, {"penalty": -1.0}],
)
def test_settings_that_cannot_work(settings: dict[str, object]) -> None:
    with pytest.raises(SettingError):
        Training(**settings)  # type: ignore[arg-type]


def test_features_may_be_few_and_must_exist() -> None:
    made, _ = train(pages(5)[1], table(5), training=replace(QUICK, features=("bias", "in link")), folds=2)
    assert isinstance(made.method.features, LearnedVectors)
    assert {name for name, _ in made.method.features.weights} <= {"bias", "in link"}
    with pytest.raises(SettingError, match="feature"):
        train(pages(5)[1], table(5), training=replace(QUICK, features=("bais",)))
