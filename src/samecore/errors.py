"""What can go wrong, as a small tree.

    SamecoreError
    ├── InputError        the source, a column or a document is not what was expected
    ├── SettingError      a threshold, method or option that cannot work (also a ValueError)
    ├── MissingExtra      an optional library is not installed (also an ImportError)
    └── ResultError       a stored result is damaged, or its sources have changed

Every message says what was expected, what was found, where, and what to do.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class SamecoreError(Exception):
    """Base of every error raised on purpose by samecore."""


class InputError(SamecoreError):
    """A source cannot be read as asked. `where` names the file, row or column."""

    def __init__(self, message: str, *, where: str | None = None) -> None:
        super().__init__(message if where is None else f"{where}: {message}")
        self.where = where


class SettingError(SamecoreError, ValueError):
    """A setting that cannot work: `name` was `found`, `expected` says what would do."""

    def __init__(self, name: str, *, found: object, expected: str) -> None:
        super().__init__(f"{name}: expected {expected}, found {found!r}")
        self.name, self.found, self.expected = name, found, expected


class MissingExtra(SamecoreError, ImportError):  # noqa: N818 - named for what is missing
    """An optional library is needed. The message gives the command to install it."""

    def __init__(self, library: str, *, extra: str, needed_for: str) -> None:
        super().__init__(f"{needed_for} needs {library}: pip install 'samecore[{extra}]'")
        self.library, self.extra = library, extra


class ResultError(SamecoreError):
    """A stored result cannot be used. `path` is where it lies."""

    def __init__(self, message: str, *, path: str | None = None) -> None:
        super().__init__(message if path is None else f"{path}: {message}")
        self.path = path


def unknown_name(kind: str, found: str, known: Iterable[str]) -> SettingError:
    """The error for a name that is not in a table, with the nearest one that is."""
    names = sorted(known)
    near = difflib.get_close_matches(found, names, n=1)
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    return SettingError(kind, found=found, expected=f"one of {', '.join(names)}{hint}")
