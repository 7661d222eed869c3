"""A query log as a table of frequencies, for the feature "qf"."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv

from samecore.errors import InputError
from samecore.features.frequencies import Frequencies
from samecore.features.shingles import Shingles


def query_table(path: str | Path, k: int) -> Frequencies:
    """How often each k-gram is asked for, from a CSV or TSV with columns query and count (1 each without)."""
    path = Path(path)
    if not path.exists():
        raise InputError("expected a query log, found none", where=str(path))
    options = pacsv.ParseOptions(delimiter="\t" if path.suffix in (".tsv", ".tab") else ",")
    types = pacsv.ConvertOptions(column_types={"query": pa.string(), "count": pa.int64()})
    try:
        table = pacsv.read_csv(path, parse_options=options, convert_options=types)
    except pa.ArrowInvalid as error:
        raise InputError(f"is not a readable query log: {error}", where=str(path)) from None
    if "query" not in table.column_names:
        there = ", ".join(table.column_names)
        raise InputError(f"expected the columns query and count, found {there}", where=str(path))
    times = (
        table["count"].fill_null(0).to_numpy()
        if "count" in table.column_names
        else np.ones(table.num_rows, np.int64)
    )
    taken = Shingles(width=k)(table["query"])
    keys, at = np.unique(taken.keys, return_inverse=True)
    owner = np.repeat(np.arange(len(taken)), np.diff(taken.offsets))
    counts = np.bincount(at.reshape(-1), np.maximum(times, 0)[owner].astype(np.float64), len(keys))
    return Frequencies.of_counts(keys, np.minimum(counts, 2**32 - 1).astype(np.uint32))
