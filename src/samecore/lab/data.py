"""Labelled collections for experiments: known sets under `SAMECORE_DATA`, or any folder of one's own.

A folder of one's own is understood in three layouts:

    folder per cluster   every subfolder is a cluster, every file in it a document
    labels file          labels.tsv, .csv or .parquet with the columns id, cluster
    pairs file           pairs.tsv, .csv or .parquet with the columns left, right, same: only these count
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from samecore import read
from samecore.contents import expand
from samecore.errors import InputError, unknown_name
from samecore.lab import metrics
from samecore.lab.evaluate import Truth, read_labels
from samecore.result import Result

LABEL_FILES = ("labels.tsv", "labels.csv", "labels.parquet")
PAIR_FILES = ("pairs.tsv", "pairs.csv", "pairs.parquet")


@dataclass(frozen=True, eq=False)
class Labelled:
    """A collection with its labels; with `alone`, documents without a label are unlike all others."""

    documents: pa.Table
    truth: Truth
    alone: bool = False

    def labels(self, ids: list[str]) -> list[str | None]:
        """The cluster of each document; None where it is not known."""
        clusters = self.truth.clusters
        return [clusters.get(id, f"alone: {id}" if self.alone else None) for id in ids]

    def fingerprint(self) -> str:
        """A digest of documents and labels; equal for equal data."""
        digest = hashlib.blake2b(digest_size=16)
        for name in self.documents.column_names:
            digest.update(name.encode())
            for value in self.documents[name].cast(pa.large_binary()):
                one = value.as_py() or b""
                digest.update(len(one).to_bytes(8, "little") + one)
        digest.update(repr((sorted(self.truth.clusters.items()), self.truth.judged, self.alone)).encode())
        return digest.hexdigest()


def sweep(result: Result, labelled: Labelled) -> metrics.Sweep:
    """Pair quality at every threshold down to the floor of `result`."""
    parts = list(expand(result.members, result.found, copies=True))
    left, right = (
        np.concatenate([np.empty(0, np.uint32), *(part[side].astype(np.uint32) for part in parts)])
        for side in (0, 1)
    )
    score = np.concatenate([np.empty(0), *(part[2] for part in parts)])
    ids, truth = result.ids.to_pylist(), labelled.truth
    if not truth.judged:
        return metrics.best_threshold(left, right, score, labelled.labels(ids))
    row = {id: n for n, id in enumerate(ids)}
    known = [(row[a], row[b], same) for a, b, same in truth.judged if a in row and b in row]
    judged = (
        np.array([a for a, _, _ in known], np.uint32),
        np.array([b for _, b, _ in known], np.uint32),
        np.array([same for _, _, same in known], np.bool_),
    )
    return metrics.best_threshold_judged(left, right, score, judged=judged)


def load(name: str, base: str | os.PathLike[str] | None = None) -> Labelled:
    """The set of that name under `base` (by default `SAMECORE_DATA`), or the folder of that path."""
    base = base or os.environ.get("SAMECORE_DATA")
    folder = Path(base) / _FILES.get(name, name) if base else Path(name)
    if name in SETS and base and folder.exists():
        return SETS[name](folder)
    if Path(name).is_dir():
        return from_folder(Path(name))
    if folder.is_dir():
        return from_folder(folder)
    if name in SETS:
        expected = f"the set in {base}" if base else "SAMECORE_DATA to name the folder of the labelled sets"
        raise InputError(f"data {name!r}: expected {expected}, found none")
    raise unknown_name("data", name, SETS)


def available(base: str | os.PathLike[str] | None = None) -> list[str]:
    """The names of the known sets that are there."""
    base = base or os.environ.get("SAMECORE_DATA")
    return [name for name in SETS if base and (Path(base) / _FILES.get(name, name)).exists()]


def from_folder(folder: Path) -> Labelled:
    """A folder of one's own, in one of the three layouts."""
    for names in (LABEL_FILES, PAIR_FILES):
        for name in names:
            if (folder / name).exists():
                truth = read_labels(folder / name)
                mentioned = list(truth.clusters) or sorted({id for a, b, _ in truth.judged for id in (a, b)})
                return Labelled(_files(folder, mentioned), truth)
    found = [path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*")) if path.is_file()]
    clusters = {id: id.rpartition("/")[0] for id in found if "/" in id}
    if not clusters:
        expected = f"a subfolder per cluster, or one of {', '.join(LABEL_FILES + PAIR_FILES)}"
        raise InputError(f"expected {expected}", where=str(folder))
    return Labelled(_files(folder, list(clusters)), Truth(clusters))


def _files(folder: Path, ids: list[str]) -> pa.Table:
    """Files by their path within a folder, read as `find` reads them."""
    there = [id for id in ids if (folder / id).is_file()]
    if not there:
        raise InputError(
            f"no labelled id is a file here, such as {ids[0] if ids else None!r}", where=str(folder)
        )
    table = _read(tuple(str(folder / id) for id in there))
    own = [Path(id).relative_to(folder).as_posix() for id in table["id"].to_pylist()]
    return table.set_column(table.column_names.index("id"), "id", pa.array(own))


# -- the known sets -----------------------------------------------------------------------


def spotsigs(folder: Path) -> Labelled:
    """News pages, a folder per story."""
    rows = _tsv(folder / "labels.tsv")
    return Labelled(_pages(folder, [doc for _, doc in rows]), Truth({doc: name for name, doc in rows}))


def versioned_html(folder: Path) -> Labelled:
    """The two releases of a page are a cluster; all other pairs, within a release too, are negative."""
    clusters = {doc: str(n) for n, row in enumerate(_tsv(folder / "pairs.tsv")) for doc in row[1:3]}
    return Labelled(_pages(folder, list(clusters)), Truth(clusters))


def reuters(folder: Path) -> Labelled:
    """Newswire stories; only listed pairs are judged."""
    return Labelled(_read(tuple(map(str, sorted(folder.glob("*.sgm"))))), _judged(folder))


def zh_finance(folder: Path) -> Labelled:
    """Chinese articles. Pairs of which one contains the other are left out with the uncertain ones."""
    return Labelled(_texts({row[0]: row[3] for row in _tsv(folder / "articles.tsv")}), _judged(folder))


def zh_laws(folder: Path) -> Labelled:
    """Chinese statutes; versions of one law are a cluster."""
    clusters = {row[1]: row[0] for row in _tsv(folder / "labels.tsv")}
    return Labelled(_texts({doc: _text(folder / doc) for doc in clusters}), Truth(clusters))


def email_spamassassin(folder: Path) -> Labelled:
    """Mails of spam campaigns."""
    clusters = {row[1]: row[0] for row in _tsv(folder / "labels.tsv")}
    mails = _read(str(folder), format="mail")
    return Labelled(mails.filter(pc.is_in(mails["id"], pa.array(list(clusters)))), Truth(clusters))


def newsgroups(folder: Path) -> Labelled:
    """Posts; copies of one post are a cluster, and all other posts stand alone."""
    posts = _read(str(folder), format="mail")
    posts = posts.filter(pc.invert(pc.ends_with(posts["id"], ".tsv")))
    clusters = {doc: name for name, doc in _tsv(folder / "crosspost_labels.tsv")}
    return Labelled(posts, Truth(clusters), alone=True)


def licences(folder: Path) -> Labelled:
    """Licence texts and notices; those of one licence expression are a cluster."""
    clusters = {row[0]: row[1] for row in _tsv(folder / "labels.tsv")}
    return Labelled(_texts({doc: _text(folder / doc) for doc in clusters}), Truth(clusters))


def scale(path: Path) -> Labelled:
    """A large collection without labels, for speed."""
    return Labelled(pq.read_table(path), Truth({}))


SETS: dict[str, Callable[[Path], Labelled]] = {
    "spotsigs": spotsigs,
    "versioned_html": versioned_html,
    "newsgroups": newsgroups,
    "reuters": reuters,
    "zh_finance": zh_finance,
    "zh_laws": zh_laws,
    "email_spamassassin": email_spamassassin,
    "licences": licences,
    "scale": scale,
}

#: Sets that are one file.
_FILES = {"scale": "scale.parquet"}


def _judged(folder: Path) -> Truth:
    words = {"dup": True, "template_negative": False}
    rows = _tsv(folder / "pairs.tsv")
    return Truth({}, tuple((row[0], row[1], words[row[2]]) for row in rows if row[2] in words))


def _read(source: str | tuple[str, ...], **reading: str) -> pa.Table:
    """All documents of a source, as `find` reads them."""
    return pa.Table.from_batches(list(read.open(source, **reading).batches()))  # type: ignore[arg-type]


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "replace")


def _tsv(path: Path) -> list[list[str]]:
    return [line.split("\t") for line in _text(path).split("\n")[1:] if line]


def _texts(texts: dict[str, str]) -> pa.Table:
    return pa.table({"id": list(texts), "text": list(texts.values())})


def _pages(folder: Path, docs: list[str]) -> pa.Table:
    return _bodies({doc: ((folder / doc).read_bytes(), "text/html") for doc in docs})


def _bodies(bodies: dict[str, tuple[bytes, str]]) -> pa.Table:
    columns = zip(*bodies.values(), strict=True)
    return pa.table(
        {
            "id": list(bodies),
            "body": pa.array(next(columns), pa.binary()),
            "content_type": list(next(columns)),
        }
    )
