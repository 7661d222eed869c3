"""The experiments of the ANDD paper on one's own labels: who wins, from how many labels, with how many bits."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from samecore.features.csr import Features
from samecore.features.facts import PAPER
from samecore.learn.corpus import read_corpus
from samecore.learn.fit import Material, Training, prepare
from samecore.learn.folds import halves
from samecore.learn.labels import Labels, Truth, check_enough, match_labels, read_labels
from samecore.learn.methods import method_scores
from samecore.learn.objective import Floats, Ints
from samecore.learn.scores import max_f1, need_scipy, pair_scores
from samecore.learn.signatures import SIMILARITIES, Bench, Progress, signatures_of
from samecore.methods import Method
from samecore.similarity.cosine import Measure, tfidf

RUNS = 5
GRAMS = (1, 3)
CURVE = (10, 20, 40, 60, 100, 200, 400)
#: The recipes compared with, besides tf-idf and binary vectors.
OTHERS = ("spotsigs", "spotsigs-2008")


@dataclass(frozen=True, eq=False)
class Experiment:
    """Tables: `runs` (method, run, f1, threshold), `summary` with the paired t-test against ANDD on the same k and
    similarity, `curve` over training documents, `signatures` over bits, values and active terms."""

    runs: pa.Table
    summary: pa.Table
    curve: pa.Table
    signatures: pa.Table


def experiment(
    labels: Labels | str,
    corpus: Any,
    *,
    training: Training = Training(),  # noqa: B008 - frozen
    runs: int = RUNS,
    grams: Sequence[int] = GRAMS,
    others: Sequence[str | Method] = OTHERS,
    signatures: bool = True,
    threads: int = 1,
    progress: Progress = lambda line: None,
    **reading: Any,
) -> Experiment:
    """Five random halves of the clusters: trained on one, MaxF1 over all pairs of the other.

    Document frequencies are those of the whole corpus, for ANDD as for tf-idf; labels of the test half are not
    seen. "andd" keeps the `training.kept` heaviest k-grams, "andd-all" all of them, "andd-paper" has the features of
    the paper's Table 1 alone. The curve and the signatures are for unigrams (the least of `grams`).
    """
    need_scipy("the experiment")
    known = read_labels(labels) if isinstance(labels, str) else labels
    given = read_corpus(
        corpus, known.ids, widths=tuple(grams), text=training.text, threads=threads, **reading
    )
    truth, _ = match_labels(known, given.ids)
    check_enough(truth, least=4)
    materials = {k: prepare(given, truth, replace(training, k=k), threads=threads) for k in grams}
    bench = Bench(given, truth, materials, training)
    splits = [halves(truth, seed=training.seed + run) for run in range(runs)]
    rows = _baselines(bench, splits) + _recipes(bench, corpus, splits, others, threads, reading)
    jobs = [
        (k, measure, run, paper)
        for k in grams
        for measure in SIMILARITIES
        for paper in (False, True)
        for run in range(runs)
    ]

    def one(job: tuple[int, Measure, int, bool]) -> list[dict[str, Any]]:
        k, measure, run, paper = job
        own = replace(bench, materials={k: _of_the_paper(materials[k])}) if paper else bench
        part = own.model(k, measure, splits[run][0], run)
        left, right, same = bench.test(splits[run][1])
        made = []
        actives = {"andd-paper": 0} if paper else {"andd": replace(training, k=k).kept, "andd-all": 0}
        for name, active in actives.items():
            vectors = replace(part, active=active).weigh(materials[k].facts)
            best = max_f1(pair_scores(vectors, left, right, measure=measure), same)
            made.append(_row(f"{name} k={k} {measure}", run, best.f1, best.threshold))
            progress(f"{made[-1]['method']}, split {run + 1}: {best.f1:.3f}")
        return made

    with ThreadPoolExecutor(threads) as pool:
        rows += [row for made in pool.map(one, jobs) for row in made]
    table = pa.Table.from_pylist(rows)
    curve = _curve(bench, splits, min(grams), progress)
    marks = signatures_of(bench, splits, min(grams), threads, progress) if signatures else pa.table({})
    return Experiment(table, summarised(table), curve, marks)


def _of_the_paper(material: Material) -> Material:
    """The same material with the features of Table 1 alone, and tf-idf where the search starts."""
    names = (*PAPER, "log tf idf")
    kept = [n for n, feature in enumerate(material.features) if feature.name in names]
    values = np.ascontiguousarray(material.design.values[:, kept])
    return replace(
        material,
        features=tuple(material.features[n] for n in kept),
        design=replace(material.design, values=values),
    )


def _row(name: str, run: int, f1: float, threshold: float) -> dict[str, Any]:
    return {"method": name, "run": run, "f1": f1, "threshold": threshold}


def _baselines(bench: Bench, splits: list[tuple[Ints, Ints]]) -> list[dict[str, Any]]:
    """Tf-idf and binary vectors of the same k-grams."""
    rows = []
    for k, material in bench.materials.items():
        found = material.facts
        plain = Features(found.offsets, found.keys, found.counts)
        table, documents = bench.corpus.frequencies[k], bench.corpus.documents
        values: dict[str, Floats] = {
            "tfidf": tfidf(plain, table=table, documents=documents).values.astype(np.float64),
            "binary": np.ones(len(found.keys)),
        }
        for measure in SIMILARITIES:
            for name, own in values.items():
                for run, (_, test) in enumerate(splits):
                    left, right, same = bench.test(test)
                    scores = pair_scores(plain, left, right, measure=measure, values=own)
                    best = max_f1(scores, same)
                    rows.append(_row(f"{name} k={k} {measure}", run, best.f1, best.threshold))
    return rows


def _recipes(
    bench: Bench,
    source: Any,
    splits: list[tuple[Ints, Ints]],
    recipes: Sequence[str | Method],
    threads: int,
    reading: dict[str, Any],
) -> list[dict[str, Any]]:
    rows = []
    for recipe in recipes:
        name = recipe if isinstance(recipe, str) else recipe.name
        scores = method_scores(source, recipe, bench.corpus.ids, threads=threads, **reading)
        for run, (_, test) in enumerate(splits):
            left, right, same = bench.test(test)
            best = max_f1(scores(left, right), same)
            rows.append(_row(name, run, best.f1, best.threshold))
    return rows


def summarised(runs: pa.Table) -> pa.Table:
    """The mean of each method, its standard error, and the paired t-test of ANDD against it."""
    from scipy.stats import ttest_rel

    scores: dict[str, list[float]] = {}
    for row in runs.to_pylist():
        scores.setdefault(row["method"], []).append(row["f1"])
    rows = []
    for name, own in scores.items():
        setting = name.partition(" ")[2] or "k=1 cosine"
        reference = scores.get(f"andd {setting}")
        p = None
        if (
            reference is not None
            and reference is not own
            and len(own) > 1
            and np.ptp(np.subtract(reference, own)) > 0
        ):
            p = float(ttest_rel(reference, own).pvalue)
        error = float(np.std(own, ddof=1) / np.sqrt(len(own))) if len(own) > 1 else None
        gain = None if reference is None or reference is own else float(np.mean(reference) - np.mean(own))
        rows.append(
            {"method": name, "max_f1": float(np.mean(own)), "error": error, "andd_gains": gain, "p_value": p}
        )
    return pa.Table.from_pylist(rows)


def _curve(bench: Bench, splits: list[tuple[Ints, Ints]], k: int, progress: Progress) -> pa.Table:
    """MaxF1 against the number of training documents."""
    measure = bench.training.measure
    rows = []
    sizes = [len(np.flatnonzero(np.isin(bench.truth.unit, one))) for one, _ in splits]
    for size in (*(size for size in CURVE if size < min(sizes)), None):
        scores = []
        for run, (units, test) in enumerate(splits):
            truth = (
                bench.truth if size is None else _fewer(bench.truth, units, size, bench.training.seed + run)
            )
            if truth is None:
                continue
            vectors = bench.learned(k, measure, units, run, truth)
            left, right, same = bench.test(test)
            scores.append(max_f1(pair_scores(vectors, left, right, measure=measure), same).f1)
        if scores:
            rows.append(
                {
                    "documents": size or round(float(np.mean(sizes))),
                    "max_f1": float(np.mean(scores)),
                    "runs": len(scores),
                }
            )
            progress(f"{rows[-1]['documents']} training documents: {rows[-1]['max_f1']:.3f}")
    return pa.Table.from_pylist(rows)


def _fewer(truth: Truth, units: Ints, size: int, seed: int) -> Truth | None:
    """The same labels with only `size` random documents of these units; None if no draw has both kinds of pairs."""
    chance = np.random.default_rng(seed)
    there = np.flatnonzero(np.isin(truth.unit, units))
    for _ in range(50):
        kept = np.zeros(len(truth.documents), np.bool_)
        kept[chance.permutation(there)[:size]] = True
        if truth.judged is not None:
            left, right, same = truth.judged
            both = kept[left] & kept[right]
            made = replace(truth, judged=(left[both], right[both], same[both]))
        else:
            # A unit of its own number that is never asked for stands for what is left out.
            made = replace(truth, unit=np.where(kept, truth.unit, truth.units), cluster=truth.cluster)
        same = made.pairs(units)[2]
        if same.any() and not same.all():
            return made
    return None
