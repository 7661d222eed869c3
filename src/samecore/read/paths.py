"""From what the user typed to files: folders walked, globs expanded, formats known by name."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from samecore.documents import Skipped
from samecore.errors import InputError
from samecore.read.compressed import CODECS
from samecore.read.files import HTML, PLAIN, Entry
from samecore.read.mailfiles import MAIL, in_maildir, is_maildir, maildir_id
from samecore.read.recognise import MAILS, kind_of, kinds_of

PAGE_SUFFIXES = {
    ".html": HTML, ".htm": HTML, ".xhtml": HTML, ".shtml": HTML, ".mhtml": MAIL, ".mht": MAIL,
    ".txt": PLAIN, ".text": PLAIN, ".md": PLAIN, ".markdown": PLAIN, ".rst": PLAIN,
    ".eml": MAIL, ".emlx": MAIL, ".nws": MAIL,
}  # fmt: skip
DATA_SUFFIXES = {
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".json-lines": "jsonl", ".jsonlines": "jsonl", ".json": "jsonl",
    ".parquet": "parquet", ".pq": "parquet", ".csv": "csv", ".tsv": "tsv", ".tab": "tsv",
    ".mbox": "mbox", ".mbx": "mbox", ".sgm": "sgml", ".sgml": "sgml",
    ".warc": "warc", ".wet": "warc", ".arc": "arc", ".wacz": "wacz",
}  # fmt: skip
FILE_FORMATS = ("html", "text", "mail")
ARCHIVE_FORMATS = ("warc", "arc", "wacz")
FORMATS = (
    *("html", "text", "lines", "jsonl", "parquet", "csv", "tsv", "mail", "mbox", "sgml"),
    *ARCHIVE_FORMATS,
)


@dataclass
class Found:
    """What there is to read, in order: `files` of a page or a mail each, `tables` as (path, name, format)."""

    files: list[Entry] = field(default_factory=list)
    tables: list[tuple[str, str, str]] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)


def suffix_of(path: str) -> str:
    """The lower-case suffix that tells the format: '.jsonl' of 'a.jsonl.gz'."""
    stem, suffix = os.path.splitext(path.lower())
    return os.path.splitext(stem)[1] if suffix in CODECS else suffix


def find_files(paths: Sequence[str], *, format: str | None = None) -> Found:
    """Every file under `paths` (files, folders, globs, '-'), each once.

    Ids of files are relative to the folder when one folder was given, else the paths as
    typed. In a folder, files and folders whose name begins with a dot are passed over;
    tables in a folder of pages are not read, and noted. InputError if a path does not
    exist or a folder has nothing to read.
    """
    found = Found()
    seen: set[str] = set()
    for given in paths:
        for path, named in expand(given):
            if path == "-":
                if "-" in seen:
                    raise InputError("standard input can be named only once", where="-")
                seen.add("-")
                _add_file(found, Entry("-", "-", None, True), format or "jsonl")
            elif os.path.isdir(path):
                _add_folder(found, path, prefix="" if len(paths) == 1 else path, format=format, seen=seen)
            elif os.path.abspath(path) not in seen:
                seen.add(os.path.abspath(path))
                content_type = PAGE_SUFFIXES.get(suffix_of(path))
                _add_file(found, Entry(_posix(path), path, content_type, named), format)
    return found


def expand(given: str) -> Iterator[tuple[str, bool]]:
    """The files and folders that a typed path or pattern stands for, each with True: it was named."""
    if given == "-" or os.path.lexists(given):
        yield given, True
        return
    if not glob.has_magic(given):
        raise InputError("no such file or folder", where=given)
    matches = sorted(glob.glob(given, recursive=True), key=_order)
    # A glob that ends in ** also gives the folders on the way; their files are given as well.
    matches = [match for match in matches if not os.path.isdir(match)] or matches
    if not matches:
        raise InputError("no file matches this pattern", where=given)
    for match in matches:
        yield match, True


def _add_file(found: Found, entry: Entry, format: str | None) -> None:
    if format is None and _is_open(entry) and (kind := kind_of(entry.path)) is not None:
        _add_known(found, entry, kind)
        return
    if format == "mail":
        box = entry.path == "-" or DATA_SUFFIXES.get(suffix_of(entry.path)) == "mbox"
        _add_known(found, entry, "mbox" if box else kind_of(entry.path, mail=True) or "mail")
        return
    table = DATA_SUFFIXES.get(suffix_of(entry.path)) if format is None else format
    if table is None or table in FILE_FORMATS:
        content_type = {"html": HTML, "text": PLAIN}.get(format or "", entry.content_type)
        found.files.append(Entry(entry.id, entry.path, content_type, entry.named))
    else:
        found.tables.append((entry.path, entry.id, table))


def _is_open(entry: Entry) -> bool:
    """Whether the name leaves open what is in a file: no suffix, .txt, or one that is not known."""
    unknown = entry.content_type in (None, PLAIN) and suffix_of(entry.path) not in DATA_SUFFIXES
    return unknown and entry.path != "-"


def _add_known(found: Found, entry: Entry, kind: str) -> None:
    if kind == "mail":
        found.files.append(Entry(entry.id, entry.path, MAIL, entry.named))
    else:
        found.tables.append((entry.path, entry.id, kind))


def _add_folder(found: Found, folder: str, *, prefix: str, format: str | None, seen: set[str]) -> None:
    paths = list(_walk(folder, found))
    paths.sort(key=_order)
    entries = []
    for path in paths:
        if os.path.abspath(path) not in seen:
            seen.add(os.path.abspath(path))
            name = _posix(os.path.join(prefix, os.path.relpath(path, folder)))
            entries.append(
                Entry(maildir_id(name), path, MAIL, False)
                if in_maildir(path)
                else Entry(name, path, PAGE_SUFFIXES.get(suffix_of(path)), False)
            )
    tables = [entry for entry in entries if suffix_of(entry.path) in DATA_SUFFIXES]
    pages = [entry for entry in entries if suffix_of(entry.path) not in DATA_SUFFIXES]
    archives = [entry for entry in tables if DATA_SUFFIXES[suffix_of(entry.path)] in ARCHIVE_FORMATS]
    if format in ("mail", "mbox", "sgml"):
        own = [
            entry
            for entry in tables
            if DATA_SUFFIXES[suffix_of(entry.path)] == ("mbox" if format == "mail" else format)
        ]
        if format == "mail":
            own += pages
        chosen = {entry.path for entry in own or pages}
        for entry in entries:
            if entry.path in chosen:
                _add_file(found, entry, format)
        others = [entry for entry in entries if entry.path not in chosen]
        _pass_over(found, others, f"by its name no {format}; to read it, name the file itself")
    elif format is not None:
        for entry in entries:
            _add_file(found, Entry(entry.id, entry.path, entry.content_type, True), format)
    elif archives:
        for entry in entries:
            if entry in archives:
                _add_file(found, entry, None)
            else:  # indexes, logs, a README
                detail = f"{entry.path}: not an archive, in a folder of web archives; to read it, name the file itself"
                found.skipped.append(Skipped(entry.id, "other-format", detail))
    elif any(entry.content_type or "." not in os.path.basename(entry.path) for entry in pages) or not tables:
        _add_pages(found, pages, tables)
    else:
        for entry in tables:
            _add_file(found, entry, None)
    if not entries and not found.skipped:
        raise InputError(
            "the folder has no files to read; expected HTML or text files, mails, JSONL, Parquet, CSV or web archives",
            where=folder,
        )


def _walk(folder: str, found: Found) -> Iterator[str]:
    """The files below `folder`, without those whose name begins with a dot; of a Maildir its messages alone."""

    def unreadable(error: OSError) -> None:
        where = str(error.filename)
        found.skipped.append(Skipped(_posix(where), "unreadable", f"{where}: {error.strerror}"))

    for base, folders, names in os.walk(folder, onerror=unreadable):
        maildir = "cur" in folders and is_maildir(base)
        if maildir:  # it also has messages that are not complete, and lists that programs keep
            folders.remove("tmp")
        folders[:] = [
            name
            for name in folders
            if not name.startswith(".") or (maildir and is_maildir(os.path.join(base, name)))
        ]
        yield from (os.path.join(base, name) for name in names if not maildir and not name.startswith("."))


def _add_pages(found: Found, pages: list[Entry], tables: list[Entry]) -> None:
    """The files of a folder that hold a document each; mails, collections and archives are known by how they begin."""
    open_ones = [entry for entry in pages if _is_open(entry)]
    kinds = dict(zip((entry.path for entry in open_ones), kinds_of(open_ones), strict=True))
    mail = any(kind in MAILS for kind in kinds.values()) or any(entry.content_type == MAIL for entry in pages)
    for entry in pages:
        kind = kinds.get(entry.path)
        if kind is None:
            found.files.append(entry)
        else:
            _add_known(found, entry, kind)
    boxes = [entry for entry in tables if mail and DATA_SUFFIXES[suffix_of(entry.path)] == "mbox"]
    for entry in boxes:
        _add_file(found, entry, None)
    others = [entry for entry in tables if entry not in boxes]
    _pass_over(found, others, "a table in a folder of pages; to read it, name the file itself")


def _pass_over(found: Found, entries: list[Entry], why: str) -> None:
    found.skipped += [Skipped(entry.id, "other-format", f"{entry.path}: {why}") for entry in entries]


def _order(path: str) -> list[str]:
    return path.split(os.sep)


def _posix(path: str) -> str:
    """A path as an id: forward slashes, and names that are no UTF-8 made so."""
    return os.fsencode(path).decode("utf-8", "replace").replace(os.sep, "/")
