"""Pages and text files: folders, globs, encodings, and files that are no documents."""

from __future__ import annotations

import gzip
import os
from encodings import aliases
from pathlib import Path

import pyarrow as pa
import pytest

from samecore import read
from samecore.documents import Limits
from samecore.errors import InputError
from samecore.read import files
from samecore.read.encoding import decode, is_binary, looks_like_html
from samecore.text.modes import extract


def ids(source: read.Source) -> list[str]:
    return [id for batch in source.batches() for id in batch.column("id").to_pylist()]


def texts(source: read.Source) -> dict[str, str]:
    found: dict[str, str] = {}
    for batch in source.batches():
        out, _ = extract(batch, "visible")
        found |= dict(zip(out.column("id").to_pylist(), out.column("text").to_pylist(), strict=True))
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, body in {
        "b.html": "<html><p>page b</html>",
        "a/z.htm": "<p>page z",
        "a/y.txt": "text y",
        "noext": "<!doctype html><p>no suffix",
        "README": "plain, no suffix",
        "page.aspx": "<html><body>dynamic</body></html>",
        "style.css": "p { color: red }",
        ".hidden.txt": "hidden",
        ".git/x.txt": "hidden",
        "labels.tsv": "a\tb\n",
    }.items():
        path = tmp_path / "site" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(body)
    return tmp_path / "site"


def test_folder_in_sorted_order_with_relative_ids(folder: Path) -> None:
    source = read.open(folder)
    assert ids(source) == ["README", "a/y.txt", "a/z.htm", "b.html", "noext", "page.aspx"]
    assert sorted((s.id, s.reason) for s in source.skipped) == [
        ("labels.tsv", "other-format"),
        ("style.css", "other-format"),
    ]
    assert texts(source)["page.aspx"] == "dynamic"
    assert texts(source)["README"] == "plain, no suffix"
    assert source.fetch(["a/z.htm"])["body"].to_pylist() == [b"<p>page z"]


def test_globs_and_lists_have_the_paths_as_ids(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder.parent)
    assert ids(read.open("site/**/*.htm*")) == ["site/a/z.htm", "site/b.html"]
    assert ids(read.open(["site/b.html", "site/a"])) == ["site/b.html", "site/a/y.txt", "site/a/z.htm"]
    assert ids(read.open([Path("site/b.html"), Path("site/b.html")])) == ["site/b.html"]
    assert ids(read.open("site/style.css")) == ["site/style.css"], "a file that is named is read"
    assert ids(read.open(["site/*.html"])) == ["site/b.html"]


def test_what_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read.open(tmp_path / "nothing.html")
    with pytest.raises(InputError, match="no file matches"):
        read.open(str(tmp_path / "*.html"))
    with pytest.raises(InputError, match="no files to read"):
        read.open(tmp_path)
    with pytest.raises(InputError, match="no such file"):
        read.open((str(tmp_path / "a"), str(tmp_path / "b")))


def test_bad_files_are_counted_and_the_others_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "good.txt").write_text("good")
    (tmp_path / "zero.html").write_bytes(b"")
    (tmp_path / "dangling.txt").symlink_to(tmp_path / "gone.txt")
    (tmp_path / "image.html").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    (tmp_path / "paper").write_bytes(b"%PDF-1.7\n" + b"x" * 50)
    (tmp_path / "big.txt").write_text("x" * 2000)
    (tmp_path / "folder.txt").mkdir()
    (tmp_path / "folder.txt" / "inside.txt").write_text("inside")
    (tmp_path / "locked.txt").write_text("locked")
    os.mkfifo(tmp_path / "pipe.txt")
    whole = files.read_whole

    def refuse(path: str, *, limit: int) -> bytes:
        if path.endswith("locked.txt"):
            raise PermissionError(13, "Permission denied", path)
        return whole(path, limit=limit)

    monkeypatch.setattr(files, "read_whole", refuse)
    source = read.open(tmp_path, limits=Limits(max_document_bytes=1000))
    assert ids(source) == ["folder.txt/inside.txt", "good.txt"]
    assert {s.id: s.reason for s in source.skipped} == {
        "zero.html": "empty",
        "dangling.txt": "unreadable",
        "image.html": "not-text",
        "paper": "not-text",
        "big.txt": "too-large",
        "locked.txt": "unreadable",
        "pipe.txt": "unreadable",
    }
    assert all(str(tmp_path) in s.detail for s in source.skipped)


def test_compressed_pages(tmp_path: Path) -> None:
    (tmp_path / "a.html.gz").write_bytes(gzip.compress(b"<p>zipped"))
    (tmp_path / "cut.html.gz").write_bytes(gzip.compress(b"<p>zipped" * 1000)[:-9])
    source = read.open(tmp_path)
    assert texts(source) == {"a.html.gz": "zipped"}
    assert [s.reason for s in source.skipped] == ["unreadable"]


def test_small_batches(folder: Path) -> None:
    source = read.open(folder, batch_bytes=1)
    assert all(len(batch) == 1 for batch in source.batches())


WORDS = "Příliš žluťoučký kůň úpěl ďábelské ódy. " * 5
FRENCH = "Les élèves français ont été reçus à l’école – où ça ? “Très bien” ! " * 3


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (FRENCH.encode(), FRENCH),
        (b"\xef\xbb\xbf" + FRENCH.encode(), FRENCH),
        (FRENCH.encode("utf-16"), FRENCH),
        (b"\xfe\xff" + FRENCH.encode("utf-16-be"), FRENCH),
        ("plain latin words here".encode("utf-16-le"), "plain latin words here"),
        ("plain latin words here".encode("utf-16-be"), "plain latin words here"),
        (FRENCH.encode("cp1252"), FRENCH),
        (b"a\x00b", "a\x00b"),
        (FRENCH.encode() + b"\xff", FRENCH + "\ufffd"),
        (b"", ""),
    ],
)
def test_encodings_of_text(data: bytes, expected: str) -> None:
    assert decode(data) == expected


@pytest.mark.parametrize("name", ["iso-8859-1", "windows-1252"])
def test_latin1_is_read_as_its_superset(name: str) -> None:
    page = f'<meta http-equiv="Content-Type" content="text/html; charset={name}"><p>' + FRENCH
    assert decode(page.encode("cp1252"), html=True) == page


@pytest.mark.parametrize(
    ("name", "text"), [("iso-8859-2", WORDS), ("gb2312", "中文网页" * 20), ("shift_jis", "日本語のページ")]
)
def test_declared_charsets(name: str, text: str) -> None:
    page = f"<html><head><meta charset={name}></head><body>{text}"
    assert decode(page.encode(name), html=True) == page
    xml = f"<?xml version='1.0' encoding='{name}'?><html>{text}"
    assert decode(xml.encode(name), html=True) == xml
    assert decode(text.encode(name), f"text/html; charset={name}") == text


def test_wrong_declarations_do_not_hurt() -> None:
    page = "<meta charset=iso-8859-1><p>" + FRENCH
    assert decode(page.encode(), html=True) == page, "valid UTF-8 beats a single-byte declaration"
    unknown = "<meta charset=x-no-such-thing><p>" + FRENCH
    assert decode(unknown.encode(), html=True) == unknown
    utf16 = "<meta charset=utf-16><p>" + FRENCH
    assert decode(utf16.encode(), html=True) == utf16
    cp1252 = "<meta charset=utf-8><p>" + FRENCH
    assert "élèves français" in decode(cp1252.encode("cp1252"), html=True)


@pytest.mark.parametrize(
    "name", ["undefined", "base64", "quoted-printable", "hex", "idna", "rot13", "punycode", "unicode_escape"]
)
def test_codecs_of_python_are_no_charsets(name: str) -> None:
    page = f"<meta charset={name}><p>" + FRENCH
    assert decode(page.encode("cp1252"), html=True) == page
    assert decode(FRENCH.encode("cp1252"), f"text/html; charset={name}") == FRENCH


@pytest.mark.parametrize(
    "name", sorted({*aliases.aliases, *aliases.aliases.values(), "undefined", "idna", "punycode"})
)
def test_no_label_makes_decoding_fail(name: str) -> None:
    data = b"h\xe9llo \\N{x \\ud800 +AGE- \x00\xff xn--"
    decode(data, f"text/html; charset={name}").encode()
    decode(f"<?xml version='1.0' encoding='{name}'?>".encode() + data, html=True).encode()


@pytest.mark.parametrize(
    "data", [b"\xff\xfe\x00\xd8", b"\xff\xfe\x00", b"\xff\xff\xff", b"\xed\xa0\x80", bytes(range(256))]
)
def test_any_bytes_become_writable_text(data: bytes) -> None:
    for html in (False, True):
        pa.array([decode(data, html=html)], pa.large_string()).validate(full=True)


def test_binary_and_html_are_recognised() -> None:
    assert is_binary(bytes(range(32)) * 10)
    assert is_binary(b"\x00" * 100)
    assert not is_binary(b"text with one \x00 byte and more of it")
    assert not is_binary("utf-16 text".encode("utf-16"))
    assert not is_binary("utf-16 text".encode("utf-16-le"))
    assert looks_like_html(b"<!DOCTYPE html>")
    assert looks_like_html("<html><body>".encode("utf-16"))
    assert not looks_like_html(b"a < b and c > d")
