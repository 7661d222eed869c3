"""ARC files, the format before WARC, beside warcio."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from twins.archives import Made, arc, arc_records, seen_by_warcio

from samecore import read
from samecore.read import Select

PAGES = [Made(f"http://site.example/{n}", b"<html><p>page number %d</p>" % n) for n in range(3)]


@pytest.mark.parametrize("gz", [True, False])
def test_the_same_records_as_warcio(tmp_path: Path, gz: bool) -> None:
    path = tmp_path / ("old.arc.gz" if gz else "old.arc")
    path.write_bytes(arc(*PAGES, gz=gz))
    source = read.open(path)
    found = [row for batch in source.batches() for row in batch.to_pylist()]
    expected = seen_by_warcio(path.read_bytes())
    assert [(row["url"], row["body"]) for row in found] == [(row["url"], row["body"]) for row in expected]
    assert {row["date"] for row in found} == {"2008-04-30T20:48:25Z"}
    assert {row["date"] for row in expected} == {"20080430204825"}
    assert found[0]["id"] == "20080430204825/http://site.example/0"
    assert source.skipped == []
    assert source.fetch([found[2]["id"]]).to_pylist() == [found[2]]


def test_urls_with_spaces_and_the_second_version(tmp_path: Path) -> None:
    block = b"HTTP/1.0 200 OK\r\n\r\n<html>no type</html>"
    first = b"http://site.example/a b 10.0.0.1 20080430204825 no-type %d\n" % len(block)
    second = b"http://site.example/c 10.0.0.1 20080430204825 text/html 200 - - 77 made.arc %d\n" % len(block)
    path = tmp_path / "old.arc"
    path.write_bytes(arc_records()[0] + first + block + b"\n" + second + block + b"\n")
    rows = [row for batch in read.open(path).batches() for row in batch.to_pylist()]
    assert [row["url"] for row in rows] == ["http://site.example/a b", "http://site.example/c"]
    assert {row["content_type"] for row in rows} == {"text/html"}


@pytest.mark.parametrize("gz", [True, False])
def test_damage_costs_what_it_hits(tmp_path: Path, gz: bool) -> None:
    parts = [gzip.compress(one) if gz else one for one in arc_records(*PAGES)]
    path = tmp_path / "old.arc.gz"
    middle = b"".join([*parts[:2], b"garbage\n" * 4, *parts[2:]])
    broken = b"".join([*parts[:2], parts[2][:12] + bytes(20) + parts[2][32:], parts[3]])
    for data, kept in ((b"".join(parts)[:-20], "01"), (middle, "012"), (broken, "02")):
        path.write_bytes(data)
        source = read.open(path)
        urls = [url for batch in source.batches() for url in batch.column("url").to_pylist()]
        assert [url[-1] for url in urls] == list(kept)
        assert [one.reason for one in source.skipped] == ["unreadable"]


def test_selection(tmp_path: Path) -> None:
    path = tmp_path / "old.arc.gz"
    path.write_bytes(arc(*PAGES, Made("http://site.example/gone", b"<p>gone", status="404 Not Found")))
    source = read.open(path, select=Select(status=("404",)))
    assert [row["body"] for batch in source.batches() for row in batch.to_pylist()] == [b"<p>gone"]
