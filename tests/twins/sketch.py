"""The sketches, slowly: the definitions in Python integers."""

from __future__ import annotations

import hashlib

MASK = (1 << 64) - 1
PRIME = (1 << 61) - 1
START, STEP = 0x6A09E667F3BCC909, 0x9E3779B97F4A7C15


def mix(key: int) -> int:
    key = (key ^ key >> 30) * 0xBF58476D1CE4E5B9 & MASK
    key = (key ^ key >> 27) * 0x94D049BB133111EB & MASK
    return key ^ key >> 31


def drawn(seed: int, number: int) -> int:
    return mix((mix(seed ^ START) + (number + 1) * STEP) & MASK)


def elements(counted: list[tuple[int, int]], *, multiset: bool) -> list[int]:
    """A multiset as a set: the first occurrence of a key is the key itself."""
    return [drawn(key, i) if i else key for key, count in counted for i in range(count if multiset else 1)]


def minhash(keys: list[int], *, slots: int, seed: int = 0) -> list[int]:
    """Slot i: the least a_i * (low + c * high) modulo 2**32 over the mixed keys; 16 slots share c."""
    if not keys:
        return [0xFFFFFFFF] * slots
    mask = drawn(seed, MASK)
    mixed = [divmod(mix(key ^ mask), 1 << 32) for key in keys]
    row = []
    for i in range(slots):
        factor, blender = drawn(seed, i) >> 32 | 1, drawn(seed, i - i % 16) % (1 << 32)
        least = min(factor * (low + blender * high) % (1 << 32) for high, low in mixed)
        row.append(min(least, 0xFFFFFFFE))
    return row


def minhash_prime(keys: list[int], *, slots: int, seed: int = 0) -> list[int]:
    """Slot i: the least (a_i * key + b_i) mod P."""
    if not keys:
        return [MASK] * slots
    row = []
    for i in range(slots):
        factor, term = 1 + drawn(seed, 2 * i) % (PRIME - 1), drawn(seed, 2 * i + 1) % PRIME
        row.append(min((factor * key + term) % PRIME for key in keys))
    return row


def estimate(left: list[int], right: list[int], *, none: int) -> float:
    return sum(a == b != none for a, b in zip(left, right, strict=True)) / len(left)


def modp(keys: list[int], *, modulus: int, seed: int = 0) -> list[int]:
    mask = drawn(seed, MASK - 1)
    return [key for key in keys if mix(key ^ mask) % modulus == 0]


def simhash(weighted: list[tuple[int, int]], *, bits: int, seed: int = 0) -> list[int]:
    """A bit is 1 if the sum of the signed weights is above 0."""
    sums = [0] * bits
    for key, weight in weighted:
        for b in range(bits):
            sums[b] += weight if mix(key ^ drawn(seed, b // 64)) >> (b % 64) & 1 else -weight
    return [sum((sums[64 * word + b] > 0) << b for b in range(64)) for word in range(bits // 64)]


def superblocks(row: list[int], *, count: int, seed: int = 0) -> list[int]:
    """Fingerprints of equal blocks of the minima (uint32)."""
    if all(value == 0xFFFFFFFF for value in row):
        return [MASK] * count
    size = len(row) // count
    return [chain(drawn(seed, b), row[b * size : (b + 1) * size]) for b in range(count)]


def supersorted(row: list[int], *, run: int, seed: int = 0) -> list[int]:
    """Fingerprints of the runs of the sorted minima (uint32), ascending."""
    places = len(row) - run + 1
    if all(value == 0xFFFFFFFF for value in row):
        return [MASK] * places
    ordered = sorted(row)
    return sorted(chain(drawn(seed, 0), ordered[i : i + run]) for i in range(places))


def chain(start: int, values: list[int]) -> int:
    for value in values:
        start = mix(start ^ value)
    return min(start, MASK - 1)


def imatch(keys: list[int], *, min_terms: int, lexicons: int, keep: float, seed: int = 0) -> list[bytes]:
    """One SHA-1 per lexicon over its terms, ascending, as little-endian numbers."""
    digests = []
    for lexicon in range(lexicons):
        whole = lexicon == 0 or keep == 1
        own = [key for key in keys if whole or mix(key ^ drawn(seed, lexicon)) < int(keep * 2**64)]
        content = b"".join(key.to_bytes(8, "little") for key in sorted(own))
        digests.append(hashlib.sha1(content).digest() if len(keys) >= min_terms and own else bytes(20))
    return digests
