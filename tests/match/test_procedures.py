"""Full, incremental and seeded matching: equal to the repaired Figure 8, and to the exact join."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from conftest import story
from hypothesis import given
from hypothesis import strategies as st
from twins import procedures as twin

import samecore
from samecore import _core
from samecore.contents import best_partner
from samecore.errors import InputError, SettingError
from samecore.features.csr import Features
from samecore.match import procedures
from samecore.match.brute import brute
from samecore.match.matches import Matches

Corpus = list[Counter[int]]

corpora = st.lists(
    st.dictionaries(st.integers(0, 9), st.integers(1, 3), max_size=7).map(lambda one: Counter(one)),
    max_size=12,
)
thresholds = st.sampled_from([Fraction(1, 10), Fraction(1, 3), Fraction(1, 2), Fraction(2, 3), Fraction(1)])


def features_of(corpus: Corpus) -> Features:
    rows = [sorted(document.items()) for document in corpus]
    flat = [item for row in rows for item in row]
    return Features(
        np.cumsum([0, *(len(row) for row in rows)]),
        np.array([key for key, _ in flat], np.uint64),
        np.array([count for _, count in flat], np.uint32),
    )


@given(corpora, thresholds, st.randoms(use_true_random=False), st.data())
def test_as_figure_8(corpus: Corpus, threshold: Fraction, random, data: st.DataObject) -> None:  # type: ignore[no-untyped-def]
    order = list(range(len(corpus)))
    random.shuffle(order)
    multiset, size_bound, duplicates = (data.draw(st.booleans()) for _ in range(3))
    guess = data.draw(st.sampled_from(["first", "best"]))
    seeds = order[: data.draw(st.integers(0, len(order)))]
    kind = data.draw(st.sampled_from(["full", "incremental", "seeded"]))
    features = features_of(corpus)
    settings = {"threshold": threshold, "guess": guess, "multiset": multiset, "size_bound": size_bound}
    numbers = np.array(order, np.uint32)
    if kind == "full":
        got = procedures.full(features, order=numbers, **settings)
    elif kind == "incremental":
        got = procedures.incremental(features, order=numbers, add_duplicates=duplicates, **settings)
    else:
        got = procedures.seeded(features, seeds, order=numbers, add_duplicates=duplicates, **settings)
    outcomes, index = twin.match(
        corpus if multiset else [Counter(dict.fromkeys(one, 1)) for one in corpus],
        order,
        threshold=threshold,
        full=kind == "full",
        best=guess == "best",
        add_duplicates=duplicates,
        size_bound=size_bound,
        seeds=len(seeds) if kind == "seeded" else 0,
    )
    for document, outcome in outcomes.items():
        assert got.partner[document] == outcome.partner
        assert got.score[document] == float(outcome.score)
        assert got.collisions[document] == outcome.collisions
        assert got.compared[document] == outcome.compared
    assert set(np.flatnonzero(got.indexed)) == set(index)
    assert got.index_sizes()[-1:].tolist() == ([len(index)] if corpus else [])
    if kind == "seeded":
        assert (got.partner[seeds] == -1).all()


@given(corpora, thresholds)
def test_full_best_guess_is_the_best_pair_of_the_exact_join(corpus: Corpus, threshold: Fraction) -> None:
    features = features_of(corpus)
    got = procedures.full(features, threshold=threshold)
    pairs = brute(features, threshold=threshold)
    partner, score = best_partner(Matches(pairs.left, pairs.right, pairs.score), len(corpus))
    assert got.partner.tolist() == partner.tolist()
    assert got.score.tolist() == np.nan_to_num(score).tolist()


def test_the_size_bound_changes_nothing_but_the_work() -> None:
    random = np.random.default_rng(5)
    corpus = [
        Counter({int(key): 1 for key in random.choice(80, size=random.integers(1, 30), replace=False)})
        for _ in range(200)
    ]
    features = features_of(corpus)
    with_bound = procedures.incremental(features, threshold=0.3)
    without = procedures.incremental(features, threshold=0.3, size_bound=False)
    assert with_bound.partner.tolist() == without.partner.tolist()
    assert with_bound.compared.sum() < without.compared.sum() == without.collisions.sum()


def test_an_order_is_a_permutation_that_its_seed_pins() -> None:
    order = procedures.shuffled(1000, seed=7)
    assert sorted(order.tolist()) == list(range(1000))
    assert order[:5].tolist() == procedures.shuffled(1000, seed=7)[:5].tolist()
    assert order.tolist() != procedures.shuffled(1000, seed=8).tolist()


def test_bad_input_is_refused() -> None:
    features = features_of([Counter({1: 1}), Counter({2: 1})])
    with pytest.raises(SettingError, match="guess"):
        procedures.full(features, threshold=0.5, guess="lucky")  # type: ignore[arg-type]
    with pytest.raises(SettingError, match="seeds"):
        procedures.seeded(features, [2], threshold=0.5)
    with pytest.raises(SettingError, match="seeds"):
        procedures.seeded(features, [1, 1], threshold=0.5)
    with pytest.raises(ValueError, match="twice"):
        procedures.full(features, threshold=0.5, order=np.uint32([0, 0]))
    with pytest.raises(ValueError, match="every document once"):
        procedures.full(features, threshold=0.5, order=np.uint32([0]))
    weighted = Features(features.offsets, features.keys, features.counts, np.uint32([2, 3]))
    with pytest.raises(InputError, match="without weights"):
        procedures.full(weighted, threshold=0.5)
    with pytest.raises(ValueError, match="ascend"):
        _core.match_in_order(
            np.int64([0, 2]),
            np.uint32([1, 0]),
            np.uint32([1, 1]),
            2,
            np.uint32([0]),
            1,
            2,
            True,
            True,
            False,
            True,
            0,
        )


def test_a_run_can_match_incrementally() -> None:
    texts = [story(1), story(1) + " " + story(2, sentences=2), story(3), story(1), story(3)[:600]]
    result = samecore.find(texts, threshold=0.3, match="incremental", group="components")
    assert result.groups["group"].to_pylist() == [0, 0, 1, 0, 1]
    assert result.settings.floor == 0.3
    pairs = samecore.find(texts, threshold=0.3, match="full", group="components").pairs.to_pylist()
    assert [(row["left"], row["right"]) for row in pairs] == [("0", "1"), ("0", "3"), ("1", "3"), ("2", "4")]
    with pytest.raises(SettingError, match="components"):
        samecore.find(texts, match="incremental", group="average")
    with pytest.raises(SettingError, match="two collections"):
        samecore.find(texts, against=texts, match="incremental", group="components")
