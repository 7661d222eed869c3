"""Files and folders that appear whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from samecore.errors import InputError

# So many names of what is in a folder does a message list.
LISTED_NAMES = 3
# The disk, the quota or the file can take no more: never the fault of what is read.
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@contextlib.contextmanager
def atomic_path(path: str | Path, *, overwrite: bool = True) -> Iterator[Path]:
    """A temporary sibling of `path` to write to, renamed to `path` at the end of the block.

    If the block ends by any exception, Ctrl-C and a full disk included, the temporary file is
    removed and what was at `path` is as before; an OSError names `path`. A link is followed; a
    device or pipe (`/dev/null`) is written to as it is.
    """
    target = Path(path)
    if not overwrite and target.exists():
        raise InputError("already exists; remove it or allow overwriting", where=str(target))
    if target.is_dir():
        raise InputError("expected a file to write, found a folder", where=str(target))
    if target.exists() and not target.is_file():
        yield target
        return
    with _sibling(target) as temporary:
        yield temporary
        _sync(temporary)
        os.replace(temporary, target.resolve())


@contextlib.contextmanager
def atomic_directory(path: str | Path, *, overwrite: bool = False) -> Iterator[Path]:
    """A temporary sibling folder to fill, renamed to `path` at the end of the block.

    An existing folder with something in it is an InputError unless `overwrite`; then it is
    put aside, and removed only when the new one is in its place. Errors as for `atomic_path`.
    """
    target = Path(path)
    check_directory(target, overwrite=overwrite)
    with _sibling(target) as temporary:
        temporary.mkdir()
        yield temporary
        _swap(temporary, target.resolve())


def check_directory(path: str | Path, *, overwrite: bool) -> None:
    """An InputError if `path` is a file, or a folder with something in it and `overwrite` is not said."""
    target = Path(path)
    if target.exists() and not target.is_dir():
        raise InputError("expected a folder to write to, found a file", where=str(target))
    if overwrite or not target.is_dir():
        return
    names = sorted(os.listdir(target))
    if names:
        more = f" and {len(names) - LISTED_NAMES} more" if len(names) > LISTED_NAMES else ""
        raise InputError(
            f"the folder is not empty, it holds {', '.join(names[:LISTED_NAMES])}{more}; "
            "choose another or pass overwrite (--force)",
            where=str(target),
        )


@contextlib.contextmanager
def _sibling(target: Path) -> Iterator[Path]:
    """A free name beside `target`; on an error it is removed again, and an OSError names `target`."""
    # Resolved, because '.' has no name and a link may lead to another disk. In the same folder, so
    # that the rename stays on one disk; hidden, so that readers pass it over.
    whole = target.resolve()
    if not whole.name:
        raise InputError("cannot be written to", where=str(target))
    temporary = _free(whole)
    made: list[Path] = []
    try:
        for parent in reversed(whole.parents):
            if not parent.is_dir():
                parent.mkdir(exist_ok=True)
                made.append(parent)
        yield temporary
    except BaseException as error:
        _remove(temporary)
        for parent in reversed(made):
            with contextlib.suppress(OSError):
                parent.rmdir()
        if isinstance(error, OSError) and _is_ours(error, temporary, whole.parents):
            raise _naming(target, error, temporary) from error
        raise


def _free(target: Path) -> Path:
    return target.with_name(f".{target.name}.{secrets.token_hex(6)}.part")


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def _is_ours(error: OSError, temporary: Path, parents: Sequence[Path]) -> bool:
    """Whether an error is about what is written; one that names another file is about reading that."""
    if not isinstance(error.filename, str | bytes) or error.errno in FULL:
        return True
    named = Path(os.fsdecode(error.filename))
    return temporary in (named, *named.parents) or named in parents


def _naming(target: Path, error: OSError, temporary: Path) -> OSError:
    """The same error about `target`, where it was about a temporary name or none."""
    message = (error.strerror or str(error)).replace(str(temporary), str(target))
    return OSError(error.errno, message, str(target)) if error.errno else OSError(f"{target}: {message}")


def _swap(temporary: Path, target: Path) -> None:
    if not target.exists():
        os.rename(temporary, target)
        return
    old = _free(target)
    if target == Path.cwd():
        # The folder that is worked in must stay where it is: what is in it is exchanged.
        old.mkdir()
        moves = [(path, old / path.name) for path in target.iterdir()]
        moves += [(path, target / path.name) for path in temporary.iterdir()]
    else:
        moves = [(target, old), (temporary, target)]
    done: list[tuple[Path, Path]] = []
    try:
        for start, end in moves:
            os.rename(start, end)
            done.append((start, end))
    except BaseException:
        for start, end in reversed(done):
            os.rename(end, start)
        _remove(old)
        raise
    _remove(temporary)
    _remove(old)


def _sync(path: Path) -> None:
    """Force the bytes to disk: some file systems report a full disk only now."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
