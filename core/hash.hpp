// The stable, seeded 64-bit hash of words, and how word hashes become keys.
//
// Everything rests on one operation: the two halves of a 64 x 64 -> 128 bit product,
// xored. It mixes both factors fully, and any machine can do it. Bytes are read as
// little-endian numbers whatever the machine, so the values never change: golden
// vectors in tests/text/test_tokens.py pin them, and tests/twins/tokens.py says the
// same in Python integers.
//
// All functions are static: the processor-specific files are compiled with other flags
// and must not lend their code to the portable ones.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(_MSC_VER) && defined(_M_X64)
#include <intrin.h>
#endif

#if defined(_MSC_VER)
#define SAMECORE_INLINE static __forceinline
#else
#define SAMECORE_INLINE static inline __attribute__((always_inline))
#endif

namespace samecore {

// Odd numbers with balanced bits (from the fraction of square roots of primes).
constexpr std::uint64_t hash_a = 0x6a09e667f3bcc909, hash_b = 0xbb67ae8584caa73b;
constexpr std::uint64_t hash_c = 0x3c6ef372fe94f82b, hash_d = 0xa54ff53a5f1d36f1;
// Where a chain of word hashes starts: keys of different kinds live in different spaces.
constexpr std::uint64_t spot_domain = 0x510e527fade682d1, shingle_domain = 0x9b05688c2b3e6c1f;
constexpr std::uint64_t character_domain = 0x1f83d9abfb41bd6b;

struct Product {
    std::uint64_t low, high;
};

SAMECORE_INLINE Product multiply(std::uint64_t a, std::uint64_t b) {
#if defined(__SIZEOF_INT128__)
    const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
    return {static_cast<std::uint64_t>(product), static_cast<std::uint64_t>(product >> 64)};
#elif defined(_MSC_VER) && defined(_M_X64)
    Product product;
    product.low = _umul128(a, b, &product.high);
    return product;
#else
    const std::uint64_t al = a & 0xffffffff, ah = a >> 32, bl = b & 0xffffffff, bh = b >> 32;
    const std::uint64_t ll = al * bl, middle = ah * bl + (ll >> 32), other = al * bh + (middle & 0xffffffff);
    return {(other << 32) | (ll & 0xffffffff), ah * bh + (middle >> 32) + (other >> 32)};
#endif
}

SAMECORE_INLINE std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
    const Product product = multiply(a, b);
    return product.low ^ product.high;
}

SAMECORE_INLINE std::uint64_t load8(const std::uint8_t* bytes) {
    std::uint64_t value;
    std::memcpy(&value, bytes, 8);
    if constexpr (std::endian::native == std::endian::big) {
        std::uint64_t swapped = 0;
        for (int i = 0; i < 8; ++i) swapped |= ((value >> (8 * i)) & 0xff) << (56 - 8 * i);
        value = swapped;
    }
    return value;
}

// The last 1 to 16 bytes of a word, zero-padded, as two numbers; `length` is that of
// the whole word, `state` the seed folded with the blocks before.
SAMECORE_INLINE std::uint64_t hash_last(std::uint64_t first, std::uint64_t second, std::uint64_t length,
                                        std::uint64_t state) {
    const Product product = multiply(first ^ hash_a ^ state, second ^ hash_b);
    return fold(product.low ^ hash_c ^ length, product.high ^ hash_d);
}

// `length` bytes; never reads outside them.
SAMECORE_INLINE std::uint64_t hash_bytes(const std::uint8_t* bytes, std::size_t length, std::uint64_t seed) {
    std::uint64_t state = seed;
    std::size_t left = length;
    for (; left > 16; left -= 16, bytes += 16)
        state = fold(load8(bytes) ^ hash_a ^ state, load8(bytes + 8) ^ hash_b);
    std::uint8_t padded[16] = {};
    if (left > 0) std::memcpy(padded, bytes, left < 16 ? left : 16);
    return hash_last(load8(padded), load8(padded + 8), length, state);
}

// Order matters: the key so far and the next word enter by different sides.
SAMECORE_INLINE std::uint64_t combine(std::uint64_t key, std::uint64_t next) {
    return fold(key ^ hash_a, next ^ hash_b);
}

SAMECORE_INLINE std::uint64_t finish(std::uint64_t key) { return fold(key ^ hash_c, hash_d); }

}  // namespace samecore
