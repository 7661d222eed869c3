"""Whether kept documents can go where they are to go: asked before a long run, not after it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from samecore.errors import InputError
from samecore.read.atomic import check_directory
from samecore.read.compressed import CODECS, OTHER_CODECS
from samecore.read.files import Files
from samecore.read.part import Part
from samecore.read.paths import DATA_SUFFIXES, expand, suffix_of
from samecore.read.source import Source
from samecore.read.write_archive import archive_target, is_archives


def check_target(source: Source, target: str | Path, *, overwrite: bool = False) -> None:
    """An InputError if `write_kept` would refuse `target`: to be asked before a long run, not after it."""
    refuse_overlap(source, target)
    if is_archives(source):
        _check_codec(str(target))
    if is_archives(source) and archive_target(source, target) is not None:
        _check_file(str(target))
    elif makes_folder(source):
        _check_folder(str(target))
        check_directory(target, overwrite=overwrite)
    else:
        _check_file(str(target))
        _check_name(source.parts[0], str(target))


def _check_folder(target: str) -> None:
    """An InputError if the name of an output folder is that of a file, and no folder of the name is there."""
    if DATA_SUFFIXES.get(suffix_of(target)) and not Path(target).is_dir():
        raise InputError(
            "kept documents of several inputs, or of a folder, go into a folder with a file for each; "
            "this is the name of a file",
            where=target,
        )


def _check_file(target: str) -> None:
    if target.endswith(("/", os.sep)):
        raise InputError("expected a file to write, found the name of a folder", where=target)


def _check_name(part: Part, target: str) -> None:
    """An InputError if the name of an output file promises what will not be in it."""
    suffix = Path(target).suffix.lower()
    _check_codec(target)
    wanted = DATA_SUFFIXES.get(suffix_of(target))
    own = {"csv": ("csv", "tsv")}.get(part.format, (part.format,))
    if (
        target != "-"
        and wanted
        and part.format in ("jsonl", "parquet", "csv", "mbox", "sgml")
        and wanted not in own
    ):
        raise InputError(
            f"the input is {part.format}; kept documents are written in the same format", where=target
        )
    if suffix in CODECS and "parquet" in (wanted, part.format):
        raise InputError(f"Parquet is compressed inside; leave out the {suffix}", where=target)


def _check_codec(target: str) -> None:
    suffix = Path(target).suffix.lower()
    if suffix in OTHER_CODECS:
        raise InputError(
            f"{suffix} cannot be written; the compressions there are: {', '.join(CODECS)}", where=target
        )


def refuse_overlap(source: Source, target: str | Path) -> None:
    """An InputError if `target` is an input of `source`, lies in an input folder, or holds an input.

    Links are followed. Standard input and output, and data in memory, never overlap.
    """
    if str(target) == "-":
        return
    output = os.path.realpath(target)
    named = [path for given in source.paths for path in _expanded(given)]
    for path in named:
        if os.path.isdir(path) and _is_below(output, os.path.realpath(path)):
            what = "is" if os.path.realpath(path) == output else "lies in"
            raise InputError(f"the output {what} the input folder {path}; choose another", where=str(target))
    if not os.path.exists(output):
        return
    for path in chain(named, _files(source)):
        if os.path.exists(path) and os.path.samefile(path, output):
            raise InputError(f"the output is the input {path}; choose another", where=str(target))
        if os.path.isdir(output) and _is_below(os.path.realpath(path), output):
            raise InputError(f"the output folder holds the input {path}; choose another", where=str(target))


def _expanded(given: str) -> list[str]:
    try:
        return [path for path, _ in expand(given)]
    except InputError:  # gone since
        return []


def _files(source: Source) -> Iterator[str]:
    for part in source.parts:
        if isinstance(part, Files):
            yield from (entry.path for entry in part.entries if entry.path != "-")
        elif part.path is not None and part.path != "-":
            yield part.path


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(os.path.join(folder, ""))


def makes_folder(source: Source) -> bool:
    """Whether kept documents become a folder: several inputs, or files of a document each."""
    return len(source.parts) != 1 or isinstance(source.parts[0], Files)
