"""A result on disk: a folder of Parquet tables and a manifest.

    manifest.json       settings, versions, counts, where the documents came from
    documents.parquet   one row per document, with its content number
    matches.parquet     pairs of contents down to the floor: left, right, score
    groups.parquet      the contract table at the threshold of the run
    ledger.parquet      likewise
    features.parquet    only if the method weights features: what `explain` needs
    frames.parquet      only if frames of sites were learned; cores.parquet if they are reported

The same run always writes the same bytes: nothing here depends on the clock.
"""

from __future__ import annotations

import platform
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from samecore.errors import ResultError, SettingError
from samecore.features.csr import Features
from samecore.frames.parts import Parts
from samecore.match.matches import Matches
from samecore.methods import Method
from samecore.read import Source, atomic_directory, atomic_path
from samecore.result import Result, Settings
from samecore.version import __version__

#: Skipped documents named in the manifest.
MAX_SKIPPED_LISTED = 1000

#: Endings of a single table.
TABLE_SUFFIXES = (".parquet", ".csv", ".tsv", ".jsonl")

#: What a result may know of each document's frame and core, a table and a column of the documents each.
PARTS = ("frames", "cores")

#: Raised when the layout of the folder changes; `load` refuses what it does not know.
FORMAT = 1


def is_result(path: str | Path) -> bool:
    """Whether a folder holds a stored result."""
    manifest = Path(path) / "manifest.json"
    try:
        head = orjson.loads(manifest.read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return False
    return isinstance(head, dict) and {"format", "settings", "versions"} <= head.keys()


def write(result: Result, path: str | Path) -> None:
    """Write a result into a folder, whole or not at all. An older result there is replaced."""
    path = Path(path)
    if path.exists() and not is_result(path) and (not path.is_dir() or any(path.iterdir())):
        raise ResultError("is there and is not a result of samecore; choose another folder", path=str(path))
    with atomic_directory(path, overwrite=True) as folder:
        documents = result.documents.append_column("content", pa.array(result.content))
        for name in PARTS:
            parts = getattr(result, name)
            if parts is not None:
                documents = documents.append_column(name, pa.array(parts.of))
                pq.write_table(_features_table(parts.features), folder / f"{name}.parquet")
        pq.write_table(documents, folder / "documents.parquet")
        found = result.found
        matches = pa.table({"left": found.left, "right": found.right, "score": found.score})
        pq.write_table(matches, folder / "matches.parquet")
        pq.write_table(result.groups, folder / "groups.parquet")
        pq.write_table(result.ledger, folder / "ledger.parquet")
        if result.features is not None:
            pq.write_table(_features_table(result.features), folder / "features.parquet")
        manifest = orjson.dumps(_manifest(result), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
        (folder / "manifest.json").write_bytes(manifest)


def load(path: str | Path) -> Result:
    """Read a result that `write` left. The documents themselves are read again only by `explain`."""
    folder = Path(path)
    if not is_result(folder):
        raise ResultError("expected a folder written by samecore, found no manifest.json", path=str(path))
    try:
        manifest = orjson.loads((folder / "manifest.json").read_bytes())
        if manifest.get("format") != FORMAT:
            raise ResultError(
                f"expected format {FORMAT}, found {manifest.get('format')}; use the version of samecore that wrote it "
                f"({manifest.get('versions', {}).get('samecore')})",
                path=str(path),
            )
        documents = pq.read_table(folder / "documents.parquet")
        matches = pq.read_table(folder / "matches.parquet")
        features = folder / "features.parquet"
        settings = dict(manifest["settings"])
        settings["method"] = Method.from_dict(settings["method"])
        settings["notes"] = tuple(settings["notes"])
        parts = {
            name: Parts(_features_from(pq.read_table(folder / f"{name}.parquet")), documents[name].to_numpy())
            for name in PARTS
            if name in documents.column_names
        }
        return Result(
            settings=Settings(**settings),
            documents=documents.drop_columns(["content", *parts]),
            content=documents["content"].to_numpy(),
            found=Matches(*(matches[name].to_numpy() for name in ("left", "right", "score"))),
            other_from=manifest["other_from"],
            features=_features_from(pq.read_table(features)) if features.exists() else None,
            sources=tuple(manifest["sources"]),
            **parts,
        )
    except (pa.ArrowException, orjson.JSONDecodeError, KeyError, TypeError) as error:
        raise ResultError(f"is damaged ({error}); run find again", path=str(path)) from error


def write_table(table: pa.Table, path: str | Path) -> None:
    """Write one table as Parquet, CSV or JSON lines, by the ending of the name; whole or not at all."""
    path = Path(path)
    if path.suffix not in TABLE_SUFFIXES:
        raise SettingError(
            "table", found=path.name, expected=f"a name that ends in {', '.join(TABLE_SUFFIXES)}"
        )
    with atomic_path(path) as target:
        if path.suffix == ".parquet":
            pq.write_table(table, target)
        elif path.suffix == ".jsonl":
            with target.open("wb") as file:
                for batch in table.to_batches(max_chunksize=10_000):
                    file.writelines(
                        orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in batch.to_pylist()
                    )
        else:
            pacsv.write_csv(
                table, target, pacsv.WriteOptions(delimiter="," if path.suffix == ".csv" else "\t")
            )


def _manifest(result: Result) -> dict[str, Any]:
    settings = {field.name: getattr(result.settings, field.name) for field in fields(Settings)}
    settings["method"] = result.settings.method.to_dict()
    settings["notes"] = list(result.settings.notes)
    return {
        "format": FORMAT,
        "settings": settings,
        "versions": {
            "samecore": __version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
            "pyarrow": pa.__version__,
        },
        "counts": result.counts(),
        "skipped": _skipped(result),
        "other_from": result.other_from,
        "sources": [source.describe() if isinstance(source, Source) else source for source in result.sources],
    }


def _skipped(result: Result) -> list[dict[str, Any]]:
    """The first skipped documents with the reason; `documents.parquet` has them all."""
    rows = result.documents.select(["id", "status", "detail"]).filter(pa.array(result.content < 0))
    return list(rows.slice(0, MAX_SKIPPED_LISTED).to_pylist())


def _features_table(features: Features) -> pa.Table:
    columns = {"keys": features.keys, "counts": features.counts}
    if features.weights is not None:
        columns["weights"] = features.weights
    return pa.table(
        {name: pa.LargeListArray.from_arrays(features.offsets, values) for name, values in columns.items()}
    )


def _features_from(table: pa.Table) -> Features:
    columns = {name: table[name].combine_chunks() for name in table.column_names}
    values = {name: column.values.to_numpy() for name, column in columns.items()}
    return Features(
        columns["keys"].offsets.to_numpy(), values["keys"], values["counts"], values.get("weights")
    )
