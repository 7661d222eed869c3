"""Normalised compression distance: what two texts share is what need not be written twice.

Cilibrasi and Vitanyi (2005), with C the number of bytes that a compressor needs:

    NCD(x, y) = (C(xy) - min(C(x), C(y))) / max(C(x), C(y))
    score     = 1 - NCD, clipped to [0, 1]

Real compressors are not symmetric, so the order of x and y is fixed: first the one with the smaller
compressed size, of equals the shorter one, of equals the one whose bytes sort first (`first_of`). Nor do they
write xx in as many bytes as x, so equal texts score 1 by definition. Now and then they even need fewer bytes for
xy than for y alone; unless `monotone` is off, C(xy) then counts as C(y), so that `upper_bound` is one.

    >>> score("the same old story, told again", "the same old story, told again and again") > 0.5
    True

A compressor only sees what lies within its window: 64 KiB for snappy and lz4, 32 KiB for deflate. Texts
longer than that look unlike themselves (docs/compression.md); signatures are short enough.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any, Protocol

from samecore.errors import MissingExtra, unknown_name

DEFAULT = "snappy"


class Compressor(Protocol):
    """How many bytes a compressor needs for `data`. 0 for nothing: what it spends in any case does not count."""

    def __call__(self, data: bytes, /) -> int: ...


def _by_cramjam(make: Callable[[Any], Callable[[bytes], Any]]) -> Callable[[], Compressor]:
    def ready() -> Compressor:
        try:
            import cramjam
        except ImportError as error:
            raise MissingExtra("cramjam", extra="compression", needed_for="compression distance") from error
        compress = make(cramjam)
        constant = len(compress(b""))
        return lambda data: len(compress(data)) - constant

    return ready


#: Name -> what makes the compressor. gzip and zip are containers of deflate, which is measured without them.
#: All come from one library that brings its own code, so that sizes do not depend on the machine.
COMPRESSORS: dict[str, Callable[[], Compressor]] = {
    "snappy": _by_cramjam(lambda library: library.snappy.compress_raw),
    "lz4": _by_cramjam(lambda library: partial(library.lz4.compress_block, store_size=False)),
    "gzip": _by_cramjam(lambda library: library.deflate.compress),
    "zip": _by_cramjam(lambda library: library.deflate.compress),
    "zstd": _by_cramjam(lambda library: library.zstd.compress),
}


@cache
def compressor(name: str) -> Compressor:
    """The compressor of that name."""
    if name not in COMPRESSORS:
        raise unknown_name("compressor", str(name), COMPRESSORS)
    return COMPRESSORS[name]()


def size(text: str | bytes, *, compressor: str = DEFAULT) -> int:
    """How many bytes the compressed text has, containers not counted."""
    return _named(compressor)(as_bytes(text))


def distance(
    left: str | bytes, right: str | bytes, *, compressor: str = DEFAULT, monotone: bool = False
) -> float:
    """NCD as the compressor gives it: at least 0 and at most a little above 1, if it is a good one.

    0 for two empty texts. Equal texts are compared like any others here.
    """
    joint, small, large = sizes(as_bytes(left), as_bytes(right), _named(compressor))
    return ((max(joint, large) if monotone else joint) - small) / large if large else 0.0


def score(
    left: str | bytes,
    right: str | bytes,
    *,
    compressor: str = DEFAULT,
    monotone: bool = True,
    min_score: float = 0.0,
) -> float:
    """1 - NCD clipped to [0, 1], or 0.0 when it is below `min_score`; 1.0 for equal texts, 0.0 for empty ones."""
    one, two = as_bytes(left), as_bytes(right)
    if one == two:
        value = 1.0 if one else 0.0
    else:
        joint, small, large = sizes(one, two, _named(compressor))
        saved = large + small - (max(joint, large) if monotone else joint)
        value = min(1.0, max(0.0, saved / large)) if large else 0.0
    return value if value >= min_score else 0.0


def upper_bound(left_size: int, right_size: int, *, slack: float = 0.0) -> float:
    """The highest score of two texts with these compressed sizes, by Lemma 3 of SigNCD: min / max.

    In [0, 1]; 0 if either text is empty. With `monotone` off a compressor may break it, by at most `slack`
    as a share of the larger size.
    """
    small, large = sorted((left_size, right_size))
    return min(1.0, small / large + slack) if small else 0.0


def sizes(one: bytes, two: bytes, compress: Compressor) -> tuple[int, int, int]:
    """The compressed sizes of both texts together, of the smaller and of the larger one."""
    small, large = compress(one), compress(two)
    if (large, *first_of(two)) < (small, *first_of(one)):
        one, two, small, large = two, one, large, small
    return compress(one + two), small, large


def first_of(text: bytes) -> tuple[int, bytes]:
    """Orders texts with the same compressed size; the smaller one stands first when two are put together."""
    return len(text), text


def as_bytes(text: str | bytes) -> bytes:
    """The bytes that are compressed: UTF-8."""
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")


_named = compressor  # functions here take its name as an argument
