"""From the bytes of a page or a text file to a string: which encoding, and is it text at all."""

from __future__ import annotations

import codecs
import re

from resiliparse.parse.encoding import detect_encoding, map_encoding_to_html5

HEAD_BYTES = 4096

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark is its beginning
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_DECLARED = re.compile(
    rb"""<meta[^>]{0,512}?charset\s*=\s*["']?\s*([\w.:-]{2,40})|<\?xml[^>]{0,256}?encoding\s*=\s*["']([\w.:-]{2,40})""",
    re.IGNORECASE,
)
_CHARSET = re.compile(r"""charset\s*=\s*["']?([\w.:-]{2,40})""", re.IGNORECASE)
_HTML = re.compile(
    rb"<!doctype\s+html|<(?:html|head|body|title|meta|script|style|div|table|p|a|br|h[1-6]|font|center|iframe)[\s>/]",
    re.IGNORECASE,
)
# Signatures of things that are no text but may look like it for a few bytes.
_BINARY_MAGIC = (
    b"%PDF-", b"\x89PNG", b"GIF87a", b"GIF89a", b"\xff\xd8\xff", b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b",
    b"\x28\xb5\x2f\xfd", b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf", b"Rar!", b"\x7fELF", b"MZ\x90", b"PAR1", b"ID3",
    b"OggS",     b"RIFF", b"\x00\x00\x01\x00", b"\xd0\xcf\x11\xe0", b"SQLite format 3", b"wOFF", b"wOF2",
    b"\xca\xfe\xba\xbe",     b"II*\x00", b"MM\x00*", b"ARROW1",
)  # fmt: skip
_MULTIBYTE = ("gb", "big5", "shift", "euc", "iso2022", "iso-2022", "cp932", "cp949", "hz", "utf")
# Codecs of Python that decode strings to strings and yet are no charsets.
_NO_CHARSETS = ("punycode", "unicode-escape", "raw-unicode-escape")
# Bytes that text does not hold: controls other than tab, line and page breaks, escape (ISO-2022) and NUL.
_CONTROLS = bytes(b for b in range(1, 32) if b not in b"\t\n\r\x0b\x0c\x1b\x08")


def is_binary(data: bytes) -> bool:
    """Whether these bytes are no text: a known binary signature, or too many control characters."""
    if data.startswith(_BINARY_MAGIC) and not data.startswith(codecs.BOM_UTF16_LE):
        return True
    head = data[:HEAD_BYTES]
    if not head or head.startswith(tuple(bom for bom, _ in _BOMS)) or _utf16_without_bom(head):
        return False
    controls = len(head) - len(head.translate(None, _CONTROLS))
    nuls = head.count(0)
    return controls * 10 > len(head) or nuls * 3 > len(head)


def looks_like_html(data: bytes) -> bool:
    """Whether the first kilobytes have tags that pages begin with."""
    head = data[:HEAD_BYTES]
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or _utf16_without_bom(head):
        head = head.replace(b"\0", b"")
    return _HTML.search(head) is not None


def decode(data: bytes, content_type: str | None = None, *, html: bool = False) -> str:
    """The text of `data`; never fails, bytes that fit nothing become U+FFFD.

    In order: byte order mark; the charset of `content_type`; what a page declares in its
    head (with `html`); UTF-8 if the bytes are valid; what a statistical detector says.
    Latin-1 is read as Windows-1252, its superset, as browsers do. A page that declares a
    single-byte charset and is valid UTF-8 beyond ASCII is UTF-8: that does not happen by chance.
    """
    for mark, name in _BOMS:
        if data.startswith(mark):
            return _clean(data.decode(name, "replace"))
    declared = _declared(data, content_type, html=html)
    if declared is None or declared == "utf-8" or not declared.startswith(_MULTIBYTE):
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            pass
        else:
            guess = _utf16_without_bom(data[:HEAD_BYTES])
            return text if guess is None else _clean(data.decode(guess, "replace"))
    if declared is not None and declared != "utf-8":
        return _clean(data.decode(declared, "replace"))
    guess = _utf16_without_bom(data[:HEAD_BYTES])
    if guess is None:
        if _mostly_utf8(data):
            return data.decode("utf-8", "replace")
        guess = _python_name(detect_encoding(data)) or "cp1252"
        guess = "cp1252" if guess == "utf-8" else guess
    return _clean(data.decode(guess, "replace"))


def _declared(data: bytes, content_type: str | None, *, html: bool) -> str | None:
    if content_type is not None and (found := _CHARSET.search(content_type)):
        name = _python_name(found.group(1))
        if name is not None:
            return name
    if not html or not (match := _DECLARED.search(data[:HEAD_BYTES])):
        return None
    name = _python_name((match.group(1) or match.group(2)).decode("ascii", "replace"))
    # The declaration was readable as ASCII, so the page cannot be what it says.
    return "utf-8" if name is not None and name.startswith(("utf-16", "utf-32")) else name


def _python_name(label: str | None) -> str | None:
    """The Python codec for a charset label of the web, or None when nobody knows it."""
    if not label:
        return None
    name: str | None = map_encoding_to_html5(label, fallback_utf8=False)
    try:
        found = codecs.lookup(name or label).name
        b"a".decode(found, "replace")  # Python's 'base64', 'rot13', 'undefined' ... are no charsets and fail
    except (LookupError, ValueError):
        return None
    return None if found in _NO_CHARSETS else found


def _utf16_without_bom(head: bytes) -> str | None:
    """UTF-16 of mostly Latin text has a zero in nearly every second byte."""
    half = len(head) // 2
    if half < 2 or head.count(0) * 10 < half * 7:
        return None
    odd, even = head[1::2].count(0), head[0::2].count(0)
    if odd * 10 >= half * 7 and even * 10 < half:
        return "utf-16-le"
    return "utf-16-be" if even * 10 >= half * 7 and odd * 10 < half else None


def _mostly_utf8(data: bytes) -> bool:
    """Whether nine of ten bytes beyond ASCII belong to valid UTF-8: text with a few broken bytes."""
    text = data.decode("utf-8", "ignore")
    beyond = len(data) - len(data.translate(None, bytes(range(128, 256))))
    kept = len(text.encode()) - (len(data) - beyond)
    return kept * 10 >= beyond * 9


def _clean(text: str) -> str:
    """Without surrogates (some codecs let them through), which UTF-8 cannot hold."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
