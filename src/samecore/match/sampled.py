"""The exact join of samples of features: all pairs of samples, and an estimate for the documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from samecore.match.exact import exact
from samecore.match.parts import Job, Scored
from samecore.match.sketched import Found


@dataclass(frozen=True)
class Sampled:
    """Every pair whose samples (`ModP`) have a Jaccard similarity at the threshold, which estimates that of the documents."""

    name: ClassVar[str] = "sampled"
    measure: ClassVar[str] = "sample"
    all_pairs: ClassVar[bool] = True
    approximate: ClassVar[bool] = True

    def __call__(self, job: Job) -> Scored:
        pairs = exact(
            job.features,
            job.other,
            threshold=job.threshold,
            multiset=job.multiset,
            threads=job.threads,
            max_pairs=job.limit,
        )
        note = "scores are estimates: the Jaccard similarity of samples of the features"
        return Found(pairs.left, pairs.right, pairs.score, (note,))
