"""One run's frames: learned, taken out of what is compared, and kept for the report."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from samecore.features.csr import Features, replace_rows
from samecore.frames.learn import learn, split, whole_hashes
from samecore.frames.parts import Parts
from samecore.frames.sites import numbered
from samecore.sketch.mixing import mix

#: With fewer features than this a core is too little to compare. Short stories in long frames need it low.
MIN_CORE = 4


@dataclass(frozen=True, eq=False)
class Told:
    """`compared` are the features that count. `bare` are the rows of pages with too little core: they count
    as a whole, so that copies of one, word for word, are the same content and nothing else matches it."""

    compared: Features
    frames: Parts | None = None
    cores: Parts | None = None
    bare: npt.NDArray[np.int64] | None = None
    notes: tuple[str, ...] = ()


def tell(
    features: Features,
    urls: pa.ChunkedArray | None,
    markup: Features | None,
    *,
    ignore: bool,
    texts: npt.NDArray[np.uint64],
    threads: int = 1,
) -> Told:
    """Core and frame of each document, told apart by site; with `ignore` only cores are compared.

    texts: a hash of the text of each document, by which pages that are all frame are told apart.
    """
    placed, features = features, replace(features, places=None)  # nothing after this asks for places
    site = numbered(urls, markup, threads=threads)
    if not (site >= 0).any():
        return Told(features, notes=("frames were not looked for: no document has an address or markup",))
    learned = learn(placed, site, threads=threads)
    if learned.sites == 0:
        return Told(
            features,
            notes=(
                "no frames were found: nothing recurs on three pages of a site that have different cores",
            ),
        )
    core, frame = split(features, learned.frame)
    frames = Parts.of_documents(frame, threads=threads)
    named = f"{learned.sites:,} sites" if learned.sites > 1 else "one site"
    if not ignore:
        cores = Parts.of_documents(core, threads=threads)
        return Told(features, frames, cores, notes=(f"the frames of {named} were told from the cores",))
    compared, bare = cores_alone(features, core, frame, texts)
    notes = (f"the frames of {named} were left out: scores are those of the cores",)
    return Told(compared, frames, None, bare, notes)


def cores_alone(
    features: Features, core: Features, frame: Features, texts: npt.NDArray[np.uint64]
) -> tuple[Features, npt.NDArray[np.int64]]:
    """What is compared if frames do not count, and the rows of pages that have a frame and too little core.

    Those have one feature instead that stands for all of the page and its text, of which `texts` has the hash: a
    story may be without features, in a language that its frame is not in.
    """
    bare = np.flatnonzero((core.totals() < MIN_CORE) & (np.diff(frame.offsets) > 0))
    hashes = mix(whole_hashes(features.take(bare)) ^ texts[bare])
    whole = Features(np.arange(len(bare) + 1), hashes, np.ones(len(bare), np.uint32))
    return replace_rows(core, bare, whole), bare
