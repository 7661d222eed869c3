"""What an experiment can measure: functions from labelled data and settings to rows of figures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from samecore.lab.data import Labelled
from samecore.lab.measures import compressing, curves, framing, learning, matching, ordered, peers, sketching

Measure = Callable[[Labelled, dict[str, Any]], list[dict[str, Any]]]

#: Name -> measure.
MEASURES: dict[str, Measure] = {
    "quality": curves.quality,
    "curve": curves.curve,
    "cluster-cosine": curves.cluster_cosine,
    "framing": framing.framing,
    "matchers": matching.matchers,
    "procedures": ordered.procedures,
    "growth": ordered.growth,
    "sketch-error": sketching.sketch_error,
    "same-site": sketching.same_site,
    "peers": peers.peers,
    "pruning": compressing.pruning,
    "growth-of-time": compressing.growth_of_time,
    "threads": compressing.threads,
    "skew": compressing.skew,
    "andd": learning.andd,
}
