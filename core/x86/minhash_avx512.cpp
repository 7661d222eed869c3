#include <immintrin.h>

#include "../minhash.hpp"
#include "../sketch_hash.hpp"

namespace samecore {
namespace {

// 16 * Vectors slots: their minima and factors stay in registers over all keys.
template <int Vectors>
void slots(const std::uint32_t* factors, const std::uint32_t* low, const std::uint32_t* high, std::size_t count,
           std::uint32_t* minima) {
    __m512i least[Vectors], factor[Vectors];
    for (int v = 0; v < Vectors; ++v) {
        least[v] = _mm512_loadu_si512(minima + 16 * v);
        factor[v] = _mm512_loadu_si512(factors + 16 * v);
    }
    for (std::size_t k = 0; k < count; ++k) {
        const __m512i lows = _mm512_set1_epi32(static_cast<int>(low[k]));
        const __m512i highs = _mm512_set1_epi32(static_cast<int>(high[k]));
        for (int v = 0; v < Vectors; ++v)
            least[v] = _mm512_min_epu32(least[v], _mm512_add_epi32(_mm512_mullo_epi32(factor[v], lows), highs));
    }
    for (int v = 0; v < Vectors; ++v) _mm512_storeu_si512(minima + 16 * v, least[v]);
}

}  // namespace

void minhash_avx512(const std::uint32_t* factors, std::size_t padded, std::uint64_t mask, const std::uint64_t* keys,
                    std::size_t count, std::uint32_t* minima) {
    alignas(64) std::uint32_t low[minhash_block], high[minhash_block];
    for (std::size_t k = 0; k < count; ++k) {
        const std::uint64_t mixed = mix(keys[k] ^ mask);
        low[k] = static_cast<std::uint32_t>(mixed);
        high[k] = static_cast<std::uint32_t>(mixed >> 32);
    }
    std::size_t at = 0;
    for (; at + 128 <= padded; at += 128) slots<8>(factors + at, low, high, count, minima + at);
    for (; at + 64 <= padded; at += 64) slots<4>(factors + at, low, high, count, minima + at);
    for (; at < padded; at += 16) slots<1>(factors + at, low, high, count, minima + at);
}

}  // namespace samecore
