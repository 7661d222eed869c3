"""How many bands of how many rows: the settings of LSH, chosen for a recall.

Two documents of Jaccard similarity J agree in one slot of their min-hash sketches with
probability J, in a band of r rows with J**r, and in at least one of b bands with

    P(J) = 1 - (1 - J**r)**b

which rises with J. So the recall at the threshold is the worst case of all pairs that
should be found, and it is the one number to ask for.

    >>> banding = choose_banding(128, threshold=0.8)
    >>> banding
    Banding(bands=16, rows=6)
    >>> round(banding.expected_recall(0.8), 3), round(banding.probability(0.3), 3)
    (0.992, 0.012)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
import numpy.typing as npt

from samecore.errors import SettingError
from samecore.match.threshold import Number, Threshold, exact_threshold

Values = npt.NDArray[np.float64]

DEFAULT_RECALL = 0.99


@dataclass(frozen=True)
class Banding:
    """`bands` bands of `rows` slots each; two documents are compared if one band agrees."""

    bands: int
    rows: int

    def __post_init__(self) -> None:
        for name, value in (("bands", self.bands), ("rows", self.rows)):
            if value < 1:
                raise SettingError(name, found=value, expected="at least 1")

    @property
    def slots(self) -> int:
        """How many slots of a sketch are used: the first bands * rows."""
        return self.bands * self.rows

    @overload
    def probability(self, similarity: float) -> float: ...
    @overload
    def probability(self, similarity: Values) -> Values: ...
    def probability(self, similarity: float | Values) -> float | Values:
        """P(J), for a number or an array of them, in [0, 1]: how likely such a pair is compared."""
        agree = np.clip(np.asarray(similarity, np.float64), 0.0, 1.0) ** self.rows
        with np.errstate(divide="ignore"):
            found: Values = -np.expm1(self.bands * np.log1p(-agree))
        return found if isinstance(similarity, np.ndarray) else float(found)

    def expected_recall(self, threshold: Number | Threshold) -> float:
        """P at the threshold: the share of the pairs exactly there that is found, and a lower bound above it."""
        tau = exact_threshold(threshold)
        return self.probability(tau.num / tau.den)

    def curve(self, *, steps: int = 20) -> tuple[tuple[float, float], ...]:
        """(J, P(J)) at steps + 1 even places from 0 to 1, for printing."""
        return tuple((i / steps, self.probability(i / steps)) for i in range(steps + 1))


#: SpotSigs 2008, section 5.3.3: k = 6 min-hashes per table, l = 32 tables.
SPOTSIGS_2008 = Banding(bands=32, rows=6)


def bands_needed(rows: int, threshold: Number | Threshold, recall: float = DEFAULT_RECALL) -> int:
    """The fewest bands of `rows` rows that reach `recall` at the threshold."""
    tau = exact_threshold(threshold)
    _check_recall(recall)
    agree = (tau.num / tau.den) ** rows
    if agree == 1.0:
        return 1
    if agree < 1e-15:  # more bands than any sketch has slots
        return 2**62
    bands = max(math.ceil(math.log1p(-recall) / math.log1p(-agree)), 1)
    # The logarithms may be off by a rounding error at a whole number.
    while bands > 1 and Banding(bands - 1, rows).expected_recall(tau) >= recall:
        bands -= 1
    while Banding(bands, rows).expected_recall(tau) < recall:
        bands += 1
    return bands


def choose_banding(
    slots: int,
    *,
    threshold: Number | Threshold,
    recall: float = DEFAULT_RECALL,
    similarities: Sequence[float] | Values | None = None,
) -> Banding:
    """The banding with the fewest false candidates among those that reach `recall` at the threshold.

    slots: how many slots the sketches have; the banding may use fewer.
    recall: asked for at the threshold, above 0 and below 1.
    similarities: the Jaccard values of some random pairs of documents, if known. The
        banding that compares the smallest share of those below the threshold is taken,
        of equals the one with fewer slots. Otherwise the most rows win: just enough bands
        of r rows compare about -log(1 - recall) * (J / threshold)**r of the pairs at J, so
        that, up to the rounding of bands, more rows mean fewer false candidates
        whatever the distribution.

    Raises SettingError if no banding of so few slots does it; it says how many would.
    """
    tau = exact_threshold(threshold)
    _check_recall(recall)
    least = bands_needed(1, tau, recall)
    if slots < least:
        raise SettingError(
            "slots",
            found=slots,
            expected=f"at least {least} for a recall of {recall} at {tau.num / tau.den:g}",
        )
    choices = []
    for rows in range(1, slots + 1):
        bands = bands_needed(rows, tau, recall)
        if bands * rows > slots:  # and so for more rows, which need no fewer bands
            break
        choices.append(Banding(bands, rows))
    if similarities is None:
        return choices[-1]
    values = np.asarray(similarities, np.float64)
    below = values[values < tau.num / tau.den]
    return min(choices, key=lambda choice: (float(choice.probability(below).sum()), choice.slots))


def _check_recall(recall: float) -> None:
    if not 0 < recall < 1:
        raise SettingError(
            "recall", found=recall, expected="a number above 0 and below 1; for all pairs use exact"
        )
