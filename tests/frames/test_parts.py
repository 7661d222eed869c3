"""Scores of cores and frames, pair by pair."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from twins.join import jaccard, make, rows

from samecore import _core
from samecore.frames.parts import Parts

DOCUMENTS = st.lists(
    st.dictionaries(st.integers(0, 12), st.integers(1, 3), max_size=8), min_size=1, max_size=6
)


@given(DOCUMENTS, st.booleans(), st.integers(1, 2))
def test_scores_are_those_of_the_twin(documents: list[dict[int, int]], multiset: bool, threads: int) -> None:
    features = make(documents)
    parts = Parts.of_documents(features)
    left, right = (side.ravel() for side in np.indices((len(documents), len(documents))))
    wanted = [
        float(jaccard(rows(features)[i], rows(features)[j], multiset=multiset))
        if documents[i] or documents[j]
        else 0.0
        for i, j in zip(left, right, strict=True)
    ]
    assert parts.scores(left, right, multiset=multiset, threads=threads).tolist() == wanted


def test_equal_parts_are_stored_once() -> None:
    parts = Parts.of_documents(make([{1: 1}, {}, {1: 1}, {1: 2}]))
    assert len(parts.features) == 2
    assert parts.of.tolist() == [0, -1, 0, 1]
    assert parts.keys(1) == frozenset()
    assert parts.keys(3) == {1}


def test_pairs_that_cannot_be_are_refused() -> None:
    features = make([{1: 1}])
    arrays = features.offsets, features.keys, features.counts
    zero, one = np.zeros(1, np.uint32), np.ones(1, np.uint32)
    with pytest.raises(ValueError, match="documents below 1, found 1"):
        _core.pair_scores(*arrays, zero, one, True, 1)
    with pytest.raises(ValueError, match="one per left"):
        _core.pair_scores(*arrays, zero, np.zeros(2, np.uint32), True, 1)
