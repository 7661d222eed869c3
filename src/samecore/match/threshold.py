"""A threshold as the fraction the user wrote, so that integers decide at the boundary."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from samecore.errors import SettingError

LIMIT = 2**31 - 1  # largest denominator: products with document sizes then fit 64 bits

Number = float | int | str | Fraction | Decimal


@dataclass(frozen=True)
class Threshold:
    """The inclusive minimum `num / den`, with 0 < num <= den <= LIMIT."""

    num: int
    den: int

    def reached(self, overlap: int, union: int) -> bool:
        """Is overlap / union at least the threshold? Without rounding; no for an empty union."""
        return union > 0 and overlap * self.den >= self.num * union


def exact_threshold(value: Number | Threshold, *, name: str = "threshold") -> Threshold:
    """The threshold `value` as integers: 0.35 is 7/20, not the nearest binary fraction.

    A float means the shortest decimal that prints as it. Values with a denominator
    above LIMIT become the least fraction within LIMIT that is not below them, which
    decides every pair with a union up to LIMIT in the same way. Raises SettingError
    (naming `name`) unless 0 < value <= 1.
    """
    if isinstance(value, Threshold):
        return value
    try:
        if isinstance(value, bool):
            raise ValueError
        fraction = value if isinstance(value, Fraction) else Fraction(str(value))
    except (ValueError, ZeroDivisionError):
        raise SettingError(name, found=value, expected="a number above 0, at most 1") from None
    if not 0 < fraction <= 1:
        raise SettingError(name, found=value, expected="a number above 0, at most 1")
    fraction = _not_below(fraction)
    return Threshold(fraction.numerator, fraction.denominator)


def _not_below(fraction: Fraction) -> Fraction:
    """The least fraction >= `fraction` with a denominator up to LIMIT."""
    nearest = fraction.limit_denominator(LIMIT)
    if nearest >= fraction:
        return nearest
    # Its right neighbour p/q among such fractions (Farey): p*b - a*q = 1, q as large as
    # can be. It lies above `fraction`, or it would have been the nearest.
    a, b = nearest.numerator, nearest.denominator
    q = -pow(a, -1, b) % b
    q += (LIMIT - q) // b * b
    return Fraction((1 + a * q) // b, q)
