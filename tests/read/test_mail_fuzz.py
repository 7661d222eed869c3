"""No bytes crash the mail readers: any bytes, and real structure taken apart and put together wrongly."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st
from read import mails

from samecore.documents import Limits
from samecore.read.mail import OverLimit, parse
from samecore.read.mailfiles import MailOptions, looks_like_mail, mail_document, quick_id
from samecore.read.mbox import is_mailbox
from samecore.read.sliced import Document, rows_of

SEEDS = [mails.PLAIN, mails.ALTERNATIVE, mails.HTML_ONLY, mails.NESTED, *(raw for _, raw, _ in mails.BROKEN)]
SMALL = Limits(max_mail_bytes=20_000, max_mail_header_bytes=2_000, max_mail_depth=4, max_mail_parts=20)


def read_all_ways(raw: bytes) -> None:
    """Everything that looks at the bytes of a mail; the result must go into a batch."""
    looks_like_mail(raw)
    is_mailbox(raw)
    for quotes in ("keep", "strip", "only"):
        options = MailOptions(quotes, "strip" if quotes == "strip" else "keep", ("to", "x"))
        found = mail_document(raw, SMALL, options)
        if isinstance(found, Document):
            batch = rows_of([found], [0], options.extras).batch
            batch.validate(full=True)
            assert batch.column("text")[0].as_py()
    quick_id(raw, MailOptions())


@given(st.binary(max_size=2000))
@settings(max_examples=300)
def test_any_bytes(raw: bytes) -> None:
    read_all_ways(raw)


fragments = st.sampled_from(
    [line + b"\n" for seed in SEEDS for line in seed.split(b"\n")]
    + [b"\n", b"\r", b"\0", b" ", b"--", b"--outer\n", b"=?utf-8?b?", b"?=", b"\xff\xfe", b"Content-Type: multipart/mixed; boundary=\n"]
)  # fmt: skip


@given(st.lists(fragments | st.binary(max_size=10), max_size=60).map(b"".join))
@settings(max_examples=300)
def test_wrong_structure(raw: bytes) -> None:
    read_all_ways(raw)


def test_mutated_mails() -> None:
    chance = random.Random(4)
    for _ in range(1500):
        raw = bytearray(chance.choice(SEEDS))
        for _ in range(chance.randint(1, 8)):
            at = chance.randrange(len(raw) + 1)
            match chance.randrange(4):
                case 0:
                    raw[at : at + chance.randint(0, 20)] = b""
                case 1:
                    raw[at:at] = chance.randbytes(chance.randint(1, 4))
                case 2:
                    other = chance.choice(SEEDS)
                    start = chance.randrange(len(other))
                    raw[at:at] = other[start : start + 60]
                case _:
                    raw[at:at] = raw[: chance.randint(0, 100)]
        read_all_ways(bytes(raw))


@given(st.binary(max_size=400), st.sampled_from(SEEDS))
def test_only_one_error(tail: bytes, seed: bytes) -> None:
    """`parse` raises `OverLimit` and nothing else, whatever the limits."""
    for limits in (Limits(), Limits(max_mail_bytes=1), Limits(max_mail_depth=0), Limits(max_mail_parts=1)):
        try:
            parse(seed + tail, limits=limits)
        except OverLimit as error:
            assert "max_mail" in str(error)  # noqa: PT017 - it need not be raised
