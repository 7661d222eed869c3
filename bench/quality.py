"""Every method on the labelled sets: `SAMECORE_DATA=... python bench/quality.py [SET...]`, a Markdown table.

An entry is the best pair F1 and its threshold. Exact methods are looked at from the floor up; those
made for one threshold are tried at several, and fixed bands at all, since their pairs are verified.
docs/which-method.md says what the sets are and what the table means.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from email import message_from_bytes, policy
from html import unescape
from pathlib import Path

import numpy as np
import pyarrow as pa

import samecore
from samecore.contents import expand
from samecore.errors import SamecoreError, SettingError
from samecore.lab import metrics
from samecore.lab.evaluate import Truth
from samecore.methods import METHODS, Method, method

FLOOR = 0.02
#: Thresholds at which methods made for one are tried. Fixed bands find the same candidates at any.
TRIED = {
    "minhash": (0.7, 0.5, 0.3, 0.1),
    "henzinger": (0.5, 0.1),
    "henzinger-2006": (0.5, 0.1),
    "shingles-modp": (FLOOR,),
    "minhash-estimate": (0.5, 0.1),
    "simhash": (0.7,),
    "lsh-s": (FLOOR,),
    "supershingles": (FLOOR,),
}


#: Where few clusters hold most pairs, B-cubed is given too.
GROUPED = ("spotsigs",)


@dataclass(frozen=True)
class Labelled:
    """A collection with its labels; with `alone`, documents without a label are unlike all others."""

    documents: pa.Table
    truth: Truth
    alone: bool = False


# -- the sets -----------------------------------------------------------------------------


def spotsigs(folder: Path) -> Labelled:
    rows = _tsv(folder / "labels.tsv")
    return Labelled(_pages(folder, [doc for _, doc in rows]), Truth({doc: name for name, doc in rows}))


def versioned_html(folder: Path) -> Labelled:
    """The two releases of a page are a cluster; all other pairs, within a release too, are negative."""
    clusters = {doc: str(n) for n, row in enumerate(_tsv(folder / "pairs.tsv")) for doc in row[1:3]}
    return Labelled(_pages(folder, list(clusters)), Truth(clusters))


def reuters(folder: Path) -> Labelled:
    texts = {}
    for path in sorted(folder.glob("*.sgm")):
        story = path.read_bytes().decode("latin-1")
        for id, inside in re.findall(r'<REUTERS[^>]*NEWID="(\d+)">(.*?)</REUTERS>', story, re.S):
            found = re.search(r"<BODY>(.*?)</BODY>", inside, re.S) or re.search(
                r"<TEXT[^>]*>(.*?)</TEXT>", inside, re.S
            )
            if found:
                texts[id] = unescape(re.sub(r"<[^>]*>", " ", found[1]))
    return Labelled(_texts(texts), _judged(folder))


def zh_finance(folder: Path) -> Labelled:
    """Pairs of which one contains the other are left out with the uncertain ones."""
    return Labelled(_texts({row[0]: row[3] for row in _tsv(folder / "articles.tsv")}), _judged(folder))


def zh_laws(folder: Path) -> Labelled:
    clusters = {row[1]: row[0] for row in _tsv(folder / "labels.tsv")}
    return Labelled(_texts({doc: _text(folder / doc) for doc in clusters}), Truth(clusters))


def email_spamassassin(folder: Path) -> Labelled:
    clusters = {row[1]: row[0] for row in _tsv(folder / "labels.tsv")}
    bodies = {doc: _mail((folder / doc).read_bytes()) for doc in clusters}
    return Labelled(_bodies(bodies), Truth(clusters))


def newsgroups(folder: Path) -> Labelled:
    """Posts without their headers, which would give the copies away."""
    posts = {
        path.relative_to(folder).as_posix(): _text(path).replace("\r\n", "\n").partition("\n\n")[2]
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix != ".tsv"
    }
    clusters = {doc: name for name, doc in _tsv(folder / "crosspost_labels.tsv")}
    return Labelled(_texts(posts), Truth(clusters), alone=True)


def licences(folder: Path) -> Labelled:
    clusters = {row[0]: row[1] for row in _tsv(folder / "labels.tsv")}
    return Labelled(_texts({doc: _text(folder / doc) for doc in clusters}), Truth(clusters))


SETS: dict[str, Callable[[Path], Labelled]] = {
    "spotsigs": spotsigs,
    "versioned_html": versioned_html,
    "newsgroups": newsgroups,
    "reuters": reuters,
    "zh_finance": zh_finance,
    "zh_laws": zh_laws,
    "email_spamassassin": email_spamassassin,
    "licences": licences,
}


def _judged(folder: Path) -> Truth:
    words = {"dup": True, "template_negative": False}
    rows = _tsv(folder / "pairs.tsv")
    return Truth({}, tuple((row[0], row[1], words[row[2]]) for row in rows if row[2] in words))


def _mail(raw: bytes) -> tuple[bytes, str]:
    """The first text part of a mail, and its type."""
    for part in message_from_bytes(raw, policy=policy.compat32).walk():
        if part.get_content_maintype() == "text":
            payload = part.get_payload(decode=True)
            return payload if isinstance(payload, bytes) else b"", part.get_content_type()
    return b"", "text/plain"


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


# -- measuring ----------------------------------------------------------------------------


def recipes(name: str) -> Iterator[tuple[Method, float | None]]:
    """The recipe at each threshold that is tried, with the floor."""
    if name in TRIED:
        for threshold in TRIED[name]:
            yield method(name, threshold=threshold), threshold
    else:
        recipe = method(name)
        yield recipe, None if recipe.match.approximate else min(FLOOR, recipe.threshold)


@dataclass(frozen=True)
class Figure:
    """The best pair F1, its threshold, and B-cubed F1 of the groups by average linkage there."""

    f1: float
    threshold: float
    bcubed: float | None = None


def best(labelled: Labelled, name: str, *, groups: bool) -> tuple[Figure, list[str]]:
    """The best figure of a method over all thresholds tried, and what was refused."""
    figures, refused = [Figure(0.0, 1.0)], []
    for recipe, floor in recipes(name):
        try:
            result = samecore.find(labelled.documents, method=recipe, floor=floor, group="average")
        except SettingError as error:
            refused.append(f"{name} at {recipe.threshold:g}: {error}")
            continue
        except SamecoreError as error:
            refused.append(f"{name} failed: {error}")
            continue
        sweep = _sweep(result, labelled)
        bcubed = None
        if groups:
            labels = [labelled.truth.clusters.get(id) for id in result.ids.to_pylist()]
            group = result.at(max(sweep.threshold, result.settings.floor)).groups["group"].to_pylist()
            alone = [f"alone: {row}" if one is None else str(one) for row, one in enumerate(group)]
            bcubed = metrics.bcubed(alone, labels).f1
        figures.append(Figure(sweep.best.f1, sweep.threshold, bcubed))
    return max(figures, key=lambda one: one.f1), refused


def _sweep(result: samecore.Result, labelled: Labelled) -> metrics.Sweep:
    """Pair quality at every threshold, as `samecore evaluate` has it, without the groups."""
    parts = list(expand(result.members, result.found, copies=True))
    left, right = (
        np.concatenate([np.empty(0, np.uint32), *(part[side].astype(np.uint32) for part in parts)])
        for side in (0, 1)
    )
    score = np.concatenate([np.empty(0), *(part[2] for part in parts)])
    ids, truth = result.ids.to_pylist(), labelled.truth
    if truth.judged:
        row = {id: n for n, id in enumerate(ids)}
        known = [(row[a], row[b], same) for a, b, same in truth.judged]
        return metrics.best_threshold_judged(
            left,
            right,
            score,
            judged=(
                np.array([a for a, _, _ in known], np.uint32),
                np.array([b for _, b, _ in known], np.uint32),
                np.array([same for _, _, same in known], np.bool_),
            ),
        )
    labels = [truth.clusters.get(id, f"alone: {id}" if labelled.alone else None) for id in ids]
    return metrics.best_threshold(left, right, score, labels)


def main() -> None:
    base = os.environ.get("SAMECORE_DATA")
    if not base:
        print("SAMECORE_DATA is not set: the labelled data is not here")
        return
    names = [name for name in sys.argv[1:] or SETS if (Path(base) / name).exists()]
    cells: dict[str, list[str]] = {name: [] for name in METHODS}
    for name in names:
        labelled = SETS[name](Path(base) / name)
        for one in METHODS:
            start = time.perf_counter()
            figure, refused = best(labelled, one, groups=name in GROUPED)
            cells[one].append(f"{figure.f1:.3f} @{figure.threshold:.2f}")
            if figure.bcubed is not None:
                cells[one][-1] += f" (B³ {figure.bcubed:.3f})"
            took = time.perf_counter() - start
            print(f"{name}: {one} {cells[one][-1]} in {took:.1f} s", *refused, file=sys.stderr, flush=True)
    print("| method | " + " | ".join(names) + " |")
    print("|" + "---|" * (len(names) + 1))
    for one, row in cells.items():
        print(f"| `{one}` | " + " | ".join(row) + " |")


if __name__ == "__main__":
    main()
