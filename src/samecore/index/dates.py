"""Dates as an index holds them: microseconds since 1970, UTC."""

from __future__ import annotations

import math
from datetime import datetime, timedelta, timezone
from typing import Any

import pyarrow as pa

from samecore.errors import SettingError

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
MICROSECOND = timedelta(microseconds=1)
#: The dates that can be told again: those of the years 1 to 9999, UTC.
FIRST_DATE = (datetime.min.replace(tzinfo=timezone.utc) - EPOCH) // MICROSECOND
LAST_DATE = (datetime.max.replace(tzinfo=timezone.utc) - EPOCH) // MICROSECOND

DATES = "a datetime, an ISO 8601 text, or seconds since 1970, in the years 1 to 9999"


def microseconds(value: Any, *, default: int) -> int:
    """A date as microseconds since 1970, UTC: a datetime, an ISO 8601 text, or seconds; else `default`.

    What lies outside the years 1 to 9999, such as milliseconds taken for seconds, is no date either.
    """
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.strip().replace("Z", "+00:00"))
        except ValueError:
            return default
    if hasattr(value, "year") and not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day)
    if isinstance(value, datetime):
        whole = value if value.tzinfo is not None else value.replace(tzinfo=timezone.utc)
        found = (whole - EPOCH) // MICROSECOND
    elif isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        found = math.floor(value * 1_000_000 + 0.5)
    else:
        return default
    return found if FIRST_DATE <= found <= LAST_DATE else default


def moment(date: int) -> datetime:
    """Microseconds since 1970 as a date again."""
    return EPOCH + date * MICROSECOND


def asked_date(value: Any, *, name: str = "date") -> int:
    """A date that the caller gave; SettingError if it is none."""
    missing = -(2**63)
    found = microseconds(value, default=missing)
    if found == missing:
        raise SettingError(name, found=value, expected=DATES)
    return found


def cell(scalar: pa.Scalar) -> Any:
    """The value of a cell; None for a time that Python has no date for."""
    try:
        return scalar.as_py()
    except (OverflowError, ValueError):
        return None
