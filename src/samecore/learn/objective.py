"""The loss of ANDD and its gradient, in time that does not depend on the length of documents.

With features phi(g, d) and weights lambda the vector of a document has the entries lambda . phi(g, d), so that

    v_p . v_q = lambda' M_pq lambda,   M_pq = sum over the shared k-grams g of phi(g, p) phi(g, q)'

and cosine and extended Jaccard are functions of three such forms. The matrices are made once; each step of L-BFGS
then looks at them alone. docs/learning.md derives the gradients.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from samecore.similarity.cosine import Measure

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Forms:
    """The matrices of some pairs of documents: `pairs[i]` for documents `left[i]`, `right[i]` of `own`.

    Matrices are symmetric and stored as their upper triangles, row by row, with the entries off the diagonal doubled:
    the form is then the product with the upper triangle of lambda lambda'.
    """

    own: npt.NDArray[np.float64]
    pairs: npt.NDArray[np.float64]
    left: Ints
    right: Ints
    size: int

    def similarities(self, weights: Floats, measure: Measure) -> Floats:
        """The similarity of every pair under these weights; 0 for a vector of zeros."""
        return self._scores(weights, measure)[0]

    def _scores(self, weights: Floats, measure: Measure) -> tuple[Floats, Floats, Floats, Floats]:
        """Similarities, and their derivatives by the form of the pair and by those of its two documents."""
        outer = _upper(np.outer(weights, weights))
        dots = np.einsum("pf,f->p", self.pairs, outer)  # not BLAS: the same sums for any number of threads
        squares = np.einsum("pf,f->p", self.own, outer)
        one, two = squares[self.left], squares[self.right]
        if measure == "cosine":
            root = np.sqrt(np.maximum(one * two, 1e-30))
            score = dots / root
            return (
                score,
                1 / root,
                -score / (2 * np.maximum(one, 1e-15)),
                -score / (2 * np.maximum(two, 1e-15)),
            )
        below = np.maximum(one + two - dots, 1e-15)
        score = dots / below
        return score, (1 + score) / below, -score / below, -score / below

    def pulled(self, weights: Floats, measure: Measure, by_score: Floats) -> Floats:
        """The gradient of sum(by_score * similarities) by the weights."""
        _, by_dot, by_one, by_two = self._scores(weights, measure)
        by_document = np.bincount(self.left, by_score * by_one, len(self.own))
        by_document += np.bincount(self.right, by_score * by_two, len(self.own))
        packed = np.einsum("pf,p->f", self.pairs, by_score * by_dot)
        packed += np.einsum("pf,p->f", self.own, by_document)
        full = np.zeros((self.size, self.size))
        full[np.triu_indices(self.size)] = packed
        gradient: Floats = (full + full.T) @ weights
        return gradient


def _upper(matrix: Floats) -> Floats:
    return matrix[np.triu_indices(len(matrix))]


@dataclass(frozen=True, eq=False)
class Preferences:
    """Pairs of pairs: pair `higher[i]` of the forms should be more alike than pair `lower[i]`."""

    higher: Ints
    lower: Ints


def loss(
    weights: Floats,
    forms: Forms,
    preferences: Preferences,
    *,
    measure: Measure,
    sharpness: float,
    penalty: float,
    start: Floats,
) -> tuple[float, Floats]:
    """The mean of log(1 + exp(-sharpness * difference)) with the L2 penalty, and its gradient.

    The penalty pulls to `start`, not to zero: cosine does not change when all weights are halved, so that a pull to
    zero would never end.
    """
    scores = forms.similarities(weights, measure)
    margin = sharpness * (scores[preferences.higher] - scores[preferences.lower])
    away = weights - start
    value = float(np.mean(np.logaddexp(0, -margin)) + penalty / 2 * away @ away)
    slope = -sharpness / (1 + np.exp(margin)) / len(margin)
    by_score = np.zeros(len(scores))
    by_score += np.bincount(preferences.higher, slope, len(scores))
    by_score -= np.bincount(preferences.lower, slope, len(scores))
    return value, forms.pulled(weights, measure, by_score) + penalty * away
