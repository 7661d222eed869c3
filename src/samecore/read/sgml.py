"""SGML collections in the manner of TREC: many documents per file, each in one element.

`Tags` says which elements hold what. The elements are found by their names alone, in any case of
letters; there is no parser that a broken collection could upset. A document ends at its end tag or
where the next one begins; an element without an end tag ends with its document.
"""

from __future__ import annotations

import html as standard_html
import re
from collections.abc import Iterator
from dataclasses import dataclass, fields

from samecore.documents import Limits
from samecore.errors import InputError, SettingError
from samecore.read.columns import Options
from samecore.read.encoding import decode, looks_like_html
from samecore.read.files import read_whole
from samecore.read.sliced import MARGIN, Document, Refused, Sliced

HEAD_BYTES = 1 << 20
_TAG_NAME = re.compile(r"@?[A-Za-z][\w.:-]{0,60}")
_MARKUP = re.compile(r"</?[A-Za-z][^<>]{0,2000}>")
_HEADERS = re.compile(rb"<(doc(?:no|oldno|hdr|id|type)|parent|fileid)[\s>]", re.IGNORECASE)
_DAY = re.compile(r"(\d{1,2})[- ]([A-Za-z]{3})[A-Za-z]*[-, ]+(\d{4})(?:[ T]+(\d\d):(\d\d):(\d\d))?")
_MONTH_FIRST = re.compile(r"([A-Za-z]{3})[a-z]*\.? (\d{1,2}), (\d{4})()()()")
_DIGITS = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)(?:[ T](\d\d):(\d\d):(\d\d))?")
_AFTER_NAME = (b">", b" ", b"\t", b"\n", b"\r")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


@dataclass(frozen=True)
class Tags:
    """Names of the elements; alternatives by '|', an attribute of the document's own tag as '@NAME'.

    `text`: the first that a document has is taken, and if it has none of them, all of the document that is
    no id, title, date or header. Of the others too the first.
    """

    document: str = "DOC"
    id: str = "DOCNO"
    text: str = "TEXT"
    title: str = "HEADLINE|TITLE|TTL|HL"
    date: str = "DATE|DATE_TIME|DATETIME|PUBDATE|DATE1"


PRESETS = {
    "trec": Tags(),
    "reuters": Tags("REUTERS", "@NEWID", "BODY|TEXT", "TITLE", "DATE"),
}


def tags_of(text: str) -> Tags:
    """Tags by the name of a preset, or 'document=DOC,id=DOCNO,text=TEXT,...' (what is left out is as in trec)."""
    if text.lower() in PRESETS:
        return PRESETS[text.lower()]
    known = {field.name for field in fields(Tags)}
    found: dict[str, str] = {}
    expected = (
        f"{', '.join(PRESETS)}, or pairs such as document=DOC,id=DOCNO,text=TEXT|BODY,title=TITLE,date=@DATE"
    )
    for item in text.split(","):
        name, equals, value = (part.strip() for part in item.partition("="))
        good = all(_TAG_NAME.fullmatch(one) for one in value.split("|"))
        if name not in known or not equals or not good or (name == "document" and not value.isalnum()):
            raise SettingError("tags", found=text, expected=expected)
        found[name] = value
    return Tags(**found)


def guess_tags(head: bytes, *, where: str) -> Tags:
    """The preset whose documents a file that begins so holds; an InputError if it is none."""
    for preset in PRESETS.values():
        if _opening(preset.document).search(head):
            return preset
    known = " or ".join(f"<{preset.document}>" for preset in PRESETS.values())
    raise InputError(
        f"no {known} found; name the elements with tags (--tags document=...,id=...)", where=where
    )


def _opening(name: str) -> re.Pattern[bytes]:
    return re.compile(rb"<" + re.escape(name.encode()) + rb"(?=[\s>])", re.IGNORECASE)


class Sgml(Sliced):
    """A file of documents in elements; ids are an element or attribute, else the document, counted from 0."""

    format = "sgml"

    def __init__(self, path: str, name: str, options: Options, limits: Limits, *, tags: str | None) -> None:
        more = tuple(column for column in options.columns or () if column not in ("title", "date", "url"))
        super().__init__(path, name, limits, extras=("url", *more))
        self.more, self.html = more, options.html
        self.given = None if tags is None else tags_of(tags)

    @property
    def tags(self) -> Tags:
        """What was given, else what the beginning of the file says."""
        if self.given is None:
            self.given = guess_tags(read_whole(self.source, limit=HEAD_BYTES), where=self.name)
        return self.given

    def head(self) -> bytes:
        """What stands before the first document: a DOCTYPE, or nothing."""
        start = read_whole(self.source, limit=HEAD_BYTES)
        first = _opening(self.tags.document).search(start)
        return b"" if first is None else start[: first.start()]

    def cut(self, chunks: Iterator[bytes]) -> Iterator[bytes | None]:
        """The documents, each with what follows it up to the next."""
        opening = _opening(self.tags.document)
        first = True
        for raw in super().cut(chunks):
            if first and raw is not None and opening.match(raw) is None:
                first = False
                continue
            first = False
            yield raw

    def end_of(self, buffer: bytearray, at: int, searched: int, *, ended: bool) -> tuple[int | None, int]:
        """Where the next document begins."""
        match = _opening(self.tags.document).search(buffer, max(searched, at + 1))
        if match is not None:
            return match.start(), match.start()
        return (len(buffer) if ended else None), max(at, len(buffer) - MARGIN)

    def document(self, raw: bytes, number: int, wanted: frozenset[str] | None) -> Document | Refused | None:
        """The document in a slice; one without an id is named by its number."""
        tags = self.tags
        low = raw.lower()  # bytes: only ASCII letters change
        tag_end = raw.find(b">")
        if tag_end < 0:
            return Refused("parse-failed", f"the tag <{tags.document}> has no end")
        page = _Page(raw, low, tag_end + 1, len(raw))
        page.end = page.closing(tags.document, tag_end + 1)
        id = _one_line(page.value(tags.id))
        if wanted is not None and id and id not in wanted:
            return None
        spans = page.first(tags.text)
        rest = spans is None
        if spans is None:
            spans = page.without("|".join((tags.id, tags.title, tags.date)))
        inner = b"\n".join(raw[a:b] for a, b in spans)
        html = self.html if self.html is not None else rest and looks_like_html(inner)
        text = decode(inner, html=html)
        title = None if rest and html else _one_line(page.value(tags.title))
        return Document(
            id,
            text if html else plain(text),
            html,
            title,
            iso_date(_one_line(page.value(tags.date))),
            (page.url(), *(_one_line(page.value(name)) for name in self.more)),
        )


class _Page:
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
            inner = self.low.find(b">", after, self.end) + 1
            if inner == 0:
                break
            if self.low[after : after + 1] in _AFTER_NAME:
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
        # An HTML page keeps its own <title> and the like: only what stands before the page is left out.
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


def _one_line(text: str | None) -> str | None:
    return " ".join(text.split()) or None if text else None


def iso_date(text: str | None) -> str | None:
    """'26-FEB-1987 15:01:01.79' or '19870226' or 'February 26, 1987' as ISO; anything else as it is."""
    if text is None:
        return None
    if match := _DAY.match(text):
        day, month, year, *time = match.groups()
    elif match := _MONTH_FIRST.match(text):
        month, day, year, *time = match.groups()
    elif match := _DIGITS.match(text):
        year, number, day, *time = match.groups()
        month = _MONTHS[int(number) - 1] if 1 <= int(number) <= 12 else ""
    else:
        return text
    if month.lower()[:3] not in _MONTHS or not 1 <= int(day) <= 31:
        return text
    date = f"{year}-{_MONTHS.index(month.lower()[:3]) + 1:02d}-{int(day):02d}"
    return date + (f"T{time[0]}:{time[1]}:{time[2]}" if time[0] else "")
