"""Laws that every part obeys. Parts are discovered, so that a new one is held to them from its first day.

Recipes come from `samecore.METHODS`, similarities and sketches from their folders. Where a law cannot
hold, `EXCEPTIONS` says so and why. There is no other way out of a law, and a line of the table that is
not needed fails.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import product
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from conftest import story

import samecore
import samecore.similarity
import samecore.sketch
from samecore.collect import collect
from samecore.features.csr import Features, concatenate
from samecore.features.shingles import Shingles
from samecore.match.parts import Job
from samecore.read import open as open_source
from samecore.similarity.edit import units

# -- the exceptions -----------------------------------------------------------------------

CORPUS_IDF = "idf is counted in the corpus, so other documents change the weight of a feature"
RETAINED = "a document that retains fewer than 4 terms of the lexicon has no signature to compare"

#: (law, part) -> why the part is not held to it.
EXCEPTIONS: dict[tuple[str, str], str] = {
    ("others", "spotsigs-2008"): CORPUS_IDF,
    ("others", "spotsigs-code"): CORPUS_IDF,
    ("others", "lsh-s"): CORPUS_IDF,
    ("others", "tfidf-cosine"): CORPUS_IDF,
    ("others", "kgram-jaccard"): CORPUS_IDF,
    ("others", "imatch"): CORPUS_IDF,
    ("others", "imatch-s"): CORPUS_IDF,
    ("identity across", "imatch"): RETAINED,
    ("identity across", "imatch-s"): RETAINED,
    (
        "symmetric",
        "containment",
    ): "the share of the left in the right; its own law: share * size is symmetric",
    ("symmetric", "edit costed"): "an insertion is a deletion the other way; its own law: swap the two costs",
    ("empty", "edit"): "two texts without words are equal texts, and no edit is needed",
    ("empty", "edit words"): "as edit",
    ("empty", "edit costed"): "as edit",
    (
        "empty",
        "simhash",
    ): "a fingerprint of zeros is a fingerprint like any other; the pipeline leaves such documents out",
    ("empty", "simhash unit"): "as simhash",
    ("rows", "imatch idf"): CORPUS_IDF,
    ("seeds", "imatch"): "one lexicon is the whole lexicon: nothing is random",
    ("seeds", "imatch idf"): "as imatch",
}


def held_to(law: str, names: Iterable[str]) -> pytest.MarkDecorator:
    """The test runs for each of the parts; those in the table above are expected to break this law."""
    LAWS.add(law)
    known = EXCEPTIONS
    return pytest.mark.parametrize(
        "name",
        [
            pytest.param(
                name,
                marks=[
                    pytest.mark.xfail(reason=known[law, name], raises=AssertionError, strict=True)
                    for _ in range((law, name) in known)
                ],
            )
            for name in names
        ],
    )


LAWS: set[str] = set()

# -- documents ----------------------------------------------------------------------------

Documents = list[tuple[str, str]]
Scores = dict[frozenset[str], float]

WITHOUT_WORDS = ("none", "dots")


@lru_cache(maxsize=1)
def corpus() -> Documents:
    """Stories with longer, shorter and mixed variants, copies, short texts, other scripts, nothing."""
    made: Documents = []
    for seed in range(6):
        text = story(seed)
        made += [
            (f"{seed}", text),
            (f"{seed}-longer", f"{text} {story(seed + 50, sentences=3)}"),
            (f"{seed}-cut", text[: len(text) * 2 // 3]),
            (f"{seed}-little", text.replace("will be", "was", 1)),
            (f"{seed}-loud", text.upper()),
        ]
    hub, one_way, other_way = (" ".join(f"{word}{n}" for n in range(12)) for word in ("hub", "one", "other"))
    loop = f"{hub} {one_way} {hub} {other_way} {hub}"
    return [
        *made,
        ("loop", loop),
        ("loop-often", f"{hub} {one_way} " * 30 + loop),  # the same shingles, but not as often
        ("loop-longer", f"{loop} and more"),
        ("copy", story(0)),
        ("pair", story(90)),
        ("pair-longer", f"{story(90)} {story(91, sentences=3)}"),
        ("mixed", story(1, sentences=6) + " " + story(2, sentences=6)),
        ("twice", f"{story(3)} {story(3)}"),
        ("short", "Nothing much."),
        ("short-copy", "Nothing   much!"),
        ("one-word", "nothing"),
        ("german", "Die Katze war in dem Haus und der Hund ist auf der Straße vor dem Haus gewesen."),
        ("japanese", "東京の天気は晴れで、明日も晴れるでしょう。"),
        ("none", ""),
        ("dots", "... --- ..."),
    ]


def renamed(documents: Documents, mark: str) -> Documents:
    return [(f"{id}{mark}", text) for id, text in documents]


def scores(result: samecore.Result) -> Scores:
    return {frozenset((row["left"], row["right"])): row["score"] for row in result.pairs.to_pylist()}


THRESHOLD = 0.3


def run(documents: Documents, method: str, **options: Any) -> samecore.Result:
    settings = {"threshold": THRESHOLD, "group": "components", "threads": 2} | options
    return samecore.find(documents, method=method, **settings)


@cache
def reference(method: str) -> Scores:
    """The scores of the corpus as it is; computed once."""
    return scores(run(corpus(), method))


def close(left: Scores, right: Scores) -> None:
    """The same pairs, and the same scores up to the rounding of sums in another order."""
    assert left.keys() == right.keys()
    assert left == pytest.approx(right, abs=1e-12)


def features_of(method: samecore.Method, documents: Documents, *, threads: int = 1) -> Features:
    """The features of the documents by the recipe, fallback included, before any weight."""
    return collect(open_source(list(documents)), method, threads=threads).features


def jobs(method: samecore.Method, documents: Documents) -> Iterator[Job]:
    """The documents to be matched with themselves, as one collection and as two."""
    made = collect(open_source(list(documents)), method, threads=1)
    for other, strings in ((None, None), (made.features, made.strings)):
        yield Job(
            made.features, other, THRESHOLD, method.multiset, strings=made.strings, other_strings=strings
        )


def same(left: Any, right: Any) -> bool:
    """Equal to the byte: arrays, or features."""
    if isinstance(left, Features):
        pairs = zip(arrays(left), arrays(right), strict=True)
        return all(same(one, two) for one, two in pairs)
    return left.dtype == right.dtype and left.shape == right.shape and left.tobytes() == right.tobytes()


def arrays(features: Features) -> list[Any]:
    own = [features.offsets, features.keys, features.counts]
    return own if features.weights is None else [*own, features.weights]


# -- recipes ------------------------------------------------------------------------------

#: Not approximate by their own word: another seed must not miss or bring other pairs.
EXACT = [name for name in samecore.METHODS if not samecore.method(name).match.approximate]


@held_to("range", samecore.METHODS)
def test_scores_are_in_range(name: str) -> None:
    found = reference(name)
    assert found
    assert all(THRESHOLD <= score <= 1.0 for score in found.values())
    assert not any(id in pair for pair in found for id in WITHOUT_WORDS)
    assert all(len(pair) == 2 for pair in found)


@held_to("order", samecore.METHODS)
def test_the_order_of_documents_does_not_matter(name: str) -> None:
    turned = run(corpus()[::-1], name)
    close(scores(turned), reference(name))

    def partition(result: samecore.Result) -> set[frozenset[str]]:
        members: dict[Any, set[str]] = {}
        for row in result.groups.to_pylist():
            if row["group"] is not None:
                members.setdefault(row["group"], set()).add(row["id"])
        return set(map(frozenset, members.values()))

    assert partition(turned) == partition(run(corpus(), name))


@held_to("sides", samecore.METHODS)
def test_two_collections_can_change_places(name: str) -> None:
    one, two = corpus()[::2], corpus()[1::2]
    close(scores(run(one, name, against=two)), scores(run(two, name, against=one)))


@held_to("identity", samecore.METHODS)
def test_a_document_and_its_copy_are_grouped_with_one(name: str) -> None:
    own = [document for document in corpus() if document[0] not in WITHOUT_WORDS]
    result = run([*own, *renamed(own, "*")], name)
    found, groups = scores(result), {row["id"]: row for row in result.groups.to_pylist()}
    for id, _ in own:
        assert found[frozenset((id, f"{id}*"))] == 1.0
        assert groups[id]["group"] == groups[f"{id}*"]["group"] is not None


@held_to("identity across", samecore.METHODS)
@pytest.mark.parametrize("part", ["all", "few"])
def test_a_copy_in_another_collection_scores_one(name: str, part: str) -> None:
    """Copies collapse within a collection; across two the matcher itself has to find them."""
    own = [document for document in corpus() if document[0] not in WITHOUT_WORDS]
    copies = renamed(own if part == "all" else own[::4], "*")
    found = scores(run(own, name, against=copies))
    for id, _ in copies:
        assert found.get(frozenset((id[:-1], id))) == 1.0, id


@held_to("identity across sizes", samecore.METHODS)
def test_a_long_copy_in_a_collection_of_another_size_scores_one(name: str) -> None:
    """Documents that share words with some others: their idf is neither low nor high."""
    own = [(f"{i}", " ".join(story(j % 30, sentences=9) for j in range(i, i + 4))) for i in range(30)]
    for size in (30, 8):
        copies = renamed(own[:size], "*")
        found = scores(run(own, name, against=copies))
        assert [id for id, _ in copies if found.get(frozenset((id[:-1], id))) != 1.0] == []


@held_to("batch", samecore.METHODS)
def test_features_of_a_batch_are_those_of_each_text(name: str) -> None:
    method = samecore.method(name)
    together = features_of(method, corpus())
    one_by_one = concatenate([features_of(method, [document]) for document in corpus()])
    assert same(together, one_by_one)


@held_to("others", samecore.METHODS)
def test_other_documents_do_not_change_a_score(name: str) -> None:
    strangers = [(f"stranger{seed}", story(seed)) for seed in range(200, 600)]
    found = scores(run([*strangers[:9], *corpus(), *strangers[9:]], name))
    own = {pair: score for pair, score in found.items() if not any("stranger" in id for id in pair)}
    close(own, reference(name))


@held_to("threads", samecore.METHODS)
def test_threads_do_not_matter(name: str) -> None:
    for threads in (1, 3):
        result = run(corpus(), name, threads=threads)
        assert result.pairs.equals(run(corpus(), name).pairs)
    method = samecore.method(name)
    one = features_of(method, corpus(), threads=1)
    assert all(same(one, features_of(method, corpus(), threads=threads)) for threads in (2, 3))


@held_to("same seed", samecore.METHODS)
def test_a_seed_pins_every_byte(name: str) -> None:
    method = samecore.method(name)
    for seed in (0, 7):
        one, two = (features_of(method.seeded(seed), corpus()) for _ in range(2))
        assert same(one, two)
        pairs = [run(corpus(), name, seed=seed).pairs for _ in range(2)]
        assert pairs[0].equals(pairs[1])
    assert not same(features_of(method.seeded(0), corpus()), features_of(method.seeded(7), corpus()))


@held_to("other seed", EXACT)
def test_another_seed_finds_the_same_pairs_if_the_method_is_exact(name: str) -> None:
    close(scores(run(corpus(), name, seed=7)), reference(name))


@held_to("inputs", samecore.METHODS)
def test_inputs_are_never_changed(name: str) -> None:
    documents = list(corpus())
    run(documents, name)
    assert documents == corpus()
    method = samecore.method(name)
    filled = [document for document in corpus() if document[0] not in WITHOUT_WORDS]
    for job in jobs(method, filled):
        before = [one.copy() for one in arrays(job.features)]
        for part in method.weights:
            part(job.features)
        method.match(job)
        assert all(same(one, two) for one, two in zip(before, arrays(job.features), strict=True))


@held_to("pairs", samecore.METHODS)
def test_matchers_give_ordered_pairs_with_scores_in_range(name: str) -> None:
    method = samecore.method(name)
    filled = [document for document in corpus() if document[0] not in WITHOUT_WORDS]
    for job in jobs(method, filled):
        found = method.match(job)
        pairs = list(zip(found.left.tolist(), found.right.tolist(), strict=True))
        assert pairs == sorted(set(pairs))
        assert job.other is not None or all(left < right for left, right in pairs)
        assert np.all((found.score >= THRESHOLD) & (found.score <= 1.0))


# -- similarities -------------------------------------------------------------------------


def modules(package: ModuleType) -> dict[str, ModuleType]:
    """Every module of a package by its name."""
    found = pkgutil.iter_modules(package.__path__)
    return {one.name: importlib.import_module(f"{package.__name__}.{one.name}") for one in found}


@dataclass(frozen=True)
class Similarity:
    """One similarity as the laws see it: a score and a bound for two of `documents`."""

    score: Callable[..., float]
    bound: Callable[[Any, Any], float]
    documents: Callable[[], list[Any]]
    empty: Any


def rows_of_features() -> list[Features]:
    together = Shingles(width=1)([text for _, text in corpus()])
    rows = [together.rows(i, i + 1) for i in range(len(together))]
    return [row for row in rows if len(row.keys)]


def weighted() -> list[Features]:
    """The same rows; the weight of a key follows from the key, as it must."""
    rows = rows_of_features()
    return [replace(row, weights=(row.keys % np.uint64(5) + np.uint64(1)).astype(np.uint32)) for row in rows]


def texts() -> list[str]:
    return [text for id, text in corpus() if id not in WITHOUT_WORDS]


def counted(module: ModuleType, multiset: bool, documents: Callable[[], list[Any]]) -> Similarity:
    """A similarity of sets or multisets, bounded by their sizes."""

    def size(row: Features) -> int:
        return int(samecore_sizes(row, multiset=multiset)[0])

    return Similarity(
        lambda one, two, **more: module.score(one, two, multiset=multiset, **more),
        lambda one, two: module.upper_bound(size(one), size(two)),
        documents,
        Features(np.zeros(2, np.int64), np.empty(0, np.uint64), np.empty(0, np.uint32)),
    )


def samecore_sizes(row: Features, *, multiset: bool) -> Any:
    from samecore.similarity.jaccard import sizes

    return sizes(row, multiset=multiset)


def vectors(module: ModuleType, measure: str) -> Similarity:
    return Similarity(
        lambda one, two, **more: module.score(one, two, measure=measure, **more),
        lambda one, two: module.upper_bound(one, two, measure=measure),
        weighted,
        Features(np.zeros(2, np.int64), np.empty(0, np.uint64), np.empty(0, np.uint32)),
    )


def edits(module: ModuleType, unit: Any, **costs: int) -> Similarity:
    def bound(one: str, two: str) -> float:
        left, right = units(one, two, unit=unit)
        return float(module.upper_bound(len(left), len(right), **costs))

    return Similarity(
        lambda one, two, **more: module.score(one, two, unit=unit, **costs, **more), bound, texts, ""
    )


def compressed(module: ModuleType, compressor: str) -> Similarity:
    def bound(one: str, two: str) -> float:
        sizes = (module.size(text, compressor=compressor) for text in (one, two))
        return float(module.upper_bound(*sizes))

    return Similarity(
        lambda one, two, **more: module.score(one, two, compressor=compressor, **more), bound, texts, ""
    )


def in_blocks(module: ModuleType, block: int) -> Similarity:
    """Sequences of words; a word weighs 1."""
    return Similarity(
        lambda one, two, **more: module.score(one, two, block=block, **more),
        lambda one, two: module.upper_bound(len(one), len(two)),
        lambda: [text.split() for text in texts()],
        [],
    )


#: Module -> its variants as the laws see them; the one place where a new similarity says how it is called.
SHAPES: dict[str, Callable[[ModuleType], dict[str, Similarity]]] = {
    "jaccard": lambda module: {
        "jaccard": counted(module, True, rows_of_features),
        "jaccard set": counted(module, False, rows_of_features),
        "jaccard weighted": counted(module, True, weighted),
    },
    "containment": lambda module: {"containment": counted(module, True, weighted)},
    "cosine": lambda module: {
        "cosine": vectors(module, "cosine"),
        "cosine jaccard": vectors(module, "jaccard"),
    },
    "compression": lambda module: {name: compressed(module, name) for name in module.COMPRESSORS},
    "blocks": lambda module: {"blocks": in_blocks(module, 1), "blocks of 3": in_blocks(module, 3)},
    "edit": lambda module: {
        "edit": edits(module, "characters"),
        "edit words": edits(module, "words"),
        "edit costed": edits(module, "words", insert=1, delete=3, substitute=2),
    },
}

SIMILARITIES = {
    name: shape
    for module_name, module in modules(samecore.similarity).items()
    if module_name in SHAPES
    for name, shape in SHAPES[module_name](module).items()
}


def pairs_of(name: str) -> Iterator[tuple[Any, Any, float]]:
    """Pairs of documents, near ones and far ones, with their score."""
    shape = SIMILARITIES[name]
    documents = shape.documents()
    for one, two in product(documents[:6] + documents[30:], repeat=2):
        yield one, two, shape.score(one, two)


def test_every_similarity_is_held_to_the_laws() -> None:
    assert set(modules(samecore.similarity)) == set(SHAPES)


@held_to("bound", SIMILARITIES)
def test_a_similarity_is_in_range_and_never_above_its_bound(name: str) -> None:
    for one, two, value in pairs_of(name):
        assert 0.0 <= value <= SIMILARITIES[name].bound(one, two) <= 1.0


@held_to("itself", SIMILARITIES)
def test_a_similarity_is_one_for_a_document_and_itself(name: str) -> None:
    shape = SIMILARITIES[name]
    assert all(shape.score(one, one) == 1.0 for one in shape.documents())


@held_to("symmetric", SIMILARITIES)
def test_a_similarity_is_symmetric(name: str) -> None:
    assert all(value == SIMILARITIES[name].score(two, one) for one, two, value in pairs_of(name))


def test_containment_has_a_symmetry_of_its_own() -> None:
    shape = SIMILARITIES["containment"]
    for one, two, value in pairs_of("containment"):
        sizes = [int(samecore_sizes(row, multiset=True)[0]) for row in (one, two)]
        assert value * sizes[0] == pytest.approx(shape.score(two, one) * sizes[1])


def test_costed_edits_have_a_symmetry_of_their_own() -> None:
    turned = edits(modules(samecore.similarity)["edit"], "words", insert=3, delete=1, substitute=2)
    assert all(value == turned.score(two, one) for one, two, value in pairs_of("edit costed"))


@held_to("min_score", SIMILARITIES)
def test_min_score_gives_nothing_or_the_score(name: str) -> None:
    score = SIMILARITIES[name].score
    for one, two, value in pairs_of(name):
        for least in (0.0, 0.3, 0.9, 1.0, value, float(np.nextafter(value, 2.0))):
            assert score(one, two, min_score=least) == (value if value >= least else 0.0)


@held_to("inputs", SIMILARITIES)
def test_a_similarity_never_changes_its_inputs(name: str) -> None:
    shape = SIMILARITIES[name]
    for one, fresh in zip(shape.documents()[:8], shape.documents()[:8], strict=True):
        shape.score(one, one), shape.bound(one, one)
        assert same(one, fresh) if isinstance(one, Features) else one == fresh


@held_to("empty", SIMILARITIES)
def test_nothing_is_like_nothing(name: str) -> None:
    shape = SIMILARITIES[name]
    assert shape.score(shape.empty, shape.empty) == 0.0
    assert all(
        shape.score(shape.empty, one) == shape.score(one, shape.empty) == 0.0 for one in shape.documents()
    )


# -- sketches -----------------------------------------------------------------------------

#: Modules of samecore.sketch that make no sketch.
NO_SKETCHES = {"mixing": "the random numbers of the others"}

#: Sketches with other settings than their own, so that every form is held to the laws.
FORMS: dict[str, dict[str, dict[str, Any]]] = {
    "minhash": {
        "minhash prime": {"family": "mod-prime"},
        "minhash multiset": {"multiset": True, "slots": 50},
    },
    "modp": {"modp small": {"width": 2, "modulus": 3}},
    "simhash": {"simhash unit": {"bits": 256, "weighting": "unit"}},
    "supershingles": {"supershingles sorted": {"form": "sorted"}},
    "imatch": {"imatch lexicons": {"lexicons": 8}, "imatch idf": {"idf": (0.2, 0.85)}},
}

SKETCHES: dict[str, tuple[ModuleType, dict[str, Any]]] = {
    name: (module, settings)
    for module_name, module in modules(samecore.sketch).items()
    if module_name not in NO_SKETCHES
    for name, settings in ({module_name: {}} | FORMS.get(module_name, {})).items()
}


@lru_cache(maxsize=1)
def long_texts() -> tuple[str, ...]:
    """Long enough that one in 25 shingles is never none."""
    near = [story(seed, sentences=60) for seed in range(4)]
    return (*near, *(text[: len(text) * 9 // 10] for text in near), near[0] + " " + near[1])


def make(name: str, documents: Any, **more: Any) -> list[Any]:
    """The sketch of each document, row by row."""
    module, settings = SKETCHES[name]
    rows = module.sketch(list(documents), **settings, **more)
    return [rows.rows(i, i + 1) if isinstance(rows, Features) else rows[i] for i in range(len(rows))]


def equal_rows(left: list[Any], right: list[Any]) -> bool:
    return all(same(one, two) for one, two in zip(left, right, strict=True))


def test_every_module_is_a_sketch_or_says_why_not() -> None:
    for name, module in modules(samecore.sketch).items():
        assert (hasattr(module, "sketch") and hasattr(module, "estimate")) != (name in NO_SKETCHES)


@held_to("symmetric", SKETCHES)
def test_an_estimate_is_symmetric_and_in_range(name: str) -> None:
    module, _ = SKETCHES[name]
    for documents in (long_texts(), [text for _, text in corpus()]):
        for one, two in product(make(name, documents), repeat=2):
            value = module.estimate(one, two)
            assert 0.0 <= value <= 1.0
            assert value == module.estimate(two, one)


@held_to("itself", SKETCHES)
def test_an_estimate_is_one_for_equal_documents(name: str) -> None:
    module, _ = SKETCHES[name]
    documents = [*long_texts(), *long_texts()]
    rows = make(name, documents)
    half = len(long_texts())
    assert all(module.estimate(one, two) == 1.0 for one, two in zip(rows[:half], rows[half:], strict=True))


@held_to("empty", SKETCHES)
def test_documents_without_words_resemble_nothing(name: str) -> None:
    module, _ = SKETCHES[name]
    nothing, dots, *rows = make(name, ["", "... --- ...", *long_texts()])
    assert all(module.estimate(nothing, one) == 0.0 for one in (nothing, dots, *rows))


@held_to("rows", SKETCHES)
def test_a_row_does_not_depend_on_other_rows(name: str) -> None:
    documents = [*long_texts(), *(text for _, text in corpus())]
    together = make(name, documents)
    assert equal_rows(together, [make(name, [text])[0] for text in documents])
    assert equal_rows(together[::-1], make(name, documents[::-1]))


@held_to("threads", SKETCHES)
def test_threads_do_not_change_a_sketch(name: str) -> None:
    documents = [*long_texts(), *(text for _, text in corpus())] * 3
    one = make(name, documents, threads=1)
    assert all(equal_rows(one, make(name, documents, threads=threads)) for threads in (2, 3))


@held_to("same seed", SKETCHES)
def test_a_seed_pins_a_sketch(name: str) -> None:
    assert equal_rows(make(name, long_texts(), seed=7), make(name, long_texts(), seed=7))


@held_to("seeds", SKETCHES)
def test_another_seed_makes_another_sketch(name: str) -> None:
    assert not equal_rows(make(name, long_texts(), seed=7), make(name, long_texts(), seed=8))


@held_to("inputs", SKETCHES)
def test_a_sketch_of_features_leaves_them_as_they_are(name: str) -> None:
    module, settings = SKETCHES[name]
    features = Shingles(width=2)(list(long_texts()))
    before = [one.copy() for one in arrays(features)]
    taken = {key: value for key, value in settings.items() if key != "width"}
    module.sketch(features, **taken)
    assert all(same(one, two) for one, two in zip(before, arrays(features), strict=True))


# -- the table ----------------------------------------------------------------------------


def test_exceptions_name_laws_and_parts_that_are_there() -> None:
    parts = {*samecore.METHODS, *SIMILARITIES, *SKETCHES}
    for law, part in EXCEPTIONS:
        assert law in LAWS
        assert part in parts
