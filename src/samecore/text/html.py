"""The text of an HTML page.

`visible_text` and its sisters parse the page with resiliparse. That parser is fast, but the work
it and its extractor do can grow with the square of the page's depth, of its number of tags or of
its unclosed formatting; so a page is measured first (`is_tame`), and one that is over a limit
of `documents.Limits` is read by a scanner of our own, which only removes tags, in linear time.
"""

from __future__ import annotations

import html as standard_html
import re
from dataclasses import dataclass

from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.html import HTMLTree

from samecore import _core
from samecore.documents import DEFAULT_LIMITS, Limits
from samecore.text.html_scan import scan_text

VOID = frozenset({
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track",
    "wbr",
})  # fmt: skip
# Closed by the parser itself when the next of them begins, so that they do not nest.
SELF_CLOSING = frozenset({
    "p", "li", "dt", "dd", "option", "optgroup", "tr", "td", "th", "thead", "tbody", "tfoot", "colgroup",
    "rp", "rt", "body", "html", "head",
})  # fmt: skip
FORMATTING = frozenset({
    "a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u",
})  # fmt: skip
PROSE_WORDS = 5  # fewer make a menu entry or a caption; measured in docs/decisions/0001
PROSE_CHARACTERS = 15  # more between two spaces make a script without spaces
SIGNCD_BLANKED = ("script", "style", "a", "iframe")

#: What `marked_text` puts around links and headings: control characters, which separate words and show nowhere.
LINK_MARKS, HEADING_MARKS = ("\x01", "\x02"), ("\x03", "\x04")

_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
_MARKED = re.compile(r"<(/?)(a|h[1-6])(?=[\s>])[^<>]{0,4000}>", re.IGNORECASE)
_UNMARKED = dict.fromkeys(map(ord, (*LINK_MARKS, *HEADING_MARKS)), " ")
_TITLE = re.compile(r"<title[^>]{0,1000}>([^<]{0,10000})", re.IGNORECASE)
_LINK = re.compile(r"<(?:link|meta|base)\s[^>]{0,4000}>", re.IGNORECASE)
_HEAD_CHARACTERS = 1 << 16


@dataclass(frozen=True, slots=True)
class Page:
    """What is taken out of a page; `title` and `url` are None where the page has none."""

    text: str
    title: str | None
    url: str | None


def visible_text(page: str, *, limits: Limits = DEFAULT_LIMITS) -> str:
    """All text a reader would see: no markup, scripts, styles, comments or head; blocks on own lines."""
    tree = _parsed(page, limits)
    if tree is None:
        return scan_text(page)
    return _plain(tree)


def prose_text(page: str, *, limits: Limits = DEFAULT_LIMITS) -> str:
    """The visible text that reads like prose: no links in lists, no lines of fewer than `PROSE_WORDS` words.

    A page with nothing but short lines keeps them: better all of its text than none.
    """
    tree = _parsed(page, limits)
    text = scan_text(page) if tree is None else _plain(tree, skip_elements=("li a",))
    prose = "\n".join(
        [
            line
            for line in text.split("\n")
            if len(line.split(None, PROSE_WORDS - 1)) >= PROSE_WORDS or not _spaced(line)
        ]
    )
    return prose or text


def _spaced(line: str) -> bool:
    """Whether words are counted by spaces here: a long line without any is Chinese, Japanese or Thai."""
    return len(line) < PROSE_CHARACTERS * (1 + line.count(" "))


def signcd_text(page: str, *, limits: Limits = DEFAULT_LIMITS) -> str:
    """The visible text without links: script, style, a and iframe elements blanked."""
    tree = _parsed(page, limits)
    if tree is None:
        return scan_text(page, blank=frozenset(SIGNCD_BLANKED))
    return _plain(tree, skip_elements=SIGNCD_BLANKED)


def main_text(page: str, *, limits: Limits = DEFAULT_LIMITS) -> str:
    """The article of the page by resiliparse's rules; all visible text where they find none."""
    tree = _parsed(page, limits)
    if tree is None:
        return scan_text(page)
    return _plain(tree, main_content=True) or _plain(tree)


def marked_text(page: str, *, limits: Limits = DEFAULT_LIMITS) -> str:
    """The visible text with a mark before and after every link and heading, for features that ask where a word stands."""

    def mark(tag: re.Match[str]) -> str:
        opening, closing = LINK_MARKS if tag.group(2) in "aA" else HEADING_MARKS
        return closing + tag.group() if tag.group(1) else tag.group() + opening

    return visible_text(_MARKED.sub(mark, page.translate(_UNMARKED)), limits=limits)


def _plain(tree: HTMLTree, *, main_content: bool = False, skip_elements: tuple[str, ...] = ()) -> str:
    text: str = extract_plain_text(
        tree,
        main_content=main_content,
        preserve_formatting=True,
        list_bullets=False,
        links=False,
        alt_texts=False,
        form_fields=False,
        noscript=True,  # old pages hold the story there, for readers without scripts
        skip_elements=list(skip_elements) or None,
    )
    return text


def _parsed(page: str, limits: Limits) -> HTMLTree | None:
    """The tree of a page, or None if it must not be given to the parser."""
    data = page.encode("utf-8", "replace")
    tame, cells = _looked_at(data, limits)
    if not tame:
        return None
    if cells:
        # The extractor puts nothing between cells that touch: "<td>one<td>two" would be "onetwo".
        for cell in ("<td", "<th", "<TD", "<TH"):
            page = page.replace(cell, " " + cell)
    try:
        return HTMLTree.parse(page)
    except (ValueError, RuntimeError):
        return None


def is_tame(data: bytes, *, limits: Limits = DEFAULT_LIMITS) -> bool:
    """Whether the parser can take this page: size, tags, depth and repetition within the limits."""
    return _looked_at(data, limits)[0]


def _looked_at(data: bytes, limits: Limits) -> tuple[bool, bool]:
    """Whether the parser can take this page, and whether it has table cells."""
    tags, depth, longest, cells = _core.measure_html(data)
    if len(data) > limits.max_html_bytes or tags > limits.max_html_tags:
        return False, cells
    if longest > limits.max_tag_bytes and _has_monster_tag(data, limits):
        return False, cells
    # A bound, in a few microseconds: every tag that is never closed counts as open for good.
    if depth <= limits.max_html_depth and depth * tags <= limits.max_html_clones:
        return True, cells
    return _measured(data.decode("utf-8", "replace"), limits), cells


def _has_monster_tag(data: bytes, limits: Limits) -> bool:
    """One tag with thousands of attributes: each is compared with all before it."""
    start = data.find(b"<")
    while start >= 0:
        next_start = data.find(b"<", start + 1)
        if (next_start if next_start >= 0 else len(data)) - start > limits.max_tag_bytes:
            end = data.find(b">", start)
            tag = data[start : end if end >= 0 else len(data)]
            if len(tag) > limits.max_tag_bytes and len(tag.split()) > 1000:
                return True
        start = next_start
    return False


def _measured(page: str, limits: Limits) -> bool:
    """Depth and repetition counted tag by tag."""
    depth = formatting = repeated = 0
    for match in _TAG.finditer(page):
        name = match.group(2).lower()
        if name in VOID:
            continue
        if match.group(1):
            if name not in SELF_CLOSING:
                depth = max(0, depth - 1)
            if name in FORMATTING:
                formatting = max(0, formatting - 1)
            continue
        if name not in SELF_CLOSING:
            depth += 1
        if name in FORMATTING:
            formatting += 1
        # The parser opens all unclosed formatting again inside the next block.
        repeated += formatting
        if depth > limits.max_html_depth or repeated > limits.max_html_clones:
            return False
    return True


def page_title(page: str) -> str | None:
    """The text of <title>, its white space collapsed; None if there is none."""
    match = _TITLE.search(page, 0, _HEAD_CHARACTERS)
    title = " ".join(standard_html.unescape(match.group(1)).split()) if match else ""
    return title or None


def page_url(page: str) -> str | None:
    """The address a page gives for itself: canonical link, else og:url, else base; None if none.

    Only absolute http addresses count.
    """
    # Most pages have none: look for the words first, in the two ways they are written.
    if not any(word in page for word in ("canonical", "og:url", "<base", "CANONICAL", "<BASE")):
        return None
    found: dict[int, str] = {}
    for match in _LINK.finditer(page, 0, _HEAD_CHARACTERS):
        tag = match.group()
        low = tag.lower()
        rank = 0 if "canonical" in low else 1 if "og:url" in low else 2 if low.startswith("<base") else None
        if rank is None:
            continue
        value = re.search(
            r"""(?:href|content)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+))""", tag, re.IGNORECASE
        )
        url = standard_html.unescape(next((g for g in value.groups() if g), "")).strip() if value else ""
        if url.lower().startswith(("http://", "https://")):
            found.setdefault(rank, url)
    return found[min(found)] if found else None
