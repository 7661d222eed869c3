from __future__ import annotations

import pickle
import re
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import spots as twin

from samecore import _core
from samecore.errors import SettingError
from samecore.features.spots import Profile, Spot, Spots
from samecore.text.tokens import one_buffer

# SpotSigs 2008, section 3.2.
SENTENCE = (
    "At a rally to kick off a weeklong campaign for the South Carolina primary, Obama tried to set the "
    "record straight from an attack circulating widely on the Internet that is designed to play into "
    "prejudices against Muslims and fears of terrorism."
)
STOP = frozenset(re.findall(r"\w+", "a an the is at to off for from on that into against and of"))


def english(*notation: str, form: Any = "2008", stop: frozenset[str] = STOP) -> Profile:
    return Profile("en", tuple(Spot.parse(n, form=form) for n in notation), stop)


def test_example_of_the_2008_paper() -> None:
    spots = Spots((english("a(1,2)", "an(1,2)", "the(1,2)", "is(1,2)"),))
    found = spots.occurrences(SENTENCE)
    assert {":".join(o.words) for o in found} == {
        "a:rally:kick",
        "a:weeklong:campaign",
        "the:south:carolina",
        "the:record:straight",
        "an:attack:circulating",
        "the:internet:designed",
        "is:designed:play",
    }
    assert len(found) == 7
    features = spots([SENTENCE])
    assert features.keys.tolist() == sorted(o.key for o in found)
    assert features.counts.tolist() == [1] * 7
    assert SENTENCE[found[0].start : found[0].end] == "a rally to kick"


def test_notation() -> None:
    assert Spot.parse("the(2,3)") == Spot("the", (2, 2, 2))
    assert Spot.parse("the(2)") == Spot("the", (2,))
    assert Spot.parse("is(3,4)", form="2007") == Spot("is", (3, 4))
    assert Spot.parse(" is ( 3 , 4 ,5) ", form="2007") == Spot("is", (3, 4, 5))
    assert Spot.parse("です(1,2)") == Spot("です", (1, 1))


def test_form_of_2007() -> None:
    text = "that one two three four is one two three four five six seven"
    profile = english("that(4)", "is(3,4)", form="2007")
    spots = Spots((profile,), skip_stop_words=False, partial=False, key="spot")
    assert [o.words for o in spots.occurrences(text)] == [("that", "four"), ("is", "three", "seven")]
    assert [o.words for o in spots.occurrences(text[:-6])] == [("that", "four")]  # the whole chain must fit


def test_released_code_leaves_the_antecedent_out() -> None:
    chain = Spots((english("the(1,1)", "a(1,1)"),), key="chain")
    assert chain(["the core a core"]).counts.tolist() == [2]
    assert Spots((english("the(1,1)", "a(1,1)"),))(["the core a core"]).counts.tolist() == [1, 1]


def test_steps_are_part_of_a_2007_key() -> None:
    text, options = "is x y x y", {"skip_stop_words": False, "partial": False}
    for key, expected in (("spot", [1, 1]), ("antecedent", [2])):
        spots = Spots((english("is(1)", "is(3)", form="2007"),), key=key, **options)  # type: ignore[arg-type]
        assert sorted(spots([text]).counts.tolist()) == expected


def test_chain_cut_by_the_end() -> None:
    spots = Spots((english("the(1,2)"),))
    assert [o.words for o in spots.occurrences("x the end")] == [("the", "end")]
    assert spots.occurrences("the end is the") == spots.occurrences("the end is")
    assert [o.words for o in spots.occurrences("the of the")] == []


def test_unspaced_antecedents() -> None:
    chinese = Profile("zh", (Spot("的", (1, 1)), Spot("中国", (1,))), frozenset({"的", "是"}))
    spots = Spots((chinese,))
    found = spots.occurrences("中国的经济是好 ok")
    # Tokens: 中国 国的 的经 经济 济是 是好 ok; 是好 starts with a stop word.
    assert [o.words for o in found] == [("中国", "经济"), ("的", "经济", "济是")]
    assert [(o.start, o.end) for o in found] == [(0, 5), (2, 6)]
    assert [o.words for o in spots.occurrences("目的 abc x")] == [("的", "abc", "x")]


def test_dictionary_words_match_whole_words() -> None:
    chinese = Profile("zh", (Spot("的", (1, 1)),), frozenset({"的"}))
    spots = Spots((chinese,), cjk="words")
    assert [o.words for o in spots.occurrences("目的 是 中国 的 经济 发展")] == [("的", "经济", "发展")]


def test_language_is_guessed() -> None:
    def profile(name: str, stop: str) -> Profile:
        stops = stop.split()
        return Profile(name, tuple(Spot(w, (1,)) for w in stops[:3]), frozenset(stops))

    spots = Spots(
        (
            profile("en", "the a is of in and to"),
            profile("de", "der die das ist und in zu"),
            profile("ru", "и в не на я что"),
            profile("zh", "的 是 在 一 不 了 人 上 中 大"),
            profile("ja", "は の に を が で と た て 一 上 中 大 人"),
        )
    )
    texts = {
        "The dog is in the garden of the house": "en",
        "Der Hund ist in dem Garten und das Haus": "de",
        "Я не знаю, что в доме и на улице": "ru",
        "中国的经济在一天天发展，人不是大的": "zh",
        "大学の中に人が一人います。上の方を見た。": "ja",
        "in": "en",  # a tie goes to the first
        "12345 xyz": None,
    }
    assert {text: spots.language(text) for text in texts} == texts
    found = spots(list(texts))
    assert found.language.tolist() == [0, 1, 2, 3, 4, 0, 255]
    assert found.offsets[-1] == found.offsets[-2]
    assert Spots(spots.profiles[:1])(["12345"]).language.tolist() == [0]


WORDS = re.findall(r"\S+", "a the is of to x yes cœur Naïve straße 的 中国 です 日 のは ไทย 42")
ENTRIES = re.findall(r"\S+", "a the is of cœur naïve strasse 的 中 国の です は 日 ไ ababababababababab")
soup = st.lists(st.sampled_from([*WORDS, " ", " ", "。", "\u00ad", "é", "\udc80"]), max_size=60)
texts = soup.map(
    lambda parts: "".join(p if p in " \u00ad。" or ord(p[0]) > 0x2000 else p + " " for p in parts)
)
steps = st.lists(st.integers(1, 3), min_size=1, max_size=4).map(tuple)
profile_lists = st.lists(
    st.tuples(
        st.lists(st.tuples(st.sampled_from(ENTRIES), steps), min_size=1, max_size=6, unique=True),
        st.sets(st.sampled_from(ENTRIES), max_size=8),
    ),
    min_size=1,
    max_size=4,
)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(texts, max_size=5),
    profile_lists,
    st.booleans(),
    st.booleans(),
    st.sampled_from(["antecedent", "spot", "chain"]),
    st.sampled_from(["bigrams", "words"]),
    st.sampled_from([0, 77]),
    st.sampled_from([0, 20, 25, 50, 300]),
    st.booleans(),
)
def test_kernel_equals_twin(
    documents: list[str],
    profiles: Any,
    skip: bool,
    partial: bool,
    key: Any,
    cjk: Any,
    seed: int,
    least: int,
    otherwise: bool,
) -> None:
    options: Any = {"skip_stop_words": skip, "partial": partial, "key": key, "cjk": cjk, "seed": seed}
    options["least"] = least
    made = [
        Profile(f"p{i}", tuple(Spot(a, s) for a, s in own), frozenset(stop))
        for i, (own, stop) in enumerate(profiles)
    ]
    otherwise = otherwise and len(made) > 1
    last = made.pop() if otherwise else None
    spots = Spots(tuple(made), otherwise=last, **options)
    options["otherwise"] = otherwise
    raw = [one_buffer(text).tobytes() for text in documents]
    offsets = np.cumsum([0, *map(len, raw)]).astype(np.int64)
    data = np.frombuffer(b"".join(raw), np.uint8)
    found, languages = _core.spots(data, offsets, spots._compiled[1], places=True, threads=2)
    for i, text in enumerate(raw):
        language, expected = twin.occurrences(text, profiles, **options)
        row = slice(found[0][i], found[0][i + 1])
        assert languages[i] == language
        assert list(zip(found[1][row].tolist(), found[2][row].tolist(), strict=True)) == sorted(
            Counter(f.key for f in expected).items()
        )
        placed = _core.spot_occurrences(np.frombuffer(text, np.uint8), spots._compiled[1])
        spans = sorted(zip(*(column.tolist() for column in (placed[1], *placed[3:7])), strict=True))
        assert spans == sorted(
            (f.key, f.antecedent_start, f.antecedent_end, f.start, f.end) for f in expected
        )
        assert placed[3].tolist() == sorted(placed[3].tolist())  # the order of the text
        first = {key: n for n, key in reversed(list(enumerate(placed[1].tolist())))}
        places = dict(zip(found[1][row].tolist(), found[3][row].tolist(), strict=True))
        in_order = [places[key] for key in sorted(first, key=first.__getitem__)]
        assert in_order == sorted(in_order)
        assert Counter(o.words for o in spots.occurrences(documents[i])) == Counter(
            (f.antecedent, *f.chain) for f in expected
        )


def test_many_keys_are_sorted_and_counted() -> None:
    """More than any shortcut of the sort covers, with heavy repetition."""
    rng = np.random.default_rng(1)
    spots = Spots((english("the(1,1)"),))
    for count in (15, 16, 17, 70, 2047, 2049, 60_000):
        numbers = rng.integers(0, max(2, count // 3), count)
        text = " ".join(f"the w{n}" for n in numbers)
        found = spots([text, "", text])
        half = int(found.offsets[1])
        assert len(found.keys) == 2 * half
        assert np.all(found.keys[1:half] > found.keys[: half - 1])
        assert sorted(found.counts[:half].tolist()) == sorted(Counter(numbers.tolist()).values())
        assert np.array_equal(found.keys[:half], found.keys[half:])


def test_threads_do_not_matter() -> None:
    spots = Spots((english("the(1,2)", "a(1,3)"),))
    texts = [f"the story {i % 991} of a core the {'long ' * (i % 50)} tail" for i in range(20_000)]
    one, two = spots(texts, threads=1), spots(texts, threads=3)
    for name in ("offsets", "keys", "counts", "language"):
        assert np.array_equal(getattr(one, name), getattr(two, name))


def test_golden_key() -> None:
    """Pinned: stored results and indexes hold such keys."""
    spots = Spots((english("the(1,2)"),))
    assert [o.key for o in spots.occurrences("The Internet that is designed")] == [0xA11BB6238B345FF2]


def test_can_be_pickled_and_compared() -> None:
    spots = Spots((english("the(1,2)"),))
    again = pickle.loads(pickle.dumps(spots))
    assert again == spots
    assert hash(again) == hash(spots)
    assert again(["the core story"]).keys.tolist() == spots(["the core story"]).keys.tolist()


def test_wrong_settings() -> None:
    profile = english("the(1,2)")
    wrong: list[Any] = [
        lambda: Spot("two words", (1,)),
        lambda: Spot("", (1,)),
        lambda: Spot("the", ()),
        lambda: Spot("the", (0,)),
        lambda: Spot("the", (1,) * 9),
        lambda: Spot.parse("the"),
        lambda: Spot.parse("the(1,2,3)"),
        lambda: Spot.parse("the(1,9)"),
        lambda: Spot.parse("the(1)", form="2009"),  # type: ignore[arg-type]
        lambda: Profile("en", (), frozenset()),
        lambda: Profile("en", profile.spots, "the"),  # type: ignore[arg-type]
        lambda: Spots(()),
        lambda: Spots((profile,) * 41),
        lambda: Spots((profile,), key="both"),  # type: ignore[arg-type]
        lambda: Spots((profile,), cjk="letters"),  # type: ignore[arg-type]
        lambda: Spots((profile,), seed=1 << 64),
        lambda: Spots((profile,), least=-1),
        lambda: Spots((profile,) * 40, otherwise=profile),
        lambda: Spots((Profile("ja", profile.spots, frozenset({"あ" * 9})),)),
        lambda: Spots((profile,))(["x"], threads=0),
    ]
    for make in wrong:
        with pytest.raises(SettingError, match="expected"):
            make()


def test_no_documents() -> None:
    found = Spots((english("the(1,2)"),))([])
    assert (len(found), len(found.keys), len(found.language)) == (0, 0, 0)
