"""What belongs to a frame, against a slow twin; and what must never change the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import frames as twin
from twins.join import make

from samecore import _core
from samecore.features.csr import Features
from samecore.frames import learn as module
from samecore.frames.learn import learn, split, whole_hashes

FRAME = dict.fromkeys(range(100, 130), 1)


def page(number: int, *, own: int = 20, frame: dict[int, int] = FRAME) -> dict[int, int]:
    """A page with a core that no other number has."""
    return frame | dict.fromkeys(range(1000 * (number + 1), 1000 * (number + 1) + own), 1)


def placed(documents: list[dict[int, int]]) -> Features:
    """Features that stand in the text in the order of the dictionaries."""
    order = {(n, key): place for n, one in enumerate(documents) for place, key in enumerate(one)}
    features = make(documents)
    rows = np.repeat(np.arange(len(documents)), np.diff(features.offsets)).tolist()
    places = [order[n, key] for n, key in zip(rows, features.keys.tolist(), strict=True)]
    return replace(features, places=np.array(places, np.uint32))


def edited(text: Sequence[int], version: int, *, edits: int) -> dict[int, int]:
    """A text with words of its own for some that the others have, each where the other stood."""
    lost = np.random.default_rng(version).choice(len(text), edits, replace=False).tolist()
    kept = list(text)
    for n, at in enumerate(lost):
        kept[at] = 1_000_000 * (version + 1) + n
    return dict.fromkeys(kept, 1)


def found(documents: list[dict[int, int]], sites: list[int], *, threads: int = 1) -> list[set[int]]:
    """The frame of each document, as sets of keys."""
    return frames(placed(documents), sites, threads=threads)


def frames(features: Features, sites: list[int], *, threads: int = 1) -> list[set[int]]:
    _, frame = split(features, learn(features, np.array(sites, np.int64), threads=threads).frame)
    return [set(frame.keys[frame.row(n)].tolist()) for n in range(len(features))]


@st.composite
def collections(draw: st.DrawFn) -> tuple[list[dict[int, int]], list[int]]:
    """Pages of a few sites: frames with holes in them, stories that some share, edits, copies, noise."""
    sites = draw(st.integers(1, 3))
    documents, of = [], []
    for _ in range(draw(st.integers(0, 14))):
        site = draw(st.integers(-1, sites - 1))
        story = draw(st.integers(0, 5))
        keys = set(range(100 * site + 200, 100 * site + 200 + draw(st.integers(0, 12))))
        keys |= set(range(1000 * (story + 1), 1000 * (story + 1) + draw(st.integers(0, 25))))
        keys |= draw(st.sets(st.integers(0, 40), max_size=6))
        keys -= draw(st.sets(st.integers(200, 212), max_size=3))
        count = draw(st.sampled_from([1, 1, 1, 2]))
        order = sorted(keys)
        if draw(st.booleans()):
            draw(st.randoms(use_true_random=False)).shuffle(order)
        # the same keys always in the same order: copies are copies
        order = next((list(one) for one in documents if one.keys() == keys), order)
        documents += [dict.fromkeys(order, count)] * draw(st.sampled_from([1, 1, 2]))
        of += [site] * (len(documents) - len(of))
    return documents, of


@st.composite
def framed(draw: st.DrawFn) -> tuple[list[dict[int, int]], list[int]]:
    """Pages of one site near all limits: a frame of which each shows a part, a story of its own, scattered edits."""
    chance = draw(st.randoms(use_true_random=False))
    frame, shown, most = (
        draw(st.integers(0, 60)),
        draw(st.sampled_from([0.7, 0.9, 1.0])),
        chance.randint(1, 6),
    )
    documents = []
    for number in range(draw(st.integers(3, 12))):
        page = [key for key in range(100, 100 + frame) if chance.random() < shown]
        story = 10_000 * (chance.randint(1, most) if chance.random() < 0.4 else 10 + number)
        at = chance.randint(0, len(page))
        page[at:at] = range(story, story + chance.randint(7, 16))
        for edit in range(chance.randint(0, 4)):
            page.insert(chance.randint(0, len(page)), 1_000_000 * (number + 1) + edit)
        documents.append(dict.fromkeys(page, 1))
    return documents, [0] * len(documents)


@given(collections() | framed(), st.sampled_from([1, 2]))
@settings(max_examples=300)
def test_the_twin_finds_the_same_frames(
    collection: tuple[list[dict[int, int]], list[int]], threads: int
) -> None:
    documents, sites = collection
    assert found(documents, sites, threads=threads) == twin.learn(documents, sites)
    assert frames(make(documents), sites, threads=threads) == twin.learn(documents, sites, placed=False)


@given(collections(), st.randoms(use_true_random=False))
def test_order_and_copies_do_not_matter(
    collection: tuple[list[dict[int, int]], list[int]], chance: object
) -> None:
    documents, sites = collection
    before = found(documents, sites)
    order = list(range(len(documents))) + [n for n in range(len(documents)) if n % 2]
    chance.shuffle(order)  # type: ignore[attr-defined]
    after = found([documents[n] for n in order], [sites[n] for n in order])
    assert after == [before[n] for n in order]


def test_what_three_pages_with_different_cores_share_is_frame() -> None:
    assert found([page(n) for n in range(3)], [0] * 3) == [set(FRAME)] * 3


def test_two_pages_cannot_tell() -> None:
    assert found([page(n) for n in range(2)], [0] * 2) == [set()] * 2


def test_pages_of_unknown_or_different_sites_have_no_frame() -> None:
    assert found([page(n) for n in range(3)], [-1] * 3) == [set()] * 3
    assert found([page(n) for n in range(3)], [0, 1, 2]) == [set()] * 3


def test_copies_are_one_page() -> None:
    assert found([page(0)] * 5 + [page(1)], [0] * 6) == [set()] * 6


@pytest.mark.parametrize("versions", [3, 4, 5, 8, 20])
@pytest.mark.parametrize("edits", [1, 5, 15, 40])
def test_versions_of_one_page_are_no_frame(versions: int, edits: int) -> None:
    documents = [edited(range(2000, 2200), version, edits=edits) for version in range(versions)]
    assert found(documents, [0] * versions) == [set()] * versions


def test_versions_beside_other_pages_keep_their_core() -> None:
    story = range(5000, 5060)
    versions = [page(n, own=5) | dict.fromkeys(story, 1) for n in range(6)]
    others = [page(n) for n in range(10, 17)]
    assert found(versions + others, [0] * 13) == [set(FRAME)] * 13
    assert found(versions + others[:4], [0] * 10) == [set(FRAME)] * 10  # though most pages have the story


def test_a_page_of_another_site_with_the_same_words_keeps_them() -> None:
    documents = [page(n) for n in range(3)] + [page(7)]
    assert found(documents, [0, 0, 0, 1])[3] == set()


def leads(numbers: Sequence[int], *, words: int = 10) -> dict[int, int]:
    """The beginnings of other pages' cores, one after another."""
    return {key: 1 for number in numbers for key in range(1000 * (number + 1), 1000 * (number + 1) + words)}


def test_teasers_of_other_stories_are_frame() -> None:
    """Each stands on four of thirty pages, on one of them as the beginning of its story."""
    documents = [page(n, own=60) | leads([(n + step) % 30 for step in (1, 7, 18)]) for n in range(30)]
    wanted = [set(FRAME) | set(leads([n, *((n + step) % 30 for step in (1, 7, 18))])) for n in range(30)]
    assert found(documents, [0] * 30) == wanted


def test_pages_that_tease_each_other_in_a_chain_have_different_cores() -> None:
    """Many pairs share several teasers, and were all one core: then there was no frame at all."""
    chance = np.random.default_rng(1)
    shown = [[int(m) for m in chance.permutation(60) if m != n][:8] for n in range(60)]
    documents = [page(n, own=50) | leads(shown[n], words=16) for n in range(60)]
    assert all(set(FRAME) <= frame for frame in found(documents, [0] * 60))


def test_a_phrase_that_some_stories_share_is_no_frame() -> None:
    """It stands alone between what is each story's own."""
    phrase = dict.fromkeys(range(300, 303), 1)
    documents = [FRAME | (page(n) | (phrase if n < 6 else {}) | page(n + 100)) for n in range(40)]
    assert found(documents, [0] * 40) == [set(FRAME)] * 40


def test_what_stands_on_two_pages_is_no_frame() -> None:
    aside = dict.fromkeys(range(300, 310), 1)
    documents = [page(n, own=60) | (aside if n < 3 else {}) for n in range(16)]
    assert found(documents, [0] * 16)[0] == set(FRAME) | set(aside)
    assert found(documents[1:], [0] * 15) == [set(FRAME)] * 15


def test_without_places_a_frame_stands_on_a_fifth_of_the_pages() -> None:
    aside = dict.fromkeys(range(300, 310), 1)
    documents = [page(n, own=60) | (aside if n < 3 else {}) for n in range(16)]
    assert frames(make(documents), [0] * 16) == [set(FRAME)] * 16
    assert frames(make(documents[:15]), [0] * 15)[0] == set(FRAME) | set(aside)


@pytest.mark.parametrize("others", [3, 6, 12, 24, 32])
@pytest.mark.parametrize("edits", [2, 10, 20, 40])
def test_edited_versions_among_other_pages_keep_their_core(others: int, edits: int) -> None:
    """Eight versions of one story, each with edits of its own, from most of a site to a fifth of it."""
    documents = [page(n, own=40) for n in range(others)]
    documents += [FRAME | edited(range(5000, 5150), version, edits=edits) for version in range(8)]
    assert found(documents, [0] * len(documents)) == [set(FRAME)] * len(documents)


@pytest.mark.parametrize("share", [2, 5, 10, 20])
def test_a_story_stands_together_where_frames_vary(share: int) -> None:
    """Each page shows three quarters of its site's frame, and the story is one of so many of its words."""
    site = range(100, 700)
    documents = []
    for number in range(12):
        shown = sorted(np.random.default_rng(number).choice(site, 450, replace=False).tolist())
        story = range(10_000 * (number + 1), 10_000 * (number + 1) + 450 // (share - 1))
        documents.append(dict.fromkeys([*shown[:200], *story, *shown[200:]], 1))
    assert found(documents, [0] * 12) == [set(page) & set(site) for page in documents]


@pytest.mark.parametrize(("stories", "versions"), [(5, 3), (4, 4), (3, 8)])
def test_stories_in_several_versions_each_are_told_apart(stories: int, versions: int) -> None:
    """Each story stands on a fifth of the pages or more, as if it were frame."""
    documents = [
        FRAME | edited(range(5000 + 1000 * story, 5100 + 1000 * story), 100 * story + version, edits=10)
        for story in range(stories)
        for version in range(versions)
    ]
    assert found(documents, [0] * len(documents)) == [set(FRAME)] * len(documents)


def test_pages_with_the_same_features_in_another_order_are_one() -> None:
    """Which of them is looked at does not depend on which comes first."""
    mixed = [key for pair in zip(range(100, 130), range(9000, 9030), strict=True) for key in pair]
    apart = sorted(mixed)
    documents = [page(0), page(1), dict.fromkeys(mixed, 1), dict.fromkeys(apart, 1)]
    first = found(documents, [0] * 4)
    assert first[2] == first[3]
    assert found(documents[::-1], [0] * 4) == first[::-1]


def test_a_page_that_is_all_frame_has_it_but_does_not_vote() -> None:
    documents = [page(0), page(1), FRAME, FRAME | {5: 1}]
    assert found(documents, [0] * 4) == [set()] * 4
    assert found([*documents, page(2)], [0] * 5)[2] == set(FRAME)


def test_a_sample_of_a_large_site_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    documents = [page(n) for n in range(40)]
    whole = found(documents, [0] * 40)
    monkeypatch.setattr(module, "MAX_PAGES", 5)
    assert found(documents, [0] * 40) == whole == [set(FRAME)] * 40


@pytest.mark.parametrize("most", [1, 30, 200])
def test_sites_are_compared_in_parts_with_the_same_outcome(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    documents = [page(n, own=20 + n % 3) for n in range(30)]
    sites = [n % 4 for n in range(30)]
    whole = found(documents, sites)
    assert any(whole)
    monkeypatch.setattr(module, "MAX_SQUARES", most)
    assert found(documents, sites) == whole


def test_whole_hashes_tell_documents_apart() -> None:
    hashes = whole_hashes(make([{1: 1, 2: 1}, {1: 1, 2: 2}, {1: 2, 2: 1}, {3: 1}, {}, {1: 1, 2: 1}]))
    assert hashes[0] == hashes[5]
    assert len(set(hashes.tolist())) == 5


@given(st.lists(st.lists(st.integers(0, 2**64 - 1), max_size=9), max_size=6), st.integers(1, 3))
def test_rows_are_sorted(lists: list[list[int]], threads: int) -> None:
    offsets = np.cumsum([0, *map(len, lists)]).astype(np.int64)
    keys = np.array([key for row in lists for key in row], np.uint64)
    order = _core.sort_rows(offsets, keys, threads)
    wanted = [
        start + n
        for start, row in zip(offsets, lists, strict=False)
        for n in np.argsort(np.array(row, np.uint64), kind="stable")
    ]
    assert order.tolist() == wanted


@pytest.mark.parametrize("offsets", [[], [1, 2], [0, 3, 2], [0, 1], [0, -1, 2]])
def test_rows_that_cannot_be_are_refused(offsets: list[int]) -> None:
    with pytest.raises(ValueError, match="offsets: expected"):
        _core.sort_rows(np.array(offsets, np.int64), np.zeros(2, np.uint64), 1)


def test_nothing_gives_nothing() -> None:
    nothing = Features(np.zeros(1, np.int64), np.empty(0, np.uint64), np.empty(0, np.uint32))
    assert learn(nothing, np.empty(0, np.int64)).sites == 0
