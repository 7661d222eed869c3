"""Edit distance with a cost for each operation, as a verifier of pairs that something quicker has found.

    distance = the least total cost of insertions, deletions and substitutions that turn left into right
    score    = 1 - distance / the largest distance that two texts of these lengths can have

Texts are normalised as the tokens are: case, spacing and punctuation do not count. The time grows with
the product of the lengths; `match/edits.py` says which pairs of many are worth it. Not symmetric unless
insertions and deletions cost the same:

    score(a, b, insert=x, delete=y) == score(b, a, insert=y, delete=x)

    >>> distance("The cat sat.", "the  cat sits", unit="words")
    1
    >>> score("kitten", "sitting") == 4 / 7
    True
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from samecore.errors import MissingExtra, SettingError, unknown_name
from samecore.text.tokens import one_buffer, words_of_bytes

Unit: TypeAlias = Literal["characters", "words"]
UNITS = ("characters", "words")
Units: TypeAlias = "str | Sequence[int]"  # what is edited: the characters of a string, or numbers

MAX_COST = 1 << 20
"""Costs are whole numbers up to this, so that every sum of them is exact."""


def score(
    left: str,
    right: str,
    *,
    insert: int = 1,
    delete: int = 1,
    substitute: int = 1,
    unit: Unit = "characters",
    min_score: float = 0.0,
) -> float:
    """1 - distance / largest distance, in [0, 1]; 1.0 for equal texts, two empty ones included.

    0.0 when it is below `min_score`, which is seen from the lengths alone if they are far apart.
    1.0 as well if the costs leave nothing to pay, such as insertions into an empty text at 0.
    """
    check_costs(insert, delete, substitute)
    one, two = units(left, right, unit=unit)
    most = int(largest(len(one), len(two), insert=insert, delete=delete, substitute=substitute))
    if _share(_least(len(one), len(two), insert, delete), most) < min_score:
        return 0.0
    # One more than min_score allows, so that rounding here never decides: the comparison below does.
    allowed = min(most, max(0, int((1.0 - min_score) * most) + 1))
    value = _share(min(most, _distance(one, two, (insert, delete, substitute), allowed)), most)
    return value if value >= min_score else 0.0


def distance(
    left: str,
    right: str,
    *,
    insert: int = 1,
    delete: int = 1,
    substitute: int = 1,
    unit: Unit = "characters",
) -> int:
    """The least total cost of turning `left` into `right`, both normalised; 0 for equal texts."""
    check_costs(insert, delete, substitute)
    one, two = units(left, right, unit=unit)
    return _distance(one, two, (insert, delete, substitute), None)


def upper_bound(
    left_length: int, right_length: int, *, insert: int = 1, delete: int = 1, substitute: int = 1
) -> float:
    """The highest score of two texts with so many units each: the difference must be inserted or deleted.

    Never below `score`, at most 1. Lengths are those of `units`.
    """
    check_costs(insert, delete, substitute)
    least = _least(left_length, right_length, insert, delete)
    return _share(
        least, int(largest(left_length, right_length, insert=insert, delete=delete, substitute=substitute))
    )


def scores(
    left: Sequence[Units],
    right: Sequence[Units],
    *,
    insert: int = 1,
    delete: int = 1,
    substitute: int = 1,
    min_score: float = 0.0,
    threads: int = 1,
) -> npt.NDArray[np.float64]:
    """`score` of left[i] and right[i], whose units are taken as they are: the same numbers as one by one.

    Strings are quickest, and quickest of all where the units that occur most are the lowest characters.
    """
    check_costs(insert, delete, substitute)
    lengths = np.array([[len(one), len(two)] for one, two in zip(left, right, strict=True)], np.int64)
    most = largest(*lengths.reshape(-1, 2).T, insert=insert, delete=delete, substitute=substitute)
    if not len(most):
        return np.zeros(0)
    process, levenshtein = _library()
    # The cutoff only spares work, so it lies lower than it might: the comparison at the end decides.
    shares = process.cpdist(
        left,
        right,
        scorer=levenshtein.normalized_similarity,
        scorer_kwargs={"weights": (insert, delete, substitute)},
        score_cutoff=max(0.0, min_score - 1e-6),
        dtype=np.float64,
        workers=threads,
    )
    distances = np.rint((1.0 - shares) * most)
    found = np.where(most > 0, (most - distances) / np.maximum(most, 1), 1.0)
    return np.where(found >= min_score, found, 0.0)


def operations(left: Units, right: Units, *, insert: int = 1, delete: int = 1, substitute: int = 1) -> str:
    """The cheapest edit in words: "3 substituted, 1 inserted, 2 deleted". Of several equally cheap ones, one.

    "" if the costs are neither all the same nor such that a substitution is no cheaper than to delete and insert.
    """
    check_costs(insert, delete, substitute)
    _library()
    from rapidfuzz.distance import Indel, Levenshtein

    if insert == delete == substitute and insert:
        edits = Levenshtein.editops(left, right)
    elif substitute >= insert + delete and insert and delete:
        edits = Indel.editops(left, right)
    else:
        return ""
    tags = [edit.tag for edit in edits]
    named = {"replace": "substituted", "insert": "inserted", "delete": "deleted"}
    return (
        ", ".join(f"{tags.count(tag):,} {done}" for tag, done in named.items() if tag in tags) or "no change"
    )


def units(left: str, right: str, *, unit: Unit = "characters") -> tuple[Sequence[int], Sequence[int]]:
    """What is inserted, deleted and substituted in each text, as numbers that are equal where the units are.

    "characters" are those of the normalised words joined by single spaces. "words" are the normalised
    words; of scripts written without spaces, the single characters.
    """
    if unit not in UNITS:
        raise unknown_name("unit", unit, UNITS)
    if unit == "characters":
        one, two = (" ".join(_words(text, "words")) for text in (left, right))
        return [ord(character) for character in one], [ord(character) for character in two]
    numbers: dict[str, int] = {}
    one_words, two_words = (_words(text, "characters") for text in (left, right))
    return (
        [numbers.setdefault(word, len(numbers)) for word in one_words],
        [numbers.setdefault(word, len(numbers)) for word in two_words],
    )


def _words(text: str, cjk: Literal["words", "characters"]) -> list[str]:
    data = one_buffer(text)
    return words_of_bytes(data, np.array([0, len(data)], np.int64), cjk=cjk)[0]


def _distance(
    one: Sequence[int], two: Sequence[int], costs: tuple[int, int, int], allowed: int | None
) -> int:
    """The distance, or `allowed` + 1 if it is above `allowed`."""
    _, levenshtein = _library()
    found: int = levenshtein.distance(one, two, weights=costs, score_cutoff=allowed)
    return found


def _library() -> tuple[Any, Any]:
    try:
        from rapidfuzz import process
        from rapidfuzz.distance import Levenshtein
    except ImportError as error:
        raise MissingExtra("rapidfuzz", extra="edit", needed_for="edit distance") from error
    return process, Levenshtein


def largest(
    left_lengths: int | npt.NDArray[np.int64],
    right_lengths: int | npt.NDArray[np.int64],
    *,
    insert: int = 1,
    delete: int = 1,
    substitute: int = 1,
) -> npt.NDArray[np.int64]:
    """The largest distance that texts of these lengths can have, that of texts without a unit in common."""
    shorter = np.minimum(left_lengths, right_lengths)
    longer = (left_lengths - shorter) * delete + (right_lengths - shorter) * insert
    return shorter * min(substitute, insert + delete) + longer


def _least(left_length: int, right_length: int, insert: int, delete: int) -> int:
    """What the difference in length alone costs."""
    return max(0, left_length - right_length) * delete + max(0, right_length - left_length) * insert


def _share(distance: int, most: int) -> float:
    """1 - distance / most, rounded once; 1.0 if nothing can be paid."""
    return (most - distance) / most if most else 1.0


def check_costs(insert: int, delete: int, substitute: int) -> None:
    for name, cost in (("insert", insert), ("delete", delete), ("substitute", substitute)):
        if isinstance(cost, bool) or not isinstance(cost, int) or not 0 <= cost <= MAX_COST:
            raise SettingError(name, found=cost, expected=f"a whole number from 0 to {MAX_COST}")
