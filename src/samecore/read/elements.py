"""The elements of one SGML document, found by name in its bytes, without a parser."""

from __future__ import annotations

import html as standard_html
import re

from samecore.read.encoding import decode

_MARKUP = re.compile(r"</?[A-Za-z][^<>]{0,2000}>")
_HEADERS = re.compile(rb"<(doc(?:no|oldno|hdr|id|type)|parent|fileid)[\s>]", re.IGNORECASE)
_AFTER_NAME = (b">", b" ", b"\t", b"\n", b"\r")


class Elements:
    """One document: its bytes, the same in lower case, and where its content lies."""

    def __init__(self, raw: bytes, low: bytes, start: int, end: int) -> None:
        self.raw, self.low, self.start, self.end = raw, low, start, end

    def elements(self, name: str) -> list[tuple[int, int, int, int]]:
        """Every element of that name: where it, its content, its end tag and what follows begin."""
        opening = b"<" + name.lower().encode()
        found: list[tuple[int, int, int, int]] = []
        at = self.low.find(opening, self.start, self.end)
        while at >= 0:
            after = at + len(opening)
            if self.low[after : after + 1] in _AFTER_NAME:
                inner = self.low.find(b">", after, self.end) + 1
                if inner == 0:
                    break
                stop = self.closing(name, inner)
                rest = self.low.find(b">", stop, self.end) + 1 or self.end
                found.append((at, inner, stop, rest))
                after = rest
            at = self.low.find(opening, after, self.end)
        return found

    def closing(self, name: str, start: int) -> int:
        """Where the next end tag of that name begins; the end of the document if there is none."""
        tag = b"</" + name.lower().encode()
        at = self.low.find(tag, start, self.end)
        while at >= 0 and self.low[at + len(tag) : at + len(tag) + 1] not in _AFTER_NAME:
            at = self.low.find(tag, at + 1, self.end)
        return self.end if at < 0 else at

    def first(self, names: str) -> list[tuple[int, int]] | None:
        """The contents of the first of these elements that there is."""
        for name in names.split("|"):
            spans = [(inner, stop) for _, inner, stop, _ in self.elements(name)]
            if any(self.raw[a:b].strip() for a, b in spans):
                return spans
        return None

    def value(self, names: str) -> str | None:
        """The text of the first element or attribute of these names that there is."""
        for name in names.split("|"):
            if name.startswith("@"):
                pattern = (
                    rb"""[\s"']""" + re.escape(name[1:].encode()) + rb"""\s*=\s*("[^"]*"|'[^']*'|[^\s>]+)"""
                )
                match = re.search(pattern, self.raw[: self.start], re.IGNORECASE)
                if match is not None:
                    return standard_html.unescape(decode(match.group(1).strip(b"\"'")))
            elif spans := self.first(name):
                a, b = spans[0]
                return plain(decode(self.raw[a:b]))
        return None

    def without(self, names: str) -> list[tuple[int, int]]:
        """All of the document but these elements and the headers that TREC puts before a text."""
        headers = {match.group(1).decode() for match in _HEADERS.finditer(self.raw, self.start, self.end)}
        wanted = {name.lower() for name in names.split("|") if not name.startswith("@")}
        wanted |= {name.lower() for name in headers}
        left_out = sorted((a, d) for name in wanted for a, _, _, d in self.elements(name))
        spans: list[tuple[int, int]] = []
        at = self.start
        for first, last in left_out:
            if first >= at:
                spans.append((at, first))
            at = max(at, last)
        spans.append((at, self.end))
        return spans

    def url(self) -> str | None:
        """The address in the header of a web page (<DOCHDR> of WT10g and its kin), if there is one."""
        spans = self.first("DOCHDR|URL")
        words = decode(self.raw[spans[0][0] : spans[0][1]]).split(None, 1) if spans else []
        return words[0] if words and words[0].lower().startswith(("http://", "https://")) else None


def plain(text: str) -> str:
    """Text without tags and comments, entities decoded."""
    if "<" in text:
        text = _MARKUP.sub(" ", _without_comments(text))
    return standard_html.unescape(text) if "&" in text else text


def _without_comments(text: str) -> str:
    """By hand: a pattern looks for the end of each of a million openings that have none."""
    pieces: list[str] = []
    at = 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        pieces.append(text[at:start])
        at = end + 3
    return " ".join([*pieces, text[at:]])


def one_line(text: str | None) -> str | None:
    return " ".join(text.split()) or None if text else None
