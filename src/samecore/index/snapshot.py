"""What a query looks at: the open segments and the recent contents, as of one commit."""

from __future__ import annotations

import sqlite3
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from samecore import _core
from samecore.features.csr import Features
from samecore.index.errors import IndexDamaged, IndexFault
from samecore.index.recipe import Batch, Recipe
from samecore.index.segment import Segment, open_segment
from samecore.match.hamming import max_bits_at
from samecore.match.threshold import exact_threshold

#: One key of a recent content as the database holds it.
ENTRY = np.dtype([("key", "<u8"), ("count", "<u4")])


#: `exact_threshold`, remembered: it is asked for with every query.
fraction = lru_cache(256)(exact_threshold)


class Snapshot:
    """Segments and recent contents. `refresh` brings them up to the database, inside its transaction."""

    def __init__(self, folder: Path, recipe: Recipe, *, skip_damaged: bool) -> None:
        self.folder, self.recipe, self.skip_damaged = folder, recipe, skip_damaged
        self.segments: dict[str, Segment] = {}
        self.damaged: dict[str, str] = {}
        self.reader: Any = None
        self.reset()

    def reset(self) -> None:
        """Forget what is recent; the next `refresh` reads it again."""
        self.names: list[str] | None = None
        self.recent: Any = _core.IndexRecent(self.recipe.print_words)
        self.last = 0

    def close(self) -> None:
        """Let go of the segments: their files stay open as long as anything leads to them."""
        self.reset()
        self.segments = {}
        self.reader = None

    def refresh(self, database: sqlite3.Connection) -> None:
        """Open new segments, let go of old ones, and read the contents added since."""
        names = [name for (name,) in database.execute("SELECT name FROM segments ORDER BY name")]
        if names != self.names:
            self.reset()
            opened: dict[str, Segment] = {}
            self.damaged = {}
            for name in names:
                segment = self.segments.get(name) or self._open(name)
                if segment is not None:
                    opened[name] = segment
            self.segments, self.names = opened, names
            cores = [one.core for one in opened.values()]
            self.reader = _core.IndexReader(cores, self.recent, self.recipe.print_words)
        rows = database.execute(
            "SELECT content, size, row FROM recent WHERE content > ? ORDER BY content", (self.last,)
        ).fetchall()
        if rows:
            numbers, sizes, blobs = zip(*rows, strict=True)
            features, prints = decode(blobs, self.recipe.print_words)
            self.add(np.array(numbers, np.uint32), np.array(sizes, np.uint32), features, prints)

    def add(
        self,
        numbers: npt.NDArray[np.uint32],
        sizes: npt.NDArray[np.uint32],
        features: Features,
        prints: npt.NDArray[np.uint64] | None,
    ) -> None:
        """Recent contents, in ascending order of their numbers."""
        self.recent.add(numbers, sizes, features.offsets, features.keys, features.counts, prints)
        self.last = int(numbers[-1])

    def search(
        self, batch: Batch, threshold: float, *, threads: int = 1
    ) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32], npt.NDArray[np.float64]]:
        """(row, content, score) of every stored content that reaches the threshold, by row and content."""
        try:
            if batch.prints is not None:
                limit = max_bits_at(threshold, self.recipe.print_words * 64)
                row, content, differing, bits = self.reader.search_bits(
                    batch.prints, self.recipe.blocks, limit, threads
                )
                return row, content, 1.0 - differing / bits.astype(np.float64)
            one, tau = batch.features, fraction(threshold)
            row, content, overlap, union = self.reader.search(
                one.offsets, one.keys, one.counts, one.weights, tau.num, tau.den, threads
            )
        except BufferError as error:
            raise self.blame(error) from error
        return row, content, overlap / union.astype(np.float64)

    def identical(self, batch: Batch, *, threads: int = 1) -> npt.NDArray[np.int64]:
        """Per row a stored content with the same features, or -1. Weighed features are never taken as the same."""
        if self.recipe.weighs:
            return np.full(len(batch), -1, np.int64)
        try:
            if batch.prints is not None:
                row, content, _, _ = self.reader.search_bits(batch.prints, self.recipe.blocks, 0, threads)
                found = np.full(len(batch), -1, np.int64)
                found[row[::-1]] = content[::-1]
                return found
            one = batch.features
            numbers = self.reader.identical(one.offsets, one.keys, one.counts, threads).astype(np.int64)
        except BufferError as error:
            raise self.blame(error) from error
        return np.where(numbers == 2**32 - 1, -1, numbers)

    def blame(self, error: BaseException) -> IndexFault:
        """The error for damage that a query ran into, with the name of the file."""
        for segment in self.segments.values():
            why = segment.damage()
            if why:
                return IndexDamaged(
                    f"{why}; run verify, then restore the file or make the index anew", path=segment.path
                )
        return IndexDamaged(f"{error}; run verify", path=self.folder)

    def _open(self, name: str) -> Segment | None:
        path = self.folder / name
        try:
            segment = open_segment(path)
            if segment.print_words != self.recipe.print_words:
                raise IndexDamaged("belongs to another index", path=path)
            return segment
        except IndexDamaged as error:
            if not self.skip_damaged:
                raise
            self.damaged[name] = str(error)
        except FileNotFoundError:
            if not self.skip_damaged:
                raise
            self.damaged[name] = f"{path}: is missing"
        return None


def encode(features: Features) -> list[bytes]:
    """Each row as the database holds it."""
    entries = np.empty(len(features.keys), ENTRY)
    entries["key"], entries["count"] = features.keys, features.counts
    data, item = entries.tobytes(), ENTRY.itemsize
    places = (features.offsets - features.offsets[0]).tolist()
    return [data[start * item : stop * item] for start, stop in pairwise(places)]


def decode(blobs: tuple[bytes, ...], print_words: int) -> tuple[Features, npt.NDArray[np.uint64] | None]:
    """The rows again: features, or fingerprints (and then no features)."""
    if print_words:
        prints = np.frombuffer(b"".join(blobs), "<u8").reshape(len(blobs), print_words)
        return Features(
            np.zeros(len(blobs) + 1, np.int64), np.empty(0, np.uint64), np.empty(0, np.uint32)
        ), prints
    entries = np.frombuffer(b"".join(blobs), ENTRY)
    offsets = np.zeros(len(blobs) + 1, np.int64)
    np.cumsum([len(blob) // ENTRY.itemsize for blob in blobs], out=offsets[1:])
    return Features(
        offsets, np.ascontiguousarray(entries["key"]), np.ascontiguousarray(entries["count"])
    ), None
