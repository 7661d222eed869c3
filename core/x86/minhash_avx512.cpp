#include <immintrin.h>

#include "../minhash.hpp"
#include "../sketch_hash.hpp"

namespace samecore {
namespace {

// Rounds up to whole vectors; what lies beyond the keys is computed and not used.
constexpr std::size_t lanes = 16;

struct alignas(64) Halves {
    std::uint32_t low[minhash_block], high[minhash_block];
};

void mix_keys(std::uint64_t mask, const std::uint64_t* keys, std::size_t count, Halves& halves) {
    const __m512i masks = _mm512_set1_epi64(static_cast<long long>(mask));
    const __m512i first = _mm512_set1_epi64(static_cast<long long>(0xbf58476d1ce4e5b9));
    const __m512i second = _mm512_set1_epi64(static_cast<long long>(0x94d049bb133111eb));
    for (std::size_t k = 0; k < count; k += 8) {
        const __mmask8 inside = static_cast<__mmask8>(count - k >= 8 ? 0xff : (1u << (count - k)) - 1);
        __m512i key = _mm512_xor_si512(_mm512_maskz_loadu_epi64(inside, keys + k), masks);
        key = _mm512_mullo_epi64(_mm512_xor_si512(key, _mm512_srli_epi64(key, 30)), first);
        key = _mm512_mullo_epi64(_mm512_xor_si512(key, _mm512_srli_epi64(key, 27)), second);
        key = _mm512_xor_si512(key, _mm512_srli_epi64(key, 31));
        _mm256_store_si256(reinterpret_cast<__m256i*>(halves.low + k), _mm512_cvtepi64_epi32(key));
        _mm256_store_si256(reinterpret_cast<__m256i*>(halves.high + k), _mm512_cvtepi64_epi32(_mm512_srli_epi64(key, 32)));
    }
}

// `Groups` of 16 slots: their minima and factors stay in registers over all keys.
template <int Groups>
void groups(const std::uint32_t* factors, const std::uint32_t* blenders, const Halves& halves, std::size_t count,
            std::uint32_t* minima) {
    alignas(64) std::uint32_t blended[Groups][minhash_block];
    for (int g = 0; g < Groups; ++g) {
        const __m512i blender = _mm512_set1_epi32(static_cast<int>(blenders[g]));
        for (std::size_t k = 0; k < count; k += lanes) {
            const __m512i high = _mm512_mullo_epi32(blender, _mm512_load_si512(halves.high + k));
            _mm512_store_si512(blended[g] + k, _mm512_add_epi32(_mm512_load_si512(halves.low + k), high));
        }
    }
    __m512i least[Groups], factor[Groups];
    for (int g = 0; g < Groups; ++g) {
        least[g] = _mm512_loadu_si512(minima + lanes * g);
        factor[g] = _mm512_loadu_si512(factors + lanes * g);
    }
    for (std::size_t k = 0; k < count; ++k)
        for (int g = 0; g < Groups; ++g) {
            const __m512i x = _mm512_set1_epi32(static_cast<int>(blended[g][k]));
            least[g] = _mm512_min_epu32(least[g], _mm512_mullo_epi32(factor[g], x));
        }
    for (int g = 0; g < Groups; ++g) _mm512_storeu_si512(minima + lanes * g, least[g]);
}

}  // namespace

void minhash_avx512(const std::uint32_t* factors, const std::uint32_t* blenders, std::size_t padded,
                    std::uint64_t mask, const std::uint64_t* keys, std::size_t count, std::uint32_t* minima) {
    Halves halves;
    mix_keys(mask, keys, count, halves);
    std::size_t at = 0;
    for (; at + 128 <= padded; at += 128) groups<8>(factors + at, blenders + at / lanes, halves, count, minima + at);
    for (; at + 64 <= padded; at += 64) groups<4>(factors + at, blenders + at / lanes, halves, count, minima + at);
    for (; at < padded; at += lanes) groups<1>(factors + at, blenders + at / lanes, halves, count, minima + at);
}

}  // namespace samecore
