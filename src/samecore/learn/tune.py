"""Choosing a method and a threshold from labels, without learning weights.

Half of the labelled groups choose, the other half says how good the choice is, then the other way round, several
times over. No figure comes from groups that had a say in what it is about.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from samecore.errors import SamecoreError, SettingError
from samecore.features.learned import LearnedVectors
from samecore.learn.check import round_threshold
from samecore.learn.corpus import read_ids
from samecore.learn.folds import FEW_GROUPS, Figures, Folds, halves, intervals_of
from samecore.learn.labels import Labels, Truth, check_enough, match_labels, read_labels
from samecore.learn.methods import method_scores
from samecore.learn.objective import Floats, Ints
from samecore.learn.scores import f1_at, max_f1, need_scipy
from samecore.methods import Method, method
from samecore.methods.stored import Model
from samecore.version import __version__

#: What is tried by default: features, weights and similarities that differ in kind.
CANDIDATES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("spotsigs", {}),
    ("spotsigs", {"chain": 2}),
    ("spotsigs-2008", {}),
    ("spotsigs-code", {}),
    ("shingles", {"width": 2}),
    ("shingles", {"width": 3}),
    ("shingles", {"width": 5}),
    ("containment", {}),
    ("tfidf-cosine", {"k": 1}),
    ("tfidf-cosine", {"k": 3}),
    ("binary-cosine", {"k": 1}),
    ("binary-cosine", {"k": 3}),
    ("kgram-jaccard", {"k": 1}),
)
REPEATS = 5

Progress = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class Tuned:
    """The chosen recipe as a model, every candidate with its held-out figures, and what a person should know."""

    model: Model
    table: pa.Table
    notes: list[str]


def tune(
    labels: Labels | str,
    corpus: Any,
    *,
    candidates: Sequence[str | Method] | None = None,
    repeats: int = REPEATS,
    threads: int = 1,
    seed: int = 0,
    progress: Progress = lambda line: None,
    **reading: Any,
) -> Tuned:
    """The recipe and threshold that did best on held-out groups.

    candidates: names, model files or recipes to choose from; `CANDIDATES` by default.
    """
    need_scipy("tuning")
    known = read_labels(labels) if isinstance(labels, str) else labels
    ids = read_ids(corpus, known.ids, **reading)
    truth, unknown = match_labels(known, ids)
    check_enough(truth, least=4)
    recipes = _recipes(candidates)
    notes = replace(
        known, problems=tuple(sorted((*known.problems, *unknown), key=lambda one: one.row))
    ).report()
    scored: dict[str, tuple[Method, Callable[[Ints, Ints], Floats]]] = {}
    for name, recipe in recipes.items():
        try:
            scored[name] = recipe, method_scores(corpus, recipe, ids, threads=threads, seed=seed, **reading)
        except SamecoreError as error:
            notes.append(f"{name} could not be tried: {error}")
            continue
        progress(f"scored with {name}")
    if not scored:
        raise SettingError(
            "candidates", found=list(recipes), expected="at least one method that can be run here"
        )
    trained = [name for name, (recipe, _) in scored.items() if isinstance(recipe.features, LearnedVectors)]
    if trained:
        notes.append(
            f"{', '.join(trained)}: learned from labels; if these are among them, its figures here are too good, "
            "and those that train printed are the ones to compare"
        )
    splits = [pair for n in range(repeats) for pair in _both_ways(halves(truth, seed=seed + n))]
    chosen: list[str] = []
    folds: dict[str, list[Folds]] = {name: [] for name in scored}
    cuts: dict[str, list[float]] = {name: [] for name in scored}
    for turn, (choosing, testing) in enumerate(splits):
        inner = {}
        for name, (_, look_up) in scored.items():
            inner[name] = _transfer(truth, choosing, look_up, seed=seed + turn)
            folds[name].append(_fold(truth, testing, look_up))
            cuts[name].append(_cut(_fold(truth, choosing, look_up)))
        chosen.append(max(inner, key=lambda name: inner[name]))
    figures = {name: intervals_of(folds[name], seed=seed, thresholds=cuts[name]) for name in scored}
    picked = intervals_of(
        [folds[name][n] for n, name in enumerate(chosen)],
        seed=seed,
        thresholds=[cuts[name][n] for n, name in enumerate(chosen)],
    )
    # The recipe itself is chosen in the same way, with all labels; the figure above is that of choosing so.
    winner = max(scored, key=lambda name: figures[name].f1)
    everyone = np.arange(truth.units)
    thresholds = {
        name: round_threshold(_cut(_fold(truth, everyone, look_up))) for name, (_, look_up) in scored.items()
    }
    threshold = thresholds[winner]
    notes += _remarks(winner, figures, picked, truth.units, chosen)
    rows = [
        {
            "method": name,
            "f1": round(one.f1, 4),
            "low": round(one.low, 4),
            "high": round(one.high, 4),
            "precision": round(one.precision, 4),
            "recall": round(one.recall, 4),
            "threshold": thresholds[name],
            "chosen": chosen.count(name),
        }
        for name, one in sorted(figures.items(), key=lambda item: -item[1].f1)
    ]
    recipe = replace(scored[winner][0], threshold=threshold)
    about = {
        "samecore": __version__,
        "tuned": {"candidates": list(scored), "repeats": repeats, "seed": seed},
        "labels": {"documents": len(truth.documents), "groups": truth.units},
        "metrics": {
            "f1": round(picked.f1, 4),
            "f1_interval": [round(picked.low, 4), round(picked.high, 4)],
            "precision": round(picked.precision, 4),
            "recall": round(picked.recall, 4),
        },
    }
    return Tuned(Model(recipe, {}, about), pa.Table.from_pylist(rows), notes)


def _recipes(candidates: Sequence[str | Method] | None) -> dict[str, Method]:
    if candidates is None:
        made = {}
        for name, settings in CANDIDATES:
            shown = ",".join(f"{key}={value}" for key, value in settings.items())
            made[f"{name}({shown})" if shown else name] = method(name, **settings)
        return made
    made = {}
    for one in candidates:
        name = shown = one if isinstance(one, str) else one.name
        recipe = method(one) if isinstance(one, str) else one
        others = 1
        while shown in made and made[shown] != recipe:
            others += 1
            shown = f"{name}#{others}"
        made[shown] = recipe
    return made


def _both_ways(parts: tuple[Ints, Ints]) -> list[tuple[Ints, Ints]]:
    return [parts, (parts[1], parts[0])]


def _fold(truth: Truth, units: Ints, look_up: Callable[[Ints, Ints], Floats]) -> Folds:
    left, right, same = truth.pairs(units)
    scores = look_up(truth.documents[left], truth.documents[right])
    return Folds(scores, same, truth.unit[left], truth.unit[right])


def _cut(fold: Folds) -> float:
    return max_f1(fold.scores, fold.same).threshold


def _transfer(truth: Truth, units: Ints, look_up: Callable[[Ints, Ints], Floats], *, seed: int) -> float:
    """How well a threshold from some of these units does on the others, both ways, three times over."""
    chance = np.random.default_rng(seed)
    found: list[float] = []
    for _ in range(3):
        order = chance.permutation(units)
        one, two = (_fold(truth, part, look_up) for part in np.array_split(order, 2))
        for choosing, testing in ((one, two), (two, one)):
            if choosing.same.any() and testing.same.any():
                found.append(f1_at(testing.scores, testing.same, _cut(choosing)))
    if found:
        return float(np.mean(found))
    whole = _fold(truth, units, look_up)
    return max_f1(whole.scores, whole.same).f1


def _remarks(
    winner: str, figures: dict[str, Figures], picked: Figures, units: int, chosen: list[str]
) -> list[str]:
    best = figures[winner]
    notes = [
        f"choosing this way gives an F1 of {picked.f1:.3f} ({picked.low:.3f} to {picked.high:.3f}, 95 %) on groups that "
        "had no say in the choice"
    ]
    level = [
        name for name, one in figures.items() if name != winner and one.high >= best.f1 and one.f1 >= best.low
    ]
    if units < FEW_GROUPS:
        notes += best.warnings(units)
    elif level:
        few = ", ".join(level[:4]) + (f" and {len(level) - 4} more" if len(level) > 4 else "")
        notes.append(
            f"these labels cannot tell {winner} from {few}: take the one you like best, or label more groups"
        )
    if len(set(chosen)) > 1:
        notes.append(f"the halves chose {len(set(chosen))} different methods in {len(chosen)} turns")
    return notes
