"""Estimates against the truth: sketch size and error, and sketches on pages of one site and of two."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from samecore.contents import expand
from samecore.errors import InputError
from samecore.lab.data import Labelled
from samecore.lab.measures.common import features_of, recipe, timed_find
from samecore.match.exact import exact
from samecore.methods import method
from samecore.sketch.minhash import MinHash


def sketch_error(labelled: Labelled, settings: dict[str, Any]) -> list[dict[str, Any]]:
    """A row per number of slots: the error of min-hash estimates over all pairs with a resemblance of 0.1 or more.

    Equal documents, whose estimate is never wrong, are left out.
    "expected" is what theory says, sqrt(r (1 - r) / m), averaged over the same pairs as a root mean square.
    """
    features, _ = features_of(labelled, method("shingles", width=settings.get("width", 5)))
    pairs = exact(features, threshold=0.1, multiset=False, threads=2).expand()
    apart = pairs.score < 1.0
    left, right, true = pairs.left[apart], pairs.right[apart], pairs.score[apart]
    rows = []
    for slots in settings["slots"]:
        squared: list[float] = []
        signed: list[float] = []
        for seed in range(settings.get("repeat", 5)):
            minima = MinHash(slots=slots, multiset=False, seed=seed)(features, threads=2)
            error = _agreement(minima, left, right) - true
            squared.append(float((error**2).mean()) if len(error) else 0.0)
            signed.append(float(error.mean()) if len(error) else 0.0)
        expected = float(np.sqrt((true * (1 - true) / slots).mean())) if len(true) else 0.0
        rows.append(
            {
                "slots": slots,
                "pairs": len(true),
                "rms error": float(np.sqrt(np.mean(squared))),
                "expected": expected,
                "bias": float(np.mean(signed)),
            }
        )
    return rows


def same_site(labelled: Labelled, settings: dict[str, Any]) -> list[dict[str, Any]]:
    """Two rows: the pairs a method finds on one site and across two, and the share of them that is right.

    The site is the host of `url`. Documents without one are left out.
    """
    if "url" not in labelled.documents.column_names:
        raise InputError("expected documents with a url, which names their site; found none")
    made = recipe(settings)
    result = timed_find(labelled, made, threshold=settings.get("threshold", made.threshold)).result
    ids = result.ids.to_pylist()
    labels = np.array([label or f"alone: {id}" for id, label in zip(ids, labelled.labels(ids), strict=True)])
    urls = dict(zip(labelled.documents["id"].to_pylist(), labelled.documents["url"].to_pylist(), strict=True))
    sites = np.array([(urls.get(id) or "").split("/")[2:3] or [""] for id in ids])[:, 0]
    parts = [
        (left[score >= result.settings.threshold], right[score >= result.settings.threshold])
        for left, right, score in expand(result.members, result.found, copies=True)
    ]
    left, right = (
        np.concatenate([np.empty(0, np.int64), *(part[side] for part in parts)]) for side in (0, 1)
    )
    known = (sites[left] != "") & (sites[right] != "")
    rows = []
    for place, chosen in (
        ("one site", known & (sites[left] == sites[right])),
        ("two sites", known & (sites[left] != sites[right])),
    ):
        correct = int((labels[left[chosen]] == labels[right[chosen]]).sum())
        pairs = int(chosen.sum())
        rows.append({"pairs of": place, "pairs": pairs, "correct": correct / pairs if pairs else None})
    return rows


def _agreement(
    minima: npt.NDArray[np.uint32] | npt.NDArray[np.uint64],
    left: npt.NDArray[np.uint32],
    right: npt.NDArray[np.uint32],
) -> npt.NDArray[np.float64]:
    """The share of slots that agree, in pieces, so that memory stays small."""
    out = np.empty(len(left))
    for start in range(0, len(left), 100_000):
        part = slice(start, start + 100_000)
        out[part] = (minima[left[part]] == minima[right[part]]).mean(axis=1)
    return out
