"""What the frames of sites do to pairs and groups at the threshold users get."""

from __future__ import annotations

from typing import Any

from samecore.lab.data import Labelled
from samecore.lab.evaluate import evaluate
from samecore.lab.measures.common import recipe
from samecore.pipeline import find


def framing(labelled: Labelled, settings: dict[str, Any]) -> list[dict[str, Any]]:
    """One row: precision and recall of pairs and of groups with `frame` ignored or looked away from ("off")."""
    result = find(labelled.documents, method=recipe(settings), frame=settings["frame"])
    found = evaluate(result, labelled.truth)
    return [
        {
            "pairs P": found.pairs.precision,
            "pairs R": found.pairs.recall,
            "groups P": found.groups.precision,
            "groups R": found.groups.recall,
        }
    ]
