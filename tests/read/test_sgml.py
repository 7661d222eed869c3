"""SGML collections: several documents per file, by tag names."""

from __future__ import annotations

import gzip
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import labelled
from hypothesis import given, settings
from hypothesis import strategies as st

from samecore import read
from samecore.documents import Limits
from samecore.errors import InputError, SettingError
from samecore.read.columns import Options
from samecore.read.elements import plain
from samecore.read.sgml import Sgml, Tags, iso_date, tags_of
from samecore.read.source import Source
from samecore.text.modes import extract

REUTERS = b"""<!DOCTYPE lewis SYSTEM "lewis.dtd">
<REUTERS TOPICS="YES" OLDID="9" NEWID="1">
<DATE>26-FEB-1987 15:01:01.79</DATE>
<TOPICS><D>cocoa</D><D>trade</D></TOPICS>
<TEXT>&#2;
<TITLE>Harbour &lt;closed></TITLE>
<DATELINE> TOWN - </DATELINE><BODY>Showers &amp; storms &lt;ABC.N> all day.
 Reuter
&#3;</BODY></TEXT>
</REUTERS>
<REUTERS TOPICS="NO" OLDID="10" NEWID="2">
<DATE>not a date</DATE>
<TEXT TYPE="BRIEF">&#2;
******<TITLE>Only a line</TITLE>
&#3;</TEXT>
</REUTERS>
"""

TREC = b"""<DOC>
<DOCNO> WT01-B01-1 </DOCNO>
<DOCOLDNO>IA001</DOCOLDNO>
<DOCHDR>
http://www.example.org/a 192.0.2.1 19970101 text/html 120
HTTP/1.0 200 OK
</DOCHDR>
<html><head><title>A page</title></head><body><p>Web words &amp; more.</p></body></html>
</DOC>
<doc>
<docno>AP-2</docno>
<HEADLINE>Two
lines</HEADLINE>
<TEXT>
<P>First part.
</TEXT>
<TEXT>Second part.</TEXT>
</doc>
<DOC><DOCNO>LAST</DOCNO>Bare words, no end tag
"""


def rows(source: Source) -> list[dict[str, str]]:
    return [row for batch in source.batches() for row in batch.to_pylist()]


def test_reuters(tmp_path: Path) -> None:
    path = tmp_path / "r.sgm"
    path.write_bytes(REUTERS)
    source = read.open(path, columns=["TOPICS"])
    first, second = rows(source)
    assert first == {
        "id": "1", "text": "Showers & storms <ABC.N> all day.\n Reuter\n", "content_type": "text/plain",
        "title": "Harbour <closed>", "date": "1987-02-26T15:01:01", "url": None, "TOPICS": "cocoa trade",
    }  # fmt: skip
    assert (second["id"], second["title"], second["date"]) == ("2", "Only a line", "not a date")
    assert second["text"].split() == ["******", "Only", "a", "line"]
    assert source.fetch(["2"]).num_rows == 1
    assert rows(read.reopen(source.describe())) == [first, second]


def test_trec(tmp_path: Path) -> None:
    path = tmp_path / "B01"
    path.write_bytes(TREC)
    page, news, last = rows(read.open(path, format="sgml"))
    assert (page["id"], page["content_type"], page["title"]) == ("WT01-B01-1", "text/html", None)
    assert page["url"] == "http://www.example.org/a"
    assert page["text"].strip().startswith("<html>")
    assert "HTTP/1.0" not in page["text"]
    assert (news["id"], news["title"], news["content_type"]) == ("AP-2", "Two lines", "text/plain")
    assert news["text"].split() == ["First", "part.", "Second", "part."]
    assert (last["id"], last["text"].strip()) == ("LAST", "Bare words, no end tag")


def test_a_page_keeps_its_title_and_its_drawings(tmp_path: Path) -> None:
    path = tmp_path / "web.sgml"
    page = b"<html><head><title>A page</title></head><body><p>Words.</p><svg><text>Label</text></svg></body></html>"
    bare = b"<HEADLINE>Above</HEADLINE><p>A fragment of a page.</p>"
    quoted = b"<TEXT><html><head><title>Told</title></head></TEXT>"
    path.write_bytes(
        b"".join(b"<DOC><DOCNO>%d</DOCNO>%s</DOC>\n" % one for one in enumerate((page, bare, quoted)))
    )
    first, second, third = rows(read.open(path))
    assert (first["text"].strip(), first["title"]) == (page.decode(), None)
    read_batch, _ = extract(next(iter(read.open(path).batches())))
    assert read_batch.column("title").to_pylist() == ["A page", "Above", "Told"]
    assert (second["text"].strip(), second["title"]) == ("<p>A fragment of a page.</p>", "Above")
    assert (third["text"].split(), third["title"]) == (["Told"], "Told")


def test_tags_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "x.sgml"
    path.write_bytes(
        b"<art key='k1'><h>Title</h><b>One.</b></art>\n<art key=k2><c>Two.</c></art><art><b>Three.</b></art>"
    )
    source = read.open(path, tags="document=art,id=@key,text=b|c,title=h")
    found = [(row["id"], row["text"], row["title"]) for row in rows(source)]
    assert found == [("k1", "One.", "Title"), ("k2", "Two.", None), (f"{path}:2", "Three.", None)]
    with pytest.raises(InputError, match="--tags"):
        rows(read.open(path))
    with pytest.raises(InputError, match="no <news-item> found"):
        rows(read.open(path, tags="document=news-item"))


def test_tags_are_checked() -> None:
    assert tags_of("TREC") == Tags()
    assert tags_of("id=ID").document == "DOC"
    assert tags_of("document=news-item").document == "news-item"
    for bad in ("", "x", "text=", "color=RED", "document=a b", "document=@x", "document=A|B", "id"):
        with pytest.raises(SettingError, match="reuters"):
            tags_of(bad)
    with pytest.raises(SettingError):
        read.open(["some text"], tags="nonsense")


def test_written_back(tmp_path: Path) -> None:
    path = tmp_path / "r.sgm"
    path.write_bytes(REUTERS)
    source = read.open(path)
    read.write_kept(source, ["1", "2"], tmp_path / "all.sgm")
    assert (tmp_path / "all.sgm").read_bytes() == REUTERS
    read.write_kept(source, ["2"], tmp_path / "one.sgm.gz")
    kept = rows(read.open(tmp_path / "one.sgm.gz"))
    assert [row["id"] for row in kept] == ["2"]


def test_folder_reads_what_is_named_so(tmp_path: Path) -> None:
    (tmp_path / "a.sgm").write_bytes(REUTERS)
    (tmp_path / "README.txt").write_bytes(b"about <REUTERS> tags")
    (tmp_path / "pairs.tsv").write_bytes(b"a\tb\n")
    source = read.open(tmp_path, format="sgml")
    assert [row["id"] for row in rows(source)] == ["1", "2"]
    assert [one.reason for one in source.skipped] == ["other-format", "other-format"]


@pytest.mark.parametrize("name", ["AP880212", "B01.gz", "disk1.txt", "reut2"])
def test_collections_are_known_by_how_they_begin(tmp_path: Path, name: str) -> None:
    """TREC's files have no suffix, or .gz alone; each was one long text."""
    folder = tmp_path / "disk"
    folder.mkdir()
    raw = REUTERS if name == "reut2" else TREC
    (folder / name).write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
    (folder / "readme").write_text("About the <DOC> elements in these files.")
    expected = [row["text"] for row in rows(read.open(folder / name, format="sgml"))]
    assert len(expected) > 1
    assert [row["text"] for row in rows(read.open(folder / name))] == expected
    found = [row.get("text") for row in rows(read.open(folder))]
    assert [text for text in found if text is not None] == expected
    assert len(found) == len(expected) + 1


def test_limit(tmp_path: Path) -> None:
    path = tmp_path / "r.sgm"
    path.write_bytes(REUTERS.replace(b"Showers", b"Showers " * 100_000))
    source = read.open(path, limits=Limits(max_document_bytes=1000))
    assert [row["id"] for row in rows(source)] == ["2"]
    assert [(one.reason, one.id) for one in source.skipped] == [("too-large", f"{path}, document 1")]


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("26-FEB-1987 15:01:01.79", "1987-02-26T15:01:01"), (" 5-MAR-1987", " 5-MAR-1987"), ("19870226", "1987-02-26"),
        ("February 26, 1987, Thursday", "1987-02-26"), ("26 February 1987", "1987-02-26"), ("99-XXX-1987", "99-XXX-1987"),
        ("19879926", "19879926"), ("soon", "soon"), (None, None),
    ],
)  # fmt: skip
def test_dates(text: str | None, date: str | None) -> None:
    assert iso_date(text) == date


def test_plain() -> None:
    assert plain("a &lt;b&gt; &amp;c <P>d</P> <!-- no --> 1 < 2").split() == [
        "a",
        "<b>",
        "&c",
        "d",
        "1",
        "<",
        "2",
    ]


def test_hostile_documents_take_little_time() -> None:
    start = time.process_time()
    part = Sgml("-", "s", Options(), Limits(), tags="trec")
    for data in (
        b"<!--",
        b"<text>",
        b"<text",
        b"<doc ",
        b"<a",
        b"</text",
        b"<DOCNO>x",
        b"&",
        b"<title>x</title>",
    ):
        part.document(b"<DOC>" + data * ((1 << 20) // len(data)), 0, None)
        part.document(b"<DOC>" + data * ((1 << 20) // len(data)) + b">", 0, None)
    assert time.process_time() - start < 15


pieces = st.sampled_from(
    [b"<DOC>", b"</DOC>", b"<doc ", b"<DOCNO>", b"</DOCNO>", b"<TEXT>", b"</TEXT", b"<TITLE", b">", b"<", b"x", b"&#3;", b"&amp;",
     b"<DATE>", b"26-FEB-1987", b"<DOCHDR>", b"\n", b"\0", b"\xff"]
)  # fmt: skip


@given(st.lists(pieces | st.binary(max_size=6), max_size=30).map(b"".join), st.integers(1, 50))
@settings(max_examples=200)
def test_any_bytes(data: bytes, size: int) -> None:
    part = Sgml("-", "s", Options(columns=("A",)), Limits(), tags="trec")

    def chunks(step: int) -> Iterator[bytes]:
        return (data[i : i + step] for i in range(0, len(data), step))

    slices = list(part.cut(chunks(1 << 20)))
    assert list(part.cut(chunks(size))) == slices
    for number, raw in enumerate(slices):
        assert raw is not None
        part.document(raw, number, None)


def test_reuters_is_read_whole() -> None:
    folder = labelled("reuters")
    found = rows(read.open(str(folder / "*.sgm")))
    count = sum(path.read_bytes().count(b"<REUTERS ") for path in folder.glob("*.sgm"))
    assert len(found) == count == 3000
    assert all(row["text"].strip() and row["date"][:4] == "1987" for row in found)
