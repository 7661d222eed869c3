"""Frames that were learned once, on pages that come later."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest
from framed_pages import Recipe, pages

import samecore
from samecore.collect import collect
from samecore.features.csr import Features
from samecore.frames.frozen import FrozenFrames
from samecore.frames.tell import tell
from samecore.read import open as open_source


def taken(documents: pa.Table) -> tuple[Features, pa.ChunkedArray, npt.NDArray[np.uint64]]:
    """Features, addresses, and hashes of the texts."""
    collection = collect(open_source(documents), samecore.method("spotsigs"), threads=1)
    return collection.features, collection.documents["url"], collection.documents["text_hash"].to_numpy()


@pytest.mark.parametrize("seed", [0, 1])
def test_the_pages_that_were_learned_from_have_the_same_cores(seed: int) -> None:
    features, urls, texts = taken(pages(Recipe(), seed=seed).documents)
    frames = FrozenFrames.learned(features, urls)
    assert frames.sites == 12
    assert (np.diff(frames.keys.astype(object)) > 0).all()
    told = tell(features, urls, None, ignore=True, texts=texts)
    cores = frames.cores(replace(features, places=None), urls, texts)
    assert cores.offsets.tolist() == told.compared.offsets.tolist()
    assert cores.keys.tolist() == told.compared.keys.tolist()
    assert cores.counts.tolist() == told.compared.counts.tolist()


def test_later_pages_lose_the_frame_of_their_host_and_no_other() -> None:
    made = pages(Recipe(), seed=2).documents
    early, late = made.slice(0, 150), made.slice(150)
    features, urls, texts = taken(late)
    frames = FrozenFrames.learned(*taken(early)[:2])
    cores = frames.cores(features, urls, texts)
    whole, addresses, all_texts = taken(made)
    told = tell(whole, addresses, None, ignore=True, texts=all_texts).compared
    for n in range(len(cores)):
        one, other = (set(side.keys[side.row(at)].tolist()) for side, at in ((cores, n), (told, 150 + n)))
        assert len(one & other) >= 0.9 * len(one | other)
        assert len(one) < len(features.keys[features.row(n)])
    strangers = pa.chunked_array([pa.array(["https://elsewhere.example/"] * len(cores))])
    unknown = pa.chunked_array([pa.nulls(len(cores), pa.string())])
    for others in (strangers, unknown):
        assert frames.cores(features, others, texts).keys.tolist() == features.keys.tolist()


def test_nothing_is_learned_from_nothing() -> None:
    features, urls, texts = taken(pages(Recipe(), seed=0).documents)
    none = FrozenFrames.learned(features, pa.nulls(len(features), pa.string()))
    assert none.sites == 0
    assert none.cores(features, urls, texts).keys.tolist() == features.keys.tolist()
