"""What several measures need: a recipe from settings, and a timed run."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from samecore.collect import collect
from samecore.features.csr import Features
from samecore.lab.data import Labelled
from samecore.match.parts import Cosine
from samecore.methods import Method, method
from samecore.pipeline import find
from samecore.read import open as open_source
from samecore.result import Result
from samecore.sketch.imatch import IMatch
from samecore.text.language import language
from samecore.weights.parts import IdfRange

#: How far down scores are looked at, by methods that can.
FLOOR = 0.02


def recipe(settings: dict[str, Any]) -> Method:
    """The method that settings ask for: `method`, `options` for it, `text`, `idf`,
    `min_features`, and `match = "cosine"`.

    An idf range of [0, 1] is none; how idf is normalised stays as the method has it. The antecedents "stop-words" are all that English has.
    """
    options = dict(settings.get("options", {}))
    if options.get("antecedents") == "stop-words":
        options["antecedents"] = sorted(language("en").stop_words)
    made = method(settings["method"], **options)
    if "text" in settings:
        made = replace(made, text=settings["text"])
    if "idf" in settings:
        low, high = settings["idf"]
        own = next((part for part in made.weights if isinstance(part, IdfRange)), IdfRange())
        made = replace(made, weights=() if (low, high) == (0, 1) else (replace(own, low=low, high=high),))
    if "min_features" in settings:
        made = replace(made, min_features=settings["min_features"])
    if settings.get("match") == "cosine":
        made = replace(made, match=Cosine("tfidf"))
    return made


def features_of(labelled: Labelled, made: Method, *, threads: int = 2) -> tuple[Features, list[str]]:
    """The weighted features of all documents, and their ids."""
    collection = collect(open_source(labelled.documents), made, threads=threads)
    features = collection.features
    for part in collection.method.weights:
        features = part(features, threads=threads)
    return features, collection.documents["id"].to_pylist()


@dataclass(frozen=True)
class Timed:
    """A result, and the seconds that reading with features, and matching, took."""

    result: Result
    reading: float
    matching: float


def timed_find(labelled: Labelled, made: Method, **settings: Any) -> Timed:
    """`find`, with the time of its two stages."""
    start = time.perf_counter()
    moments = {"read": start, "match": start}

    def note(stage: str, done: int, total: int | None) -> None:
        if stage == "match" and done == 0:
            moments["read"] = time.perf_counter()

    result = find(labelled.documents, method=made, progress=note, **settings)
    end = time.perf_counter()
    return Timed(result, moments["read"] - start, end - moments["read"])


def signatures(labelled: Labelled, made: Method) -> int:
    """How many distinct signatures all documents together have, after the idf range, also that of I-Match."""
    sketch = getattr(made.match, "sketch", None)
    if isinstance(sketch, IMatch) and sketch.idf is not None:
        low, high = sketch.idf
        made = replace(made, weights=(IdfRange(low=low, high=high, form=sketch.form),))
    features, _ = features_of(labelled, made)
    return len(np.unique(features.keys))
