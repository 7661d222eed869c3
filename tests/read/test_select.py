"""Which captures are read: URL, MIME type, status, date and record type."""

from __future__ import annotations

import pytest

from samecore.errors import SettingError
from samecore.read import Select

URL = "http://News.example/2024/Story.html?page=1"


@pytest.mark.parametrize(
    ("patterns", "taken"),
    [
        ((), True),
        (("news.example",), True),
        (("other.example",), False),
        (("other.example", "story"), True),
        (("http://news.example/*",), True),
        (("news.example/*",), True),
        (("example/*",), False),
        (("!news.example/*",), False),
        (("*.html",), False),
        (("*.html?*",), True),
        (("re:/20[0-9]{2}/.*html",), True),
        (("re:^https:",), False),
        (("!story",), False),
        (("!other",), True),
        (("news.example", "!*page=*"), False),
        (("?page=1",), True),
    ],
)
def test_url_patterns(patterns: tuple[str, ...], taken: bool) -> None:
    assert Select(url=patterns).takes_url(URL) is taken


@pytest.mark.parametrize(
    ("wanted", "taken"),
    [("200", True), ("2xx", True), ("200-204", True), ("*", True), ("404", False), ("3xx", False), ("201-299", False)],
)  # fmt: skip
def test_status(wanted: str, taken: bool) -> None:
    assert Select(status=("500", wanted)).takes_status(200) is taken
    assert Select(status=("500", wanted)).takes_status(None)
    assert Select(status=()).takes_status(404)


def test_dates_are_inclusive_at_the_precision_given() -> None:
    may = "2024-05-31T23:59:59Z"
    assert Select(since="2024", until="2024").takes_date(may)
    assert Select(since="2024-05", until="2024-05").takes_date(may)
    assert Select(since="20240531235959").takes_date(may)
    assert Select(since="2024-05-31T23:59:59Z", until="2024-05-31").takes_date(may)
    assert Select(since=2024, until="2024-05").takes_date(may)  # type: ignore[arg-type]
    assert Select(until="2024-05-31").takes_date("20240531235959")
    assert not Select(since="2024-06").takes_date(may)
    assert not Select(until="2024-04").takes_date(may)
    assert not Select(until="2024-05-31T23:59:58").takes_date(may)


def test_mime_types() -> None:
    assert Select().takes_mime("text/html")
    assert not Select().takes_mime("text/css")
    assert Select(mime=("text/*",)).takes_mime("text/css")
    assert Select(mime=()).takes_mime("image/png")


def test_a_single_value_and_a_dictionary_will_do() -> None:
    select = Select(url="a", status=404, until="2024-05")  # type: ignore[arg-type]
    assert (select.url, select.status) == (("a",), ("404",))
    assert Select.from_dict(select.to_dict()) == select


@pytest.mark.parametrize(
    "wrong", [{"status": "ok"}, {"status": "20"}, {"since": "May"}, {"until": "202"}, {"since": "2024-5-1"}, {"since": "2024-13"},
              {"until": "2024-05-01T12:00:00+02:00"}, {"since": "2024-06", "until": "2024-05"}, {"records": "request"}, {"url": "re:("}]
)  # fmt: skip
def test_what_cannot_work_is_refused_at_once(wrong: dict[str, str]) -> None:
    with pytest.raises(SettingError):
        Select(**wrong)  # type: ignore[arg-type]
