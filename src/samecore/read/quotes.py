"""Whose words are these? Quoted lines, signatures and forwarded headers in the text of a mail.

    keep    everything (nothing is looked at)
    strip   without lines that were quoted, and the lines that say whose they are
    only    the quoted lines alone, without their marks

A quoted line begins with '>', perhaps after the initials of its writer or another mark ('JD>', '|>'); or with '|', ':', '}',
'#', '@', '%' or ']', if several do so in a row and a line before says who 'writes' or 'wrote'. Everything under
'-----Original Message-----' is quoted too. A signature is what follows the last line '-- ', if it is short.
"""

from __future__ import annotations

import re

from samecore.errors import unknown_name

QUOTES = ("keep", "strip", "only")
SIGNATURES = ("keep", "strip")

# '>', after the initials of the writer or another mark: 'JD>', '|>', ': >'.
_MARKED = re.compile(r"[ \t]{0,3}(?:[A-Za-z]{0,4}|[|:#@%}\]<][ \t]?)>")
_MARKS = re.compile(r"[ \t]{0,3}(?:(?:[A-Za-z]{0,4}>|<>|[|:#@%}\]])[ \t]?)+")
# Other marks, and how many lines in a row must have one: tables, code and lists begin like that too.
_OTHER = re.compile(r"[ \t]{0,3}([|:}#@%\]])")
_IN_A_ROW = {"|": 2, ":": 2, "}": 2, "#": 3, "@": 3, "%": 3, "]": 3}
_ALONE_IN_A_ROW = 4
_WROTE = re.compile(
    r"\b(?:writes?|wrote|writ|said|says|schrieb|schreef|skrev|écrit|escribi\S+|scrisse|ha scritto|escreveu|пишет|написал\S*)\b"
    r"[^\n]{0,40}:\s*$|^In article <|^On .{6,200}:\s*$|写道|のメッセージ",
    re.IGNORECASE,
)
_ORIGINAL = re.compile(
    r"\s*-{2,}\s*(?:original message|ursprüngliche nachricht|message d'origine|mensaje original)\s*-{2,}\s*$",
    re.IGNORECASE,
)
_FORWARDED = re.compile(
    r"\s*(?:-{2,}\s*(?:begin )?forwarded (?:message|by|from|mail)\b.*|begin forwarded message:|-{2,}\s*forwarded\s*-{2,}|-{2,}\s*original message\s*-{2,})\s*$",
    re.IGNORECASE,
)
_FIELD = re.compile(
    r"[ \t>*]{0,8}(?:from|to|cc|bcc|date|sent|subject|reply-to|organization|newsgroups|message-id|von|an|gesendet|betreff|de|à|objet)\*?\s*:",
    re.IGNORECASE,
)
_LIST_FOOTER = re.compile(r"(?:_{20,}|-{40,}|={40,})\s*$")
_LINK = re.compile(r"https?://|mailto:|unsubscribe|mailing list|@", re.IGNORECASE)
_TAG = re.compile(r"<(/?)(blockquote)\b[^<>]*>", re.IGNORECASE)
_PGP_BEGIN, _PGP_END = "-----BEGIN PGP SIGNATURE-----", "-----END PGP SIGNATURE-----"

SIGNATURE_LINES = 20
"""More lines than this under '-- ' are no signature."""
LOOSE_SIGNATURE_LINES = 8
"""The same under '--', which also is a rule between paragraphs, and under a line of underscores."""


def check(quoted: str, signatures: str) -> None:
    """A SettingError if one of the two is not known."""
    if quoted not in QUOTES:
        raise unknown_name("quotes", quoted, QUOTES)
    if signatures not in SIGNATURES:
        raise unknown_name("signatures", signatures, SIGNATURES)


def plain(text: str, *, quoted: str = "keep", signatures: str = "keep") -> str:
    """Plain text with its quotes kept, stripped or alone, and with or without signature and forwarded headers."""
    check(quoted, signatures)
    if quoted == "keep" and signatures == "keep":
        return text
    lines = text.split("\n")
    # Quotes first: '-----Original Message-----' begins one, and goes with the headers of what is forwarded.
    if quoted != "keep":
        lines = _chosen(lines, quoted)
    if signatures == "strip":
        lines = _without_signature(lines)
        lines = _without_forwarded_headers(lines)
    return "\n".join(lines)


def _chosen(lines: list[str], quoted: str) -> list[str]:
    marks = quoted_lines(lines)
    if quoted == "strip":
        return [line for line, mark in zip(lines, marks, strict=True) if not mark]
    return [
        line if mark == "below" else _MARKS.sub("", line, count=1)
        for line, mark in zip(lines, marks, strict=True)
        if mark not in ("", "said")
    ]


def quoted_lines(lines: list[str]) -> list[str]:
    """For each line '' if it is the sender's own, its mark ('>', '|' and so on, 'below') if it is quoted.

    'said' is a line that says whose words the next ones are.
    """
    marks = [">" if _MARKED.match(line) else "" for line in lines]
    wrote = [i for i, line in enumerate(lines) if not marks[i] and _WROTE.search(line[:400])]
    _other_marks(lines, marks, wrote[0] if wrote else len(lines))
    for i in wrote:
        # The quote begins under it: at once, after a blank line, or after the rest of a broken line.
        after = [n for n in range(i + 1, min(i + 4, len(lines))) if lines[n].strip()]
        if any(marks[n] not in ("", "said") for n in after[:2]):
            marks[i] = "said"
            if i and lines[i - 1].startswith(("On ", "In article", "In message")) and not marks[i - 1]:
                marks[i - 1] = "said"
    for i, line in enumerate(lines):
        if line.lstrip().startswith("--") and _ORIGINAL.match(line[:200]):
            marks[i] = "said"
            heading = True
            for n in range(i + 1, len(lines)):
                heading = heading and (not lines[n].strip() or _FIELD.match(lines[n]) is not None)
                marks[n] = "said" if heading else (marks[n] or "below")
            break
    return marks


def _other_marks(lines: list[str], marks: list[str], wrote: int) -> None:
    """Mark runs of lines that begin with one of the rarer marks; `wrote` is the first line that names a writer."""
    start = 0
    while start < len(lines):
        match = _OTHER.match(lines[start])
        end = start + 1
        if match is not None:
            mark = match.group(1)
            while end < len(lines) and (more := _OTHER.match(lines[end])) and more.group(1) == mark:
                end += 1
            needed = _IN_A_ROW[mark] if wrote < start else _ALONE_IN_A_ROW
            # Where nobody is said to write, only the most usual two, set off by a space.
            plain = wrote < start or (mark in "|:" and all(_set_off(line) for line in lines[start:end]))
            if end - start >= needed and plain:
                marks[start:end] = [mark] * (end - start)
        start = end


def _set_off(line: str) -> bool:
    bare = line.strip()
    return len(bare) == 1 or bare[1] in " \t>|"


def _without_signature(lines: list[str]) -> list[str]:
    if any(line.startswith(_PGP_BEGIN) for line in lines):
        start = next(i for i, line in enumerate(lines) if line.startswith(_PGP_BEGIN))
        end = next((i for i in range(start, len(lines)) if lines[i].startswith(_PGP_END)), len(lines) - 1)
        lines = lines[:start] + lines[end + 1 :]
    filled = len(lines)
    while filled and not lines[filled - 1].strip():
        filled -= 1
    cut = filled
    # Twice, so that a list's footer under a signature does not hide it.
    for _ in range(2):
        for i in range(cut - 1, max(-1, cut - SIGNATURE_LINES - 2), -1):
            line, below = lines[i], cut - 1 - i
            if line == "-- " or (line.rstrip() in ("--", "-- ") and below <= LOOSE_SIGNATURE_LINES):
                cut = i
                break
            if (
                below <= LOOSE_SIGNATURE_LINES
                and _LIST_FOOTER.match(line)
                and any(_LINK.search(one) for one in lines[i + 1 : cut])
            ):
                cut = i
                break
        while cut and not lines[cut - 1].strip():
            cut -= 1
    return lines[:cut] if cut < filled else lines


def _without_forwarded_headers(lines: list[str]) -> list[str]:
    """Without the headers that stand in the text above a forwarded message, and the line above them."""
    kept: list[str] = []
    inside = False
    seen = 0
    for line in lines:
        if not inside and _FORWARDED.match(line[:200]):
            inside, seen = True, 0
        elif inside and _FIELD.match(line):
            seen += 1
        elif inside and ((not line.strip() and not seen) or (seen and line[:1] in (" ", "\t"))):
            pass  # between the line and the headers, or a header's continuation
        else:
            inside = False
            kept.append(line)
    return kept


def page(text: str, *, quoted: str = "keep") -> str:
    """HTML with its <blockquote> elements kept, stripped or alone; signatures cannot be told there."""
    if quoted == "keep":
        return text
    outside: list[str] = []
    inside: list[str] = []
    depth = at = 0
    for match in _TAG.finditer(text):
        (inside if depth else outside).append(text[at : match.start()])
        at = match.end()
        depth = max(0, depth - 1) if match.group(1) else depth + 1
    (inside if depth else outside).append(text[at:])
    return "<p>\n".join(inside if quoted == "only" else outside)
