"""Frames that were learned once and are kept: what an index leaves out of pages that come one by one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from samecore.features.csr import Features
from samecore.frames.learn import framed, learn, split
from samecore.frames.sites import hosts
from samecore.frames.tell import cores_alone
from samecore.text.tokens import text_hashes

Keys = npt.NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class FrozenFrames:
    """The keys of the frames of hosts, each mixed with its host; ascending. `sites` hosts have a frame."""

    keys: Keys
    sites: int

    @staticmethod
    def learned(features: Features, urls: pa.Array | pa.ChunkedArray, *, threads: int = 1) -> FrozenFrames:
        """The frames of the hosts of a collection; pages without an address take no part."""
        encoded = pc.dictionary_encode(hosts(urls))
        if isinstance(encoded, pa.ChunkedArray):
            encoded = encoded.combine_chunks()
        site = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
        marks = text_hashes(encoded.dictionary.cast(pa.large_string()))
        found = learn(features, site, marks=marks, threads=threads)
        return FrozenFrames(found.keys, found.sites)

    def cores(self, features: Features, urls: pa.Array | pa.ChunkedArray, texts: Keys) -> Features:
        """The features of pages without the frames of their hosts.

        A page that is all frame counts as a whole, with its text, of which `texts` has the hash.
        """
        host = hosts(urls)
        known = host.is_valid().to_numpy(zero_copy_only=False)
        marks = text_hashes(pc.fill_null(host, "").cast(pa.large_string()))
        core, frame = split(features, framed(features, marks, self.keys, known))
        return cores_alone(features, core, frame, texts)[0]
