"""Facts of k-grams: the kernel against its twin, by hand, and the table of features."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from twins import facts as twin

import samecore._core as _core
from samecore.errors import SettingError
from samecore.features.facts import FACTS, FEATURES, PAPER, Facts, Feature, facts, named_features
from samecore.features.frequencies import Frequencies
from samecore.features.learned import LearnedVectors
from samecore.features.shingles import Shingles
from samecore.text.language import LANGUAGES, language
from samecore.text.tokens import words
from samecore.weights.idf import document_frequencies

WORDS = [
    *("the", "a", "is", "was", "The", "story", "Core", "frame", "ÉTÉ", "straße", "der", "und", "ist", "Haus"),
    *("的", "是在中国", "日本語です", "Ünder", "x1", "2026", "don't", "е́то", "ß", "ﬁne"),
]
GAPS = [
    " ",
    " ",
    ", ",
    ". ",
    "\n",
    "\n\n",
    " \x01",
    "\x02 ",
    " \x03",
    "\x04 ",
    "。",
    "，",
    "!?",
    "\u00ad",
    "··",
]
texts = st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(GAPS)), max_size=80).map(
    lambda pairs: "".join(word + gap for word, gap in pairs)
)
PROFILES = [
    (
        [(word, (1,)) for one in words(language(code).antecedents, cjk="words") for word in one],
        {word for one in words(sorted(language(code).stop_words), cjk="words") for word in one},
    )
    for code in LANGUAGES
]


def batch_of(rows: list[tuple[str, str, str]]) -> pa.RecordBatch:
    columns = [pa.array([row[n] for row in rows], pa.large_string()) for n in range(3)]
    return pa.RecordBatch.from_arrays(columns, names=["text", "title", "url"])


def table_of(batch: pa.RecordBatch, k: int) -> Frequencies:
    taken = Shingles(width=k)(batch.column("text"))
    return Frequencies.of_documents(*document_frequencies(taken), len(taken))


def look_up(table: Frequencies, key: int) -> int:
    return int(table.codes(np.array([key], np.uint64))[0])


@given(
    st.lists(st.tuples(texts, texts, st.sampled_from(["", "http://the.core/story-2026.html"])), max_size=5),
    st.integers(1, 4),
    st.integers(1, 3),
)
def test_the_kernel_agrees_with_its_twin(rows: list[tuple[str, str, str]], k: int, threads: int) -> None:
    batch = batch_of(rows)
    grams, single = table_of(batch, k), table_of(batch, 1)
    queries = Frequencies.of_counts(np.array([0, 1 << 40], np.uint64), np.array([3, 9], np.uint32))
    found = facts(batch, k=k, grams=grams, words=single, queries=queries, threads=threads)
    assert len(found) == len(rows)
    for n, (text, title, url) in enumerate(rows):
        expected = twin.facts(
            text,
            PROFILES,
            k=k,
            title=title,
            url=url,
            grams=lambda key: look_up(grams, key),
            words=lambda key: look_up(single, key),
            queries=lambda key: look_up(queries, key),
        )
        here = slice(*found.offsets[n : n + 2].tolist())
        assert found.keys[here].tolist() == [key for key, _, _ in expected]
        assert found.counts[here].tolist() == [count for _, count, _ in expected]
        for mine, (_, _, codes) in zip(found.codes[here].tolist(), expected, strict=True):
            assert dict(zip(FACTS, mine, strict=True)) == dict(zip(FACTS, codes, strict=True))


@given(
    st.lists(st.tuples(texts, texts, texts), max_size=5),
    st.integers(1, 3),
    st.lists(
        st.tuples(st.sampled_from(list(FEATURES)), st.floats(-20, 20)), max_size=8, unique_by=lambda w: w[0]
    ),
    st.sampled_from([0, 0, 1, 5]),
    st.integers(1, 2),
)
def test_the_core_weighs_as_numpy_does(
    rows: list[tuple[str, str, str]], k: int, weights: list[tuple[str, float]], active: int, threads: int
) -> None:
    batch = batch_of(rows)
    part = LearnedVectors(k, tuple(weights), table_of(batch, k), table_of(batch, 1), active=active)
    fast, slow = part.fielded(batch, threads=threads), part.weigh(part.facts(batch))
    for name in ("offsets", "keys", "counts"):
        assert getattr(fast, name).tolist() == getattr(slow, name).tolist()
    assert not active or np.diff(fast.offsets).max(initial=0) <= active


def test_weights_are_those_of_the_features_to_the_last_unit() -> None:
    rows = [("The cat sat on the mat. The dog, too.\nMenu", "Cat news", "http://x/dog"), ("cat", "", "")]
    batch = batch_of(rows)
    weights = (("bias", 0.5), ("in title", 1.5), ("in url", -3.0), ("log tf idf", 0.25), ("capital", 0.125))
    part = LearnedVectors(1, weights, table_of(batch, 1))
    found = part.facts(batch)
    exact = sum(FEATURES[name].values(found) * weight for name, weight in weights)
    made = part.weigh(found)
    dense = np.zeros(len(found.keys))
    dense[np.flatnonzero(exact > 0)] = made.counts / 1024
    assert np.abs(dense - np.maximum(exact, 0)).max() < 1 / 1024
    assert (exact < 0).any()


def test_facts_by_hand() -> None:
    text = "\x03The Core\x04\nA story is the core, \x01more\x02"
    found = facts(batch_of([(text, "core", "http://story.org")]))
    key = {one.words[0]: one.key for one in Shingles(width=1).occurrences(text)}
    by_word = {word: found.codes[found.keys.tolist().index(key[word])] for word in key}
    at = FACTS.index
    assert by_word["core"][at("tf")] == 2
    assert by_word["core"][at("title")] == 255
    assert by_word["story"][at("title")] == 0
    assert by_word["story"][at("url")] == 255
    assert by_word["core"][at("capital")] == by_word["core"][at("heading")] == 128
    assert by_word["more"][at("link")] == 255
    assert by_word["the"][at("stop")] == 255
    assert by_word["core"][at("spots")] == 2
    assert by_word["more"][at("spots")] == 0
    assert by_word["core"][at("line")] == twin.level(6)
    assert by_word["core"][at("language")] == LANGUAGES.index("en")


def test_levels_grow_and_never_pass_255() -> None:
    codes = [twin.level(x) for x in [*range(3000), 1 << 16, 1 << 40]]
    assert codes == sorted(codes)
    assert codes[0] == 0
    assert codes[1] == 16
    assert codes[3] == 32
    assert codes[-1] == 255


def test_features_of_ones_own() -> None:
    batch = batch_of([("one two three", "", ""), ("two", "", "")])

    def short(found: Facts) -> np.ndarray:  # type: ignore[type-arg]
        lengths = np.array([len(text) for text in found.batch.column("text").to_pylist()])
        return (lengths < 5)[found.documents()].astype(float)

    mine = Feature.of("short", short)
    part = LearnedVectors(1, (("bias", 1.0), ("short", 1.0)), functions=(mine,))
    assert part.fielded(batch).counts.tolist() == [1024, 1024, 1024, 2048]
    wrong = Feature.of("wrong", lambda found: [1.0])
    with pytest.raises(SettingError, match="feature wrong"):
        LearnedVectors(1, (("wrong", 1.0),), functions=(wrong,)).fielded(batch)
    with pytest.raises(SettingError, match="did you mean 'in title'"):
        LearnedVectors(1, (("in titel", 1.0),))


def test_every_feature_runs_from_0_to_1_and_every_fact_is_used() -> None:
    for feature in FEATURES.values():
        values = feature.table() * feature.by_table().max()
        assert values.min() >= 0
        assert values.max() <= 1
    assert {feature.fact for feature in FEATURES.values()} == set(FACTS)
    assert set(PAPER) <= set(FEATURES)
    assert len(FACTS) == _core.FACT_COUNT
    assert [one.name for one in named_features(("tf", "bias"))] == ["tf", "bias"]


@given(
    st.dictionaries(st.integers(0, (1 << 64) - 1), st.integers(1, 1000), max_size=60), st.integers(2, 1000)
)
def test_tables_of_frequencies_keep_what_they_are_given(given: dict[int, int], documents: int) -> None:
    keys = np.array(sorted(given), np.uint64)
    counts = np.array([min(given[int(key)], documents) for key in keys], np.uint32)
    table = Frequencies.of_documents(keys, counts, documents)
    expected = np.rint(255 * np.log(counts) / np.log(documents))
    prefixes = (keys >> np.uint64(24)).tolist()
    for key, prefix, code in zip(keys, prefixes, expected, strict=True):
        if prefixes.count(prefix) == 1:
            assert look_up(table, int(key)) == code
    assert Frequencies(table.data) == table
    assert len(Frequencies.of_documents(keys, counts, documents, max_keys=3)) <= 3


@pytest.mark.parametrize("data", ["%%%", "AAAA", "AAAAAAAA" * 3, "é"])
def test_damaged_tables_are_refused(data: str) -> None:
    with pytest.raises(SettingError, match="frequencies"):
        Frequencies(data)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"k": 0}, "k: expected"),
        ({"k": True}, "k: expected"),
        ({"active": -1}, "active"),
        ({"weights": (("bias", float("nan")),)}, "weights"),
        ({"weights": (("bias", 1e9),)}, "weights"),
        ({"weights": ("bias",)}, "weights"),
    ],
)
def test_settings_that_cannot_work(settings: dict[str, object], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        LearnedVectors(**({"k": 1, "weights": ()} | settings))  # type: ignore[arg-type]


def test_the_border_refuses_what_does_not_fit() -> None:
    none = Frequencies().compiled
    from samecore.features.facts import reader

    data, ends = np.zeros(3, np.uint8), np.array([0, 3], np.int64)
    nothing, zero = np.zeros(0, np.uint8), np.zeros(2, np.int64)
    given = [data, ends, nothing, zero, nothing, zero, reader()._compiled[1], none, none, none]
    assert len(_core.facts(*given)[1]) == 0
    for place, wrong in (
        (1, np.array([0, 9], np.int64)),
        (3, np.zeros(1, np.int64)),
        (5, np.array([0, 2], np.int64)),
    ):
        with pytest.raises(ValueError, match="expected"):
            _core.facts(*[wrong if n == place else one for n, one in enumerate(given)])
    with pytest.raises(ValueError, match="k: expected"):
        _core.facts(*given, k=99)
    with pytest.raises(ValueError, match="singles"):
        _core.weigh_facts(*given, np.zeros(3, np.int32), np.zeros(0, np.int64), np.zeros(0, np.int32))
    with pytest.raises(ValueError, match="ascending"):
        _core.CodeTable(np.array([2, 1], np.uint64), np.zeros(2, np.uint8))
