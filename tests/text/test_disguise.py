"""Plain tricks are undone, ordinary text is left alone, and once is enough."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import samecore
from samecore.text.disguise import undisguise, undisguise_texts
from samecore.text.tokens import words

SAMPLES: dict[str, list[str]] = json.loads(
    (Path(__file__).parent / "fixtures" / "languages.json").read_text("utf-8")
)

TRICKS = {
    "V i a g r a now": "Viagra now",
    "V.i.a.g.r.a V-i-a-g-r-a V*i*a*g*r*a v_i_a_g_r_a": "Viagra Viagra Viagra viagra",
    "B U Y  N O W!": "BUY NOW!",
    "is a V i a g r a": "is a Viagra",
    "В И А Г Р А": "ВИАГРА",
    "V\u200bi\u00adag\u2060ra": "Viagra",
    "Vi\u0430gr\u0430": "Viagra",  # Cyrillic a
    "p\u0430ypal.com": "paypal.com",
    "V \u0456 \u0430 g r \u0430": "Viagra",  # both at once
    "m\u03bfn\u03b5y": "money",  # Greek
    "\u0421\u0430n\u0430da": "Canada",
    "стр\u0061ница": "страница",  # a Latin a in a Russian word
    "V\u0336\u0322\u035ci\u0336\u0322\u035cagra": "Viagra",
    "\U0001f165\U0001f158\U0001f150\U0001f156\U0001f161\U0001f150": "VIAGRA",
}

ORDINARY = [
    "A B C D E F G",
    "the colours C M Y K",
    "de a x e y",
    "U.S.S.R. and e.g. the J.R.R. Tolkien of N.A.T.O.",
    "TNFα, αSMA, λx and μm",
    "HTMLстраница, SQL-запрос и 3D-модель",
    "если x и y и z равны",
    "mp3, x86, utf8, b2b, h264, i18n and v1agra",
    "می‌خواهم",  # the joiner has a use here
    "e\u0301\u0323 Việt",
    "🅰 🅱 blood",
    "1 2 3 4 5 6 7",
    "a. b. c. d. e. f. g.",
    "x x x x x x x",
]


@pytest.mark.parametrize(("text", "expected"), TRICKS.items())
def test_tricks_are_undone(text: str, expected: str) -> None:
    assert undisguise(text) == expected


@pytest.mark.parametrize("text", [*ORDINARY, *(text for own in SAMPLES.values() for text in own)])
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert undisguise(text) == text


pieces = st.sampled_from(
    [
        *"abcxyzаβοВC .-_*1",
        "\u200b",
        "\u0301",
        "\u0336\u0322\u035c",
        "\U0001f150",
        "中",
        "word",
        "слово",
        "  ",
    ]
)


@settings(max_examples=300, deadline=None)
@example("a\u200b\U0001f150\U0001f150\U0001f150")
@example("\U0001f150\u0336\u0322\u035c\U0001f150\U0001f150")
@example("В\u200b\u13aaZ")
@example("a I  o  b   b")
@example("x y  w  z  q  r  s")
@given(st.lists(pieces, max_size=30).map("".join))
def test_once_is_enough_and_batches_agree(text: str) -> None:
    once = undisguise(text)
    assert undisguise(once) == once
    assert undisguise_texts(pa.array([text, None, ""], pa.large_string())).to_pylist() == [once, None, ""]


@given(st.sampled_from(["Viagra", "Money", "winner"]), st.sampled_from(" .*_-"))
def test_any_gap_is_closed(word: str, gap: str) -> None:
    assert undisguise(f"get {gap.join(word)} today") == (
        f"get {word} today" if len(word) > 5 or gap not in ".-" else f"get {gap.join(word)} today"
    )


def test_untouched_texts_are_not_copied() -> None:
    texts = pa.array(["nothing to see", "here"], pa.large_string())
    assert undisguise_texts(texts) is texts


def test_disguised_mails_are_found() -> None:
    plain = "Order your cheap tablets from the best pharmacy in town and have them sent to the door of your house."
    hidden = plain.replace("tablets", "t a b l e t s").replace("pharmacy", "ph\u0430rm\u0430cy")
    hidden = hidden.replace("cheap", "c.h.e.a.p.e.r").replace("order", "0rder").replace("town", "to\u200bwn")
    recipe = samecore.method("shingles", width=2)
    from dataclasses import replace

    before = samecore.compare(plain, hidden, method=recipe).score
    after = samecore.compare(plain, hidden, method=replace(recipe, undisguise=True))
    assert before < 0.7 < after.score
    assert "pharmacy" in after.right.text  # what was compared is what is shown


def test_zero_width_needs_no_help() -> None:
    assert words(["Vi\u200bagra Ｖｉａｇｒａ 𝐕𝐢𝐚𝐠𝐫𝐚"]) == [["viagra"] * 3]


def test_long_words_take_no_longer_than_others() -> None:
    # With every letter a new beginning this would take hours.
    text = f"V\u0456agra {'x' * 1_000_000}"
    assert undisguise(text) == text.replace("\u0456", "i")
