"""A new index, and the recipe of an old one."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from samecore import read
from samecore.collect import collect
from samecore.errors import SettingError, unknown_name
from samecore.features.csr import Features
from samecore.frames.frozen import FrozenFrames
from samecore.index import database
from samecore.index.errors import IndexDamaged, IndexFault
from samecore.index.places import refuse_network, sync_folder
from samecore.index.recipe import Recipe, Table, blocks_for, fitted
from samecore.index.segment import open_sections, writing
from samecore.match.threshold import exact_threshold
from samecore.methods import Method
from samecore.methods import method as named_method
from samecore.protocols import Fittable
from samecore.read.atomic import atomic_directory
from samecore.version import __version__
from samecore.weights.idf import document_frequencies

GROUPS = ("partner", "components")

#: The file with the frames of hosts.
FRAMES = "frames.tab"


def create(
    path: Path,
    method: str | Method,
    *,
    threshold: float | None,
    corpus: Any,
    groups: str,
    seed: int,
    reading: dict[str, Any],
) -> None:
    """The folder of a new index, whole or not at all."""
    if groups not in GROUPS:
        raise unknown_name("groups", groups, GROUPS)
    if not isinstance(method, str | Method):
        raise SettingError("method", found=method, expected="the name of a method, or a samecore.Method")
    chosen = (named_method(method) if isinstance(method, str) else method).seeded(seed)
    # What is stored cannot depend on what comes later: frames of sites are those of the corpus, or none.
    ignoring = chosen.frame == "ignore"
    chosen = replace(chosen, frame="off")
    limit = chosen.threshold if threshold is None else float(threshold)
    exact_threshold(limit)
    Recipe(chosen, limit)  # says at once if the method cannot be
    if is_index(path):
        raise IndexFault("is an index already; open it with Index(path), or choose another folder", path=path)
    if path.is_dir() and (names := sorted(os.listdir(path))):
        raise IndexFault(
            f"expected a new or an empty folder, found one with {names[0]!r} in it; choose another", path=path
        )
    refuse_network(path)
    source = None if corpus is None else read.open(corpus, **reading)
    chosen = fitted(chosen, source)
    with atomic_directory(path) as folder:
        table, frames, size = None, None, 0
        if source is not None and (chosen.weights or ignoring):
            frame = "ignore" if ignoring else "off"
            collection = collect(source, replace(chosen, frame=frame), threads=1)
            size = len(collection.features)
            if chosen.weights:
                table = write_table(folder, 1, collection.features)
            if ignoring and "url" in collection.documents.column_names:
                frames = write_frames(folder, collection.features, collection.documents["url"])
        manifest = {
            "method": chosen.to_dict(),
            "threshold": limit,
            "groups": groups,
            "seed": seed,
            "table": table,
            "frames": frames,
            "corpus": size,
            "blocks": blocks_for(chosen, limit),
            "floor": 1,
            "files": 2,
            "created": datetime.now(timezone.utc).isoformat(timespec="seconds"),
            "samecore": __version__,
        }
        database.create(folder, manifest)
    sync_folder(path.resolve().parent)


def is_index(path: str | Path) -> bool:
    """Whether a folder holds an index."""
    try:
        with (Path(path) / database.NAME).open("rb") as file:
            head = file.read(72)
    except OSError:
        return False
    return head[:15] == b"SQLite format 3" and int.from_bytes(head[68:72], "big") == database.APPLICATION


def recipe_of(path: Path, manifest: dict[str, Any]) -> Recipe:
    """The recipe that a manifest holds, with its table."""
    try:
        method = Method.from_dict(manifest["method"])
        recipe = Recipe(method, manifest["threshold"], blocks=manifest["blocks"], corpus=manifest["corpus"])
    except (KeyError, SettingError, TypeError) as error:
        raise IndexFault(
            f"its method cannot be read by this version of samecore: {error}", path=path
        ) from error
    if manifest["table"] is not None:
        recipe = replace(recipe, table=read_table(path / manifest["table"]))
    if manifest.get("frames") is not None:
        recipe = replace(recipe, frames=read_frames(path / manifest["frames"]))
    return recipe


def write_table(folder: Path, number: int, features: Features) -> str:
    """Freeze the document frequencies of `features` in a file; its name."""
    keys, counts = document_frequencies(features)
    name = f"idf-{number:08d}.tab"
    with writing(folder / name, print_words=0) as file:
        file.section("keys", keys)
        file.section("values", counts)
    return name


def read_table(path: Path) -> Table:
    """The frequencies again."""
    arrays = _arrays(path, "the table of document frequencies")
    return arrays["keys"], arrays["values"]


def write_frames(folder: Path, features: Features, urls: pa.ChunkedArray) -> str | None:
    """Freeze the frames of the hosts of a corpus in a file; its name, or None if there are none."""
    frames = FrozenFrames.learned(features, urls)
    if frames.sites == 0:
        return None
    with writing(folder / FRAMES, print_words=0) as file:
        file.section("numbers", np.array([frames.sites], np.uint32))
        file.section("keys", frames.keys)
    return FRAMES


def read_frames(path: Path) -> FrozenFrames:
    """The frames again."""
    arrays = _arrays(path, "the file with the frames of hosts")
    return FrozenFrames(arrays["keys"], int(arrays["numbers"][0]))


def _arrays(path: Path, what: str) -> dict[str, npt.NDArray[Any]]:
    try:
        return open_sections(path).arrays
    except FileNotFoundError:
        raise IndexDamaged(f"{what} is missing", path=path) from None


def check_method(path: Path, own: Method, asked: str | Method) -> None:
    """An IndexFault unless the asked-for method makes the features that the index holds."""
    wanted = named_method(asked) if isinstance(asked, str) else asked
    seed = getattr(own.features, "seed", 0)
    one, other = own.to_dict(), wanted.seeded(seed).to_dict()
    ignored = {
        "threshold",
        "about",
        "frame",
        *(("features",) if isinstance(wanted.features, Fittable) else ()),
    }
    differing = sorted(name for name in one if name not in ignored and one[name] != other.get(name))
    if differing:
        raise IndexFault(
            f"was made with the method {own.name!r} and refuses {wanted.name!r}: they differ in "
            f"{', '.join(differing)}; leave the method out, or make another index",
            path=path,
        )
