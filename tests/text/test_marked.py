"""The text mode "marked": visible text that remembers links and headings."""

from __future__ import annotations

from samecore.text.html import marked_text, visible_text
from samecore.text.tokens import words

PAGE = (
    "<html><body><h2 class=x>Old \x01News</h2><ul><li><A href='/a'>Menu item</A></li></ul>"
    "<p>The abbot and an <article>article</article> with <a\nhref=x>a link</a> inside.</p></body></html>"
)


def test_links_and_headings_are_marked_and_nothing_else() -> None:
    text = marked_text(PAGE)
    assert "\x03Old  News\x04" in text.replace("Old News", "Old  News")
    assert "\x01Menu item\x02" in text
    assert "\x01a link\x02" in text
    assert text.count("\x01") == text.count("\x02") == 2
    assert text.count("\x03") == text.count("\x04") == 1


def test_the_words_are_those_of_the_visible_text() -> None:
    assert words([marked_text(PAGE)]) == words([visible_text(PAGE)])
