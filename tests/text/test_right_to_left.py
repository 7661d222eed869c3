"""Arabic, Hebrew and Persian: the same words with and without what is optional in writing."""

from __future__ import annotations

import pytest

import samecore
from samecore.text.tokens import words

SAME = [
    ("السَّلَامُ عَلَيْكُمْ", "السلام عليكم"),  # vowel signs
    ("الـــســـلام", "السلام"),  # stretched lines
    ("שָׁלוֹם עֲלֵיכֶם", "שלום עליכם"),  # points
    ("בְּרֵאשִׁ֖ית בָּרָ֣א", "בראשית ברא"),  # points and accents
    ("\u202bשלום\u202c \u200fעולם\u200e", "שלום עולם"),  # direction marks
    ("\u2067مرحبا\u2069 \u061cبكم", "مرحبا بكم"),
    ("می‌خواهم", "میخواهم"),  # the joiner that is invisible
    ("كتاب هاي فارسي", "کتاب های فارسی"),  # Arabic and Persian keyboards
    ("مستشفى", "مستشفي"),
    ("\ufb2aלום \ufefb", "שלום لا"),  # presentation forms
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_the_same_words(one: str, other: str) -> None:
    assert words([one]) == words([other])


def test_a_hamza_is_not_optional() -> None:
    assert words(["أ إ آ ا"]) == [["أ", "إ", "آ", "ا"]]
    assert words(["ا\u0654"]) == [["أ"]]


def test_copies_with_and_without_points_match() -> None:
    plain = (
        "קרר מועצת העיר החליטה אתמול כי הספרייה החדשה תהיה על גדת הנהר, אבל לא כל התושבים מרוצים מן התכנית"
    )
    pointed = plain.replace("הספרייה", "הַסִּפְרִיָּיה").replace("העיר", "הָעִיר").replace("אבל", "אֲבָל")
    assert samecore.compare(plain, pointed).score == 1.0
    arabic = (
        "قرر مجلس المدينة أن المكتبة الجديدة سوف تكون على ضفة النهر، لكن هذا المشروع لا يرضي كل الناس في الحي"
    )
    vocal = arabic.replace("المكتبة", "المَكْتَبَة").replace("قرر", "قَرَّرَ").replace("النهر", "النـــهر")
    assert samecore.compare(arabic, vocal).score == 1.0
    assert samecore.compare(arabic, plain).score == 0.0
