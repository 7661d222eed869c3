"""The four text modes, hostile pages, and the linear scanner beside the parser."""

from __future__ import annotations

import subprocess
import sys
import time

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samecore.documents import Limits
from samecore.errors import MissingExtra, SettingError
from samecore.text import html, modes
from samecore.text.html_scan import scan_text
from samecore.text.modes import MODES, extract

PAGE = """<!DOCTYPE html><html><head><title>A &amp; B
 title</title><style>p {color: red}</style><script>var x = "<p>no";</script>
<link rel="canonical" href="https://example.org/a?b=1&amp;c=2"><meta property="og:url" content="https://og.example/">
</head><body><!-- a comment <p>not this</p> -->
<div>Navigation <a href="/x">link text</a></div>
<p>First caf&eacute; &#x4e2d; para<b>gra</b>ph.</p><p>Second one.<br>After break.</p>
<table><tr><td>cell1</td><td>cell2</td></tr></table>
<iframe src="x">framed</iframe><noscript>none</noscript>
</body></html>"""

# What a reader sees of it, white space apart.
EXPECTED = "Navigation link text First café 中 paragraph. Second one. After break. cell1 cell2 none"


def batch_of(*pages: str | bytes, kind: str = "text/html") -> pa.RecordBatch:
    body = [page.encode() if isinstance(page, str) else page for page in pages]
    return pa.RecordBatch.from_pydict(
        {
            "id": [str(i) for i in range(len(pages))],
            "body": pa.array(body, pa.large_binary()),
            "content_type": [kind] * len(pages),
        }
    )


def texts(mode: str, *pages: str) -> list[str]:
    found: list[str] = extract(batch_of(*pages), mode)[0].column("text").to_pylist()
    return found


def test_raw_is_the_page_itself() -> None:
    assert texts("raw", PAGE) == [PAGE]


def test_threads_change_nothing() -> None:
    pages = [PAGE.replace("Second", f"Page {n}") if n % 7 else "<p></p>" for n in range(100)]
    alone, skipped = extract(batch_of(*pages), "prose")
    for threads in (2, 5):
        batch, others = extract(batch_of(*pages), "prose", threads=threads)
        assert batch.equals(alone)
        assert others == skipped
    assert len(skipped) == 15


def test_prose_leaves_out_menus_but_never_everything() -> None:
    menu = "<ul><li><a href=x>A link in a list of links</a></ul><p>Home</p>"
    prose = "<p>This is a sentence of more than five words.</p>"
    assert texts("prose", menu + prose) == ["This is a sentence of more than five words."]
    assert texts("prose", "<p>Two words</p><p>Three more words</p>")[0].split() == [
        "Two",
        "words",
        "Three",
        "more",
        "words",
    ]
    chinese = "<p>" + "\u6f22\u5b57\u4ec0\u4e48" * 5 + "</p><p>\u9996\u9875</p>"
    assert texts("prose", chinese) == ["\u6f22\u5b57\u4ec0\u4e48" * 5]


def test_visible() -> None:
    (text,) = texts("visible", PAGE)
    words = text.split()
    assert " ".join(words) == EXPECTED
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    assert "First café 中 paragraph." in lines
    assert "Second one." in lines
    assert "After break." in lines


def test_signcd_blanks_links() -> None:
    (text,) = texts("signcd", PAGE)
    assert "link text" not in text
    assert "First café" in text


def test_main_finds_the_article_or_falls_back() -> None:
    article = "".join(
        f"<p>Sentence number {i} of a long article about nothing much at all.</p>" for i in range(20)
    )
    page = f"<html><body><nav><a href=x>Home</a></nav><article>{article}</article></body>"
    (text,) = texts("main", page)
    assert "Sentence number 19" in text
    assert "Home" not in text
    assert texts("main", "<p>short") == ["short"]


def test_title_and_url_are_kept_apart() -> None:
    for mode in MODES:
        out, skipped = extract(batch_of(PAGE), mode)
        assert out.schema.names == ["id", "text", "title", "url"]
        assert out.column("title").to_pylist() == ["A & B title"]
        assert out.column("url").to_pylist() == ["https://example.org/a?b=1&c=2"]
        assert skipped == []


@pytest.mark.parametrize(
    ("head", "url"),
    [
        ("<meta property='og:url' content='http://og/'>", "http://og/"),
        ("<base href=http://base/x>", "http://base/x"),
        ("<link href=/relative rel=canonical>", None),
        ("<meta name=x content=http://no/>", None),
    ],
)
def test_urls(head: str, url: str | None) -> None:
    assert html.page_url(f"<head>{head}</head>") == url


def test_the_source_goes_before_the_page() -> None:
    batch = batch_of(PAGE, PAGE).append_column("url", pa.array(["http://mine/", None]))
    batch = batch.append_column("n", pa.array([1, 2]))
    out, _ = extract(batch, "visible")
    assert out.column("url").to_pylist() == ["http://mine/", "https://example.org/a?b=1&c=2"]
    assert out.column("n").to_pylist() == [1, 2]


@pytest.mark.parametrize("mode", MODES)
def test_plain_text_is_left_alone(mode: str) -> None:
    text = "a < b\n  &amp; <b>not markup</b>"
    strings = pa.RecordBatch.from_pydict({"id": ["x"], "text": pa.array([text], pa.large_string())})
    out, _ = extract(strings, mode)
    assert out.column("text").to_pylist() == [text]
    assert out.column("text").buffers()[2].address == strings.column("text").buffers()[2].address
    assert extract(batch_of(text, kind="text/plain"), mode)[0].column("text").to_pylist() == [text]


def test_html_in_a_text_column_and_mixed_batches() -> None:
    batch = pa.RecordBatch.from_pydict(
        {
            "id": ["a", "b", "c"],
            "text": pa.array(["<p>page", "<p>text", "<p>text"], pa.large_string()),
            "content_type": ["text/html; charset=utf-8", "text/plain", None],
        }
    )
    assert extract(batch, "visible")[0].column("text").to_pylist() == ["page", "<p>text", "<p>text"]


def test_bodies_without_a_type_are_looked_at() -> None:
    batch = pa.RecordBatch.from_pydict({"id": ["a", "b"], "body": [b"<html><p>page", b"plain <x"]})
    assert extract(batch, "visible")[0].column("text").to_pylist() == ["page", "plain <x"]


def test_pages_without_text_are_skipped() -> None:
    out, skipped = extract(batch_of("<p>good", "<script>x</script>", b"\x89PNG" + bytes(99), ""), "visible")
    assert out.column("id").to_pylist() == ["0"]
    assert [(s.id, s.reason) for s in skipped] == [("1", "empty"), ("2", "not-text"), ("3", "empty")]


def test_a_page_that_breaks_the_extractor_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(page: str, *, limits: Limits) -> str:
        if "bad" in page:
            raise RuntimeError("inside")
        return page

    monkeypatch.setattr(modes, "visible_text", broken)
    out, skipped = extract(batch_of("good", "bad"), "visible")
    assert out.column("id").to_pylist() == ["0"]
    assert skipped[0].reason == "parse-failed"
    assert "RuntimeError: inside" in skipped[0].detail


def test_nul_bytes_and_broken_encodings() -> None:
    out, _ = extract(batch_of(b"<p>a\0b</p><p>caf\xe9 d'\xe9t\xe9</p>"), "visible")
    (text,) = out.column("text").to_pylist()
    assert "café d'été" in text


def test_unknown_modes_and_missing_extras(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SettingError, match="did you mean 'visible'"):
        extract(batch_of(PAGE), "visibel")
    with pytest.raises(SettingError, match="resiliparse"):
        extract(batch_of(PAGE), "main", engine="resilliparse")
    monkeypatch.setitem(sys.modules, "trafilatura", None)
    with pytest.raises(MissingExtra, match=r"samecore\[main\]"):
        extract(batch_of(PAGE), "main", engine="trafilatura")


HOSTILE = {
    "divs": "'<div>word ' * 100_000",
    "closed divs": "'<div>word ' * 100_000 + '</div>' * 100_000",
    "lists": "'<ul><li>word ' * 100_000",
    "short lists": "'<ul><li>word ' * 4_000",
    "fonts": "''.join(f'<font size={i}><p>word ' for i in range(100_000))",
    "few fonts": "''.join(f'<font size={i}>' for i in range(250)) + '<p>word ' * 9_000",
    "breaks": "'<br>word ' * 300_000",
    "attributes": "'<div ' + ' '.join(f'a{i}=1' for i in range(200_000)) + '>word'",
    "tables": "'<table><tr><td>word ' * 100_000",
    "unclosed tags": "'word ' + '<a ' * 300_000",
    "unclosed scripts": "'word ' + '<script>' * 100_000",
    "unclosed comments": "'word ' + '<!-- ' * 100_000",
    "lone quotes": "'word ' + '<a b=\"' * 100_000",
    "half tags": "'word ' + '</' * 300_000",
    "entities": "'word &' * 300_000",
    "iframes": "'word <iframe>' * 100_000",
    "nulls": "'word\\0' * 100_000",
}


@pytest.mark.parametrize("mode", ["visible", "signcd", "main"])
def test_hostile_pages_end_soon(mode: str) -> None:
    """In a process of its own: a stack overflow in a C library would take the tests with it."""
    code = f"""
import time
from samecore.text.modes import extractor
extract = extractor({mode!r})
for name, page in {{{", ".join(f"{name!r}: {make}" for name, make in HOSTILE.items())}}}.items():
    start = time.process_time()
    text = extract("<html><body>" + page)
    assert "word" in text, name
    assert len(text) <= 2 * len(page), name
    assert time.process_time() - start < 4, (name, time.process_time() - start)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]


def test_ordinary_pages_go_to_the_parser() -> None:
    rows = "<tr><td>a<td>b<br><img src=x>" * 800
    assert html.is_tame(PAGE.encode())
    assert html.is_tame(f"<table>{rows}</table>".encode())
    assert html.is_tame(b"")
    assert html.is_tame(("<p>unclosed <li>items <b>bold</b>" * 1000).encode())
    assert not html.is_tame(("<div>" * 300).encode())
    assert html.is_tame(("<div>" * 300).encode(), limits=Limits(max_html_depth=300))


def test_the_scanner_agrees_with_the_parser() -> None:
    assert scan_text(PAGE).split() == texts("visible", PAGE)[0].split()
    quoted = '<p title="a > b">shown <!-- > --> too</p><textarea>x</textarea><P>a<SCRIPT>s</SCRIPT>b'
    assert scan_text(quoted).split() == ["shown", "too", "ab"]
    assert scan_text("a < b and c <3 &lt;d&gt;") == "a < b and c <3 <d>"
    assert scan_text("x<a href=y>link</a>z", blank=frozenset({"a"})) == "xz"


@given(st.text(alphabet="<>/!-\"'= abpscript&;#\0İ\n", max_size=200))
def test_the_scanner_takes_anything(page: str) -> None:
    scan_text(page, blank=frozenset({"a"})).encode()


@given(st.binary(max_size=300), st.sampled_from(MODES))
def test_any_bytes_become_text_or_are_skipped(data: bytes, mode: str) -> None:
    out, skipped = extract(batch_of(b"<html>" + data), mode)
    assert len(out) + len(skipped) == 1
    out.validate(full=True)


def test_large_flat_pages_are_linear() -> None:
    start = time.process_time()
    assert len(html.visible_text("<p>some words here</p>\n" * 100_000)) > 1_000_000
    assert time.process_time() - start < 5
