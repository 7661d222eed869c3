"""What can go wrong with an index.

SamecoreError
└── IndexFault        not an index, another version, another method, a full disk, a network file system
    ├── IndexLocked   another process writes to it
    └── IndexDamaged  a file is torn or has changed
"""

from __future__ import annotations

from pathlib import Path

from samecore.errors import SamecoreError


class IndexFault(SamecoreError):  # noqa: N818 - named for what happened
    """An index cannot be used as asked. `path` is the file or folder."""

    def __init__(self, message: str, *, path: str | Path) -> None:
        super().__init__(f"{path}: {message}")
        self.path = Path(path)


class IndexLocked(IndexFault):
    """Another process, or another Index of this one, writes to the index; `holder` says which."""

    def __init__(self, holder: str, *, path: str | Path, own: bool = False) -> None:
        what_to_do = "close the other Index first" if own else "wait for it to end"
        super().__init__(
            f"expected no other writer, found {holder}; {what_to_do} (reading is possible meanwhile)",
            path=path,
        )
        self.holder = holder


class IndexDamaged(IndexFault):
    """A file of the index is torn or has changed since it was written; `path` is that file."""
