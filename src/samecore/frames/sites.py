"""Whose page is it? The host of its address, or the tags it is built of.

A site can be told from the text of its pages only by what we want to find out, the frame: a page
of story *s* in frame *f* looks the same whichever of the two is called the frame. So the site
comes from elsewhere: from the address, or, where a page has none, from its markup. Pages of one
site are built by one program and repeat its start tags to the letter; a reprint elsewhere does not.
"""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from samecore.features.csr import Features, none
from samecore.group.components import group
from samecore.match.exact import exact
from samecore.text.modes import is_html_type
from samecore.text.tokens import text_hashes

#: How much of a page is searched for tags; the frame of most is in its first part.
MARKUP_BYTES = 256 * 1024

#: Tags kept of each page: those with the smallest hashes, a fair sample that is the same for the same page.
MAX_TAGS = 256

#: Pages with fewer different tags are too plain to be told by them.
MIN_TAGS = 6

#: The share of their tags that two pages of one site have in common.
SAME_SITE = 0.4

#: The number of the site of each document, -1 if it is not known.
Sites = npt.NDArray[np.int64]

_HOST = r"^\s*(?:[a-z][a-z0-9+.\-]*:)?//(?:[^/?#@]*@)?(?:www\.)?(?P<host>\[[0-9a-f:.]+\]|[^/?#:\[\]\s]+)"
_TAG = re.compile(rb"<[A-Za-z][^<>]{0,400}>")


def hosts(urls: pa.Array | pa.ChunkedArray) -> pa.Array:
    """The host of each address, in small letters and without `www.` or port; null where there is none."""
    if isinstance(urls, pa.ChunkedArray):
        urls = urls.combine_chunks()
    found = pc.extract_regex(pc.utf8_lower(urls.cast(pa.string())), _HOST)
    host = pc.utf8_rtrim(pc.struct_field(found, "host"), ".")
    return pc.if_else(pc.equal(host, ""), pa.scalar(None, pa.string()), host)


def tags(pages: list[str | bytes | None]) -> Features:
    """The distinct start tags of each page, as hashes; none for None."""
    found: list[bytes] = []
    ends = [0]
    for page in pages:
        if page is not None:
            head = page[:MARKUP_BYTES]
            found += dict.fromkeys(
                _TAG.findall(head.encode("utf-8", "replace") if isinstance(head, str) else head)
            )
        ends.append(len(found))
    # bytes of any encoding as characters of one, since the hash wants text
    hashes = text_hashes(pa.array([tag.decode("latin-1") for tag in found], pa.large_string()))
    rows = [np.unique(hashes[start:end])[:MAX_TAGS] for start, end in pairwise(ends)]
    keys = np.concatenate([np.empty(0, np.uint64), *rows])
    offsets = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    return Features(offsets, keys, np.ones(len(keys), np.uint32))


def page_tags(found: pa.RecordBatch, documents: pa.RecordBatch) -> Features:
    """The tags of each document that is a page and has no address; none for the others.

    `found` has the pages as they were read, `documents` what came of them: the same or fewer, with `url`.
    In plain text `<joe@example.org>` is no tag.
    """
    if "content_type" not in found.schema.names and "body" not in found.schema.names:
        return none(documents.num_rows)
    pages = found.column("body" if "body" in found.schema.names else "text")
    kinds = found.column("content_type").to_pylist() if "content_type" in found.schema.names else None
    place = pc.index_in(documents.column("id"), value_set=found.column("id")).to_pylist()
    known = documents.column("url").is_valid().to_pylist()
    looked_at = [
        not has and (kinds is None or not kinds[at] or is_html_type(kinds[at]))
        for at, has in zip(place, known, strict=True)
    ]
    return tags([pages[at].as_py() if look else None for at, look in zip(place, looked_at, strict=True)])


def numbered(urls: pa.ChunkedArray | None, markup: Features | None, *, threads: int = 1) -> Sites:
    """The site of each document: by host where there is an address, else by markup; -1 where nothing tells.

    Pages that share `SAME_SITE` of their tags are of one site, and so are the pages either is of one site with.
    """
    count = len(urls) if urls is not None else len(markup) if markup is not None else 0
    site = np.full(count, -1, np.int64)
    if urls is not None:
        codes = pc.dictionary_encode(hosts(urls)).indices
        site = codes.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    if markup is not None:
        rows = np.flatnonzero((site < 0) & (np.diff(markup.offsets) >= MIN_TAGS))
        pairs = exact(
            markup.take(rows), threshold=SAME_SITE, multiset=False, threads=threads, output="forest"
        ).expand()
        site[rows] = (
            site.max(initial=-1)
            + 1
            + group(len(rows), pairs.left, pairs.right, pairs.score, threshold=SAME_SITE)
        )
    return site
