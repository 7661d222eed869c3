#include <immintrin.h>

#include "../minhash.hpp"
#include "../sketch_hash.hpp"

namespace samecore {
namespace {

__m256i load(const std::uint32_t* at) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)); }

// 8 * Vectors slots: their minima stay in registers over all keys; the factors are read
// from the nearest cache by the multiplication itself.
template <int Vectors>
void slots(const std::uint32_t* factors, const std::uint32_t* low, const std::uint32_t* high, std::size_t count,
           std::uint32_t* minima) {
    __m256i least[Vectors];
    for (int v = 0; v < Vectors; ++v) least[v] = load(minima + 8 * v);
    for (std::size_t k = 0; k < count; ++k) {
        const __m256i lows = _mm256_set1_epi32(static_cast<int>(low[k]));
        const __m256i highs = _mm256_set1_epi32(static_cast<int>(high[k]));
        for (int v = 0; v < Vectors; ++v) {
            const __m256i value = _mm256_add_epi32(_mm256_mullo_epi32(lows, load(factors + 8 * v)), highs);
            least[v] = _mm256_min_epu32(least[v], value);
        }
    }
    for (int v = 0; v < Vectors; ++v) _mm256_storeu_si256(reinterpret_cast<__m256i*>(minima + 8 * v), least[v]);
}

}  // namespace

void minhash_avx2(const std::uint32_t* factors, std::size_t padded, std::uint64_t mask, const std::uint64_t* keys,
                  std::size_t count, std::uint32_t* minima) {
    alignas(64) std::uint32_t low[minhash_block], high[minhash_block];
    for (std::size_t k = 0; k < count; ++k) {
        const std::uint64_t mixed = mix(keys[k] ^ mask);
        low[k] = static_cast<std::uint32_t>(mixed);
        high[k] = static_cast<std::uint32_t>(mixed >> 32);
    }
    std::size_t at = 0;
    for (; at + 64 <= padded; at += 64) slots<8>(factors + at, low, high, count, minima + at);
    for (; at < padded; at += 16) slots<2>(factors + at, low, high, count, minima + at);
}

}  // namespace samecore
