"""Min-hash of weighted vectors: estimates, candidates, and scores that are verified."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samecore.errors import SettingError
from samecore.features.csr import Features
from samecore.learn.check import weighted_jaccard
from samecore.match.parts import Cosine, Job
from samecore.match.weighted import BucketedMinHash, WeightedLsh, heaviest, in_levels, score_pairs
from samecore.similarity.cosine import Measure, score


def collection(seed: int, documents: int = 30) -> Features:
    """Vectors in groups of three that are alike."""
    chance = np.random.default_rng(seed)
    rows = []
    for group in range(-(-documents // 3)):
        base = {int(key): int(chance.integers(1, 4000)) for key in chance.integers(0, 1 << 60, 40)}
        for _ in range(3):
            changed = {key: max(1, int(weight * chance.uniform(0.8, 1.2))) for key, weight in base.items()}
            for key in list(changed)[: int(chance.integers(0, 8))]:
                del changed[key]
            rows.append(changed if group else {})
    rows = rows[:documents]
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    keys = np.array([key for row in rows for key in sorted(row)], np.uint64)
    counts = np.array([row[key] for row in rows for key in sorted(row)], np.uint32)
    return Features(offsets, keys, counts)


@given(st.integers(0, 1000), st.sampled_from(["cosine", "jaccard"]), st.sampled_from([1, 50, 1 << 22]))
def test_scores_of_pairs_are_those_of_the_similarity(seed: int, measure: Measure, block: int) -> None:
    left, right = collection(seed, 9), collection(seed + 1, 7)
    chance = np.random.default_rng(seed)
    one, two = chance.integers(0, 9, 20).astype(np.uint32), chance.integers(0, 7, 20).astype(np.uint32)
    for other in (right, left.rows(0, 7)):
        found = score_pairs(left, other, one, two, measure=measure, block=block)
        for value, a, b in zip(found, one, two, strict=True):
            assert value == score(left, other, left_document=int(a), right_document=int(b), measure=measure)


@pytest.mark.parametrize("measure", ["cosine", "jaccard"])
def test_the_verified_matcher_finds_what_the_exact_join_does(measure: Measure) -> None:
    features = collection(3, 60)
    exact = Cosine("counts", similarity=measure)(Job(features, None, 0.6))
    found = WeightedLsh(similarity=measure, candidates=0.3)(Job(features, None, 0.6))
    expected = dict(
        zip(zip(exact.left.tolist(), exact.right.tolist(), strict=True), exact.score.tolist(), strict=True)
    )
    mine = dict(
        zip(zip(found.left.tolist(), found.right.tolist(), strict=True), found.score.tolist(), strict=True)
    )
    assert mine.items() <= expected.items()
    assert len(mine) >= 0.95 * len(expected) > 30
    assert "all verified" in found.notes[0]  # type: ignore[attr-defined]


@pytest.mark.parametrize("part", [BucketedMinHash(slots=256), WeightedLsh(candidates=0.3)])
def test_two_collections_and_threads(part: BucketedMinHash | WeightedLsh) -> None:
    features = collection(5, 40)
    one, two = features.rows(0, 21), features.rows(21, 40)
    results = [part(Job(one, two, 0.4, threads=threads)) for threads in (1, 2)]
    assert results[0].left.tolist() == results[1].left.tolist()
    assert results[0].score.tolist() == results[1].score.tolist()
    assert results[0].left.max(initial=0) < 21
    assert results[0].right.max(initial=0) < 19


def test_the_papers_values_estimate_the_weighted_jaccard() -> None:
    features = collection(7, 30)
    part = BucketedMinHash(slots=2048)
    found = part(Job(features, None, 0.2))
    levels = in_levels(features, part.levels, most=heaviest([features]))
    truth = weighted_jaccard(levels, found.left.astype(np.int64), found.right.astype(np.int64))
    assert len(found.score) > 20
    assert np.abs(found.score - truth).max() < 0.06


@given(st.lists(st.integers(1, 1 << 18), min_size=1, max_size=20), st.integers(1, 64))
def test_levels_keep_order_and_never_lose_an_entry(counts: list[int], levels: int) -> None:
    features = Features(
        np.array([0, len(counts)]), np.arange(len(counts), dtype=np.uint64), np.array(counts, np.uint32)
    )
    made = in_levels(features, levels, most=heaviest([features])).counts.tolist()
    assert min(made) >= 1
    assert max(made) == levels
    pairs = sorted(zip(counts, made, strict=True))
    assert [level for _, level in pairs] == sorted(made)


def test_settings_that_cannot_work() -> None:
    for wrong in ({"levels": 0}, {"levels": True}, {"slots": 0}):
        with pytest.raises(SettingError):
            BucketedMinHash(**wrong)
        with pytest.raises(SettingError):
            WeightedLsh(**wrong)
    with pytest.raises(SettingError, match="similarity"):
        WeightedLsh(similarity="dice")  # type: ignore[arg-type]
