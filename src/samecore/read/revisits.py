"""Where the payload of a repeated capture lies: a compact index of the responses seen so far."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from hashlib import blake2b

import numpy as np

from samecore.read.select import digits
from samecore.read.walk import Record

NUMBER_BITS = 40


@dataclass
class Originals:
    """Responses by payload digest, by record id, and by URL and date; 16 bytes for each of these keys.

    One of these is shared by all archives of a source, so that a revisit finds its original in any of them.
    """

    keys: dict[int, array[int]] = field(default_factory=dict)
    places: dict[int, array[int]] = field(default_factory=dict)

    def start(self, part: int) -> None:
        """Forget what was found in this archive, and with the first what an earlier pass found in any."""
        if part == 0:
            self.keys.clear()
            self.places.clear()
        self.keys[part], self.places[part] = array("Q"), array("Q")

    def add(self, part: int, record: Record, digest: str | None) -> None:
        """Remember a response."""
        place = part << NUMBER_BITS | record.number
        for key in (_digest_key(digest), _id_key(record.id), _capture_key(record.url, record.date)):
            if key is not None:
                self.keys[part].append(key)
                self.places[part].append(place)

    def find(self, revisits: list[Record], *, last: int) -> list[tuple[int, int] | None]:
        """For each revisit the part and number of its original in the archives up to `last`, or None."""
        order = [p for p in sorted(self.keys) if p <= last]
        keys = np.concatenate([np.frombuffer(self.keys[p], np.uint64) for p in order])
        places = np.concatenate([np.frombuffer(self.places[p], np.uint64) for p in order])
        ranks = np.argsort(keys, kind="stable")  # the first of several with one key
        keys, places = keys[ranks], places[ranks]
        found: list[tuple[int, int] | None] = []
        for record in revisits:
            wanted = (
                _id_key(record.refers_to),
                _capture_key(record.refers_url, record.refers_date),
                _digest_key(record.digest),
            )
            found.append(None)
            for key in wanted:
                if key is None:
                    continue
                at = int(np.searchsorted(keys, np.uint64(key)))
                if at < len(keys) and int(keys[at]) == key:
                    place = int(places[at])
                    found[-1] = (place >> NUMBER_BITS, place & ((1 << NUMBER_BITS) - 1))
                    break
        return found


def _key(*parts: str) -> int:
    return int.from_bytes(
        blake2b("\0".join(parts).encode("utf-8", "replace"), digest_size=8).digest(), "little"
    )


def _digest_key(digest: str | None) -> int | None:
    return _key("digest", digest.strip().lower()) if digest else None


def _id_key(id: str | None) -> int | None:
    return _key("id", id.strip().strip("<>").lower()) if id else None


def _capture_key(url: str | None, date: str | None) -> int | None:
    return _key("capture", url, digits(date)) if url and date else None
