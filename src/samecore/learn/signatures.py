"""Models trained on some of the labelled groups, and how good their signatures are on the others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from samecore.features.csr import Features
from samecore.features.learned import LearnedVectors
from samecore.learn.check import weighted_jaccard
from samecore.learn.corpus import Corpus
from samecore.learn.fit import Material, Training, fit, learned
from samecore.learn.labels import Truth
from samecore.learn.objective import Floats, Ints
from samecore.learn.scores import Same, max_f1, pair_scores
from samecore.match.weighted import heaviest, in_levels
from samecore.similarity.cosine import Measure
from samecore.sketch.minhash import MinHash, estimates
from samecore.sketch.simhash import SimHash

BITS = (64, 128, 256, 384, 512, 1024, 2048, 4096)
SLOTS = (8, 16, 32, 64, 80, 128, 256)
ACTIVE = (5, 10, 20, 50, 100, 200, 0)
#: Cosine and extended Jaccard.
SIMILARITIES: tuple[Measure, ...] = ("cosine", "jaccard")

Progress = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class Bench:
    """Labelled documents with everything that models of them share."""

    corpus: Corpus
    truth: Truth
    materials: dict[int, Material]
    training: Training

    def test(self, units: Ints) -> tuple[Ints, Ints, Same]:
        """All judged pairs of some units, by documents of the corpus."""
        left, right, same = self.truth.pairs(units)
        return self.truth.documents[left], self.truth.documents[right], same

    def model(
        self, k: int, measure: Measure, units: Ints, run: int, truth: Truth | None = None
    ) -> LearnedVectors:
        """A model trained on some units alone."""
        training = replace(self.training, k=k, measure=measure, seed=self.training.seed + run)
        material = self.materials[k] if truth is None else replace(self.materials[k], truth=truth)
        return learned(material, training, fit(material, training, units=units))

    def learned(
        self, k: int, measure: Measure, units: Ints, run: int, truth: Truth | None = None
    ) -> Features:
        """The vectors of such a model."""
        return self.model(k, measure, units, run, truth).weigh(self.materials[k].facts)


def signatures_of(
    bench: Bench, splits: list[tuple[Ints, Ints]], k: int, threads: int, progress: Progress
) -> pa.Table:
    """MaxF1 of the signatures of a learned model against their size."""
    scores: dict[tuple[str, int], list[float]] = {}
    for run, (units, test) in enumerate(splits):
        left, right, same = bench.test(test)
        models = [bench.model(k, measure, units, run) for measure in SIMILARITIES]
        facts = bench.materials[k].facts
        cos, jacc = (one.weigh(facts) for one in models)
        prints = SimHash(bits=max(BITS), weighting="tf")(cos, threads=threads)
        differing = np.zeros(len(left))
        done = 0
        for bits in BITS:
            for word in range(done // 64, bits // 64):
                differing += _ones(prints[left, word] ^ prints[right, word])
            done = bits
            scores.setdefault(("lsh-cos bits", bits), []).append(max_f1(1 - differing / bits, same).f1)
        for name, levels, family in (
            ("lsh-jacc-2010 values", 16, "mod-prime"),
            ("lsh-jacc values", 32, "multiply"),
        ):
            made = in_levels(jacc, levels, most=heaviest([jacc]))
            rows = MinHash(slots=max(SLOTS), family=family, multiset=True)(made, threads=threads)  # type: ignore[arg-type]
            for slots in SLOTS:
                found = estimates(rows[:, :slots], left, right, threads=threads)
                scores.setdefault((name, slots), []).append(max_f1(found, same).f1)
            exact = max_f1(weighted_jaccard(made, left, right), same).f1
            scores.setdefault((name.replace(" values", " without sketch"), 0), []).append(exact)
        for active in ACTIVE:
            few = replace(models[0], active=active).weigh(facts)
            scores.setdefault(("active terms", active), []).append(
                max_f1(pair_scores(few, left, right, measure="cosine"), same).f1
            )
        raw = max_f1(pair_scores(cos, left, right, measure="cosine"), same).f1
        scores.setdefault(("raw", 0), []).append(raw)
        progress(f"signatures, split {run + 1}")
    rows_ = [
        {
            "signature": name,
            "size": size,
            "max_f1": float(np.mean(own)),
            "error": float(np.std(own, ddof=1) / np.sqrt(len(own))),
        }
        for (name, size), own in scores.items()
    ]
    return pa.Table.from_pylist(rows_)


def _ones(words: np.ndarray[tuple[int, ...], np.dtype[np.uint64]]) -> Floats:
    table = np.array([bin(byte).count("1") for byte in range(256)], np.float64)
    return np.asarray(table[np.ascontiguousarray(words).view(np.uint8).reshape(-1, 8)].sum(axis=1))
