"""One message: headers and texts equal to the standard library's where that can read them, and kept where not."""

from __future__ import annotations

import email
import email.policy
import time
from email.message import EmailMessage

import pytest
from conftest import labelled
from hypothesis import given, settings
from hypothesis import strategies as st
from read import mails

from samecore.documents import Limits
from samecore.read import headers
from samecore.read.mail import OverLimit, parse
from samecore.read.mailfiles import looks_like_mail
from samecore.read.transfer import decoded


def flat(text: str | None) -> str:
    return " ".join((text or "").split())


def test_plain_message() -> None:
    mail = parse(mails.PLAIN)
    assert mail.subject == "Grüße from München"
    assert mail.sender == '"Ann Example" <ann@example.org>'
    assert mail.date == "2002-08-23T17:15:51Z"
    assert mail.message_id == "one@example.org"
    assert mail.body() == ("The harbour was closed by the storm – for a whole day.\n", False)


def test_line_ends_and_envelope_do_not_matter() -> None:
    plain = parse(mails.PLAIN)
    for other in (
        mails.PLAIN.replace(b"\n", b"\r\n"),
        mails.PLAIN.replace(b"\n", b"\r"),
        b"From ann Fri Aug 23 10:15:51 2002\n" + mails.PLAIN,
        b"From ann Fri Aug 23 10:15:51 2002\n>From bob Fri Aug 23 2002\n" + mails.PLAIN,
        b"\n\n" + mails.PLAIN,
    ):
        assert parse(other) == plain


def test_plain_goes_before_html() -> None:
    assert parse(mails.ALTERNATIVE).body() == ("The plain words.", False)
    blank = mails.ALTERNATIVE.replace(b"The plain words.", b"  ")
    text, html = parse(blank).body()
    assert html
    assert "<b>marked</b>" in text


def test_html_alone() -> None:
    text, html = parse(mails.HTML_ONLY).body()
    assert html
    assert "Café at the corner." in text


def test_nested_and_forwarded() -> None:
    mail = parse(mails.NESTED)
    assert [piece.text.strip() for piece in mail.pieces] == ["See below.", "The forwarded words."]


def test_plain_beside_html_becomes_a_paragraph() -> None:
    raw = mails.NESTED.replace(
        b"Content-Type: text/plain\n\nThe forwarded", b"Content-Type: text/html\n\n<b>The</b> forwarded"
    )
    text, html = parse(raw.replace(b"See below.\n--inner\n", b"1 < 2 & 3.\n--inner\n")).body()
    assert html
    assert "<p>1 &lt; 2 &amp; 3.</p>" in text
    assert "<b>The</b> forwarded words." in text


def test_digest_holds_messages() -> None:
    raw = b"Content-Type: multipart/digest; boundary=d\n\n--d\n\nSubject: one\n\nFirst.\n--d\n\nSubject: two\n\nSecond.\n--d--\n"
    assert [piece.text for piece in parse(raw).pieces] == ["First.", "Second."]


@pytest.mark.parametrize(
    ("raw", "words"), [case[1:] for case in mails.BROKEN], ids=[c[0] for c in mails.BROKEN]
)
def test_broken_messages_keep_their_text(raw: bytes, words: str) -> None:
    assert words in parse(raw).body()[0]


def test_attachments_alone_leave_no_text() -> None:
    raw = b"Subject: x\nContent-Type: image/png\nContent-Transfer-Encoding: base64\n\niVBORw0KGgo=\n"
    assert parse(raw).body() == ("", False)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (b"=?utf-8?b?w6TD?= =?utf-8?b?tsO8?=", "äöü"),  # a character cut in two
        (b"=?utf-8?q?a?=\n =?utf-8?q?b?=", "ab"),
        (b"=?utf-8?q?a_?= b", "a b"),
        (b"=?utf-8*en?q?caf=C3=A9?=", "café"),
        (b"=?broken", "=?broken"),
        (b"=?utf-8?b?w6T!?=", "ä"),
        (b"=?x-none?q?plain?=", "plain"),
        ("größer".encode(), "größer"),
        ("größer".encode("latin-1"), "größer"),
        (b"a\n\tb", "a b"),
    ],
)
def test_header_values(value: bytes, text: str) -> None:
    assert headers.text_of(value) == text


def test_charset_of_the_body_helps_a_bare_header() -> None:
    raw = "Subject: 가나다\nContent-Type: text/plain; charset=euc-kr\n\nx\n".encode("euc-kr")
    assert parse(raw).subject == "가나다"


@pytest.mark.parametrize(
    ("value", "date"),
    [
        (b"Fri, 23 Aug 2002 10:15:51 -0700 (PDT)", "2002-08-23T17:15:51Z"),
        (b"23 Aug 02 10:15 GMT", "2002-08-23T10:15:00Z"),
        (b"Thu, 22 Aug 0102 12:07:35 +0800", "2002-08-22T04:07:35Z"),  # before 2000 they added 1900
        (b"yesterday", None),
        (b"Fri, 99 Foo 2002 99:99:99 +9999999999999999", None),
        (b"", None),
        (None, None),
    ],
)
def test_dates(value: bytes | None, date: str | None) -> None:
    assert headers.iso_date(value) == date


@pytest.mark.parametrize(
    ("value", "id"),
    [
        (b"<a@b>", "a@b"), (b"a@b", "a@b"), (b"<a@b> (added by x)", "a@b"), (b"PM 200 AM", None), (b"", None),
        (b"<" + b"x" * 300 + b">", None),
    ],
)  # fmt: skip
def test_message_ids(value: bytes, id: str | None) -> None:
    assert parse(b"Message-ID: " + value + b"\n\nx\n").message_id == id


def test_limits_strike() -> None:
    with pytest.raises(OverLimit, match="max_mail_bytes"):
        parse(mails.PLAIN, limits=Limits(max_mail_bytes=100))
    with pytest.raises(OverLimit, match="max_mail_header_bytes"):
        parse(b"X: y\n" * 300_000 + b"\nbody\n")
    with pytest.raises(OverLimit, match="max_mail_depth"):
        parse(mails.nested(65))
    with pytest.raises(OverLimit, match="max_mail_parts"):
        parse(mails.many_parts(1000))
    assert parse(mails.nested(64)).body()[0] == "At the bottom."
    assert len(parse(mails.many_parts(999)).pieces) == 999


def test_hostile_messages_take_little_time() -> None:
    """Each took minutes in a first version, or would with a careless pattern."""
    million = (1 << 20) - 1000
    start = time.process_time()
    for raw in (
        b"Subject: " + b"=?utf-8?q?" * (million // 10) + b"\n\nx",
        b"Subject: x\n\n" + b"begin 644 a\n" * (million // 12),
        b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--b x\n" * (million // 6),
        b"Content-Type: text/plain" + b"; a=b" * (million // 5 - 100) + b"\n\nx",
        b"Content-Type: text/plain" + b'; a="' * (million // 5 - 100) + b"\n\nx",
        b"Content-Type: text/plain; " + b" " * (million // 2) + b"x\n\nx",
        b" \n" * (million // 2),
    ):
        parse(raw)
    assert time.process_time() - start < 15


def standard(raw: bytes) -> tuple[str, str | None]:
    """Subject and text by the standard library's modern policy."""
    message = email.message_from_bytes(raw, policy=email.policy.default)
    assert isinstance(message, EmailMessage)
    body = message.get_body(preferencelist=("plain", "html"))
    return message["subject"], None if body is None else body.get_content()


words = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=8)
lines = st.lists(words, max_size=12).map(" ".join)


@given(subject=lines, body=lines, html=lines, charset=st.sampled_from(["utf-8", "iso-8859-1", "us-ascii"]),
       encoding=st.sampled_from(["base64", "quoted-printable"]), alternative=st.booleans(), attach=st.booleans())  # fmt: skip
@settings(max_examples=60)
def test_agrees_with_the_standard_library(
    subject: str, body: str, html: str, charset: str, encoding: str, alternative: bool, attach: bool
) -> None:
    message = EmailMessage()
    message["Subject"] = subject
    body = body.encode(charset, "ignore").decode(charset)
    message.set_content(body, charset=charset, cte=encoding)
    if alternative:
        message.add_alternative(f"<p>{html}</p>", subtype="html")
    if attach:
        message.add_attachment(b"\0\1\2", maintype="application", subtype="octet-stream")
    raw = bytes(message)
    theirs = standard(raw)
    mail = parse(raw)
    assert flat(mail.subject) == flat(theirs[0])  # its writer may lose a space: not `subject`
    if body.strip():
        # A body of a few letters may look like another charset than it says; see `decode`.
        text = mail.body()[0]
        assert flat(text) == flat(theirs[1]) or not body.isascii()


@given(st.binary(max_size=300))
def test_transfer_encodings_take_any_bytes(data: bytes) -> None:
    for name in (b"base64", b"quoted-printable", b"x-uuencode", b"8bit", None):
        assert isinstance(decoded(data, name), bytes)


@pytest.mark.parametrize("folder", ["email_spamassassin", "newsgroups"])
def test_labelled_mails_read_like_the_standard_library(folder: str) -> None:
    """Every message parses; subjects are those of policy.default, and where bytes were lost there, more than those."""
    files = [path for path in sorted(labelled(folder).rglob("*")) if path.is_file() and path.suffix != ".tsv"]
    assert len(files) > 700
    same = 0
    for path in files:
        raw = path.read_bytes()
        mail = parse(raw)
        assert mail.sender, path
        assert mail.body()[0].strip(), path
        subject, text = _standard_or_none(raw)
        if "\ufffd" in subject:
            assert len(mail.subject) > 0
            assert "\ufffd" not in mail.subject or subject.count("\ufffd") >= mail.subject.count("\ufffd")
        else:
            assert flat(mail.subject) == flat(subject), path
        same += text is not None and flat(text) == flat(mail.body()[0])
    assert same > 0.9 * len(files)  # the others have bytes that the standard library gives up on


def _standard_or_none(raw: bytes) -> tuple[str, str | None]:
    try:
        return standard(raw)
    except LookupError:  # a charset that Python does not know
        return email.message_from_bytes(raw, policy=email.policy.default)["subject"], None


def test_a_byte_order_mark_hides_no_headers() -> None:
    raw = b"\xef\xbb\xbfFrom: joe@example.org\r\nSubject: Lunch\r\nDate: Fri, 23 Aug 2002 11:03:33 +0000\r\n\r\nAt one.\r\n"
    mail = parse(raw)
    assert (mail.subject, mail.body()[0].strip()) == ("Lunch", "At one.")
    assert looks_like_mail(raw)
