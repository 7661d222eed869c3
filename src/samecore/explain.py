"""The evidence for a match: the signatures two documents share, and where they stand."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from samecore.errors import InputError
from samecore.features.csr import Occurrence
from samecore.figures import Figures, figures
from samecore.match.parts import ComparesStrings
from samecore.read import Source, reopen
from samecore.result import FRAME_ONLY
from samecore.text.modes import extract
from samecore.text.tokens import text_hashes

if TYPE_CHECKING:
    from samecore.result import Result

Span = tuple[int, int]

#: The floor of a run that keeps every score there is.
NO_FLOOR = 1e-6

#: When printed, passages closer than this many characters are shown as one.
JOIN_CHARACTERS = 40

#: Passages of the frame quoted from each side.
FRAME_PASSAGES = 2


@dataclass(frozen=True)
class Side:
    """One of the two documents: its text and the passages it shares with the other.

    `passages` are spans of characters in `text`, ascending and apart from each other.
    `features` counts all features of the document, with repetitions; `changed` is true
    if the source no longer holds the text that was compared. `frame` are the passages shared as
    part of the frames of their sites, told from the core.
    """

    id: str
    text: str
    title: str
    passages: tuple[Span, ...]
    features: int
    changed: bool = False
    frame: tuple[Span, ...] = ()

    def quote(self, span: Span) -> str:
        """The words of a span, white space folded."""
        return " ".join(self.text[span[0] : span[1]].split())


@dataclass(frozen=True)
class Shared:
    """A signature that both documents have: its words, where it stands in each, and whether in both frames."""

    signature: str
    left: tuple[Span, ...]
    right: tuple[Span, ...]
    frame: bool = False


@dataclass(frozen=True)
class Explanation:
    """Why two documents match, or do not: the score, and every shared signature with its places.

    `figures` are Jaccard, containment both ways and estimates, beside the score of the method.

    Printing it shows the shared passages of both documents, marked; `html()` is a page with
    both texts side by side. `frame_score` says how alike the frames of their sites are, if those are
    known; `frame_ignored` that `score` is that of the cores alone.
    """

    score: float
    threshold: float
    left: Side
    right: Side
    shared: tuple[Shared, ...]
    notes: tuple[str, ...] = ()
    figures: Figures = field(default_factory=Figures)
    frame_score: float | None = None
    frame_ignored: bool = False

    def __str__(self) -> str:
        return self.show()

    @property
    def verdict(self) -> str:
        """One sentence: the score, the threshold and how much is shared."""
        relation = "at or above" if self.score >= self.threshold else "below"
        places, framed = (
            sum(min(len(item.left), len(item.right)) for item in self.shared if item.frame is frame)
            for frame in (False, True)
        )
        shared, which = (places, "core ") if self.frame_ignored else (places + framed, "")
        verdict = (
            f"score {self.score:.3f}, {relation} the threshold {self.threshold:g}: {shared} {which}signatures shared, "
            f"of {self.left.features} in {self.left.id} and {self.right.features} in {self.right.id}"
        )
        if self.frame_score is None:
            return verdict
        return f"{verdict}; frames alike to {self.frame_score:.3f}, {framed} signatures shared there"

    def show(self, *, passages: int = 6, mark: tuple[str, str] = ("«", "»")) -> str:
        """The verdict and the longest shared passages of each side, marked and in text order.

        Passages of the frame, at most two of a side, come after those of the core and are marked otherwise.
        """
        lines = [self.verdict, *(f"note: {note}" for note in self.notes)]
        for side in (self.left, self.right):
            lines += ["", f"{side.id}{'  ' + side.title if side.title else ''}"]
            if side.changed:
                lines.append("  (the source has changed since the run; this is its present text)")
            joined = merge(side.passages, join=JOIN_CHARACTERS)
            longest = sorted(joined, key=lambda span: (span[0] - span[1], span[0]))[:passages]
            lines += [f"  … {mark[0]}{side.quote(span)}{mark[1]} …" for span in sorted(longest)]
            if len(joined) > passages:
                lines.append(f"  and {len(joined) - passages} more passages")
            framed = merge(side.frame, join=JOIN_CHARACTERS)
            longest = sorted(framed, key=lambda span: (span[0] - span[1], span[0]))[:FRAME_PASSAGES]
            lines += [f"  frame: … ‹{side.quote(span)}› …" for span in sorted(longest)]
            if len(framed) > FRAME_PASSAGES:
                lines.append(f"  and {len(framed) - FRAME_PASSAGES} more passages of the frame")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data, for JSON."""

        def side(one: Side) -> dict[str, Any]:
            return {
                "id": one.id,
                "title": one.title,
                "features": one.features,
                "changed": one.changed,
                "passages": [{"start": s, "end": e, "text": one.text[s:e]} for s, e in one.passages],
            } | (
                {}
                if self.frame_score is None
                else {"frame": [{"start": s, "end": e, "text": one.text[s:e]} for s, e in one.frame]}
            )

        return {
            "score": self.score,
            "threshold": self.threshold,
            "left": side(self.left),
            "right": side(self.right),
            "shared": [
                {"signature": item.signature, "left": list(item.left), "right": list(item.right)}
                | ({} if self.frame_score is None else {"frame": item.frame})
                for item in self.shared
            ],
            "notes": list(self.notes),
            "figures": self.figures.to_dict(),
        } | ({} if self.frame_score is None else {"frame_score": self.frame_score})

    def html(self) -> str:
        """A self-contained page: both texts side by side, shared passages marked."""
        columns = "".join(
            f"<section><h2>{html.escape(side.id)}</h2><p class=t>{html.escape(side.title)}</p>"
            f"<pre>{_marked(side)}</pre></section>"
            for side in (self.left, self.right)
        )
        return (
            "<!doctype html><meta charset=utf-8><title>samecore explain</title><style>"
            "body{font:15px/1.5 system-ui,sans-serif;margin:2rem;color:#222}main{display:grid;"
            "grid-template-columns:1fr 1fr;gap:2rem}pre{white-space:pre-wrap;overflow-wrap:anywhere;font:inherit}"
            "h2{font-size:1rem}.t{color:#666}mark{background:#ffe28a}mark.frame{background:#e4e4e4;color:#555}</style>"
            f"<p>{html.escape(self.verdict)}</p><main>{columns}</main>"
        )

    def _repr_html_(self) -> str:
        return self.html()


def _marked(side: Side) -> str:
    pieces, at = [], 0
    spans = [(*span, "<mark>") for span in side.passages] + [
        (*span, '<mark class=frame title="frame of the site">') for span in side.frame
    ]
    for start, end, opening in sorted(spans):
        start = max(start, at)  # core and frame may touch: a signature spans several words
        if end <= start:
            continue
        pieces += [html.escape(side.text[at:start]), opening, html.escape(side.text[start:end]), "</mark>"]
        at = end
    return "".join([*pieces, html.escape(side.text[at:])])


def merge(spans: Iterable[Span], *, join: int = 0) -> tuple[Span, ...]:
    """Spans in order with those that overlap, or lie at most `join` characters apart, made one."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1] + join:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)


def shared_signatures(
    left: Sequence[Occurrence], right: Sequence[Occurrence], *, only: frozenset[int] | None = None
) -> tuple[Shared, ...]:
    """The signatures both sides have, in the order of the left text; `only` limits them to some keys."""
    places: dict[int, list[Occurrence]] = {}
    for occurrence in right:
        places.setdefault(occurrence.key, []).append(occurrence)
    mine: dict[int, list[Occurrence]] = {}
    for occurrence in left:
        if occurrence.key in places and (only is None or occurrence.key in only):
            mine.setdefault(occurrence.key, []).append(occurrence)
    return tuple(
        Shared(
            ":".join(here[0].words),
            tuple((one.start, one.end) for one in here),
            tuple((one.start, one.end) for one in places[key]),
        )
        for key, here in mine.items()
    )


# -- from a result --------------------------------------------------------------------------


def explain(result: Result, left: str, right: str) -> Explanation:
    """The evidence for two documents of a result, by their ids. Reads both from their source again."""
    rows = _row(result, left, second=False), _row(result, right, second=result.other_from is not None)
    texts = [_read(result, row) for row in rows]
    occurrences = [_occurrences(result, row, text["text"]) for row, text in zip(rows, texts, strict=True)]
    weights = _weights(result, rows)
    if weights is not None:
        occurrences = [[one for one in side if one.key in weights] for side in occurrences]
    cores, shared = occurrences, shared_signatures(*occurrences)
    if result.frames is not None:
        known = [result.frames.keys(row) for row in rows]
        framed = [
            [one for one in side if one.key in keys] for side, keys in zip(occurrences, known, strict=True)
        ]
        cores = [
            [one for one in side if one.key not in keys]
            for side, keys in zip(occurrences, known, strict=True)
        ]
        of_frames = tuple(replace(one, frame=True) for one in shared_signatures(*framed))
        shared = (*shared_signatures(*cores), *of_frames)
    ignored = result.frames is not None and result.cores is None
    if ignored:
        occurrences = cores
    sides = [
        Side(
            id=id,
            text=text["text"],
            title=text["title"],
            passages=merge(span for item in shared if not item.frame for span in getattr(item, name)),
            frame=merge(span for item in shared if item.frame for span in getattr(item, name)),
            features=len(mine),
            changed=text["changed"],
        )
        for id, text, mine, name in zip((left, right), texts, occurrences, ("left", "right"), strict=True)
    ]
    notes = list(result.settings.notes)
    statuses = [result.documents["status"][row].as_py() for row in rows]
    otherwise = "by shingles" if result.settings.method.strings is None else "as a whole"
    if statuses[0] != statuses[1] and "fallback" in statuses:
        notes.append(f"one document has too few signatures and was compared {otherwise}, the other was not")
    elif statuses[0] == "fallback":
        notes.append(f"both documents have too few signatures and were compared {otherwise}")
    bare = ignored and FRAME_ONLY in statuses
    if bare:
        notes.append("a page that is all frame but for a few words matches only its copies")
    method = result.settings.method
    changed = any(side.changed for side in sides)
    numbers = figures(*occurrences, multiset=method.multiset, weights=weights, match=method.match)
    score = float(result.found.look_up(result.content[[rows[0]]], result.content[[rows[1]]])[0])
    if bare:
        score = 0.0 if np.isnan(score) else score
    elif (np.isnan(score) or changed) and method.match.measure == "jaccard":
        if np.isnan(score) and numbers.jaccard >= result.settings.threshold:
            notes.append("the run did not list this pair: its sketches missed it, or a filter left it out")
        score = numbers.jaccard
    if method.strings is not None and isinstance(method.match, ComparesStrings):
        strings = method.strings(pa.array([text["text"] for text in texts], pa.large_string())).to_pylist()
        if np.isnan(score) or changed:
            score = method.match.score_strings(*strings)
        notes += method.match.evidence(*strings)
    if np.isnan(score) and result.settings.floor <= NO_FLOOR:
        score = 0.0
    if np.isnan(score):
        notes.append(
            f"the score lies below {result.settings.floor:g}, the floor of the run, and was not kept"
        )
        score = 0.0
    frame_score = None
    if result.frames is not None:
        one, other = (np.array([row]) for row in rows)
        frame_score = float(result.frames.scores(one, other, multiset=method.multiset)[0])
    return Explanation(
        score,
        result.settings.threshold,
        sides[0],
        sides[1],
        shared,
        tuple(notes),
        numbers,
        frame_score,
        ignored,
    )


def _row(result: Result, id: str, *, second: bool) -> int:
    """The row of a document; in a second collection it may also be named as its source names it."""
    start = result.other_from if second and result.other_from is not None else 0
    documents = result.documents.slice(start)
    row = pc.index(documents["id"], str(id)).as_py()
    if row < 0 and "source_id" in documents.column_names:
        row = pc.index(documents["source_id"], str(id)).as_py()
    if row < 0:
        there = f"; ids look like {result.ids[0].as_py()!r}" if len(result) else ""
        raise InputError(f"no document has the id {id!r}{there}")
    if result.content[row + start] < 0:
        raise InputError(f"document {id!r} was not compared ({documents['status'][row].as_py()})")
    return int(row) + start


def _read(result: Result, row: int) -> dict[str, Any]:
    """The text and title of one document as its source holds them now, and whether they have changed."""
    source = result.sources[result.other_from is not None and row >= result.other_from]
    id = result.ids[row].as_py()
    if "source_id" in result.documents.column_names:
        id = result.documents["source_id"][row].as_py() or id
    table = (source if isinstance(source, Source) else reopen(source)).fetch([id])
    method = result.settings.method
    batch, _ = extract(table.combine_chunks().to_batches()[0], method.text, undisguise=method.undisguise)
    if batch.num_rows == 0:
        return {"text": "", "title": "", "changed": True}
    texts = batch.column("text")
    changed = int(text_hashes(texts)[0]) != result.documents["text_hash"][row].as_py()
    return {
        "text": texts[0].as_py() or "",
        "title": batch.column("title")[0].as_py() or "",
        "changed": changed,
    }


def _occurrences(result: Result, row: int, text: str) -> list[Occurrence]:
    method = result.settings.method
    fallback = result.documents["status"][row].as_py() == "fallback"
    part = method.fallback if fallback and method.fallback is not None else method.features
    return part.occurrences(text)


def _weights(result: Result, rows: tuple[int, int]) -> dict[int, int] | None:
    """The keys that counted in the run, with their weights; None if all of them did and weigh 1."""
    features = result.features
    if features is None:
        return None
    weights: dict[int, int] = {}
    for row in rows:
        entries = features.row(int(result.content[row]))
        keys = features.keys[entries].tolist()
        own = [1] * len(keys) if features.weights is None else features.weights[entries].tolist()
        weights.update(zip(keys, own, strict=True))
    return weights
