"""A look at the errors: the worst false matches and misses of a run, side by side on one page."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from samecore.contents import expand
from samecore.errors import SamecoreError
from samecore.explain import Explanation
from samecore.lab.evaluate import Truth
from samecore.result import Result

Kind: TypeAlias = Literal["false match", "miss"]
Rows: TypeAlias = npt.NDArray[np.int64]
Scores: TypeAlias = npt.NDArray[np.float64]
Flags: TypeAlias = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Mistake:
    """Two documents that a run got wrong, and the score it gave them (0 if below the floor)."""

    kind: Kind
    left: str
    right: str
    score: float


def mistakes(result: Result, truth: Truth, *, most: int = 20) -> list[Mistake]:
    """The false matches with the highest scores, then the misses with the lowest, `most` of each.

    Of equal scores the pair that comes first in the input. No document is in more than three of a
    kind, so that one odd page does not fill the list.
    """
    ids = result.ids.to_pylist()
    left, right, score, same = _judged_pairs(result, truth, ids)
    wrong = np.flatnonzero(~same & (score >= result.settings.threshold))
    missed = np.flatnonzero(same & (score < result.settings.threshold))
    wrong = wrong[np.lexsort((right[wrong], left[wrong], -score[wrong]))]
    missed = missed[np.lexsort((right[missed], left[missed], score[missed]))]
    found: list[Mistake] = []
    kinds: tuple[tuple[Kind, Rows], ...] = (("false match", wrong), ("miss", missed))
    for kind, rows in kinds:
        seen: dict[int, int] = {}
        taken = 0
        for row in rows:
            pair = int(left[row]), int(right[row])
            if taken == most:
                break
            if any(seen.get(one, 0) >= 3 for one in pair):
                continue
            for one in pair:
                seen[one] = seen.get(one, 0) + 1
            taken += 1
            found.append(Mistake(kind, ids[pair[0]], ids[pair[1]], float(score[row])))
    return found


def page(result: Result, truth: Truth, *, most: int = 20) -> str:
    """The mistakes as a self-contained HTML page: both texts, what they share marked."""
    sections = []
    for one in mistakes(result, truth, most=most):
        try:
            shown = _texts(result.explain(one.left, one.right))
        except SamecoreError as error:  # such as a document that had no words
            shown = f"<p>{html.escape(str(error))}</p>"
        sections.append(
            f"<details><summary>{one.kind}, {one.score:.3f}: {html.escape(one.left)} and "
            f"{html.escape(one.right)}</summary>{shown}</details>"
        )
    settings = result.settings
    return (
        "<!doctype html><meta charset=utf-8><title>samecore: mistakes</title><style>"
        "body{font:15px/1.5 system-ui,sans-serif;margin:2rem;color:#222}main{display:grid;grid-template-columns:1fr 1fr;"
        "gap:2rem}pre{white-space:pre-wrap;overflow-wrap:anywhere;font:inherit;max-height:40rem;overflow:auto}"
        "summary{cursor:pointer;padding:.3rem 0}mark{background:#ffe28a}.t{color:#666}</style>"
        f"<h1>Mistakes of {html.escape(settings.method.name)} at {settings.threshold:g}</h1>"
        f"<p>{len(sections)} shown: false matches with the highest scores, then misses with the lowest.</p>"
        + "".join(sections)
    )


def _texts(explanation: Explanation) -> str:
    """The part of an explanation's page that shows both texts."""
    body = explanation.html()
    return f"<p>{html.escape(explanation.verdict)}</p>" + body[body.index("<main>") :]


def _judged_pairs(result: Result, truth: Truth, ids: list[str]) -> tuple[Rows, Rows, Scores, Flags]:
    """Every pair of which the truth is known and that was found or is the same, with its score."""
    scores: dict[tuple[int, int], float] = {}
    for left, right, score in expand(result.members, result.found, copies=True):
        scores.update(zip(zip(left.tolist(), right.tolist(), strict=True), score.tolist(), strict=True))
    same: dict[tuple[int, int], bool] = {}
    if truth.judged:
        row = {id: n for n, id in enumerate(ids)}
        for a, b, alike in truth.judged:
            if a in row and b in row:
                same[min(row[a], row[b]), max(row[a], row[b])] = alike
    else:
        labels = [truth.clusters.get(id) for id in ids]
        members: dict[str, list[int]] = {}
        for n, label in enumerate(labels):
            if label is not None:
                members.setdefault(label, []).append(n)
        same = {
            (a, b): labels[a] == labels[b]
            for a, b in scores
            if labels[a] is not None and labels[b] is not None
        }
        for rows in members.values():
            same.update(((a, b), True) for at, a in enumerate(rows) for b in rows[at + 1 :])
    pairs = sorted(same)
    table = np.array(pairs, np.int64).reshape(-1, 2)
    return (
        table[:, 0],
        table[:, 1],
        np.array([scores.get(pair, 0.0) for pair in pairs]),
        np.array([same[pair] for pair in pairs], np.bool_),
    )
