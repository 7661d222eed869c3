"""What a document is: the columns that travel from the readers to the result.

Documents move in Arrow record batches. A batch has

    id            string, never null, unique within a source
    text          large_string: the text, already decoded; or
    body          large_binary: the bytes as they were found
    content_type  string, optional: "text/html" or "text/plain"; without it a `text` is plain
                  and a `body` is looked at

and, where the source has them, `url`, `title`, `source` (string) and `date` (as it was).
Any other column passes through untouched. A document that cannot be used does not stop
the run: it becomes a `Skipped`.
"""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1 << 20

STANDARD_COLUMNS = ("id", "text", "body", "content_type", "url", "title", "date", "source")

REASONS: dict[str, str] = {
    "unreadable": "the file or the rest of it cannot be read",
    "empty": "there is no text",
    "bad-json": "the line is not a JSON object",
    "bad-row": "the row of a table does not have the columns of its header",
    "not-text": "an image, an archive or other binary data, or a value that is no string",
    "other-format": "a file that is no page, in a folder of pages",
    "too-large": "longer than a named limit",
    "revisit": "a repeated capture whose payload is not in the input",
    "duplicate-id": "an earlier document has the same id",
    "parse-failed": "the text could not be taken out of the page",
}


@dataclass(frozen=True, slots=True)
class Skipped:
    """A document that was left out. `reason` is a key of `REASONS`, `detail` says where and why."""

    id: str
    reason: str
    detail: str


@dataclass(frozen=True, slots=True)
class Limits:
    """Named limits that bad or hostile input meets. Every one can be raised or lowered.

    Over a limit of reading, a document is skipped as 'too-large'. Over a limit
    of HTML nothing is lost: the page is read by a plain linear tag scanner instead of the
    parser, whose time or memory grows with the square of these numbers.
    """

    max_document_bytes: int = 256 * MIB
    """One document: a file, a field of a table."""
    max_line_bytes: int = 320 * MIB
    """One line of JSONL, escapes included; no more than this is ever held at once."""
    max_record_bytes: int = 64 * MIB
    """One record of a web archive, as it is stored."""
    max_expansion: int = 250
    """A compressed body or zip member may become so many times its size (1 MiB is always allowed)."""
    max_encodings: int = 4
    """Compressions of one HTTP body on one another."""
    max_header_bytes: int = 64 * 1024
    """The header of an archived record, and that of the HTTP response in it."""
    max_headers: int = 1000
    """Lines of an HTTP header."""
    max_damages: int = 1000
    """Damaged places of one archive, after each of which reading goes on at the next sound record."""
    max_archive_depth: int = 2
    """Zips in one another: a WACZ in a zip is 2."""
    max_html_bytes: int = 32 * MIB
    """A page given to the HTML parser, whose tree takes about ten times the page."""
    max_html_tags: int = 10_000
    """Tags of such a page. 30,000 sibling <br> already cost the extractor 4 s."""
    max_html_depth: int = 256
    """Open elements at once. 10,000 nested lists never end."""
    max_html_clones: int = 1_000_000
    """Formatting elements that unclosed <font>, <b>, ... make the parser repeat."""
    max_tag_bytes: int = 64 * 1024
    """One tag with its attributes, when it has more than a thousand of them."""
    max_mail_bytes: int = 64 * MIB
    """One mail with its attachments; a longer one is skipped, as with the next three."""
    max_mail_header_bytes: int = MIB
    """The header lines of a mail, or of one of its parts."""
    max_mail_depth: int = 64
    """MIME parts and forwarded messages inside one another."""
    max_mail_parts: int = 1000
    """MIME parts of one mail, at all depths."""


DEFAULT_LIMITS = Limits()
