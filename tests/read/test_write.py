"""Kept documents in the input's own format, whole or not at all."""

from __future__ import annotations

import errno
import gzip
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import cramjam
import orjson
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from samecore import read
from samecore.errors import InputError

LINES = b'{"id":"a",  "text":"one"}\n{ broken\n{"text":"two caf\xe9","id":"b"}\r\n{"id":"c","text":"three"}'
KEPT = b'{"text":"two caf\xe9","id":"b"}\r\n{"id":"c","text":"three"}\n'


def left_in(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


@pytest.mark.parametrize(
    ("name", "unpack"),
    [
        ("out.jsonl", bytes),
        ("out.jsonl.gz", gzip.decompress),
        ("out.jsonl.zst", lambda b: bytes(cramjam.zstd.decompress(b))),
    ],
)
def test_lines_are_written_byte_for_byte(tmp_path: Path, name: str, unpack: Any) -> None:
    (tmp_path / "in.jsonl").write_bytes(LINES)
    source = read.open(tmp_path / "in.jsonl")
    done = read.write_kept(source, ["c", "b"], tmp_path / name)
    assert done.documents == 2
    assert unpack((tmp_path / name).read_bytes()) == KEPT
    assert left_in(tmp_path) == sorted(["in.jsonl", name])


def test_parquet_keeps_its_schema(tmp_path: Path) -> None:
    table = pa.table(
        {"text": [f"t{i}" for i in range(10)], "deep": [{"x": [i]} for i in range(10)]},
        metadata={"made": "here"},
    )
    pq.write_table(table, tmp_path / "in.parquet", row_group_size=4, compression="zstd")
    read.write_kept(read.open(tmp_path / "in.parquet"), ["1", "7", "9"], tmp_path / "out.parquet")
    found = pq.read_table(tmp_path / "out.parquet")
    assert found.equals(pq.read_table(tmp_path / "in.parquet").take([1, 7, 9]), check_metadata=True)
    assert pq.ParquetFile(tmp_path / "out.parquet").metadata.row_group(0).column(0).compression == "ZSTD"


def test_csv_keeps_values(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_bytes(
        b'id;text;n\n01;"a ""b""\nc";007\n02;bad;row;here\n03;caf\xe9;1.50\n04;x;\n'
    )
    source = read.open(tmp_path / "in.csv")
    read.write_kept(source, ["01", "03"], tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_bytes() == b'id;text;n\n01;"a ""b""\nc";007\n03;caf\xe9;1.50\n'


def test_folders_are_copied_with_their_paths(tmp_path: Path) -> None:
    for name in ("a.html", "sub/b.html", "sub/c.txt"):
        path = tmp_path / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"<p>" + name.encode() + b"\xff")
    source = read.open(tmp_path / "in")
    read.write_kept(source, ["sub/b.html", "a.html"], tmp_path / "out")
    assert sorted(str(p.relative_to(tmp_path / "out")) for p in (tmp_path / "out").rglob("*.*")) == [
        "a.html",
        "sub/b.html",
    ]
    assert (tmp_path / "out/sub/b.html").read_bytes() == b"<p>sub/b.html\xff"
    read.write_kept(source, ["a.html"], tmp_path / "out", overwrite=True)
    assert [p.name for p in (tmp_path / "out").iterdir()] == ["a.html"]
    assert left_in(tmp_path) == ["in", "out"]


def test_several_inputs_become_a_folder(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"id":"1","text":"a1"}\n{"id":"2","text":"a2"}\n')
    (tmp_path / "b.jsonl").write_text('{"id":"1","text":"b1"}\n')
    source = read.open((tmp_path / "a.jsonl", tmp_path / "b.jsonl"))
    ids = [id for batch in source.batches() for id in batch.column("id").to_pylist()]
    read.write_kept(source, ids[1:], tmp_path / "out")
    written = sorted((p.name, p.read_text()) for p in (tmp_path / "out").rglob("*.jsonl"))
    assert written == [("a.jsonl", '{"id":"2","text":"a2"}\n'), ("b.jsonl", '{"id":"1","text":"b1"}\n')]
    outside = [p for p in tmp_path.iterdir() if p.name not in ("a.jsonl", "b.jsonl", "out")]
    assert outside == []


@pytest.mark.parametrize("name", ["out.jsonl", "out.parquet", "out.csv", "out.tsv"])
@pytest.mark.parametrize("kind", ["table", "list"])
def test_data_from_memory(tmp_path: Path, name: str, kind: str) -> None:
    rows = [{"id": "x", "text": "one", "n": 1}, {"id": "y", "text": "two, three", "n": 2}]
    source = read.open(pa.Table.from_pylist(rows) if kind == "table" else rows, columns=None)
    read.write_kept(source, ["y"], tmp_path / name)
    again = read.open(tmp_path / name, columns=None)
    n = "2" if name.endswith("sv") else 2  # CSV has no types
    assert [b.select(["id", "text", "n"]).to_pylist() for b in again.batches()] == [[{**rows[1], "n": n}]]


def test_what_cannot_be_written(tmp_path: Path, jsonl: Path) -> None:
    source = read.open(jsonl)
    with pytest.raises(InputError, match="same format"):
        read.write_kept(source, ["a"], tmp_path / "out.parquet")
    with pytest.raises(InputError, match="'nobody'"):
        read.write_kept(source, ["nobody"], tmp_path / "out.jsonl")
    with pytest.raises(InputError, match="spool"):
        read.write_kept(read.open(row for row in [{"text": "x"}]), ["0"], tmp_path / "out.jsonl")
    assert left_in(tmp_path) == ["rows.jsonl"]


def test_names_never_lead_out_of_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "p.html").write_text("<p>up")
    (tmp_path / "work" / "p.html").write_text("<p>here")
    monkeypatch.chdir(tmp_path / "work")
    source = read.open(("../p.html", "p.html", str(tmp_path / "work" / "p.html")))
    assert len(source.parts[0].entries) == 2  # type: ignore[attr-defined]
    read.write_kept(source, ["../p.html", "p.html"], "out")
    assert sorted(p.read_text() for p in Path("out").rglob("*.html")) == ["<p>here", "<p>up"]


@pytest.mark.parametrize("failure", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_nothing_half_written_remains(
    tmp_path: Path, jsonl: Path, monkeypatch: pytest.MonkeyPatch, failure: BaseException
) -> None:
    (tmp_path / "out.jsonl").write_text("before")
    source = read.open(jsonl)

    def fail(*_: object) -> None:
        raise failure

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(type(failure)):
        read.write_kept(source, ["a", "b"], tmp_path / "out.jsonl")
    with pytest.raises(type(failure)), read.atomic_directory(tmp_path / "folder") as folder:
        (folder / "x").symlink_to(fail() or "never")
    assert left_in(tmp_path) == ["out.jsonl", "rows.jsonl"]
    assert (tmp_path / "out.jsonl").read_text() == "before"


@pytest.mark.parametrize("name", ["out.jsonl", "out.jsonl.gz", "out.parquet"])
def test_a_full_disk(tmp_path: Path, name: str) -> None:
    """The kernel refuses to make the file longer, as a full disk does."""
    rows = [{"id": str(i), "text": os.urandom(500).hex()} for i in range(1000)]
    if name.endswith("parquet"):
        path = tmp_path / "in.parquet"
        pq.write_table(pa.Table.from_pylist(rows), path)
    else:
        path = tmp_path / "in.jsonl"
        path.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))
    code = f"""
import resource, signal
from samecore import read
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
source = read.open({str(path)!r})
ids = [id for b in source.batches() for id in b.column("id").to_pylist()]
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    read.write_kept(source, ids, {str(tmp_path / name)!r})
except OSError as error:
    print("refused", error.errno, error.filename, error)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout.startswith(f"refused {errno.EFBIG} {tmp_path / name} "), done.stderr
    assert ".part" not in done.stdout, "the message named a temporary file"
    assert left_in(tmp_path) == [path.name]


def test_standard_output(jsonl: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    read.write_kept(read.open(jsonl), ["a"], "-")
    assert capfdbinary.readouterr().out == jsonl.read_bytes().split(b"\n")[0] + b"\n"


def test_atomic_path_makes_folders_and_honours_the_umask(tmp_path: Path) -> None:
    with read.atomic_path(tmp_path / "new" / "x.txt") as path:
        path.write_text("x")
        assert not (tmp_path / "new" / "x.txt").exists()
    assert (tmp_path / "new" / "x.txt").read_text() == "x"
    (tmp_path / "plain").write_text("x")
    assert (tmp_path / "new" / "x.txt").stat().st_mode == (tmp_path / "plain").stat().st_mode
    with pytest.raises(InputError, match="folder"), read.atomic_path(tmp_path / "new"):
        pass
    with pytest.raises(InputError, match="found a file"), read.atomic_directory(tmp_path / "plain"):
        pass


def test_errors_of_the_disk_name_what_was_asked_for(tmp_path: Path) -> None:
    """They named a '.part' file that nobody had asked for, or the folder above."""
    (tmp_path / "file").write_text("x")
    for target in (tmp_path / "file" / "out.txt", tmp_path / "file" / "sub" / "out.txt"):
        for write in (read.atomic_path, read.atomic_directory):
            with pytest.raises(OSError, match=r"Not a directory|File exists") as caught, write(target):
                pass
            assert caught.value.filename == str(target)

    def refuse(folder: Path, name: str) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(folder / name))

    with pytest.raises(PermissionError) as caught, read.atomic_directory(tmp_path / "new" / "out") as folder:
        refuse(folder, "a/b.html")
    assert caught.value.filename == str(tmp_path / "new" / "out")
    with pytest.raises(PermissionError) as caught, read.atomic_path(tmp_path / "out.txt"):
        refuse(tmp_path, "input.html")
    assert caught.value.filename == str(tmp_path / "input.html"), "an error of reading keeps its name"
    assert left_in(tmp_path) == ["file"]


def test_a_full_disk_while_files_are_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The system names the file that is copied from, which is not the one at fault."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.html").write_text("<p>a")

    def full(start: str, end: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", start, None, str(end))

    monkeypatch.setattr("shutil.copy2", full)
    with pytest.raises(OSError, match="No space") as caught:
        read.write_kept(read.open(tmp_path / "in"), ["a.html"], tmp_path / "out")
    assert caught.value.filename == str(tmp_path / "out")
    assert left_in(tmp_path) == ["in"]


def test_links_and_devices(tmp_path: Path) -> None:
    """A link was replaced by the file instead of followed, and so was a device."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    (tmp_path / "x.txt").symlink_to(tmp_path / "real" / "x.txt")
    with read.atomic_path(tmp_path / "x.txt") as path:
        path.write_text("x")
    assert (tmp_path / "x.txt").is_symlink()
    assert left_in(tmp_path / "real") == ["x.txt"]
    with read.atomic_directory(tmp_path / "link", overwrite=True) as folder:
        (folder / "y.txt").write_text("y")
    assert (tmp_path / "link").is_symlink()
    assert left_in(tmp_path / "real") == ["y.txt"]
    with read.atomic_path(os.devnull) as path:
        path.write_text("x")
    assert not Path(os.devnull).is_file()


def test_a_folder_with_something_in_it_is_not_replaced(tmp_path: Path, jsonl: Path) -> None:
    """What was in it was deleted without a word."""
    for name in ("in/a.html", "thesis/chapter.tex", "thesis/data.csv", "thesis/x.txt", "thesis/y.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("precious")
    source = read.open(tmp_path / "in")
    refused = r"thesis: the folder is not empty, it holds chapter.tex, data.csv, x.txt and 1 more; choose"
    for ask in (read.check_target, lambda s, t: read.write_kept(s, ["a.html"], t)):
        with pytest.raises(InputError, match=refused):
            ask(source, tmp_path / "thesis")
    assert len(left_in(tmp_path / "thesis")) == 4
    with pytest.raises(InputError, match="found a file"):
        read.check_target(source, tmp_path / "thesis" / "x.txt")
    read.check_target(source, tmp_path / "thesis", overwrite=True)
    read.write_kept(read.open(jsonl), ["a"], tmp_path / "thesis" / "x.txt")  # one file is replaced
    assert (tmp_path / "thesis" / "x.txt").read_text().startswith('{"id":"a"')


def test_the_working_directory_as_target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """'.' has no name of its own, which was a ValueError; and the process must not lose its folder."""
    for name in ("in/a.html", "in/b.html", "work/old.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("<p>text")
    monkeypatch.chdir(tmp_path / "work")
    source = read.open(tmp_path / "in")
    with pytest.raises(InputError, match=r"it holds old\.txt"):
        read.write_kept(source, ["a.html"], ".")
    read.write_kept(source, ["a.html"], ".", overwrite=True)
    assert os.listdir(".") == ["a.html"]
    Path("a.html").unlink()
    read.write_kept(source, ["b.html"], Path("."))
    assert os.listdir(".") == left_in(tmp_path / "work") == ["b.html"]
    assert left_in(tmp_path) == ["in", "work"]

    def refuse(start: Path, end: Path) -> None:
        if start.name == "a.html":
            raise PermissionError(errno.EACCES, "Permission denied", str(start))
        rename(start, end)

    rename = os.rename
    monkeypatch.setattr(os, "rename", refuse)
    with pytest.raises(PermissionError):
        read.write_kept(source, ["a.html"], ".", overwrite=True)
    assert os.listdir(".") == ["b.html"]
    assert left_in(tmp_path) == ["in", "work"]


def test_an_output_never_overlaps_an_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An input was replaced by what was kept of it, or its folder was deleted with it."""
    for name in ("data/a.jsonl", "data/b.jsonl", "pages/x.html", "pages/sub/y.html"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text('{"id": "1", "text": "x"}\n')
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "data" / "a.jsonl")
    (tmp_path / "more").symlink_to(tmp_path / "pages")
    monkeypatch.chdir(tmp_path)
    before = sorted(str(path) for path in tmp_path.rglob("*"))
    for asked, target, message in [
        ("data/a.jsonl", "data/a.jsonl", "is the input .*data/a.jsonl"),
        ("data/a.jsonl", "link.jsonl", "is the input .*data/a.jsonl"),
        ("link.jsonl", "data/../data/a.jsonl", "is the input .*link.jsonl"),
        (("data/a.jsonl", "data/b.jsonl"), "data", "holds the input .*data/a.jsonl"),
        ("data/*.jsonl", "data", "holds the input .*data/a.jsonl"),
        ("data", "data/kept", "lies in the input folder .*data"),
        ("pages", "pages", "is the input folder .*pages"),
        ("pages", "more", "is the input folder .*pages"),
        ("more", "pages/sub/kept", "lies in the input folder .*more"),
        ("pages", ".", "holds the input .*pages"),
        ("pages", "", "holds the input .*pages"),
        ("pages/sub", "pages", "holds the input .*pages/sub"),
        ("pages/*.html", "pages", "holds the input .*pages/x.html"),
        (("pages/sub", "data/a.jsonl"), "pages/sub/z", "lies in the input folder .*pages/sub"),
    ]:
        source = read.open(asked)
        where = re.escape(target or ".")
        for ask in (read.refuse_overlap, lambda s, t: read.write_kept(s, [], t, overwrite=True)):
            with pytest.raises(InputError, match=f"^{where}: the output (folder )?{message}"):
                ask(source, Path(target))
    assert sorted(str(path) for path in tmp_path.rglob("*")) == before
    read.refuse_overlap(read.open("data/*.jsonl"), "data/kept.jsonl")
    read.refuse_overlap(read.open("pages"), "pages2")
    read.refuse_overlap(read.open("pages"), "-")
    read.refuse_overlap(read.open("-"), "-")
    read.refuse_overlap(read.open(["text"]), "data")


@pytest.mark.parametrize("name", ["k.jsonl.bz2", "k.jsonl.XZ", "k.jsonl.lz4", "k.zip"])
def test_unknown_compressions_are_refused(tmp_path: Path, jsonl: Path, name: str) -> None:
    """Plain text was written under a name that says it is compressed."""
    for source in (read.open(jsonl), read.open([{"id": "a", "text": "x"}])):
        with pytest.raises(InputError, match=r"cannot be written; the compressions there are: \.gz, \.zst"):
            read.write_kept(source, ["a"], tmp_path / name)
    pq.write_table(pa.table({"id": ["a"], "text": ["x"]}), tmp_path / "in.parquet")
    for named in ("out.parquet.gz", "out.zst"):
        with pytest.raises(InputError, match="compressed inside"):
            read.write_kept(read.open(tmp_path / "in.parquet"), ["a"], tmp_path / named)
    assert left_in(tmp_path) == ["in.parquet", "rows.jsonl"]


def test_gzip_is_of_level_6_and_the_same_every_time(tmp_path: Path) -> None:
    """It was of level 9, which takes five times as long for a few percent."""
    words = [f"word{i * i % 997}" for i in range(2000)]
    rows = [{"id": str(i), "text": " ".join(words[i : i + 300])} for i in range(300)]
    (tmp_path / "in.jsonl").write_bytes(lines := b"".join(orjson.dumps(row) + b"\n" for row in rows))
    source = read.open(tmp_path / "in.jsonl")
    for name in ("a.jsonl.gz", "b.jsonl.gz"):
        read.write_kept(source, [row["id"] for row in rows], tmp_path / name)
    packed = (tmp_path / "a.jsonl.gz").read_bytes()
    assert packed == (tmp_path / "b.jsonl.gz").read_bytes()
    assert packed[:9] == b"\x1f\x8b\x08\0\0\0\0\0\0", "no name, no time, not the best compression"
    assert gzip.decompress(packed) == lines


def kept_with_skipped(source: read.Source, target: Path) -> int:
    """Every document and everything that was skipped, as the command line keeps by default."""
    ids = [id for batch in source.batches() for id in batch.column("id").to_pylist()]
    return read.write_kept(source, [*ids, *(one.id for one in source.skipped)], target).documents


@pytest.mark.parametrize("id", ['"id": "%s", ', ""])
def test_skipped_lines_can_be_kept(tmp_path: Path, id: str) -> None:
    """Any skipped line of a file with ids stopped the writing: no document with the id '2'."""
    one, empty = (b'{%s"text": "%s"}\n' % ((id % i if id else "").encode(), i.encode()) for i in ("x", ""))
    lines = one + b"{ broken\n" + empty + b'{"text": 7}\n' + b"[]\n"
    (tmp_path / "in.jsonl").write_bytes(lines)
    assert kept_with_skipped(read.open(tmp_path / "in.jsonl"), tmp_path / "out.jsonl") == 5
    assert (tmp_path / "out.jsonl").read_bytes() == lines
    with pytest.raises(InputError, match="'nobody'"):
        read.write_kept(read.open(tmp_path / "in.jsonl"), ["nobody"], tmp_path / "out.jsonl")


def test_skipped_files_can_be_kept(tmp_path: Path) -> None:
    """An empty page in a folder stopped the writing."""
    (tmp_path / "in").mkdir()
    for name, body in {
        "a.html": b"<p>a",
        "zero.html": b"",
        "x.css": b"p {}",
        "image.html": bytes(99),
    }.items():
        (tmp_path / "in" / name).write_bytes(body)
    (tmp_path / "in" / "gone.html").symlink_to(tmp_path / "nowhere")
    assert kept_with_skipped(read.open(tmp_path / "in"), tmp_path / "out") == 4
    assert left_in(tmp_path / "out") == ["a.html", "image.html", "x.css", "zero.html"]


def test_skipped_rows_can_be_kept(tmp_path: Path) -> None:
    """Those that can be copied are; the count is of what was written."""
    (tmp_path / "in.csv").write_text("id,text\n1,one\n2,too,many\n3,\n")
    assert kept_with_skipped(read.open(tmp_path / "in.csv"), tmp_path / "out.csv") == 2
    assert (tmp_path / "out.csv").read_text() == "id,text\n1,one\n3,\n"
    items = [None, {"id": "a", "text": "one"}, 7, {"id": "b", "text": ""}]
    assert kept_with_skipped(read.open(items), tmp_path / "out.jsonl") == 2


def test_a_damaged_row_group_is_left_out(tmp_path: Path) -> None:
    """The writing stopped at rows that had not been read either."""
    path = tmp_path / "in.parquet"
    table = pa.table(
        {"id": [f"d{i}" for i in range(300)], "text": [f"text number {i} " * 20 for i in range(300)]}
    )
    pq.write_table(table, path, row_group_size=100, compression="zstd", use_dictionary=False)
    column = pq.ParquetFile(path).metadata.row_group(1).column(1)
    data = bytearray(path.read_bytes())
    start = column.data_page_offset
    data[start : start + column.total_compressed_size] = b"\xff" * column.total_compressed_size
    path.write_bytes(data)
    assert kept_with_skipped(read.open(path), tmp_path / "out.parquet") == 200
    found = pq.read_table(tmp_path / "out.parquet")
    assert found == table.take([*range(100), *range(200, 300)])


def test_the_name_of_a_folder_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text('{"id": "a", "text": "one"}\n')
    with pytest.raises(InputError, match="found the name of a folder"):
        read.write_kept(read.open(tmp_path / "in.jsonl"), ["a"], f"{tmp_path}/out/")
    (tmp_path / "in2.jsonl").write_text('{"id": "b", "text": "two"}\n')
    both = read.open((str(tmp_path / "in.jsonl"), str(tmp_path / "in2.jsonl")))
    with pytest.raises(InputError, match="go into a folder"):
        read.write_kept(both, ["a"], tmp_path / "out.jsonl")
    assert read.write_kept(both, ["a"], tmp_path / "out").documents == 1
