"""Training: from labels and documents to a model (ANDD, Hajishirzi, Yih and Kolcz 2010)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from samecore.errors import InputError
from samecore.features.facts import Feature
from samecore.features.frequencies import Frequencies
from samecore.learn.check import cross_check
from samecore.learn.corpus import read_corpus
from samecore.learn.fit import Training, fit, learned, prepare
from samecore.learn.labels import Labels, check_enough, match_labels, read_labels
from samecore.learn.scores import need_scipy
from samecore.match.parts import Cosine
from samecore.methods.recipe import Method
from samecore.methods.stored import Model
from samecore.version import __version__

__all__ = ["Training", "train"]


def train(
    labels: Labels | str,
    corpus: Any,
    *,
    training: Training = Training(),  # noqa: B008 - frozen
    own: Sequence[Feature] = (),
    queries: Frequencies | None = None,
    threads: int = 1,
    folds: int = 5,
    **reading: Any,
) -> tuple[Model, list[str]]:
    """A model trained on `labels` (a file or `Labels`) of documents in `corpus`, and what a person should know.

    own: features of one's own, see `Feature.of`. queries: the table of a query log. The threshold and the figures in
    `about` come from models that had not seen the clusters they were measured on.
    """
    need_scipy("training")
    known = read_labels(labels) if isinstance(labels, str) else labels
    given = read_corpus(
        corpus, known.ids, widths=(training.k,), text=training.text, threads=threads, **reading
    )
    truth, unknown = match_labels(known, given.ids)
    check_enough(truth)
    notes = replace(
        known, problems=tuple(sorted((*known.problems, *unknown), key=lambda one: one.row))
    ).report()
    material = prepare(given, truth, training, own=tuple(own), queries=queries, threads=threads)
    weights = fit(material, training)
    part = learned(material, training, weights)
    checked = cross_check(material, training, folds=folds, threads=threads)
    notes += checked.notes
    if part.weigh(material.facts).counts.size == 0:
        raise InputError("all weights came out as zero: the labels contradict each other, or say nothing")
    about = {
        "samecore": __version__,
        "training": asdict(training)
        | {"active": training.kept, "features": [name for name, _ in part.weights]},
        "labels": {
            "documents": len(truth.documents),
            "groups": truth.units,
            "same": int(truth.pairs()[2].sum()),
            "different": int((~truth.pairs()[2]).sum()),
        },
        "corpus": {"documents": given.documents},
        "metrics": checked.metrics,
    }
    method = Method(
        name="andd",
        features=part,
        text=training.text,
        match=Cosine("counts", similarity=training.measure),
        threshold=checked.threshold,
        about=f"learned weights of {training.k}-grams, {training.measure}, from {truth.units} labelled groups",
    )
    return Model(method, checked.thresholds, about), notes
