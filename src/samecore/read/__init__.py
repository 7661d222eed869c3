"""Readers: files, folders, tables, frames and lists as one stream of documents."""

from samecore.read.atomic import atomic_directory, atomic_path
from samecore.read.opening import changed, open, reopen
from samecore.read.part import SizeHint
from samecore.read.select import Select
from samecore.read.source import Source
from samecore.read.target import check_target, refuse_overlap
from samecore.read.write import Written, write_kept

__all__ = [
    "Select",
    "SizeHint",
    "Source",
    "Written",
    "atomic_directory",
    "atomic_path",
    "changed",
    "check_target",
    "open",
    "refuse_overlap",
    "reopen",
    "write_kept",
]
