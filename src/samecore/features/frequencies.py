"""Tables of frequencies small enough to travel with a model: 5 bytes of a key and one of code each.

A code says how common a key is among the documents of a corpus, on a logarithmic scale: 0 for a key in one
document or in none that is known, 255 for one in every document. Rare keys are what a table can do without, so
the most common ones are kept.
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

import samecore._core as _core
from samecore.errors import SettingError
from samecore.features.csr import Counts, Keys

Codes = npt.NDArray[np.uint8]

PREFIX_BITS = 40
#: So many keys a table keeps by default: 384 KiB, or half a megabyte as text.
MAX_KEYS = 1 << 16
_ENTRY = PREFIX_BITS // 8 + 1


@dataclass(frozen=True)
class Frequencies:
    """Codes of keys, as text: base64 of 6 bytes per key (40 leading bits, code), ascending."""

    data: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.data, str):
            raise SettingError("data", found=type(self.data).__name__, expected="base64 text")
        _ = self._compiled  # a damaged table is reported here

    @staticmethod
    def of_documents(
        keys: Keys, frequencies: Counts, documents: int, *, max_keys: int = MAX_KEYS
    ) -> Frequencies:
        """The table of document frequencies: code 255 ln(df) / ln(documents), rounded."""
        if documents < 2 or len(keys) == 0:
            return Frequencies()
        codes = np.rint(255 * np.log(np.maximum(frequencies, 1)) / np.log(documents)).clip(0, 255)
        return Frequencies._packed(keys, codes.astype(np.uint8), frequencies, max_keys)

    @staticmethod
    def of_counts(keys: Keys, counts: Counts, *, max_keys: int = MAX_KEYS) -> Frequencies:
        """The table of plain counts, such as those of a query log: code 16 log2(count + 1), at most 255."""
        order = np.argsort(keys, kind="stable")
        codes = np.rint(16 * np.log2(counts.astype(np.float64) + 1)).clip(0, 255).astype(np.uint8)
        return Frequencies._packed(keys[order], codes[order], counts[order], max_keys)

    @staticmethod
    def _packed(keys: Keys, codes: Codes, ranks: Counts, max_keys: int) -> Frequencies:
        kept = np.flatnonzero(codes > 0)
        if len(kept) > max_keys:  # the most common, and of equals the smaller keys
            by_rank = np.argsort(-ranks[kept].astype(np.int64), kind="stable")[:max_keys]
            kept = np.sort(kept[by_rank])
        prefixes = keys[kept] >> np.uint64(64 - PREFIX_BITS)
        first = np.ones(len(kept), np.bool_)
        first[1:] = prefixes[1:] != prefixes[:-1]
        rows = np.empty((int(first.sum()), _ENTRY), np.uint8)
        rows[:, :-1] = prefixes[first].astype(">u8").view(np.uint8).reshape(-1, 8)[:, 8 - _ENTRY + 1 :]
        rows[:, -1] = codes[kept][first]
        return Frequencies(base64.b64encode(rows.tobytes()).decode("ascii"))

    def __len__(self) -> int:
        return len(self._arrays[0])

    def codes(self, keys: Keys) -> Codes:
        """The code of each key; 0 where the table does not have it."""
        prefixes, codes = self._arrays
        if len(prefixes) == 0:
            return np.zeros(len(keys), np.uint8)
        wanted = keys >> np.uint64(64 - PREFIX_BITS)
        at = np.minimum(np.searchsorted(prefixes, wanted), len(prefixes) - 1)
        return np.where(prefixes[at] == wanted, codes[at], np.uint8(0))

    @property
    def compiled(self) -> _core.CodeTable:
        """The core's form of the table."""
        return self._compiled

    @cached_property
    def _arrays(self) -> tuple[Keys, Codes]:
        try:
            raw = base64.b64decode(self.data.encode("ascii"), validate=True)
        except (binascii.Error, UnicodeEncodeError):
            raise SettingError("frequencies", found="damaged text", expected="base64") from None
        if len(raw) % _ENTRY:
            raise SettingError("frequencies", found=f"{len(raw)} bytes", expected=f"{_ENTRY} for each key")
        rows = np.frombuffer(raw, np.uint8).reshape(-1, _ENTRY)
        wide = np.zeros((len(rows), 8), np.uint8)
        wide[:, 8 - _ENTRY + 1 :] = rows[:, :-1]
        return wide.view(">u8").ravel().astype(np.uint64), np.ascontiguousarray(rows[:, -1])

    @cached_property
    def _compiled(self) -> _core.CodeTable:
        try:
            return _core.CodeTable(*self._arrays)
        except ValueError as error:
            raise SettingError("frequencies", found="keys out of order", expected=str(error)) from None

    def __getstate__(self) -> dict[str, Any]:
        return {"data": self.data}
