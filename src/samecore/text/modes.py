"""The text of a document, in one of six modes.

    raw      the bytes decoded and nothing else: markup stays (SpotSigs 2007)
    visible  what a reader sees: markup, scripts, styles, comments and head removed (SpotSigs 2008)
    prose    visible text that reads like prose: short lines and links in lists left out (the default of spotsigs)
    signcd   visible text with script, style, a and iframe elements blanked first (SigNCD)
    main     the article alone, by resiliparse or, on request, trafilatura
    marked   visible text with links and headings marked, for learned weights (ANDD)

Plain text is the same in every mode.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
import pyarrow.compute as pc

from samecore.documents import DEFAULT_LIMITS, Limits, Skipped
from samecore.errors import MissingExtra, unknown_name
from samecore.read.encoding import decode, is_binary, looks_like_html
from samecore.text.disguise import undisguise_texts
from samecore.text.html import (
    main_text,
    marked_text,
    page_title,
    page_url,
    prose_text,
    signcd_text,
    visible_text,
)

Extractor = Callable[[str], str]

_Found = tuple[str, str | None, str | None] | tuple[str, str]
"""Text, title and url of a document; or, if it has none, a reason and a detail."""

#: Pages that a thread takes at a time: enough to be worth it, few enough that no thread waits long for the last.
ROWS_PER_PIECE = 16

MODES = ("raw", "visible", "prose", "signcd", "main", "marked")
ENGINES = ("resiliparse", "trafilatura")


def extract(
    batch: pa.RecordBatch,
    mode: str = "visible",
    *,
    engine: str = "resiliparse",
    limits: Limits = DEFAULT_LIMITS,
    threads: int = 1,
    undisguise: bool = False,
) -> tuple[pa.RecordBatch, list[Skipped]]:
    """The documents of `batch` with their text, and those that have none.

    The batch that comes back has `id`, `text` (large_string), `title` and `url` (string, null where
    unknown; what the source says goes before what the page says), and every other column
    but `body` and `content_type`. Texts that are plain strings are not copied.

    engine: 'resiliparse', or 'trafilatura' for the mode 'main' (needs the extra `main`).
    threads: pages are parsed on so many; the parser lets go of the interpreter lock.
    undisguise: undo plain tricks of spammers in the text (`text/disguise.py`).
    """
    batch, skipped = _extract(batch, extractor(mode, engine=engine, limits=limits), threads)
    if undisguise:
        at = batch.schema.get_field_index("text")
        batch = batch.set_column(at, "text", undisguise_texts(batch.column(at)))
    return batch, skipped


def _extract(
    batch: pa.RecordBatch, page_text: Extractor, threads: int
) -> tuple[pa.RecordBatch, list[Skipped]]:
    names = batch.schema.names
    types = batch.column("content_type").to_pylist() if "content_type" in names else None
    if "text" in names and (types is None or not any(is_html_type(kind) for kind in set(types))):
        return _assembled(batch, batch.column("text"), None, None), []
    known = batch.column("url").is_valid().to_pylist() if "url" in names else None
    column = batch.column("text" if "text" in names else "body")

    def work(rows: range) -> list[_Found]:
        found = []
        for i in rows:
            kind = types[i] if types is not None else None
            try:
                wants_url = known is None or not known[i]  # what the source says goes first
                found.append(_extract_one(column[i].as_py(), kind, page_text, wants_url=wants_url))
            except Exception as error:  # one bad document never stops a run
                found.append(("parse-failed", f"{type(error).__name__}: {error}"))
        return found

    found = _in_pieces(work, len(batch), threads)
    kept = [i for i, one in enumerate(found) if len(one) == 3]
    skipped: list[Skipped] = []
    if len(kept) < len(batch):
        ids = batch.column("id").to_pylist()
        skipped = [
            Skipped(id, one[0], f"{id}: {one[1]}")
            for id, one in zip(ids, found, strict=True)
            if len(one) == 2
        ]
        batch = batch.take(pa.array(kept, pa.int64()))
    good = [one for one in found if len(one) == 3]
    texts = pa.array([text for text, _, _ in good], pa.large_string())
    return _assembled(batch, texts, [title for _, title, _ in good], [url for _, _, url in good]), skipped


def _in_pieces(work: Callable[[range], list[_Found]], count: int, threads: int) -> list[_Found]:
    """`work` over rows 0 to `count`, the pieces on several threads, the results in order."""
    if threads == 1 or count < 2 * ROWS_PER_PIECE:
        return work(range(count))
    pieces = [range(i, min(i + ROWS_PER_PIECE, count)) for i in range(0, count, ROWS_PER_PIECE)]
    with ThreadPoolExecutor(threads) as pool:
        return [one for piece in pool.map(work, pieces) for one in piece]


def extractor(mode: str, *, engine: str = "resiliparse", limits: Limits = DEFAULT_LIMITS) -> Extractor:
    """The function that turns the string of an HTML page into its text in this mode."""
    if mode not in MODES:
        raise unknown_name("text mode", mode, MODES)
    if engine not in ENGINES:
        raise unknown_name("engine", engine, ENGINES)
    if mode == "main" and engine == "trafilatura":
        return _trafilatura(limits)
    if mode == "raw":
        return lambda page: page
    function = {
        "visible": visible_text,
        "prose": prose_text,
        "signcd": signcd_text,
        "main": main_text,
        "marked": marked_text,
    }[mode]
    return lambda page: function(page, limits=limits)


def is_html_type(content_type: str | None) -> bool:
    """Whether a content type is that of HTML."""
    return content_type is not None and "html" in content_type.lower()


def _extract_one(
    value: str | bytes, content_type: str | None, page_text: Extractor, *, wants_url: bool
) -> _Found:
    """Text, title and url of one document, or a reason and a detail."""
    if isinstance(value, bytes):
        if is_binary(value):
            return "not-text", "binary data, not a page or a text"
        html = is_html_type(content_type) if content_type else looks_like_html(value)
        page = decode(value, content_type, html=html)
    else:
        html, page = is_html_type(content_type), value
    if not html:
        return page, None, None
    text = page_text(page)
    if not text or text.isspace():
        return "empty", "the page has no text in this mode"
    return text, page_title(page), page_url(page) if wants_url else None


def _assembled(
    batch: pa.RecordBatch, text: pa.Array, titles: list[str | None] | None, urls: list[str | None] | None
) -> pa.RecordBatch:
    columns = {"id": batch.column("id"), "text": text}
    for name, found in (("title", titles), ("url", urls)):
        own = batch.column(name).cast(pa.string()) if name in batch.schema.names else None
        new = pa.array(found, pa.string()) if found is not None else None
        if own is not None and new is not None:
            columns[name] = pc.coalesce(own, new)
        else:
            columns[name] = (
                own if own is not None else new if new is not None else pa.nulls(len(text), pa.string())
            )
    for name in batch.schema.names:
        if name not in columns and name not in ("body", "content_type"):
            columns[name] = batch.column(name)
    return pa.RecordBatch.from_pydict(columns)


def _trafilatura(limits: Limits) -> Extractor:
    try:
        import trafilatura
    except ImportError as error:
        raise MissingExtra(
            "trafilatura", extra="main", needed_for="text mode 'main' by trafilatura"
        ) from error

    def article(page: str) -> str:
        # Its parser is lxml, which has limits of its own; what it refuses goes the other way.
        return trafilatura.extract(page, include_comments=False) or main_text(page, limits=limits)

    return article
