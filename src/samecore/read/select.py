"""Which captures of a web archive are wanted: by record type, URL, MIME type, status and date."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from samecore.errors import SettingError, unknown_name
from samecore.read.warc import DOCUMENTS

PAGES = ("text/html", "application/xhtml+xml", "text/plain")

_STATUS = re.compile(r"[1-9]xx|[0-9]{3}|[0-9]{3}-[0-9]{3}|\*")
_NO_DIGIT = re.compile("[^0-9]+")
# Each part with all its digits: '2024-5-1' would be the 51st month.
_DATE = re.compile(
    r"[0-9]{4}(-?(0[1-9]|1[0-2])(-?(0[1-9]|[12][0-9]|3[01])"
    r"([T ]?([01][0-9]|2[0-3])(:?[0-5][0-9](:?[0-5][0-9](\.[0-9]+)?)?)?Z?)?)?)?"
)


@dataclass(frozen=True)
class Select:
    """Captures to read. An empty tuple asks for everything of its kind.

    url: patterns, of which one must hold: '*' stands for anything ('http://' may be left out before it all),
        a pattern without one is looked for anywhere in the URL, 're:' begins a regular expression to be found in it, and '!' before a
        pattern excludes what it matches. Letters match whatever their case.
    mime: MIME types, as the server said or, where it did not, as the bytes look; '*' as above.
    status: of HTTP: '200', '2xx', '200-299'. Records that have none (resource, conversion) pass.
    since, until: capture dates, both inclusive, as precise as given: '2024', '2024-05', '2024-05-01T12:00'.
    records: 'response' and 'revisit'; on request 'resource' and 'conversion'.
    """

    url: tuple[str, ...] = ()
    mime: tuple[str, ...] = PAGES
    status: tuple[str, ...] = ("2xx",)
    since: str | None = None
    until: str | None = None
    records: tuple[str, ...] = ("response", "revisit")
    _wanted: tuple[re.Pattern[str], ...] = field(init=False, repr=False, compare=False)
    _refused: tuple[re.Pattern[str], ...] = field(init=False, repr=False, compare=False)
    _mime: tuple[re.Pattern[str], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name in ("url", "mime", "status", "records"):
            value = getattr(self, name)
            if isinstance(value, str) or not isinstance(value, Iterable):
                value = (value,)
            object.__setattr__(self, name, tuple(str(item) for item in value))
        for status in self.status:
            if not _STATUS.fullmatch(status):
                raise SettingError("status", found=status, expected="such as 200, 2xx, 200-299 or *")
        for kind in self.records:
            if kind not in DOCUMENTS:
                raise unknown_name("records", kind, DOCUMENTS)
        for name in ("since", "until"):
            value = getattr(self, name)
            if value is None:
                continue
            if not _DATE.fullmatch(str(value).strip()):
                raise SettingError(
                    name, found=value, expected="a date such as 2024, 2024-05-01 or 2024-05-01T12:00"
                )
            object.__setattr__(self, name, str(value).strip())
        if self.since and self.until and digits(self.since) > digits(self.until).ljust(14, "9"):
            raise SettingError("since", found=self.since, expected=f"a date not after until, {self.until}")
        object.__setattr__(self, "_wanted", tuple(_url_pattern(p) for p in self.url if not p.startswith("!")))
        object.__setattr__(
            self, "_refused", tuple(_url_pattern(p[1:]) for p in self.url if p.startswith("!"))
        )
        object.__setattr__(self, "_mime", tuple(_wildcard(p) for p in self.mime))

    def takes_url(self, url: str) -> bool:
        """Whether a URL is wanted."""
        if any(pattern.search(url) for pattern in self._refused):
            return False
        return not self._wanted or any(pattern.search(url) for pattern in self._wanted)

    def takes_date(self, date: str) -> bool:
        """Whether a capture date, in any of the usual forms, is wanted."""
        found = digits(date)
        if self.since is not None and found < digits(self.since):
            return False
        return self.until is None or found[: len(digits(self.until))] <= digits(self.until)

    def takes_mime(self, mime: str) -> bool:
        """Whether a MIME type, lower case and without parameters, is wanted."""
        return not self._mime or any(pattern.search(mime) for pattern in self._mime)

    def takes_status(self, status: int | None) -> bool:
        """Whether an HTTP status is wanted; None, of what is not HTTP, always is."""
        if status is None or not self.status:
            return True
        text = f"{status:03}"
        for wanted in self.status:
            if wanted in (text, "*") or (wanted.endswith("xx") and wanted[0] == text[0] and len(text) == 3):
                return True
            if "-" in wanted and wanted[:3] <= text <= wanted[4:]:
                return True
        return False

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for a manifest."""
        return {
            "url": list(self.url), "mime": list(self.mime), "status": list(self.status),
            "since": self.since, "until": self.until, "records": list(self.records),
        }  # fmt: skip

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> Select:
        """The selection that `to_dict` wrote down."""
        return Select(**values)


def digits(date: str) -> str:
    """The first 14 digits of a date: '2024-05-01T12:00:00Z' and '20240501120000' are the same."""
    return _NO_DIGIT.sub("", date)[:14]


def _url_pattern(pattern: str) -> re.Pattern[str]:
    if pattern.startswith("re:"):
        try:
            return re.compile(pattern[3:], re.IGNORECASE)
        except re.error as error:
            raise SettingError("url", found=pattern, expected=f"a regular expression ({error})") from error
    if "*" not in pattern:
        return re.compile(re.escape(pattern), re.IGNORECASE)
    return _wildcard(pattern, before=r"(?:[a-z][a-z0-9+.-]*://)?")


def _wildcard(pattern: str, *, before: str = "") -> re.Pattern[str]:
    """The whole of a string, but for what `before` matches; '*' stands for anything."""
    return re.compile(
        r"\A" + before + ".*".join(map(re.escape, pattern.split("*"))) + r"\Z", re.IGNORECASE | re.DOTALL
    )
