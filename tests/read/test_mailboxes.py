"""Mailboxes, Maildirs and folders of mails: found, cut, named, fetched and written back."""

from __future__ import annotations

import gzip
import mailbox
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from read import mails

from samecore import read
from samecore.documents import Limits
from samecore.errors import InputError, SettingError
from samecore.read.mailfiles import MailOptions, looks_like_mail
from samecore.read.mbox import Mbox, is_mailbox
from samecore.read.source import Source

ENVELOPE = b"From ann@example.org Fri Aug 23 11:03:33 2002\n"
BODIES = ("The first.", "The second, of two lines.\n\nAnd a third.", "The last.")


def message(number: int, body: bytes) -> bytes:
    return b"From: a@b\nSubject: S%d\nMessage-ID: <m%d@b>\nDate: 23 Aug 2002 10:00 GMT\n\n%s\n" % (
        number,
        number,
        body,
    )


def mbox_of(*bodies: bytes, escape: bool = True) -> bytes:
    out = b""
    for number, body in enumerate(bodies):
        raw = message(number, body)
        out += ENVELOPE + (raw.replace(b"\nFrom ", b"\n>From ") if escape else raw) + b"\n"
    return out


@pytest.fixture
def box(tmp_path: Path) -> Path:
    path = tmp_path / "mail.mbox"
    path.write_bytes(mbox_of(*(body.encode() for body in BODIES)))
    return path


def rows(source: Source) -> list[dict[str, str]]:
    return [row for batch in source.batches() for row in batch.to_pylist()]


def texts(source: Source) -> list[str]:
    return [row["text"].strip() for row in rows(source)]


def test_mailbox(box: Path) -> None:
    source = read.open(box)
    found = rows(source)
    assert [row["id"] for row in found] == ["m0@b", "m1@b", "m2@b"]
    assert [row["text"].strip() for row in found] == list(BODIES)
    assert found[1] | {"text": ""} == {
        "id": "m1@b", "text": "", "content_type": "text/plain", "title": "S1",
        "date": "2002-08-23T10:00:00Z", "sender": "a@b",
    }  # fmt: skip
    assert source.fetch(["m2@b", "m0@b"])["text"].to_pylist()[0].strip() == "The last."
    assert source.describe()["format"] == "mbox"
    again = read.reopen(source.describe())
    assert texts(again) == list(BODIES)


def test_as_the_standard_library_cuts_it(tmp_path: Path) -> None:
    path = tmp_path / "std.mbox"
    theirs = mailbox.mbox(str(path))
    for number in range(30):
        theirs.add(
            message(
                number,
                b"Text %d\nFrom here on\n>From there\n\nFrom joe Mon Jan  1 10:00:00 2001\nSubject: no"
                % number,
            )
        )
    theirs.flush()
    found = texts(read.open(path))
    assert len(found) == len(theirs) == 30
    theirs.close()
    assert found[3].startswith("Text 3\nFrom here on\n")
    assert "\nFrom joe Mon Jan  1 10:00:00 2001\nSubject: no" in found[3]


@pytest.mark.parametrize("line_end", [b"\n", b"\r\n"])
def test_mboxrd_and_mboxcl2(tmp_path: Path, line_end: bytes) -> None:
    body = b"A text.\n\nFrom joe Mon Jan  1 10:00:00 2001\nSubject: inside\n\n>From kept as it is\n"
    path = tmp_path / "cl2.mbox"
    raw = b""
    for number in range(3):
        head = b"Subject: S\nMessage-ID: <c%d>\nContent-Length: %d\n\n" % (
            number,
            len(body.replace(b"\n", line_end)),
        )
        raw += (ENVELOPE + head + body + b"\n").replace(b"\n", line_end)
    path.write_bytes(raw)
    assert texts(read.open(path)) == [body.decode().strip()] * 3
    # Where the lengths lie, the envelopes decide: each message is cut in two.
    path.write_bytes(raw.replace(b"Content-Length: ", b"Content-Length: 7"))
    assert len(texts(read.open(path))) == 6


def test_lines_that_end_with_a_carriage_return_alone(tmp_path: Path) -> None:
    bodies = (b"One.\n>From here on.\n", b"Two.", b"Three, with a stray\r line feed.")
    raw = mbox_of(*bodies)
    path = tmp_path / "mac"  # known by how it begins
    path.write_bytes(raw.translate(bytes.maketrans(b"\r\n", b"\n\r")))
    source = read.open(path)
    found = rows(source)
    assert [row["id"] for row in found] == ["m0@b", "m1@b", "m2@b"]
    assert [row["title"] for row in found] == ["S0", "S1", "S2"]
    assert found[0]["text"].strip() == "One.\nFrom here on."
    assert source.fetch(["m2@b"]).to_pylist() == [found[2]]
    read.write_kept(source, ["m0@b", "m1@b", "m2@b"], tmp_path / "kept.mbox")
    assert (tmp_path / "kept.mbox").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("before", [b"", b"\n\n", b"\r\n", b"\xef\xbb\xbf"])
@pytest.mark.parametrize(
    "envelope",
    [
        b"From joe@example.org",
        b"From -",
        b"From  Fri Aug 23 11:03:33 2002",
        b"From ???@??? Fri Aug 23 11:03:33 2002",
        b"From joe Fri Aug 23 2002",
        b"From joe@example.org Fri, 23 Aug 2002",
    ],
)
def test_odd_envelopes(tmp_path: Path, before: bytes, envelope: bytes) -> None:
    path = tmp_path / "inbox"
    text = b"Hi.\n\nFrom my brother I hear:\nSubject: matters\nFrom joe@example.org\nTo: you\n\nFrom Monday\nFrom: x"
    path.write_bytes(before + mbox_of(text, b"Two.").replace(ENVELOPE, envelope + b"\n"))
    assert [body.splitlines()[0] for body in texts(read.open(path))] == ["Hi.", "Two."]


def test_usenet_archive_and_missing_id(tmp_path: Path) -> None:
    path = tmp_path / "group.mbox"
    path.write_bytes(
        b"From -1234567890123456789\nX-Google: y\n\nOne.\n\nFrom 987654321098\nSubject: t\n\nTwo.\n"
    )
    source = read.open(path)
    assert [row["id"] for row in rows(source)] == [f"{path}:0", f"{path}:1"]
    assert source.fetch([f"{path}:1"])["text"].to_pylist()[0].strip() == "Two."


def test_two_with_one_id(tmp_path: Path) -> None:
    path = tmp_path / "m.mbox"
    path.write_bytes(mbox_of(b"One.") + mbox_of(b"Two."))
    source = read.open(path)
    assert [row["id"] for row in rows(source)] == ["m0@b", "m0@b#2"]
    assert source.fetch(["m0@b#2"])["text"].to_pylist()[0].strip() == "Two."


@given(st.lists(st.sampled_from([b"x", b"\n", b"From ", b">From ", b"From a 10:00 2001\n", ENVELOPE, b"a:b\n", b"\r\n"])
                | st.binary(max_size=8), max_size=30), st.integers(1, 60))  # fmt: skip
@settings(max_examples=200)
def test_cutting_does_not_depend_on_chunks(pieces: list[bytes], size: int) -> None:
    data = b"".join(pieces)
    part = Mbox("-", "m", Limits(), MailOptions())

    def chunks(step: int) -> Iterator[bytes]:
        return (data[i : i + step] for i in range(0, len(data), step))

    whole = list(part.cut(chunks(1 << 20)))
    assert list(part.cut(chunks(size))) == whole
    assert b"".join(one or b"" for one in whole) == data


def test_long_messages_are_skipped_and_the_others_read(tmp_path: Path) -> None:
    path = tmp_path / "m.mbox"
    path.write_bytes(mbox_of(b"One.", b"x " * 3_000_000, b"Three."))
    source = read.open(path, limits=Limits(max_mail_bytes=1000))
    assert texts(source) == ["One.", "Three."]
    (skipped,) = source.skipped
    assert (skipped.reason, skipped.id) == ("too-large", f"{path}, message 2")
    assert "max_mail_bytes" in skipped.detail


def test_compressed_and_cut_short(tmp_path: Path, box: Path) -> None:
    path = tmp_path / "m.mbox.gz"
    chance = random.Random(1)
    whole = gzip.compress(mbox_of(*(chance.randbytes(300).hex().encode() for _ in range(500))))
    path.write_bytes(whole)
    assert len(texts(read.open(path))) == 500
    path.write_bytes(whole[: len(whole) // 2])
    source = read.open(path)
    assert 0 < len(texts(source)) < 500
    assert source.skipped[-1].reason == "unreadable"


def test_standard_input(box: Path) -> None:
    script = "import sys; from samecore import read; print(sum(len(b) for b in read.open('-', format=sys.argv[1]).batches()))"
    for format, data, count in (
        ("mbox", box.read_bytes(), 3),
        ("mail", box.read_bytes(), 3),
        ("mail", mails.PLAIN, 1),
    ):
        run = subprocess.run(
            [sys.executable, "-c", script, format], input=data, capture_output=True, check=True
        )
        assert int(run.stdout) == count


# -- folders ------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    base = tmp_path / "mails"
    (base / "in").mkdir(parents=True)
    (base / "in" / "1.eml").write_bytes(mails.PLAIN)
    (base / "in" / "2").write_bytes(
        mails.ALTERNATIVE.replace(b"Subject", b"To: x@y\nDate: 1 Jan 2001 10:00 GMT\nSubject")
    )
    (base / "in" / "3.0a1b2c").write_bytes(ENVELOPE + message(3, b"Three."))
    (base / "4.txt").write_bytes(message(4, b"Four."))
    (base / "notes.txt").write_bytes(b"Subject: no mail\n\nJust a text.\n")
    (base / "labels.tsv").write_bytes(b"id\tcluster\n")
    (base / "box").write_bytes(mbox_of(b"Five.", b"Six."))
    return base


def test_folder_of_mails_and_other_things(folder: Path) -> None:
    source = read.open(folder)
    found = {row["id"]: row for row in rows(source)}
    assert sorted(found) == ["4.txt", "in/1.eml", "in/2", "in/3.0a1b2c", "m0@b", "m1@b", "notes.txt"]
    assert found["4.txt"]["title"] == "S4"
    assert found["4.txt"]["text"].strip() == "Four."
    assert found["notes.txt"]["body"] == b"Subject: no mail\n\nJust a text.\n"
    assert [one.id for one in source.skipped] == ["labels.tsv"]
    assert source.fetch(["in/2"])["text"].to_pylist() == ["The plain words."]
    assert read.reopen(source.describe()).fetch(["m1@b"]).num_rows == 1


def test_format_mail_takes_everything_but_tables(folder: Path) -> None:
    source = read.open(folder, format="mail")
    found = {row["id"]: row for row in rows(source)}
    assert found["notes.txt"]["title"] == "no mail"
    assert "m1@b" in found
    assert [one.reason for one in source.skipped] == ["other-format"]
    assert len(rows(read.open(folder, format="text"))) == 7


def test_other_headers_as_columns_and_ids(folder: Path) -> None:
    source = read.open(folder / "in", columns=["To", "sender"], id_column="message-id")
    found = {row["id"]: row for row in rows(source)}
    assert found["<one@example.org>"]["To"] == "bob@example.org"
    assert set(found) == {"<one@example.org>", "<two@example.com>", "<m3@b>"}
    assert source.fetch(["<m3@b>"]).num_rows == 1


def test_binary_and_empty_files(tmp_path: Path) -> None:
    (tmp_path / "a.eml").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0")
    (tmp_path / "b.eml").write_bytes(b"")
    (tmp_path / "c.eml").write_bytes(mails.nested(80))
    (tmp_path / "d.eml").write_bytes(b"Subject: x\nContent-Type: image/png\n\n\x89PNG")
    source = read.open(tmp_path)
    assert [(row["id"], row["text"]) for row in rows(source)] == [("d.eml", " ")]
    assert [one.reason for one in source.skipped] == ["not-text", "empty", "too-large"]


def test_emlx(tmp_path: Path) -> None:
    (tmp_path / "1.emlx").write_bytes(
        b"%d\n%s<?xml version='1.0'?><plist/>" % (len(mails.PLAIN), mails.PLAIN)
    )
    (tmp_path / "2.emlx").write_bytes(mails.PLAIN)
    first, second = rows(read.open(tmp_path))
    assert first["text"] == second["text"] == "The harbour was closed by the storm – for a whole day.\n"


def test_what_looks_like_a_mail() -> None:
    assert looks_like_mail(mails.PLAIN)
    assert looks_like_mail(ENVELOPE + mails.PLAIN)
    assert looks_like_mail(b"Path: x\nFrom: a\nNewsgroups: b.c\nSubject: d\n\ntext")
    for no in (
        b"", b"A text.\n", b"From: a\n\nb", b"Subject: a\nDate: b\nTo: c\n\nd", b"From the start: it was\nto: x",
        b"From: a\nTo: b\nSubject: c\nand then a text without a blank line",
        b'{"From": "x"}', b"<html><body>From: a",
    ):  # fmt: skip
        assert not looks_like_mail(no), no
    assert is_mailbox(mbox_of(b"a", b"b"))
    assert not is_mailbox(mbox_of(b"a"))
    assert not is_mailbox(mbox_of(b"a\n\nFrom here on 10:00 it rained.\n"))


@pytest.fixture
def maildir(tmp_path: Path) -> Path:
    base = tmp_path / "Maildir"
    for name in ("cur", "new", "tmp", ".Sent/cur", ".Sent/new", ".Sent/tmp", ".hidden"):
        (base / name).mkdir(parents=True)
    (base / "cur" / "1.a.host:2,RS").write_bytes(message(1, b"One."))
    (base / "new" / "2.b.host").write_bytes(message(2, b"Two."))
    (base / "tmp" / "3.c.host").write_bytes(message(3, b"Half"))
    (base / ".Sent" / "cur" / "4.d.host:2,S").write_bytes(message(4, b"Four."))
    (base / "dovecot-uidlist").write_text("3 V1\n")
    (base / ".hidden" / "x").write_bytes(message(5, b"No."))
    return base


def test_maildir(maildir: Path, tmp_path: Path) -> None:
    source = read.open(maildir)
    assert {row["id"]: row["text"].strip() for row in rows(source)} == {
        ".Sent/4.d.host": "Four.", "1.a.host": "One.", "2.b.host": "Two.",
    }  # fmt: skip
    assert source.fetch(["1.a.host"]).num_rows == 1
    written = read.write_kept(source, ["1.a.host", ".Sent/4.d.host"], tmp_path / "kept")
    assert written.documents == 2
    copies = sorted(
        path.relative_to(tmp_path / "kept").as_posix() for path in (tmp_path / "kept").rglob("*.host*")
    )
    assert copies == [".Sent/cur/4.d.host:2,S", "cur/1.a.host:2,RS"]
    assert [row["id"] for row in rows(read.open(tmp_path / "kept"))] == [".Sent/4.d.host", "1.a.host"]


def test_what_is_kept_of_a_maildir_is_one(maildir: Path, tmp_path: Path) -> None:
    """Without its three folders it was none, and what it had in others was not found again."""
    read.write_kept(read.open(maildir), [".Sent/4.d.host"], tmp_path / "kept")
    assert [row["id"] for row in rows(read.open(tmp_path / "kept"))] == [".Sent/4.d.host"]
    read.write_kept(read.open(maildir.parent), ["Maildir/.Sent/4.d.host"], tmp_path.parent / "kept")
    assert [row["id"] for row in rows(read.open(tmp_path.parent / "kept"))] == ["Maildir/.Sent/4.d.host"]
    read.write_kept(read.open(maildir / "cur"), ["1.a.host"], tmp_path / "one")
    assert [path.name for path in (tmp_path / "one").iterdir()] == ["1.a.host:2,RS"]


# -- written back -------------------------------------------------------------------------


def test_kept_messages_keep_their_bytes(box: Path, tmp_path: Path) -> None:
    raw = box.read_bytes()
    source = read.open(box)
    every = tmp_path / "all.mbox"
    assert read.write_kept(source, [f"m{n}@b" for n in range(3)], every).documents == 3
    assert every.read_bytes() == raw
    some = tmp_path / "some.mbox.gz"
    read.write_kept(source, ["m2@b"], some)
    assert texts(read.open(some)) == ["The last."]
    assert gzip.decompress(some.read_bytes()) == raw[raw.rindex(ENVELOPE) :]
    with pytest.raises(InputError, match="mbox"):
        read.write_kept(source, ["m2@b"], tmp_path / "some.jsonl")


def test_kept_files_of_a_mixed_folder(folder: Path, tmp_path: Path) -> None:
    source = read.open(folder)
    read.write_kept(source, ["in/1.eml", "notes.txt", "m1@b"], tmp_path / "kept")
    found = {
        p.relative_to(tmp_path / "kept").as_posix(): p.read_bytes()
        for p in (tmp_path / "kept").rglob("*")
        if p.is_file()
    }
    assert set(found) == {"in/1.eml", "notes.txt", "box"}
    assert found["in/1.eml"] == mails.PLAIN
    assert found["box"] == mbox_of(b"Five.", b"Six.")[len(mbox_of(b"Five.")) :]


def test_hostile_mailboxes_take_little_time() -> None:
    start = time.process_time()
    part = Mbox("-", "m", Limits(), MailOptions())
    for data in (
        b"From x" + b"1:11" * 70 + b"\n",
        ENVELOPE + b"Content-Length: 60000000\n\nx\n",
        b"\n",
        b"From ",
    ):
        whole = data * ((4 << 20) // len(data))
        assert sum(len(one or b"") for one in part.cut(iter([whole[: 1 << 21], whole[1 << 21 :]]))) == len(
            whole
        )
    assert time.process_time() - start < 15


def test_settings_are_checked(box: Path) -> None:
    with pytest.raises(SettingError, match="quotes"):
        read.open(box, quotes="none")
    with pytest.raises(SettingError, match="signatures"):
        read.open(box, signatures="no")
    for unused in ({"quotes": "strip"}, {"signatures": "strip"}, {"tags": "trec"}):
        with pytest.raises(InputError, match="and there"):
            read.open(["a text"], **unused)
    with pytest.raises(InputError, match="SGML"):
        read.open(box, tags="trec")


def test_empty_mailbox(tmp_path: Path) -> None:
    (tmp_path / "m.mbox").write_bytes(b"")
    with pytest.raises(InputError, match="empty"):
        texts(read.open(tmp_path / "m.mbox"))
    assert list(Mbox("-", "m", Limits(), MailOptions()).cut(iter([]))) == []
