"""WARC files: the same records and fields as warcio's, and what happens to broken ones."""

from __future__ import annotations

import gzip
import random
import re
import tracemalloc
import zlib
from pathlib import Path

import brotli
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from twins.archives import HTML, Made, arc, chunked, members, packed, revisit, seen_by_warcio, warc

from samecore import read
from samecore.documents import Limits
from samecore.errors import InputError
from samecore.read import Select
from samecore.read.http import Response, decoded_body
from samecore.text.modes import extract

EVERYTHING = Select(status=(), mime=())
PAGES = [Made(f"http://site.example/{n}", b"<html><p>page number %d of the site</p>" % n) for n in range(4)]


def documents(path: Path, **options: object) -> list[dict[str, object]]:
    source = read.open(path, **options)  # type: ignore[arg-type]
    return [row for batch in source.batches() for row in batch.to_pylist()]


def saved(folder: Path, data: bytes, name: str = "crawl.warc.gz") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def assert_as_warcio(path: Path) -> None:
    expected = seen_by_warcio(path.read_bytes())
    found = documents(path, select=EVERYTHING)
    assert [row["url"] for row in found] == [row["url"] for row in expected if row["body"]]
    for row, other in zip(found, [row for row in expected if row["body"]], strict=True):
        assert (row["body"], row["date"], row["digest"]) == (other["body"], other["date"], other["digest"])
        if other["content_type"]:
            assert row["content_type"] == other["content_type"]


@pytest.mark.parametrize("gz", [True, False])
def test_plain_and_compressed_files_as_warcio_reads_them(tmp_path: Path, gz: bool) -> None:
    path = saved(tmp_path, warc(*PAGES, gz=gz, info=True), "crawl.warc.gz" if gz else "crawl.warc")
    assert_as_warcio(path)
    source = read.open(path)
    rows = [row for batch in source.batches() for row in batch.to_pylist()]
    assert [row["id"] for row in rows] == [f"20240501120000/{page.url}" for page in PAGES]
    assert source.skipped == []
    assert source.passed_over() == {"warcinfo records": 1}


BODY = "<html><p>Les élèves ont été reçus à l'école</p></html>".encode() * 20
ENCODED = {
    "gzip": gzip.compress(BODY),
    "deflate": zlib.compress(BODY),
    "br": brotli.compress(BODY),
}


@pytest.mark.parametrize("name", list(ENCODED))
@pytest.mark.parametrize("in_chunks", [False, True])
def test_compressed_and_chunked_bodies(tmp_path: Path, name: str, in_chunks: bool) -> None:
    body = chunked(ENCODED[name]) if in_chunks else ENCODED[name]
    headers = [HTML, ("Content-Encoding", name)] + ([("Transfer-Encoding", "chunked")] if in_chunks else [])
    path = saved(tmp_path, warc(Made("http://a.example/", body, headers)))
    if name != "br":  # warcio does not know the present brotli
        assert_as_warcio(path)
    assert documents(path)[0]["body"] == BODY


def test_bodies_that_warcio_does_not_decode(tmp_path: Path) -> None:
    raw = zlib.compressobj(wbits=-15)
    bare = raw.compress(BODY) + raw.flush()
    made = [
        Made("http://a.example/zstd", pa.compress(BODY, codec="zstd", asbytes=True), [HTML, ("Content-Encoding", "zstd")]),
        Made("http://a.example/bare", bare, [HTML, ("Content-Encoding", "deflate")]),
        Made("http://a.example/twice", gzip.compress(ENCODED["br"]), [HTML, ("Content-Encoding", "br, gzip")]),
        Made("http://a.example/members", gzip.compress(BODY[:100]) + gzip.compress(BODY[100:]), [HTML, ("Content-Encoding", "x-gzip")]),
        Made("http://a.example/own", BODY, [HTML, ("Content-Encoding", "utf-8")]),
        Made("http://a.example/both", gzip.compress(BODY), [HTML, ("Content-Encoding", "gzip, utf-8")]),
        Made("http://a.example/none", BODY, [HTML, ("Content-Encoding", "br")]),
    ]  # fmt: skip
    found = documents(saved(tmp_path, warc(*made)))
    assert [row["body"] for row in found] == [BODY] * 7


WRONG = {
    "not chunked": Made("http://a.example/", BODY, [HTML, ("Transfer-Encoding", "chunked")]),
    "not compressed": Made("http://a.example/", BODY, [HTML, ("Content-Encoding", "gzip")]),
    "no last chunk": Made("http://a.example/", chunked(BODY)[:-5], [HTML, ("Transfer-Encoding", "chunked")]),
    "a cut chunk": Made(
        "http://a.example/", chunked(BODY, 400)[:600], [HTML, ("Transfer-Encoding", "chunked")]
    ),
    "small letters": Made("http://a.example/", BODY, status="200 ok"),
    "no status text": Made("http://a.example/", BODY, status="200"),
    "lone line feeds": Made("http://a.example/", BODY, [("X", "y"), HTML]),
    "no headers": Made("http://a.example/", BODY, []),
}


@pytest.mark.parametrize("name", list(WRONG))
def test_bodies_that_are_not_what_they_say(tmp_path: Path, name: str) -> None:
    data = warc(WRONG[name], gz=False)
    data = data.replace(b"HTTP/1.1 200 ok", b"http/1.1 200 ok")
    assert_as_warcio(saved(tmp_path, data, "crawl.warc"))


@given(st.text(min_size=1), st.sampled_from(["gzip", "deflate"]))
@example("b>\t:S", "gzip")
@example("HKA\n\nnews of the day", "deflate")
@example("# \u4e2d\u6587", "gzip")
def test_a_text_under_the_name_of_a_compression_stays_as_it_is(text: str, name: str) -> None:
    body = re.sub("[\0-\x08\x0e-\x1f]", "", text).encode() or b"x"
    response = Response(200, {"content-encoding": name}, body)
    assert decoded_body(response, limits=Limits()) == body


@given(st.binary(min_size=40), st.sampled_from([31, 15, -15]))
def test_every_compressed_body_is_still_taken_for_one(data: bytes, bits: int) -> None:
    stream = zlib.compressobj(wbits=bits)
    packed = stream.compress(data) + stream.flush()
    assert decoded_body(Response(200, {"content-encoding": "gzip"}, packed), limits=Limits()) == data


def test_broken_bodies_are_read_as_far_as_they_go(tmp_path: Path) -> None:
    text = b"<html><p>" + b" ".join(b"word%d" % n for n in range(5000))
    cut = gzip.compress(text)[:-3000]
    damaged = chunked(text, 100)[:5000] + b"zzz\r\nnot a chunk"
    made = [
        Made("http://a.example/cut", cut, [HTML, ("Content-Encoding", "gzip")]),
        Made("http://a.example/chunks", damaged, [HTML, ("Transfer-Encoding", "chunked")]),
    ]
    found = documents(saved(tmp_path, warc(*made)))
    assert text.startswith(found[0]["body"])  # type: ignore[arg-type]
    assert len(found[0]["body"]) > 10_000  # type: ignore[arg-type]
    assert found[1]["body"].startswith(text[:4000])  # type: ignore[attr-defined]


def test_types_are_declared_or_seen(tmp_path: Path) -> None:
    page = b"<!doctype html><html><p>text</p>"
    cases = {
        "text/html": "text/html",
        "TEXT/HTML;Charset=x": "text/html; Charset=x",
        "application/xhtml+xml": "application/xhtml+xml",
        "text/plain": "text/html",
        "application/octet-stream": "text/html",
        "": "text/html",
        "nonsense": "text/html",
        "text/html, text/html": "text/html",
        '"text/html"': "text/html",
        "image/png": None,
        "text/css": None,
    }
    made = [Made(f"http://a.example/{n}", page, [("Content-Type", kind)]) for n, kind in enumerate(cases)]
    made.append(Made("http://a.example/plain", b"a <p> in plain text", [("Content-Type", "text/plain")]))
    made.append(Made("http://a.example/pdf", b"%PDF-1.4\n" + bytes(40), []))
    source = read.open(saved(tmp_path, warc(*made)))
    found = {row["url"]: row["content_type"] for batch in source.batches() for row in batch.to_pylist()}
    assert found == {f"http://a.example/{n}": kind for n, kind in enumerate(cases.values()) if kind} | {
        "http://a.example/plain": "text/plain"
    }
    assert source.passed_over() == {"image/png": 1, "text/css": 1, "application/octet-stream": 1}


def test_charsets(tmp_path: Path) -> None:
    text = "<p>Příliš žluťoučký kůň úpěl ďábelské ódy."
    made = [
        Made("http://a.example/header", text.encode("iso-8859-2"), [("Content-Type", "text/html; charset=iso-8859-2")]),
        Made("http://a.example/meta", b"<meta charset=iso-8859-2>" + text.encode("iso-8859-2"), [("Content-Type", "text/html")]),
        Made("http://a.example/bom", text.encode("utf-16"), [("Content-Type", "text/html")]),
        Made("http://a.example/utf8", text.encode(), [("Content-Type", "text/html; charset=iso-8859-1")]),
    ]  # fmt: skip
    for batch in read.open(saved(tmp_path, warc(*made))).batches():
        out, skipped = extract(batch, "visible")
        assert skipped == []
        assert set(out.column("text").to_pylist()) == {text[3:]}


def test_only_http_responses_by_default_and_others_on_request(tmp_path: Path) -> None:
    made = [
        PAGES[0],
        Made("http://a.example/request", b"", kind="request", status="GET / HTTP/1.1"),
        Made(
            "urn:x", b"field: value", kind="metadata", headers=[("Content-Type", "application/warc-fields")]
        ),
        Made(
            "http://a.example/thing",
            b"<p>a resource",
            kind="resource",
            headers=[("Content-Type", "text/html")],
        ),
        Made(
            "http://a.example/text", b"converted", kind="conversion", headers=[("Content-Type", "text/plain")]
        ),
        Made("dns:a.example", b"A 1.2.3.4", kind="response", headers=[("Content-Type", "text/dns")]),
        Made("http://a.example/gone", b"<p>not found", status="404 Not Found"),
    ]
    data = warc(*made, gz=False).replace(b"HTTP/1.1 200 OK\r\nContent-Type: text/dns\r\n\r\nA", b"\x41" * 44)
    path = saved(tmp_path, data, "crawl.warc")
    source = read.open(path)
    assert [row["url"] for batch in source.batches() for row in batch.to_pylist()] == [PAGES[0].url]
    assert source.passed_over() == {
        "request records": 1,
        "metadata records": 1,
        "resource records": 1,
        "conversion records": 1,
        "responses that are not HTTP": 1,
        "status 404": 1,
    }
    both = documents(path, select=Select(records=("resource", "conversion")))
    assert [(row["url"], row["body"]) for row in both] == [
        ("http://a.example/thing", b"<p>a resource"),
        ("http://a.example/text", b"converted"),
    ]


# -- damage ---------------------------------------------------------------------------------


def outcome(path: Path) -> tuple[list[str], list[tuple[str, str]]]:
    source = read.open(path)
    urls = [url for batch in source.batches() for url in batch.column("url").to_pylist()]
    return [url.rpartition("/")[2] for url in urls], [(one.reason, one.detail) for one in source.skipped]


def test_a_cut_file_keeps_what_is_whole(tmp_path: Path) -> None:
    for gz in (True, False):
        data = warc(*PAGES, gz=gz)
        found, skipped = outcome(saved(tmp_path, data[:-30]))
        assert found == ["0", "1", "2"]
        assert [reason for reason, _ in skipped] == ["unreadable"]
        assert "record 4: cut short" in skipped[0][1]
        # warcio gives the last one as well, without its end; nothing is lost without a word.
        assert len(found) + len(skipped) == len(seen_by_warcio(data[:-30]))
        assert [len(part) for part in outcome(saved(tmp_path, data[:20]))] == [0, 1]
        last = data.rfind(b"\x1f\x8b\x08" if gz else b"WARC/1.0")
        for cut in (2, 5, 20, 40, 90):
            assert [len(part) for part in outcome(saved(tmp_path, data[: last + cut]))] == [3, 1]


@pytest.mark.parametrize("size", [100, 700, 5000])
def test_members_that_are_cut_anywhere_are_no_damage(tmp_path: Path, size: int) -> None:
    """As bgzip makes them, with an empty member at the end."""
    for plain, name in ((warc(*PAGES, gz=False), "crawl.warc.gz"), (arc(*PAGES, gz=False), "crawl.arc.gz")):
        blocks = [plain[i : i + size] for i in range(0, len(plain), size)]
        found, skipped = outcome(saved(tmp_path, packed([*blocks, b""]), name))
        assert (found, skipped) == (list("0123"), [])


@pytest.mark.parametrize("padding", [bytes(512), b"\n", b"\r\n\r\n"])
@pytest.mark.parametrize("gz", [True, False])
def test_padding_is_no_damage(tmp_path: Path, gz: bool, padding: bytes) -> None:
    found, skipped = outcome(saved(tmp_path, warc(*PAGES, gz=gz) + padding))
    assert (found, skipped) == (list("0123"), [])


@pytest.mark.parametrize("gz", [True, False])
def test_a_last_record_that_is_not_read_and_too_short_is_damage(tmp_path: Path, gz: bool) -> None:
    records = members(warc(*PAGES, Made("http://a.example/", kind="metadata")))
    records[-1] = re.sub(rb"Content-Length: \d+", b"Content-Length: 999", records[-1])
    found, skipped = outcome(saved(tmp_path, packed(records) if gz else b"".join(records)))
    assert found == list("0123")
    assert "999 bytes were announced" in skipped[0][1]


def test_concatenated_and_mixed_files(tmp_path: Path) -> None:
    plain, packed_ = warc(*PAGES, gz=False), warc(*PAGES)
    for data in (packed_ + packed_, plain + packed_, packed_ + plain, gzip.compress(plain) + packed_):
        found, skipped = outcome(saved(tmp_path, data))
        assert found == list("01230123")
        assert skipped == []
    found, skipped = outcome(saved(tmp_path, gzip.compress(plain)))
    assert (found, skipped) == (list("0123"), [])


def test_other_spellings(tmp_path: Path) -> None:
    data = warc(*PAGES, gz=False)

    def lower(match: re.Match[bytes]) -> bytes:
        return match.group().lower()

    small = re.sub(rb"(?m)^(WARC-[A-Za-z-]+|Content-Length|Content-Type):", lower, data)
    for one in (
        small,
        data.replace(b"Content-Length", b"CONTENT-LENGTH"),
        data.replace(b"WARC/1.0", b"WARC/1.1"),
    ):
        for name, bytes_ in (("a.warc", one), ("a.warc.gz", gzip.compress(one))):
            assert outcome(saved(tmp_path, bytes_, name)) == (list("0123"), [])
            assert_as_warcio(saved(tmp_path, one, "a.warc"))
    # Lone line feeds, which warcio does not take.
    heads = re.sub(rb"(?s)WARC/1.0\r\n.*?\r\n\r\n", lambda m: m.group().replace(b"\r\n", b"\n"), data)
    assert outcome(saved(tmp_path, heads, "a.warc")) == (list("0123"), [])
    zst = pa.compress(small, codec="zstd", asbytes=True)
    assert outcome(saved(tmp_path, zst, "a.warc.zst")) == (list("0123"), [])


@pytest.mark.parametrize("gz", [True, False])
def test_urls_that_are_no_utf8_are_latin1(tmp_path: Path, gz: bool) -> None:
    urls = ["http://a.example/caf\xe9", "http://a.example/caf\xe8"]
    records = [member.replace(b"caf", url[-4:].encode("latin-1")) for member, url in
               zip(members(warc(*[Made("http://a.example/caf")] * 2)), urls, strict=True)]  # fmt: skip
    spelt = [one.replace(b"Content-Length", b"content-length", 1) for one in records]
    for kind in (records, spelt):
        path = saved(tmp_path, packed(kind) if gz else b"".join(kind))
        assert_as_warcio(path)
        assert [row["url"] for row in documents(path)] == urls


def test_zstd(tmp_path: Path) -> None:
    data = b"".join(pa.compress(one, codec="zstd", asbytes=True) for one in members(warc(*PAGES)))
    assert outcome(saved(tmp_path, data, "crawl.warc.zst")) == (list("0123"), [])
    found, skipped = outcome(saved(tmp_path, data[:-30], "crawl.warc.zst"))
    assert found == list("012")
    assert len(skipped) == 1
    second = data.find(b"\x28\xb5\x2f\xfd", 4)
    broken = data[: second + 30] + bytes(20) + data[second + 50 :]
    found, skipped = outcome(saved(tmp_path, broken, "crawl.warc.zst"))
    assert found == list("023")
    assert len(skipped) == 1


@pytest.mark.parametrize("gz", [True, False])
@pytest.mark.parametrize(
    ("wrong", "kept"),
    [(b"Content-Length: 9", "123"), (b"Content-Length: x", "123"), (b"Content-Length: -", "123"), (b"X: ", "123"),
     (b"Content-Length: 99999999999999999999", "123")],
)  # fmt: skip
def test_wrong_lengths_cost_one_record(tmp_path: Path, gz: bool, wrong: bytes, kept: str) -> None:
    records = members(warc(*PAGES))
    # The header of the record, not that of the page in it, comes first.
    records[0] = records[0].replace(b"Content-Length: ", wrong, 1)
    found, skipped = outcome(saved(tmp_path, packed(records) if gz else b"".join(records)))
    assert found == list(kept)
    assert [reason for reason, _ in skipped] == ["unreadable"]
    assert "record 1" in skipped[0][1]


def test_a_length_that_is_too_small_is_noticed(tmp_path: Path) -> None:
    records = members(warc(*PAGES))
    length = b"Content-Length: %d" % (len(records[1]) - records[1].find(b"HTTP/1.1") - 4)
    assert length in records[1]
    records[1] = records[1].replace(length, b"Content-Length: 70")
    for data in (packed(records), b"".join(records)):
        found, skipped = outcome(saved(tmp_path, data))
        assert found == list("0123")
    # In a compressed file the rest of the member is passed over; in a plain one it is no record.
    assert "from offset" in skipped[0][1]


@pytest.mark.parametrize("gz", [True, False])
def test_damage_in_the_middle_costs_what_it_hits(tmp_path: Path, gz: bool) -> None:
    records = members(warc(*PAGES))
    parts = [gzip.compress(one) if gz else one for one in records]
    start = 20 if gz else 0
    broken = [*parts[:1], parts[1][:start] + bytes(50) + parts[1][start + 50 :], *parts[2:]]
    found, skipped = outcome(saved(tmp_path, b"".join(broken)))
    assert found == list("023")
    assert len(skipped) == 1
    garbage = [*parts[:2], b"this is no record\r\n" * 5, *parts[2:]]
    found, skipped = outcome(saved(tmp_path, b"".join(garbage)))
    assert found == list("0123")
    assert len(skipped) == 1
    assert "reading goes on at" in skipped[0][1]


@pytest.mark.parametrize(
    "name", ["crawl", "crawl.gz", "crawl.warc.gz.open", "crawl.warc.open", "crawl.zst", "old"]
)
def test_archives_are_known_by_how_they_begin(tmp_path: Path, name: str) -> None:
    """Crawlers add '.open' to what they have not finished; a plain archive was one long text."""
    data = arc(*PAGES, gz=False) if name == "old" else warc(*PAGES, gz="gz" in name)
    if name == "crawl.zst":
        data = pa.compress(data, codec="zstd", asbytes=True)
    saved(tmp_path, data, name)
    assert [row["url"] for row in documents(tmp_path / name)] == [page.url for page in PAGES]
    (tmp_path / "readme.txt").write_text("WARC/1.0 files are in this folder.")
    assert len(documents(tmp_path)) == len(PAGES) + 1


def test_what_is_no_archive_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected the records of a WARC file"):
        documents(saved(tmp_path, b"<html>a page</html>"))
    assert outcome(saved(tmp_path, b"")) == (
        [],
        [("empty", f"{tmp_path}/crawl.warc.gz: there is no record in it")],
    )
    assert outcome(saved(tmp_path, gzip.compress(b"")))[1][0][0] == "empty"
    # Among others it is one bad file.
    saved(tmp_path, b"not an archive", "a.warc")
    saved(tmp_path, warc(*PAGES), "b.warc.gz")
    (tmp_path / "README.txt").write_text("about")
    (tmp_path / "crawl.warc.gz").unlink()
    source = read.open(tmp_path)
    assert [len(batch) for batch in source.batches()] == [4]
    assert sorted((one.id, one.reason) for one in source.skipped) == [
        ("README.txt", "other-format"),
        ("a.warc", "unreadable"),
    ]


# -- limits ---------------------------------------------------------------------------------


def test_limits_skip_and_say_so(tmp_path: Path) -> None:
    bomb = gzip.compress(b"<p>" + b"a" * 3_000_000)
    made = [
        Made("http://a.example/bomb", bomb, [HTML, ("Content-Encoding", "gzip")]),
        Made("http://a.example/tower", BODY, [HTML, ("Content-Encoding", ", ".join(["gzip"] * 9))]),
        Made("http://a.example/big", b"x" * 400_000),
        Made("http://a.example/long", headers=[HTML, ("X-Long", "y" * 70_000)]),
        Made("http://a.example/many", headers=[HTML, *((f"X-{n}", "y") for n in range(2000))]),
        Made("http://a.example/good"),
    ]
    path = saved(tmp_path, warc(*made))
    source = read.open(path, limits=Limits(max_record_bytes=300_000))
    rows = [row for batch in source.batches() for row in batch.to_pylist()]
    assert [row["url"] for row in rows] == ["http://a.example/good"]
    reasons = {
        one.id.rpartition("/")[2]: (one.reason, one.detail.rpartition("(")[2]) for one in source.skipped
    }
    assert reasons == {
        "bomb": ("too-large", "max_expansion)"),
        "tower": ("too-large", "max_encodings)"),
        "big": ("too-large", "max_record_bytes)"),
        "long": ("too-large", "max_header_bytes)"),
        "many": ("too-large", "max_headers)"),
    }
    whole = documents(path, limits=Limits(max_expansion=2000, max_header_bytes=1 << 20, max_headers=5000))
    assert len(whole) == 5
    assert len(whole[0]["body"]) == 3_000_003  # type: ignore[arg-type]


def test_a_long_record_header_and_many_damages_meet_limits(tmp_path: Path) -> None:
    records = members(warc(*PAGES))
    records[1] = records[1].replace(b"WARC-Type", b"X-Long: " + b"y" * 100_000 + b"\r\nWARC-Type", 1)
    found, skipped = outcome(saved(tmp_path, b"".join(records)))
    assert found == list("023")
    assert "header" in skipped[0][1].lower()
    hostile = b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 3\r\n\r\nlonger than that\r\n\r\n"
    path = saved(tmp_path, records[0] + hostile * 200 + records[2])
    source = read.open(path, limits=Limits(max_damages=20))
    list(source.batches())
    assert any("max_damages" in one.detail for one in source.skipped)


def test_a_record_that_is_too_large_is_not_held(tmp_path: Path) -> None:
    data = warc(PAGES[0], Made("http://a.example/film", bytes(150_000_000), [("Content-Type", "video/mp4")]))
    for path in (saved(tmp_path, data), saved(tmp_path, b"".join(members(data)), "crawl.warc")):
        tracemalloc.start()
        found, skipped = outcome(path)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert found == ["0"]
        assert "max_record_bytes" in skipped[0][1]
        assert peak < 30_000_000


# -- revisits -------------------------------------------------------------------------------

LATER = "2024-06-01T12:00:00Z"


def test_revisits_are_the_page_they_repeat(tmp_path: Path) -> None:
    first = warc(*PAGES)
    digests = [row["digest"] for row in seen_by_warcio(first)]
    by_digest = revisit(PAGES[1].url, PAGES[1], date=LATER, digest=digests[1])
    by_capture = revisit("http://other.example/", PAGES[2], date=LATER, digest="sha1:UNKNOWN")
    lost = revisit("http://lost.example/", Made("http://nowhere.example/"), date=LATER, digest="sha1:NONE")
    # The last comes before its original: that works within a file.
    ahead = revisit("http://ahead.example/", PAGES[3], date=LATER, digest=digests[3])
    path = saved(tmp_path, ahead + first + by_digest + by_capture + lost)
    source = read.open(path)
    rows = [row for batch in source.batches() for row in batch.to_pylist()]
    assert [row["url"] for row in rows] == [
        *(page.url for page in PAGES), PAGES[1].url, "http://other.example/", "http://ahead.example/",
    ]  # fmt: skip
    assert [row["body"] for row in rows[4:]] == [PAGES[1].body, PAGES[2].body, PAGES[3].body]
    assert {row["date"] for row in rows[4:]} == {LATER}
    assert [(one.id, one.reason) for one in source.skipped] == [
        ("20240601120000/http://lost.example/", "revisit")
    ]
    again = source.fetch(["20240601120000/http://other.example/"]).to_pylist()
    assert again == [rows[5]]
    none = documents(path, select=Select(records=("response",)))
    assert len(none) == 4


def test_a_revisit_finds_its_original_in_an_earlier_file(tmp_path: Path) -> None:
    first = warc(*PAGES)
    digest = seen_by_warcio(first)[0]["digest"]
    saved(tmp_path, first, "a.warc.gz")
    saved(tmp_path, revisit("http://new.example/", PAGES[0], date=LATER, digest=digest), "b.warc.gz")
    found = documents(tmp_path)
    assert (found[-1]["url"], found[-1]["body"]) == ("http://new.example/", PAGES[0].body)
    assert documents(tmp_path) == found


def test_a_revisit_finds_its_original_in_a_later_file(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    folder.mkdir()
    last = warc(*PAGES)
    digest = seen_by_warcio(last)[0]["digest"]
    by_digest = revisit("http://one.example/", Made("http://no.example/"), date=LATER, digest=digest)
    lost = revisit("http://lost.example/", Made("http://no.example/"), date=LATER, digest="sha1:NONE")
    saved(folder, by_digest + lost, "a.warc.gz")
    saved(folder, revisit("http://two.example/", PAGES[1], date=LATER, digest="sha1:UNKNOWN"), "b.warc.gz")
    saved(folder, b"no archive at all", "c.warc.gz")
    saved(folder, last, "d.warc.gz")
    source = read.open(folder)
    for _ in range(2):
        rows = [row for batch in source.batches() for row in batch.to_pylist()]
        assert [(row["url"], row["body"]) for row in rows] == [
            ("http://one.example/", PAGES[0].body), ("http://two.example/", PAGES[1].body),
            *((page.url, page.body) for page in PAGES),
        ]  # fmt: skip
        assert [(one.id.rpartition("/http")[2], one.reason) for one in source.skipped] == [
            ("://lost.example/", "revisit"), ("c.warc.gz", "unreadable"),
        ]  # fmt: skip
    id = str(rows[1]["id"])
    assert source.fetch([id]).to_pylist() == [rows[1]]
    target = tmp_path / "kept.warc.gz"
    assert read.write_kept(source, [id], target).documents == 1
    assert [row["url"] for row in documents(target)] == [PAGES[1].url, "http://two.example/"]


def test_revisits_in_several_files_have_one_original_in_a_later_file(tmp_path: Path) -> None:
    last = warc(*PAGES)
    digest = seen_by_warcio(last)[2]["digest"]
    away = Made("http://no.example/")
    for name in "abc":
        first = warc(*(Made(f"http://{name}.example/{n}", b"<p>of %s</p>" % name.encode()) for n in range(3)))
        again = revisit(f"http://{name}.example/", away, date=LATER, digest=digest)
        saved(tmp_path, first + again, f"{name}.warc.gz")
    saved(tmp_path, last, "d.warc.gz")
    source = read.open(tmp_path)
    found = {row["url"]: row["body"] for batch in source.batches() for row in batch.to_pylist()}
    assert source.skipped == []
    assert [found[f"http://{name}.example/"] for name in "abc"] == [PAGES[2].body] * 3


def test_a_revisit_of_a_page_over_a_limit_is_skipped_by_name(tmp_path: Path) -> None:
    bomb = gzip.compress(b"<p>" + b"a" * 3_000_000)
    made = Made("http://a.example/bomb", bomb, [HTML, ("Content-Encoding", "gzip")])
    path = saved(tmp_path, warc(made) + revisit("http://b.example/", made, date=LATER, digest="sha1:UNKNOWN"))
    source = read.open(path)
    assert not list(source.batches())
    assert [(one.id.rpartition("/http")[2], one.reason) for one in source.skipped] == [
        ("://a.example/bomb", "too-large"), ("://b.example/", "too-large"),
    ]  # fmt: skip
    assert not source.passed_over()


# -- random files ---------------------------------------------------------------------------

BODIES = st.sampled_from([b"", b"plain text", BODY, "<html>中文</html>".encode(), bytes(range(256))])
ENCODINGS = st.sampled_from(["", "gzip", "deflate", "wrong"])


@given(
    st.lists(
        st.tuples(BODIES, ENCODINGS, st.booleans(), st.sampled_from(["200 OK", "404 Gone"])), max_size=6
    ),
    st.booleans(),
)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_archive_as_warcio_reads_it(
    tmp_path: Path, cases: list[tuple[bytes, str, bool, str]], gz: bool
) -> None:
    made = []
    for number, (body, encoding, in_chunks, status) in enumerate(cases):
        headers = [HTML]
        if encoding:
            headers.append(("Content-Encoding", "gzip" if encoding == "wrong" else encoding))
        packed_ = {"gzip": gzip.compress, "deflate": zlib.compress}.get(encoding, bytes)(body)
        if in_chunks:
            headers.append(("Transfer-Encoding", "chunked"))
            packed_ = chunked(packed_)
        made.append(Made(f"http://a.example/{number}", packed_, headers, status))
    assert_as_warcio(saved(tmp_path, warc(*made, gz=gz)))


@pytest.mark.parametrize("name", ["crawl.warc.gz", "crawl.warc", "crawl.arc.gz", "crawl.warc.zst"])
def test_no_damage_at_all_stops_a_run(tmp_path: Path, name: str) -> None:
    chance = random.Random(name)
    records = members(
        warc(*PAGES, Made("http://a.example/", chunked(ENCODED["br"]), WRONG["not chunked"].headers))
    )
    whole = {
        "crawl.warc.gz": packed(records),
        "crawl.warc": b"".join(records),
        "crawl.arc.gz": arc(*PAGES),
        "crawl.warc.zst": b"".join(pa.compress(one, codec="zstd", asbytes=True) for one in records),
    }[name]
    for _ in range(150):
        data = bytearray(whole)
        for _ in range(chance.randint(1, 4)):
            at = chance.randrange(len(data))
            action = chance.randrange(4)
            if action == 0:
                data[at] = chance.randrange(256)
            elif action == 1:
                del data[at : at + chance.randrange(1, 200)]
            elif action == 2:
                data[at:at] = chance.choice(
                    [b"\r\n", b"\x1f\x8b\x08", b"WARC/1.0\r\n", bytes(30), data[:300]]
                )
            else:
                del data[max(1, at) :]
        try:
            for batch in read.open(saved(tmp_path, bytes(data), name)).batches():
                extract(batch, "prose")
        except InputError as error:
            assert "expected the records" in str(error)  # noqa: PT017 - only this, at the beginning
