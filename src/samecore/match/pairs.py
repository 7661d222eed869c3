"""What a matcher returns: pairs of documents, identical contents once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Documents = npt.NDArray[np.uint32]
Scores = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs by (left, right); left < right where one collection is matched with itself.

    `overlap` is the shared weight, so that overlap / sizes gives containment. A matcher
    that collapses identical contents reports pairs of their first documents only and
    says in `content` (and `other_content`) which document stands for which;
    `expand` gives the pairs of all documents.
    """

    left: Documents
    right: Documents
    score: Scores
    overlap: Documents
    sizes: Documents  # weight of every document, 0 for one without features
    other_sizes: Documents | None = None  # of the right collection, if there are two
    content: Documents | None = None  # first document with the same features; None: not collapsed
    other_content: Documents | None = None
    forest: bool = False

    def __len__(self) -> int:
        return len(self.left)

    def expanded_count(self) -> int:
        """How many rows `expand` would have, without making them."""
        if self.content is None:
            return len(self)
        count = np.bincount(self.content, minlength=len(self.sizes)).astype(np.int64)
        if self.forest:
            self._refuse_two_sides()
            return len(self) + int(np.sum(np.maximum(count - 1, 0)))
        if self.other_content is None:
            within, other = int(np.sum(count * (count - 1) // 2)), count
        else:
            within, other = 0, np.bincount(self.other_content).astype(np.int64)
        return within + int(np.sum(count[self.left] * other[self.right])) if len(self) else within

    def expand(self) -> Pairs:
        """The pairs of all documents, identical ones among them with score 1.

        Of a forest: the forest of all documents, every further document of a content
        tied to its first.
        """
        if self.content is None:
            return self
        if self.forest:
            return self._expand_forest()
        starts, members = _members(self.content)
        other_starts, other_members = (starts, members)
        if self.other_content is not None:
            other_starts, other_members = _members(self.other_content)
        count = np.diff(starts)
        other_count = np.diff(other_starts)
        rows = count[self.left] * other_count[self.right]
        pair, place = _ragged(rows)
        inner = other_count[self.right][pair]
        left = members[starts[self.left][pair] + place // inner]
        right = other_members[other_starts[self.right][pair] + place % inner]
        score, overlap = self.score[pair], self.overlap[pair]
        if self.other_content is None:
            left, right = np.minimum(left, right), np.maximum(left, right)
            first, second = _within(starts, members)
            left, right = np.concatenate([left, first]), np.concatenate([right, second])
            score = np.concatenate([score, np.ones(len(first))])
            overlap = np.concatenate([overlap, self.sizes[first]])
        return self._sorted(left, right, score, overlap)

    def _expand_forest(self) -> Pairs:
        self._refuse_two_sides()
        assert self.content is not None
        further = np.flatnonzero(self.content != np.arange(len(self.content))).astype(np.uint32)
        return self._sorted(
            np.concatenate([self.left, self.content[further]]),
            np.concatenate([self.right, further]),
            np.concatenate([self.score, np.ones(len(further))]),
            np.concatenate([self.overlap, self.sizes[further]]),
        )

    def _refuse_two_sides(self) -> None:
        # Documents of one side are never linked, so identical ones cannot be tied to each other.
        if self.other_content is not None:
            raise ValueError("expand: expected a forest of one collection, found one of two")

    def _sorted(self, left: Documents, right: Documents, score: Scores, overlap: Documents) -> Pairs:
        order = np.lexsort((right, left))
        return Pairs(
            left[order],
            right[order],
            score[order],
            overlap[order],
            self.sizes,
            self.other_sizes,
            forest=self.forest,
        )


def _members(content: Documents) -> tuple[npt.NDArray[np.int64], Documents]:
    """Documents by content: those of content c are members[starts[c]:starts[c + 1]]."""
    starts = np.zeros(len(content) + 1, np.int64)
    np.cumsum(np.bincount(content, minlength=len(content)), out=starts[1:])
    return starts, np.argsort(content, kind="stable").astype(np.uint32)


def _ragged(lengths: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Row number and place within the row, for rows of the given lengths."""
    row = np.repeat(np.arange(len(lengths)), lengths)
    return row, np.arange(len(row)) - np.repeat(np.cumsum(lengths) - lengths, lengths)


def _within(starts: npt.NDArray[np.int64], members: Documents) -> tuple[Documents, Documents]:
    """All pairs (earlier, later) of documents of the same content."""
    count = np.diff(starts)
    place = np.arange(len(members)) - np.repeat(starts[:-1], count)
    later, earlier = _ragged(place)  # the k-th member follows k earlier ones
    return members[later - place[later] + earlier], members[later]
