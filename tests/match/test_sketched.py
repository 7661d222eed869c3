"""Matchers by sketches: what they promise about recall, bits and agreement."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from conftest import NEWS, story

import samecore
from samecore.errors import SettingError
from samecore.features.shingles import Shingles
from samecore.match.henzinger import Henzinger
from samecore.match.parts import Exact, Job
from samecore.match.sketched import Agreement, Lsh, SimHashBits
from samecore.sketch.imatch import IMatch
from samecore.sketch.simhash import SimHash
from samecore.sketch.supershingles import SuperShingles
from samecore.text.strings import NormalisedText


def variants(number: int, *, share: float, seed: int = 0) -> list[str]:
    """Pairs of texts of which the second has about `share` of its words replaced."""
    chance = random.Random(seed)
    texts = []
    for n in range(number):
        words = story(n, sentences=20).split()
        texts.append(" ".join(words))
        texts.append(" ".join(f"other{n}x{i}" if chance.random() < share else w for i, w in enumerate(words)))
    return texts


@pytest.mark.parametrize("threshold", [0.5, 0.8])
@pytest.mark.parametrize("multiset", [False, True])
def test_lsh_finds_the_share_it_states(threshold: float, multiset: bool) -> None:
    features = Shingles(width=2)(variants(400, share=0.06))
    job = Job(features, None, threshold, multiset)
    every, found = Exact()(job), Lsh(recall=0.95)(job)
    true = set(zip(every.left.tolist(), every.right.tolist(), every.score.tolist(), strict=True))
    mine = set(zip(found.left.tolist(), found.right.tolist(), found.score.tolist(), strict=True))
    assert mine <= true  # verified, to the last digit
    assert len(true) > 50
    assert len(mine) >= 0.93 * len(true)
    assert "expected to be found" in found.notes[0]  # type: ignore[attr-defined]


def test_asking_too_much_of_few_slots_says_how_many_would_do() -> None:
    with pytest.raises(SettingError, match="slots"):
        samecore.find([story(1)] * 2, method=samecore.method("minhash", slots=4), threshold=0.1)


def test_simhash_finds_all_pairs_within_the_bits() -> None:
    features = Shingles(width=1)(variants(60, share=0.1))
    prints = SimHash(bits=128)(features)
    unlike = np.unpackbits((prints[:, None] ^ prints[None]).view(np.uint8), axis=2).sum(axis=2)
    expected = {(a, b, 1 - unlike[a, b] / 128) for a, b in np.argwhere(unlike <= 25).tolist() if a < b}
    found = SimHashBits(bits=128)(Job(features, None, 1 - 25 / 128))
    assert set(zip(found.left.tolist(), found.right.tolist(), found.score.tolist(), strict=True)) == expected


def test_henzinger_keeps_what_both_agree_on() -> None:
    texts = variants(60, share=0.05)
    features, words = Shingles(width=2)(texts), NormalisedText()(texts)
    job = Job(features, None, 0.5, False, strings=words)
    alone = Lsh()(job)
    prints = SimHash(bits=384, shingles=Shingles(width=1))(texts)
    unlike = np.unpackbits((prints[alone.left] ^ prints[alone.right]).view(np.uint8), axis=1).sum(axis=1)
    agreeing = 384 - int(np.median(unlike))
    both = Henzinger(agreeing=agreeing)(job)
    expected = np.flatnonzero(unlike <= 384 - agreeing)
    assert 0 < len(expected) < len(alone.left)
    assert (both.left == alone.left[expected]).all()
    assert (both.right == alone.right[expected]).all()
    with pytest.raises(SettingError, match="agreeing"):
        Henzinger(agreeing=400)
    with pytest.raises(SettingError, match="strings"):
        Henzinger()(Job(features, None, 0.5, False))


@pytest.mark.parametrize("sketch", [IMatch(lexicons=5), SuperShingles(form="sorted"), SuperShingles()])
@pytest.mark.parametrize("required", [1, 2])
def test_agreement_is_that_of_the_signatures(sketch: IMatch | SuperShingles, required: int) -> None:
    features = Shingles(width=2)(variants(25, share=0.01))
    rows = sketch(features)
    expected = set()
    for a in range(len(rows)):
        for b in range(a + 1, len(rows)):
            if isinstance(sketch, IMatch):
                shared = int((rows[a] == rows[b]).all(axis=1).sum())
            else:
                shared = len(np.intersect1d(rows[a], rows[b]))
            if shared >= required:
                expected.add((a, b))
    found = Agreement(sketch, required)(Job(features, None, 1.0))
    assert set(zip(found.left.tolist(), found.right.tolist(), strict=True)) == expected
    assert expected
    assert (found.score == 1).all()


def test_two_collections() -> None:
    left, right = variants(20, share=0.02)[::2], variants(20, share=0.02)[1::2]
    for name in ("minhash", "imatch", "supershingles", "henzinger", "exact", "shingles-modp"):
        result = samecore.find(left, against=right, method=name)
        for row in result.pairs.to_pylist():
            assert row["left"] == row["right"]
    assert samecore.find(left, against=left, method="exact").pairs.num_rows == 20


def test_exact_is_word_for_word() -> None:
    texts = ["The same words, in order.", "the SAME words in   order", "in order, the same words"]
    assert [tuple(row.values()) for row in samecore.find(texts, method="exact").pairs.to_pylist()] == [
        ("0", "1", 1.0)
    ]


def test_estimates_and_recall_are_said() -> None:
    assert any(
        "expected to be found" in note for note in samecore.find(NEWS, method="minhash").settings.notes
    )
    for name in ("simhash", "minhash-estimate", "shingles-modp"):
        assert any("estimates" in note for note in samecore.find(NEWS, method=name).settings.notes)
    minhash = samecore.method("minhash")
    assert samecore.find(NEWS, method=minhash).settings.floor == minhash.threshold


def test_bands_and_rows_go_together() -> None:
    with pytest.raises(SettingError, match="bands"):
        Lsh(bands=3)
    assert replace(Lsh(), bands=3, rows=2).banding(0.5).bands == 3
