"""The site of a page, by its address or its markup."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from conftest import NEWS

from samecore import read
from samecore.frames import sites
from samecore.frames.sites import hosts, numbered, page_tags, tags


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://www.Example.org/a?b#c", "example.org"),
        ("http://example.org:8080", "example.org"),
        ("//user:word@news.example.org/x@y", "news.example.org"),
        ("http://[2001:db8::1]:80/", "[2001:db8::1]"),
        ("http://example.org./a", "example.org"),
        (" https://bücher.example/", "bücher.example"),
        ("file:///home/a.html", None),
        ("urn:isbn:1", None),
        ("a/b.html", None),
        ("https://", None),
        ("", None),
        (None, None),
    ],
)
def test_hosts(url: str | None, host: str | None) -> None:
    assert hosts(pa.chunked_array([pa.array([url], pa.string())])).to_pylist() == [host]


def test_pages_of_one_program_are_one_site() -> None:
    documents = read.open(NEWS)
    for batch in documents.batches():
        pages = [body.as_py() for body in batch.column("body")]
        folders = [id.as_py().split("/")[0] for id in batch.column("id")]
        site = numbered(None, tags(pages)).tolist()
        assert len(set(zip(folders, site, strict=True))) == len(set(folders)) == len(set(site))


def test_addresses_go_before_markup() -> None:
    urls = pa.chunked_array([["http://a.example/1", None, None, "http://A.example/2", None]])
    page = "".join(f"<p class={n}>" for n in range(8))
    site = numbered(urls, tags([page, page, page, None, "<p>"]))
    assert site[0] == site[3]
    assert site[1] == site[2] != site[0]
    assert site[4] == -1
    assert numbered(None, None).tolist() == []


def test_tags_are_bounded_and_the_same_for_bytes_and_text() -> None:
    page = "<html><body class='ä'>" + "".join(f"<i id={n}>" for n in range(3000)) + "</i>"
    found = tags([page, page.encode(), None, "", "no tags < here > at all", "<p>" * 9, b"<\xff\xfe>"])
    assert np.diff(found.offsets).tolist() == [sites.MAX_TAGS, sites.MAX_TAGS, 0, 0, 0, 1, 0]
    assert found.keys[:256].tolist() == found.keys[256:512].tolist()


def test_documents_left_out_on_the_way_do_not_shift_the_others() -> None:
    pages = [b"<a><b>", b"<c>", b"<d><e><f>"]
    found = pa.record_batch({"id": ["x", "y", "z"], "body": pa.array(pages)})
    documents = pa.record_batch({"id": ["x", "z"], "url": pa.array([None, None], pa.string())})
    assert np.diff(page_tags(found, documents).offsets).tolist() == [2, 3]
    known = pa.record_batch({"id": ["x", "z"], "url": ["http://a.example", None]})
    assert np.diff(page_tags(found, known).offsets).tolist() == [0, 3]
    plain = pa.record_batch({"id": ["x"], "text": ["<a>"]})
    assert np.diff(page_tags(plain, known).offsets).tolist() == [0, 0]


def test_plain_text_has_no_tags() -> None:
    """Addresses in angle brackets made sites of mails, and what these share was left out."""
    found = pa.record_batch(
        {
            "id": ["x", "y", "z"],
            "text": ["<a@b.example> <b@c.example>"] * 3,
            "content_type": ["text/plain", "text/html", None],
        }
    )
    documents = pa.record_batch({"id": ["x", "y", "z"], "url": pa.array([None] * 3, pa.string())})
    assert np.diff(page_tags(found, documents).offsets).tolist() == [0, 2, 2]
