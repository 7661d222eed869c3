"""Archives in a WACZ, in a zip, in folders, through a pipe; and written again."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from twins.archives import Made, arc, members, revisit, seen_by_warcio, warc

from samecore import read
from samecore.documents import Limits
from samecore.errors import InputError
from samecore.read import Select

PAGES = [Made(f"http://site.example/{n}", b"<html><p>page number %d of the site</p>" % n) for n in range(4)]


def urls(source: read.Source) -> list[str]:
    return [url for batch in source.batches() for url in batch.column("url").to_pylist()]


def zipped(files: dict[str, bytes], *, method: int = zipfile.ZIP_STORED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as folder:
        for name, data in files.items():
            folder.writestr(name, data)
    return out.getvalue()


def wacz(method: int = zipfile.ZIP_STORED) -> bytes:
    files = {
        "datapackage.json": b"{}",
        "archive/b.warc.gz": warc(*PAGES[2:]),
        "archive/a.warc.gz": warc(*PAGES[:2]),
        "archive/old.arc.gz": arc(Made("http://old.example/")),
        "indexes/index.cdx": b"index",
        "pages/pages.jsonl": b"{}\n",
    }
    return zipped(files, method=method)


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_wacz_is_the_archives_in_it(tmp_path: Path, method: int) -> None:
    path = tmp_path / "crawl.wacz"
    path.write_bytes(wacz(method))
    source = read.open(path)
    assert urls(source) == [*(page.url for page in PAGES), "http://old.example/"]
    assert source.skipped == []
    ids = [f"20240501120000/{PAGES[3].url}", "20080430204825/http://old.example/"]
    assert source.fetch(ids)["id"].to_pylist() == ids
    again = read.reopen(source.describe())
    assert again.fetch(ids)["id"].to_pylist() == ids
    assert read.changed(source.describe()) == []


def test_zips_in_one_another_up_to_a_limit(tmp_path: Path) -> None:
    path = tmp_path / "crawl.wacz"
    path.write_bytes(zipped({"x/inner.wacz": wacz(), "bad.zip": b"no zip"}))
    source = read.open(path)
    assert len(urls(source)) == 5
    assert [(one.id, one.reason) for one in source.skipped] == [(f"{path}/bad.zip", "unreadable")]
    path.write_bytes(zipped({"2.zip": zipped({"3.zip": zipped({"a.warc.gz": warc(*PAGES)})})}))
    source = read.open(path)
    assert urls(source) == []
    assert [one.detail.rpartition(" ")[2] for one in source.skipped] == ["max_archive_depth"]
    assert len(urls(read.open(path, limits=Limits(max_archive_depth=3)))) == 4


def test_a_wacz_that_is_none_or_a_bomb(tmp_path: Path) -> None:
    path = tmp_path / "crawl.wacz"
    path.write_bytes(b"not a zip")
    with pytest.raises(InputError, match="expected a WACZ"):
        read.open(path)
    path.write_bytes(zipped({"datapackage.json": b"{}"}))
    with pytest.raises(InputError, match="no WARC or ARC"):
        read.open(path)
    path.write_bytes(
        zipped({"a.warc": bytes(3_000_000), "b.warc.gz": warc(*PAGES)}, method=zipfile.ZIP_DEFLATED)
    )
    source = read.open(path)
    assert len(urls(source)) == 4
    assert "max_expansion" in source.skipped[0].detail
    whole = wacz()
    for end in range(0, len(whole), 97):
        path.write_bytes(whole[:end])
        with pytest.raises(InputError):
            urls(read.open(path))


def test_folders_and_globs(tmp_path: Path) -> None:
    (tmp_path / "a.warc.gz").write_bytes(warc(*PAGES[:2]))
    (tmp_path / "b.warc").write_bytes(warc(*PAGES[1:], gz=False))
    (tmp_path / "index.cdxj").write_text("x")
    (tmp_path / "notes.html").write_text("<p>about this crawl")
    source = read.open(tmp_path)
    ids = [id for batch in source.batches() for id in batch.column("id").to_pylist()]
    assert ids[2] == f"b.warc:20240501120000/{PAGES[1].url}", "one capture in two files"
    assert len(set(ids)) == 5
    assert {one.reason for one in source.skipped} == {"other-format"}
    assert len(urls(read.open(str(tmp_path / "*.warc*")))) == 5
    with pytest.raises(InputError, match="web archives"):
        read.open(tmp_path / "notes.html", select=Select(url="x"))


def test_a_wet_file_holds_conversions(tmp_path: Path) -> None:
    text = Made("http://a.example/", b"the text", kind="conversion", headers=[("Content-Type", "text/plain")])
    path = tmp_path / "CC-MAIN-1.warc.wet.gz"
    path.write_bytes(warc(text, info=True))
    assert urls(read.open(path)) == ["http://a.example/"]
    assert urls(read.open(path, select=Select(records=("resource",)))) == []


# -- writing --------------------------------------------------------------------------------


def test_kept_captures_are_copied_byte_for_byte(tmp_path: Path) -> None:
    data = warc(*PAGES, info=True)
    path = tmp_path / "crawl.warc.gz"
    path.write_bytes(data)
    source = read.open(path)
    ids = [id for batch in source.batches() for id in batch.column("id").to_pylist()]
    written = read.write_kept(source, [ids[2], ids[0]], tmp_path / "kept.warc.gz")
    assert written.documents == 2
    records = members(data)
    assert members((tmp_path / "kept.warc.gz").read_bytes()) == [records[0], records[1], records[3]]
    read.write_kept(source, [ids[2], ids[0]], tmp_path / "kept.warc")
    assert (tmp_path / "kept.warc").read_bytes() == b"".join([records[0], records[1], records[3]])
    read.write_kept(source, ids, tmp_path / "kept.warc.zst")
    assert urls(read.open(tmp_path / "kept.warc.zst")) == [page.url for page in PAGES]


def test_kept_captures_as_a_table(tmp_path: Path) -> None:
    (tmp_path / "crawl").mkdir()
    (tmp_path / "crawl" / "a.warc.gz").write_bytes(warc(*PAGES[:2]))
    (tmp_path / "crawl" / "b.warc.gz").write_bytes(warc(*PAGES[2:]))
    source = read.open(tmp_path / "crawl")
    ids = [id for batch in source.batches() for id in batch.column("id").to_pylist()]
    read.write_kept(source, ids[1:], tmp_path / "kept.parquet")
    read.write_kept(source, ids[1:], tmp_path / "kept.jsonl")
    rows = pq.read_table(tmp_path / "kept.parquet").to_pylist()
    assert rows == [json.loads(line) for line in (tmp_path / "kept.jsonl").read_text().splitlines()]
    assert [(row["id"], row["html"].encode()) for row in rows] == [
        (id, page.body) for id, page in zip(ids[1:], PAGES[1:], strict=True)
    ]
    again = read.open(tmp_path / "kept.parquet")
    assert [id for batch in again.batches() for id in batch.column("id").to_pylist()] == ids[1:]
    # Several archives become one, or a folder with one for each.
    assert read.write_kept(source, ids[1:], tmp_path / "one.warc.gz").documents == 3
    assert len(urls(read.open(tmp_path / "one.warc.gz"))) == 3
    read.write_kept(source, ids[1:], tmp_path / "folder")
    assert sorted(file.name for file in (tmp_path / "folder").iterdir()) == ["a.warc.gz", "b.warc.gz"]
    for name in ("kept.wacz", "kept.csv", "kept.arc", "kept.warc.bz2"):
        with pytest.raises(InputError):
            read.write_kept(source, ids, tmp_path / name)
        assert not (tmp_path / name).exists()


def test_a_kept_revisit_brings_its_original(tmp_path: Path) -> None:
    first = warc(*PAGES[:2])
    digest = seen_by_warcio(first)[0]["digest"]
    path = tmp_path / "crawl.warc.gz"
    path.write_bytes(first + revisit(PAGES[0].url, PAGES[0], date="2024-06-01T00:00:00Z", digest=digest))
    source = read.open(path)
    ids = [id for batch in source.batches() for id in batch.column("id").to_pylist()]
    assert ids[2] == "20240601000000/http://site.example/0"
    assert read.write_kept(source, ids[1:], tmp_path / "kept.warc.gz").documents == 2
    kept = read.open(tmp_path / "kept.warc.gz")
    assert urls(kept) == [PAGES[0].url, PAGES[1].url, PAGES[0].url]


@pytest.mark.parametrize("target", ["kept.warc.gz", "kept"])
def test_a_kept_revisit_brings_its_original_from_another_file(tmp_path: Path, target: str) -> None:
    """It was written without: a page of which nothing is left."""
    first = warc(*PAGES[:2])
    digest = seen_by_warcio(first)[0]["digest"]
    (tmp_path / "a.warc.gz").write_bytes(first)
    again = revisit("http://site.example/again", PAGES[0], date="2024-06-01T00:00:00Z", digest=digest)
    (tmp_path / "b.warc.gz").write_bytes(again)
    source = read.open((str(tmp_path / "a.warc.gz"), str(tmp_path / "b.warc.gz")))
    ids = [id for batch in source.batches() for id in batch.column("id").to_pylist()]
    assert read.write_kept(source, ids[1:], tmp_path / target).documents == 2
    kept = read.open(tmp_path / target)
    assert sorted(urls(kept)) == [PAGES[0].url, PAGES[1].url, "http://site.example/again"]
    assert not kept.skipped


def test_an_arc_file_is_written_as_one(tmp_path: Path) -> None:
    path = tmp_path / "old.arc.gz"
    path.write_bytes(arc(*PAGES))
    source = read.open(path)
    ids = [id for batch in source.batches() for id in batch.column("id").to_pylist()]
    read.write_kept(source, ids[:2], tmp_path / "kept.arc.gz")
    assert members((tmp_path / "kept.arc.gz").read_bytes()) == members(path.read_bytes())[:3]
