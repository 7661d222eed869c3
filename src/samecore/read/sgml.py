"""SGML collections in the manner of TREC: many documents per file, each in one element.

`Tags` says which elements hold what. The elements are found by their names alone, in any case of
letters; there is no parser that a broken collection could upset. A document ends at its end tag or
where the next one begins; an element without an end tag ends with its document.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields

from samecore.documents import Limits
from samecore.errors import InputError, SettingError
from samecore.read.columns import Options
from samecore.read.elements import Elements, one_line, plain
from samecore.read.encoding import decode, looks_like_html
from samecore.read.files import read_whole
from samecore.read.sliced import MARGIN, Document, Refused, Sliced

HEAD_BYTES = 1 << 20
_PAGE = re.compile(rb"<(?:!doctype\s+html|html)[\s>]", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z][\w.:-]{0,60}")
_TAG_NAME = re.compile("@?" + _NAME.pattern)
_DAY = re.compile(r"(\d{1,2})[- ]([A-Za-z]{3})[A-Za-z]*[-, ]+(\d{4})(?:[ T]+(\d\d):(\d\d):(\d\d))?")
_MONTH_FIRST = re.compile(r"([A-Za-z]{3})[a-z]*\.? (\d{1,2}), (\d{4})()()()")
_DIGITS = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)(?:[ T](\d\d):(\d\d):(\d\d))?")
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
        if name not in known or not equals or not good or (name == "document" and not _NAME.fullmatch(value)):
            raise SettingError("tags", found=text, expected=expected)
        found[name] = value
    return Tags(**found)


def guess_tags(head: bytes, *, where: str) -> Tags:
    """The preset whose documents a file that begins so holds; an InputError if it is none."""
    for preset in PRESETS.values():
        if _opening(preset.document).search(head):
            return preset
    known = " or ".join(f"<{preset.document}>" for preset in PRESETS.values())
    raise _nothing(known, where)


def _nothing(wanted: str, where: str) -> InputError:
    return InputError(
        f"no {wanted} found; name the elements with tags (--tags document=...,id=...)", where=where
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

    def none_found(self) -> InputError:
        """The documents have another name."""
        return _nothing(f"<{self.tags.document}>", self.name)

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
        page = Elements(raw, low, tag_end + 1, len(raw))
        page.end = page.closing(tags.document, tag_end + 1)
        id = one_line(page.value(tags.id))
        if wanted is not None and id and id not in wanted:
            return None
        spans = page.first(tags.text)
        # A page keeps its own title and date, and may have elements that are called <text>, of a drawing.
        start = _PAGE.search(raw, tag_end + 1, tag_end + 1 + HEAD_BYTES)
        whole = start is not None and (spans is None or start.start() < spans[0][0])
        rest = whole or spans is None
        if spans is None or whole:
            spans = page.without(tags.id if whole else "|".join((tags.id, tags.title, tags.date)))
        inner = b"\n".join(raw[a:b] for a, b in spans)
        html = self.html if self.html is not None else whole or (rest and looks_like_html(inner))
        text = decode(inner, html=html)
        title = None if whole else one_line(page.value(tags.title))
        return Document(
            id,
            text if html else plain(text),
            html,
            title,
            iso_date(one_line(page.value(tags.date))),
            (page.url(), *(one_line(page.value(name)) for name in self.more)),
        )


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
