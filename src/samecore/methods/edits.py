"""Recipes by edit distance."""

from __future__ import annotations

from samecore.features.shingles import Shingles
from samecore.match.edits import Edit
from samecore.methods.recipe import Method
from samecore.similarity.edit import Unit
from samecore.text.strings import NormalisedText


def edit(
    *,
    unit: Unit = "words",
    insert: int = 1,
    delete: int = 1,
    substitute: int = 1,
    text: str = "visible",
    threshold: float = 0.8,
) -> Method:
    """Edit distance by words or characters, with a cost for each operation, all pairs found exactly.

    Where insertions and deletions do not cost the same, an earlier document is turned into a later one.
    """
    return Method(
        name="edit",
        features=Shingles(width=3),  # what `explain` shows; the pairs go by the strings
        text=text,
        strings=NormalisedText("characters" if unit == "words" else "words"),
        match=Edit(unit=unit, insert=insert, delete=delete, substitute=substitute),
        threshold=threshold,
        about="share of the words that need no insertion, deletion or substitution, found exactly",
    )
