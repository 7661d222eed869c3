"""Mails of our own making, whole and broken, for the tests of the mail readers."""

from __future__ import annotations

PLAIN = b"""From: "Ann Example" <ann@example.org>
To: bob@example.org
Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?= from =?iso-8859-1?B?TfxuY2hlbg==?=
Date: Fri, 23 Aug 2002 10:15:51 -0700
Message-ID: <one@example.org>
MIME-Version: 1.0
Content-Type: text/plain; charset="utf-8"
Content-Transfer-Encoding: quoted-printable

The harbour was closed by the storm =E2=80=93 for a=
 whole day.
"""

ALTERNATIVE = b"""From: shop@example.com
Subject: Offers
Message-ID: <two@example.com>
Content-Type: multipart/alternative; boundary="=_alt"

Your program cannot show this.
--=_alt
Content-Type: text/plain

The plain words.
--=_alt
Content-Type: text/html

<html><body><p>The <b>marked</b> words.</p></body></html>
--=_alt--
An epilogue.
"""

HTML_ONLY = b"""From: shop@example.com
Subject: Page
Content-Type: text/html; charset=iso-8859-1

<html><body><p>Caf\xe9 at the corner.</p></body></html>
"""

NESTED = b"""From: ann@example.org
Subject: Fwd: all of it
Message-ID: <three@example.org>
Content-Type: multipart/mixed; boundary=outer

--outer
Content-Type: multipart/alternative; boundary=inner

--inner
Content-Type: text/plain; charset=us-ascii

See below.
--inner
Content-Type: text/html

<p>See below.</p>
--inner--
--outer
Content-Type: application/pdf; name="x.pdf"
Content-Transfer-Encoding: base64
Content-Disposition: attachment; filename="x.pdf"

JVBERi0xLjQKJcOkw7zDtsOfCg==
--outer
Content-Type: text/plain
Content-Disposition: attachment; filename="secret.txt"

An attached note.
--outer
Content-Type: message/rfc822

From: carol@example.net
Subject: the first
Content-Type: text/plain

The forwarded words.
--outer--
"""

# Name, bytes, words that must be in the text whatever is wrong.
BROKEN: list[tuple[str, bytes, str]] = [
    (
        "no boundary parameter",
        b"Subject: x\nContent-Type: multipart/mixed\n\n--a1\nContent-Type: text/plain\n\nStill readable.\n--a1--\n",
        "Still readable.",
    ),
    (
        "another boundary than said",
        b'Subject: x\nContent-Type: multipart/mixed; boundary="b"\n\n--a1\nContent-Type: text/html\n\n<p>Still readable.</p>\n--a1--\n',
        "Still readable.",
    ),
    (
        "a boundary that never comes",
        b"Subject: x\nContent-Type: multipart/mixed; boundary=zz\n\nStill readable.\n",
        "Still readable.",
    ),
    (
        "a text of a kind of its own",
        b"Content-Type: multipart/mixed; boundary=zz\n\n--zz\nContent-Type: text/x-patch\n\nStill readable.\n--zz\n"
        b"Content-Type: text/csv\nContent-Disposition: attachment\n\n1,2\n--zz--\n",
        "Still readable.",
    ),
    (
        "no last boundary",
        b"Subject: x\nContent-Type: multipart/mixed; boundary=zz\n\n--zz\n\nStill readable.\n",
        "Still readable.",
    ),
    (
        "a charset nobody knows",
        "Subject: x\nContent-Type: text/plain; charset=klingon-7\n\nStill readable, größer.\n".encode(),
        "Still readable, größer.",
    ),
    (
        "a charset that is none",
        b"Subject: =?undefined?q?x?=\nContent-Type: text/plain; charset=undefined\n\nStill readable, gr\xf6\xdfer.\n",
        "Still readable, größer.",
    ),
    (
        "utf-8 that is called us-ascii",
        "Subject: x\nContent-Type: text/plain; charset=us-ascii\n\nStill readable, größer.\n".encode(),
        "Still readable, größer.",
    ),
    (
        "base64 without its end",
        b"Subject: x\nContent-Transfer-Encoding: base64\n\nU3RpbGwgcmVhZGFibGUsIHllc\n",
        "Still readable, ye",
    ),
    (
        "base64 that is none",
        b"Subject: x\nContent-Transfer-Encoding: base64\n\nStill readable, for all that.\n",
        "Still readable, for all that.",
    ),
    (
        "a plain footer under base64",
        b"Subject: x\nContent-Transfer-Encoding: base64\n\nU3RpbGwgcmVhZGFibGUs\n\n____\nThe list's own footer\n",
        "The list's own footer",
    ),
    (
        "quoted-printable with loose ends",
        b"Subject: x\nContent-Transfer-Encoding: quoted-printable\n\nStill =ZZ readable =E\n=",
        "readable",
    ),
    ("an encoding nobody knows", b"Content-Transfer-Encoding: rot13\n\nStill readable.\n", "Still readable."),
    ("8-bit headers", b"Subject: Caf\xe9\nX-\xff: y\n\nStill readable.\n", "Still readable."),
    ("NULs", b"Subject: x\n\nStill readable.\0\0\0 More.\0\n", "Still readable."),
    ("no headers", b"Still readable.\nNot a header in sight.\n", "Still readable."),
    ("no blank line", b"Subject: x\nStill readable, is it not\n", "Still readable"),
    ("a type without sense", b"Subject: x\nContent-Type: ;;;\n\nStill readable.\n", "Still readable."),
    ("a type for programs", b"Content-Type: application/x-thing\n\nStill readable.\n", "Still readable."),
    ("lone carriage returns", b"Subject: x\r\rStill readable.\r", "Still readable."),
    ("only a body", b"\n\nStill readable.\n", "Still readable."),
    ("a bad parameter", b"Content-Type: text/plain; charset*=x''%zz; a*0*=\n\nStill readable.\n", "readable"),
    (
        "plain text in HTML",
        b"Content-Type: text/plain\n\n<html><body><p>Still readable.</p></body></html>\n",
        "Still readable.",
    ),
    (
        "a message in base64",
        b"Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\nU3ViamVjdDogeAoKU3RpbGwgcmVhZGFibGUuCg==\n",
        "Still readable.",
    ),
    (
        "a file by uuencode",
        b"Subject: x\n\nStill readable.\nbegin 644 a.bin\n#0V%T\n`\nend\nMore of it.\n",
        "Still readable.\nMore of it.",
    ),
]


def nested(depth: int) -> bytes:
    """A text inside so many multiparts."""
    lines = [b"Subject: deep"]
    for level in range(depth):
        lines += [b"Content-Type: multipart/mixed; boundary=b%d" % level, b"", b"--b%d" % level]
    lines += [b"Content-Type: text/plain", b"", b"At the bottom."]
    return b"\n".join(lines + [b"--b%d--" % level for level in reversed(range(depth))])


def many_parts(count: int) -> bytes:
    """A multipart of so many texts."""
    head = b"Subject: wide\nContent-Type: multipart/mixed; boundary=w\n\n"
    return head + b"".join(b"--w\n\nText %d.\n" % n for n in range(count)) + b"--w--\n"
