"""Files and folders that appear whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path

from samecore.errors import InputError


@contextlib.contextmanager
def atomic_path(path: str | Path, *, overwrite: bool = True) -> Iterator[Path]:
    """A temporary sibling of `path` to write to, renamed to `path` at the end of the block.

    If the block ends by any exception, Ctrl-C and a full disk included, the temporary file is
    removed and what was at `path` is as before.
    """
    target = Path(path)
    if not overwrite and target.exists():
        raise InputError("already exists; remove it or allow overwriting", where=str(target))
    if target.is_dir():
        raise InputError("expected a file to write, found a folder", where=str(target))
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = _sibling(target)
    try:
        yield temporary
        _sync(temporary)
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


@contextlib.contextmanager
def atomic_directory(path: str | Path, *, overwrite: bool = False) -> Iterator[Path]:
    """A temporary sibling folder to fill, renamed to `path` at the end of the block.

    An existing folder with something in it is an InputError unless `overwrite`; then it is
    put aside, and removed only when the new one is in its place.
    """
    target = Path(path)
    if target.exists() and not target.is_dir():
        raise InputError("expected a folder to write to, found a file", where=str(target))
    if target.is_dir() and any(target.iterdir()) and not overwrite:
        raise InputError("the folder is not empty; choose another or allow overwriting", where=str(target))
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = _sibling(target)
    temporary.mkdir()
    try:
        yield temporary
        _swap(temporary, target)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def _swap(temporary: Path, target: Path) -> None:
    if not target.exists():
        os.rename(temporary, target)
        return
    old = _sibling(target)
    os.rename(target, old)
    try:
        os.rename(temporary, target)
    except BaseException:
        os.rename(old, target)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _sibling(target: Path) -> Path:
    # Same folder, so that the rename stays on one disk; hidden, so that readers pass it over.
    return target.with_name(f".{target.name}.{secrets.token_hex(6)}.part")


def _sync(path: Path) -> None:
    """Force the bytes to disk: some file systems report a full disk only now."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
