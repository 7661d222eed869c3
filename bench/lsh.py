"""LSH: pairs per CPU second beside datasketch, recall as promised, buckets of hundreds of thousands.

    python bench/lsh.py             all of it, a few minutes
    python bench/lsh.py --quick     a tenth of the documents

CPU seconds of the whole process, one thread, best of `--repeats`. Documents are sets of random
keys, so the min-hash of k keys that nobody else has is the least of k uniform numbers:
sketches of a million documents are drawn from that law instead of being hashed, which
changes nothing for LSH. The peer gets real keys and sketches of its own.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt
from corpus import make_corpus

from samecore.features.csr import Features
from samecore.match.banding import Banding, choose_banding
from samecore.match.exact import exact
from samecore.match.lsh import lsh
from samecore.match.shared_values import shared_values

SIZE = 60  # keys of a document
SLOTS = 128


@dataclass(frozen=True, eq=False)
class Drawn:
    features: Features
    sketches: npt.NDArray[np.uint32]
    pairs: int  # planted
    template: npt.NDArray[np.int64]  # documents that share it


def least(generator: np.random.Generator, rows: int, keys: int) -> npt.NDArray[np.float64]:
    """The min-hashes of `rows` sets of so many keys of their own."""
    if keys == 0:
        return np.ones((rows, SLOTS))
    return -np.expm1(np.log1p(-generator.random((rows, SLOTS))) / keys)


def draw(
    documents: int, *, planted: int, similarity: float, template: int, shared: int, seed: int = 0
) -> Drawn:
    """Random documents, pairs of them at about `similarity`, and some that share `shared` template keys."""
    generator = np.random.default_rng(seed)
    keys = generator.integers(0, 2**64, (documents, SIZE), dtype=np.uint64)
    places = generator.permutation(documents)
    twins = places[: 2 * planted].reshape(-1, 2)
    alike = np.sort(places[2 * planted : 2 * planted + template])
    common = round(2 * similarity / (1 + similarity) * SIZE)
    keys[twins[:, 1], :common] = keys[twins[:, 0], :common]
    keys[alike, :shared] = generator.integers(0, 2**64, shared, dtype=np.uint64)
    keys.sort(axis=1)
    sketches = np.empty((documents, SLOTS), np.uint32)
    for start in range(0, documents, 100_000):  # bounded memory
        rows = slice(start, min(start + 100_000, documents))
        sketches[rows] = least(generator, rows.stop - rows.start, SIZE) * 2**32
    both = least(generator, planted, common)
    for side in (0, 1):
        sketches[twins[:, side]] = np.minimum(both, least(generator, planted, SIZE - common)) * 2**32
    one = least(generator, 1, shared)
    for start in range(0, template, 100_000):
        members = alike[start : start + 100_000]
        sketches[members] = np.minimum(one, least(generator, len(members), SIZE - shared)) * 2**32
    offsets = np.arange(documents + 1, dtype=np.int64) * SIZE
    return Drawn(Features(offsets, keys.ravel(), np.ones(keys.size, np.uint32)), sketches, planted, alike)


def best_cpu_s(work: Callable[[], object], repeats: int) -> float:
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def peak_mb_of(work: Callable[[], object]) -> int | None:
    """Memory `work` takes beyond what was there before it; None where the system does not tell."""
    try:
        Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
        before, _ = _resident_kb()
        work()
        return (_resident_kb()[1] - before) // 1024
    except OSError:
        return None


def _resident_kb() -> tuple[int, int]:
    lines = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(lines["VmRSS"].split()[0]), int(lines["VmHWM"].split()[0])


def hostile(documents: int, repeats: int) -> None:
    """A fifth of the documents share one template: below the threshold, then above it."""
    print("\nA fifth of the documents share one template, threshold 0.8")
    for shared, output in ((45, "pairs"), (45, "forest"), (53, "pairs"), (56, "forest")):
        alike = shared / (2 * SIZE - shared)
        before = 0.0
        for n in (documents // 4, documents):
            drawn = draw(n, planted=n // 20, similarity=0.85, template=n // 5, shared=shared)
            work = partial(lsh, drawn.sketches, drawn.features, threshold=0.8, output=output)
            extra_mb = peak_mb_of(work)
            ours = best_cpu_s(work, repeats)
            found = work()
            inside = np.isin(found.pairs.left, drawn.template)
            if alike >= 0.8:
                assert inside.sum() == len(drawn.template) - 1, "the template must be one component"
                answer = "template is one component"
            else:
                assert inside.sum() == 0
                truth = exact(drawn.features, threshold=0.8)
                listed = set(zip(truth.left.tolist(), truth.right.tolist(), strict=True))
                mine = set(zip(found.pairs.left.tolist(), found.pairs.right.tolist(), strict=True))
                assert mine <= listed
                answer = f"{len(mine) / len(listed):.4f} of the exact join's {len(listed)} pairs"
                if output == "pairs":
                    answer += f" (which takes {best_cpu_s(partial(exact, drawn.features, threshold=0.8), 1):.2f} CPU s)"
            growth = f", {ours / before:.1f} times the quarter" if before else ""
            before = ours
            report = found.report
            print(
                f"n = {n}, template at J = {alike:.2f}, {output}: {ours:.2f} CPU s{growth}; {extra_mb} MB beside the "
                f"input; {report.candidates} candidates, {report.verified} verified, largest bucket "
                f"{report.largest_bucket}, {report.joined} contents in large ones, linked: {report.linked}; {answer}"
            )


def plain(documents: int, repeats: int) -> None:
    print("\nNo template, a tenth of the documents in planted pairs at about the threshold")
    for threshold in (0.5, 0.8, 0.9):
        drawn = draw(documents, planted=documents // 20, similarity=threshold + 0.02, template=0, shared=0)
        work = partial(lsh, drawn.sketches, drawn.features, threshold=threshold)
        found = work()
        print(
            f"n = {documents}, threshold {threshold}, {found.report.banding}: {best_cpu_s(work, repeats):.2f} CPU s, "
            f"exact join {best_cpu_s(partial(exact, drawn.features, threshold=threshold), 1):.2f}, shared values "
            f"{best_cpu_s(partial(shared_values, drawn.sketches, threshold=threshold), 1):.2f}; "
            f"{len(found.pairs) / drawn.pairs:.4f} of the planted pairs, "
            f"expected at the threshold {found.report.expected_recall:.4f}"
        )


def low(documents: int) -> None:
    """Common features and low thresholds, where LSH has no advantage."""
    print("\nCommon features, low thresholds")
    corpus = make_corpus(documents, preset="default-like").features
    sketches = hashed(corpus)
    for threshold in (0.2, 0.3, 0.4, 0.5, 0.8):
        work = partial(lsh, sketches, corpus, threshold=threshold, multiset=False)
        truth = partial(exact, corpus, threshold=threshold, multiset=False)
        found = work()
        print(
            f"n = {documents}, threshold {threshold}, {found.report.banding}: {best_cpu_s(work, 1):.2f} CPU s, exact join "
            f"{best_cpu_s(truth, 1):.2f}; {len(found.pairs) / len(truth()):.4f} of its pairs; "
            f"{found.report.candidates} candidates, {found.report.joined} contents in large buckets"
        )


def hashed(features: Features) -> npt.NDArray[np.uint32]:
    """Real min-hashes. A product alone will not do: such hashes are alike, and recall falls to 0.96."""
    factors = np.random.default_rng(0).integers(0, 2**63, SLOTS, dtype=np.uint64) * np.uint64(2) + np.uint64(
        1
    )
    sketches = np.empty((len(features), SLOTS), np.uint32)
    for slot, factor in enumerate(factors):
        values = features.keys * factor + factor
        for shift in (30, 27):
            values ^= values >> np.uint64(shift)
            values *= np.uint64(0xBF58476D1CE4E5B9)
        sketches[:, slot] = np.minimum.reduceat(values >> np.uint64(32), features.offsets[:-1])
    return sketches


def peer(documents: int, repeats: int) -> None:
    """datasketch from ready sketches: insert, query, and verify its candidates on ready Python sets."""
    try:
        from datasketch import MinHash, MinHashLSH
    except ImportError:
        print("\ndatasketch is not installed: no comparison")
        return
    drawn = draw(documents, planted=documents // 20, similarity=0.81, template=0, shared=0)
    keys = drawn.features.keys.reshape(documents, SIZE)
    theirs = MinHash.bulk([[key.tobytes() for key in row] for row in keys], num_perm=SLOTS)
    sets = [frozenset(row.tolist()) for row in keys]
    # Its own hash values, cut to 32 bits (they are below 2^32), so that both see the same sketches.
    sketches = np.stack([sketch.hashvalues for sketch in theirs]).astype(np.uint32)
    truth = exact(drawn.features, threshold=0.8)

    def run(bands: int, rows: int) -> set[tuple[int, int]]:
        index = MinHashLSH(num_perm=SLOTS, params=(bands, rows))
        for number, sketch in enumerate(theirs):
            index.insert(number, sketch)
        found = set()
        for number, sketch in enumerate(theirs):
            for partner in index.query(sketch):
                if partner > number:
                    shared = len(sets[number] & sets[partner])
                    if shared >= 0.8 * (2 * SIZE - shared):
                        found.add((number, partner))
        return found

    default = MinHashLSH(threshold=0.8, num_perm=SLOTS)
    chosen = choose_banding(SLOTS, threshold=0.8)
    print(f"\nBeside datasketch, from ready sketches of {SLOTS} slots, {documents} documents, threshold 0.8")
    for name, banding in (("its defaults", Banding(default.b, default.r)), ("ours", chosen)):
        work = partial(lsh, sketches, drawn.features, threshold=0.8, banding=banding)
        pairs = work().pairs
        mine = set(zip(pairs.left.tolist(), pairs.right.tolist(), strict=True))
        assert mine == run(banding.bands, banding.rows), "the answers differ"
        ours, its = (
            best_cpu_s(work, repeats + 2),
            best_cpu_s(partial(run, banding.bands, banding.rows), repeats),
        )
        print(
            f"{name}, {banding.bands} x {banding.rows}: same {len(mine)} pairs, recall {len(mine) / len(truth):.3f} "
            f"(expected {banding.expected_recall(0.8):.3f} at 0.8); {ours:.3f} against {its:.2f} CPU s: {its / ours:.0f} times"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    documents = options.documents // 10 if options.quick else options.documents
    peer(documents // 20, options.repeats)
    low(documents // 20)
    plain(documents // 4, options.repeats)
    hostile(documents, options.repeats)


if __name__ == "__main__":
    main()
