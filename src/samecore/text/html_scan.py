"""Visible text without a parser: tags removed in one pass, whatever the page is like."""

from __future__ import annotations

import html as standard_html
import re

BLOCKS = frozenset({
    "address", "article", "aside", "blockquote", "body", "br", "caption", "center", "dd", "details",
    "dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "frame",
    "frameset", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "hr", "html", "legend", "li",
    "main", "menu", "nav", "noframes", "ol", "optgroup", "option", "p", "pre", "section", "select",
    "summary", "table", "tbody", "td", "tfoot", "th", "thead", "title", "tr", "ul",
})  # fmt: skip
# Elements whose content is not shown. For the scanner: their content is no markup either (or hardly).
UNSEEN = frozenset({
    "script", "style", "noscript", "template", "textarea", "iframe", "title", "select", "button",
    "noframes", "object",
})  # fmt: skip

_NAME = re.compile(r"[a-zA-Z][^\s/>]{0,63}")
_SPACES = re.compile(r"[ \t\r\f\v\xa0]+")
_BREAKS = re.compile(r" ?\n[ \n]*")
_TAG_STOP = re.compile(r"""[>"']""")


def scan_text(page: str, *, blank: frozenset[str] = frozenset()) -> str:
    """Visible text by a single pass over the tags; linear in time and memory on any input.

    Elements of `blank` are left out with their content, as scripts and styles are. Nesting of one
    such element in itself is not followed: it ends at its first closing tag.
    """
    pieces: list[str] = []
    hidden = UNSEEN | blank
    position, size = 0, len(page)
    lower = page.lower()
    if len(lower) != size:  # a few letters change length when lowered; then look for tags as they are written
        lower = page
    while position < size:
        start = page.find("<", position)
        if start < 0:
            pieces.append(page[position:])
            break
        pieces.append(page[position:start])
        if page.startswith("<!--", start):
            end = page.find("-->", start + 4)
            position = size if end < 0 else end + 3
            continue
        closing = page.startswith("/", start + 1)
        name = _NAME.match(page, start + 1 + closing)
        if name is None:
            if page[start + 1 : start + 2] in ("!", "?", "/"):
                end = page.find(">", start)
                position = size if end < 0 else end + 1
            else:
                pieces.append("<")
                position = start + 1
            continue
        tag = name.group().lower()
        position = _tag_end(page, name.end())
        if tag in hidden and not closing:
            end = lower.find(f"</{tag}", position)
            if end >= 0:
                position = _tag_end(page, end)
            elif tag in ("script", "style", "textarea", "title"):
                position = size
            else:
                hidden -= {tag}  # never closed: do not look for its end again
        if tag in BLOCKS:
            pieces.append("\n")
    text = standard_html.unescape("".join(pieces)).replace("\0", "")
    return _BREAKS.sub("\n", _SPACES.sub(" ", text)).strip()


def _tag_end(page: str, position: int) -> int:
    """The position after the `>` that ends a tag; quoted values of ordinary length may hold one."""
    stop = _TAG_STOP.search(page, position)
    while stop is not None and stop.group() != ">":
        quoted = page[stop.start() - 1 : stop.start()] == "="
        # Looked for only so far, so that a page of lone quotes stays linear.
        close = page.find(stop.group(), stop.end(), stop.end() + 4096) if quoted else -1
        stop = _TAG_STOP.search(page, close + 1 if close >= 0 else stop.end())
    return len(page) if stop is None else stop.end()
