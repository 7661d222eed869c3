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

import pyarrow as pa
import pyarrow.compute as pc

from samecore.documents import DEFAULT_LIMITS, Limits, Skipped
from samecore.errors import MissingExtra, unknown_name
from samecore.read.encoding import decode, is_binary, looks_like_html
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

MODES = ("raw", "visible", "prose", "signcd", "main", "marked")
ENGINES = ("resiliparse", "trafilatura")


def extract(
    batch: pa.RecordBatch,
    mode: str = "visible",
    *,
    engine: str = "resiliparse",
    limits: Limits = DEFAULT_LIMITS,
) -> tuple[pa.RecordBatch, list[Skipped]]:
    """The documents of `batch` with their text, and those that have none.

    The batch that comes back has `id`, `text` (large_string), `title` and `url` (string, null where
    unknown; what the source says goes before what the page says), and every other column
    but `body` and `content_type`. Texts that are plain strings are not copied.

    engine: 'resiliparse', or 'trafilatura' for the mode 'main' (needs the extra `main`).
    """
    page_text = extractor(mode, engine=engine, limits=limits)
    names = batch.schema.names
    types = batch.column("content_type").to_pylist() if "content_type" in names else None
    if "text" in names and (types is None or not any(is_html_type(kind) for kind in set(types))):
        return _assembled(batch, batch.column("text"), None, None), []
    texts: list[str] = []
    titles: list[str | None] = []
    urls: list[str | None] = []
    kept: list[int] = []
    skipped: list[Skipped] = []
    ids = batch.column("id")
    column = batch.column("text" if "text" in names else "body")
    for i in range(len(batch)):
        kind = types[i] if types is not None else None
        try:
            found = _extract_one(column[i].as_py(), kind, page_text)
        except Exception as error:  # one bad document never stops a run
            found = ("parse-failed", f"{type(error).__name__}: {error}")
        if len(found) == 2:
            id = ids[i].as_py()
            skipped.append(Skipped(id, found[0], f"{id}: {found[1]}"))
            continue
        text, title, url = found
        texts.append(text)
        titles.append(title)
        urls.append(url)
        kept.append(i)
    if skipped:
        batch = batch.take(pa.array(kept, pa.int64()))
    return _assembled(batch, pa.array(texts, pa.large_string()), titles, urls), skipped


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
    value: str | bytes, content_type: str | None, page_text: Extractor
) -> tuple[str, str | None, str | None] | tuple[str, str]:
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
    return text, page_title(page), page_url(page)


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
