"""The core's mixer and random numbers (core/sketch_hash.hpp), for sketches made from other sketches."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from samecore.errors import SettingError

Numbers = npt.NDArray[np.uint64]

_START, _STEP = 0x6A09E667F3BCC909, 0x9E3779B97F4A7C15
_BITS = (1 << 64) - 1


def mix(keys: Numbers) -> Numbers:
    """Every key through a fixed permutation of the 64-bit numbers that scatters them."""
    keys = (keys ^ keys >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    keys = (keys ^ keys >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return keys ^ keys >> np.uint64(31)


def drawn(seed: int, number: int) -> np.uint64:
    """The `number`-th of the random numbers that `seed` stands for."""
    state = int(mix(np.array([seed ^ _START], np.uint64))[0])
    return np.uint64(mix(np.array([(state + (number + 1) * _STEP) & _BITS], np.uint64))[0])


def check_whole(name: str, value: int, least: int, most: int) -> int:
    """`value` if it is an integer from `least` to `most`, else a SettingError."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise SettingError(name, found=value, expected=f"an integer from {least} to {most}")
    return value
