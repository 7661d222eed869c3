"""Other libraries on the same documents: time, memory, what they find and how right it is.

Everyone gets the same shingles of lower-case words, ready as Python lists, and the same threshold, with
the settings that the library's own guide recommends. What the library returns is what counts; only
samecore verifies. Markup is removed and the lists are made before the clock starts, so tokenising
costs the peers nothing here; samecore is timed from the text.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import pyarrow as pa

from samecore.errors import MissingExtra, unknown_name
from samecore.features.shingles import Shingles
from samecore.lab import metrics
from samecore.lab.data import Labelled
from samecore.match.exact import exact
from samecore.methods import method
from samecore.pipeline import find
from samecore.text.modes import extract
from samecore.text.tokens import words_of_bytes

Shingled = list[list[str]]
Pairs = set[tuple[int, int]]

SLOTS = 128


def peers(labelled: Labelled, settings: dict[str, Any]) -> list[dict[str, Any]]:
    """One row: seconds, pairs, recall of the pairs that truly reach the threshold, precision, and F1 by the labels.

    Settings: `peer`, `threshold`, `width` of shingles.
    """
    peer, threshold, width = settings["peer"], settings["threshold"], settings.get("width", 5)
    batches = labelled.documents.combine_chunks().to_batches()
    texts = pa.concat_arrays([extract(batch, "visible")[0].column("text") for batch in batches])
    if peer.startswith("samecore"):
        start = time.process_time()
        found = _by_samecore(texts, peer, threshold, width)
        seconds = time.process_time() - start
    else:
        if peer not in PEERS:
            raise unknown_name("peer", peer, PEERS)
        shingled = _shingled(texts, width)
        work = PEERS[peer]()
        start = time.process_time()
        found = work(shingled, threshold)
        seconds = time.process_time() - start
    truth = exact(Shingles(width=width)(texts), threshold=threshold, multiset=False, threads=2).expand()
    true = set(zip(truth.left.tolist(), truth.right.tolist(), strict=True))
    row = {
        "threshold": threshold,
        "documents": len(texts),
        "CPU s": seconds,
        "pairs": len(found),
        "recall of true pairs": len(found & true) / len(true) if true else 1.0,
        "true pairs among found": len(found & true) / len(found) if found else 1.0,
    }
    if labelled.truth.clusters:
        table = np.array(sorted(found), np.uint32).reshape(-1, 2)
        ids = labelled.documents["id"].to_pylist()
        row["f1"] = metrics.of_pairs(table[:, 0], table[:, 1], labelled.labels(ids)).f1
    return [row]


def _shingled(texts: pa.LargeStringArray, width: int) -> Shingled:
    out = []
    for text in texts.to_pylist():
        data = np.frombuffer(text.encode(), np.uint8)
        words = words_of_bytes(data, np.array([0, len(data)], np.int64))[0]
        runs = (
            {" ".join(words[at : at + width]) for at in range(max(1, len(words) - width + 1))}
            if words
            else set()
        )
        out.append(sorted(runs))
    return out


def _by_samecore(texts: pa.LargeStringArray, peer: str, threshold: float, width: int) -> Pairs:
    recipe = method(peer.partition(" ")[2], width=width, threshold=threshold)
    table = pa.table({"id": [str(row) for row in range(len(texts))], "text": texts})
    pairs = find(table, method=recipe, floor=threshold, group="components", threads=1).pairs
    return {
        (int(a), int(b)) for a, b in zip(pairs["left"].to_pylist(), pairs["right"].to_pylist(), strict=True)
    }


def _library(module: str, package: str) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingExtra(package, extra="bench", needed_for="the comparison") from error


def _datasketch() -> Callable[[Shingled, float], Pairs]:
    library = _library("datasketch", "datasketch")

    def work(shingled: Shingled, threshold: float) -> Pairs:
        index = library.MinHashLSH(threshold=threshold, num_perm=SLOTS)
        found: Pairs = set()
        encoded = ([one.encode() for one in row] for row in shingled)
        for number, sketch in enumerate(library.MinHash.generator(encoded, num_perm=SLOTS)):
            if not shingled[number]:
                continue
            found.update((int(other), number) for other in index.query(sketch))
            index.insert(str(number), sketch)
        return found

    return work


def _rensa() -> Callable[[Shingled, float], Pairs]:
    library = _library("rensa", "rensa")

    def work(shingled: Shingled, threshold: float) -> Pairs:
        index = library.RMinHashLSH(threshold=threshold, num_perm=SLOTS, num_bands=16)
        found: Pairs = set()
        for number, row in enumerate(shingled):
            if not row:
                continue
            sketch = library.RMinHash(num_perm=SLOTS, seed=42)
            sketch.update(row)
            found.update((other, number) for other in index.query(sketch))
            index.insert(number, sketch)
        return found

    return work


def _text_dedup() -> Callable[[Shingled, float], Pairs]:
    """The recipe of text-dedup: 256 permutations, bands by datasketch's rule, buckets joined by union-find.

    Everything that shares a bucket becomes one cluster, and every pair of a cluster counts as found.
    """
    library = _library("datasketch", "datasketch")
    optimal = _library("datasketch.lsh", "datasketch")._optimal_param

    def work(shingled: Shingled, threshold: float) -> Pairs:
        slots = 256
        bands, rows = optimal(threshold, slots, 0.5, 0.5)
        parent = list(range(len(shingled)))

        def root(one: int) -> int:
            while parent[one] != one:
                parent[one] = parent[parent[one]]
                one = parent[one]
            return one

        buckets: dict[tuple[int, bytes], int] = {}
        encoded = ([one.encode() for one in row] for row in shingled)
        for number, sketch in enumerate(library.MinHash.generator(encoded, num_perm=slots)):
            if not shingled[number]:
                continue
            values = sketch.hashvalues
            for band in range(bands):
                key = band, values[band * rows : (band + 1) * rows].tobytes()
                first = buckets.setdefault(key, number)
                parent[root(number)] = root(first)
        members: dict[int, list[int]] = {}
        for number in range(len(shingled)):
            members.setdefault(root(number), []).append(number)
        return {(a, b) for group in members.values() for at, a in enumerate(group) for b in group[at + 1 :]}

    return work


def _set_similarity_search() -> Callable[[Shingled, float], Pairs]:
    library = _library("SetSimilaritySearch", "SetSimilaritySearch")

    def work(shingled: Shingled, threshold: float) -> Pairs:
        numbers = [number for number, row in enumerate(shingled) if row]
        found = library.all_pairs(
            [shingled[number] for number in numbers],
            similarity_func_name="jaccard",
            similarity_threshold=threshold,
        )
        return {(min(numbers[a], numbers[b]), max(numbers[a], numbers[b])) for a, b, _ in found}

    return work


def _simhash() -> Callable[[Shingled, float], Pairs]:
    """simhash-pybind as its guide has it: 64 bits over hashes of the shingles, pairs within 3 bits."""
    library = _library("simhash", "simhash-pybind")

    def work(shingled: Shingled, threshold: float) -> Pairs:
        own: dict[int, list[int]] = {}
        for number, row in enumerate(shingled):
            if row:
                value = library.compute([library.unsigned_hash(one.encode()) for one in row])
                own.setdefault(value, []).append(number)
        found: Pairs = {
            (a, b) for group in own.values() for at, a in enumerate(group) for b in group[at + 1 :]
        }
        for one, other in library.find_all(set(own), 6, 3):
            found.update((min(a, b), max(a, b)) for a in own[one] for b in own[other])
        return found

    return work


PEERS: dict[str, Callable[[], Callable[[Shingled, float], Pairs]]] = {
    "datasketch": _datasketch,
    "rensa": _rensa,
    "text-dedup recipe": _text_dedup,
    "SetSimilaritySearch": _set_similarity_search,
    "simhash-pybind": _simhash,
}
