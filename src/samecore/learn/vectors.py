"""Facts of labelled documents, ready to be multiplied: feature matrices per document and their products."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from samecore.features.facts import Facts, Feature
from samecore.learn.objective import Floats, Forms, Ints


@dataclass(frozen=True, eq=False)
class Design:
    """The features of every k-gram of some documents: `values[entry, feature]`, keys as numbers from 0."""

    offsets: Ints
    keys: npt.NDArray[np.int64]
    values: npt.NDArray[np.float32]
    distinct: int

    def rows(self, document: int) -> slice:
        """Where the entries of one document lie."""
        return slice(int(self.offsets[document]), int(self.offsets[document + 1]))


def design(found: Facts, features: Sequence[Feature]) -> Design:
    """The features of every entry of `found`."""
    distinct, keys = np.unique(found.keys, return_inverse=True)
    values = np.empty((len(keys), len(features)), np.float32)
    for n, feature in enumerate(features):
        values[:, n] = feature.values(found)
    return Design(found.offsets, keys.reshape(-1), values, len(distinct))


def forms(made: Design, left: Ints, right: Ints) -> Forms:
    """The matrices of the pairs `left[i]`, `right[i]` and of the documents they are of."""
    documents, numbers = np.unique(np.concatenate([left, right]), return_inverse=True)
    numbers = numbers.reshape(-1)
    one, two = numbers[: len(left)], numbers[len(left) :]
    size = made.values.shape[1]
    upper = np.triu_indices(size)
    twice = np.where(upper[0] == upper[1], 1.0, 2.0)
    own = np.empty((len(documents), len(upper[0])))
    for n, document in enumerate(documents):
        mine = made.values[made.rows(document)]
        own[n] = (mine.T @ mine)[upper] * twice
    pairs = np.empty((len(left), len(upper[0])))
    place = np.full(made.distinct, -1, np.int64)
    order = np.argsort(one, kind="stable")
    last = -1
    for n in order:
        if one[n] != last:
            if last >= 0:
                place[made.keys[made.rows(documents[last])]] = -1
            last = one[n]
            here = made.rows(documents[last])
            place[made.keys[here]] = np.arange(here.start, here.stop)
        there = made.rows(documents[two[n]])
        at = place[made.keys[there]]
        shared = at >= 0
        product = made.values[at[shared]].T @ made.values[there][shared]
        pairs[n] = (product[upper] + product.T[upper]) * (twice / 2)
    return Forms(own, pairs, one, two, size)


def weighed(made: Design, weights: Floats) -> Floats:
    """The weight of every entry, before anything is cut off at zero."""
    return np.asarray(made.values @ weights, np.float64)
