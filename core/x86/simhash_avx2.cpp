#include <immintrin.h>

#include "../simhash.hpp"
#include "../sketch_hash.hpp"

namespace samecore {

// Each lane shifts its own bit to the top and back down over the whole lane: all ones
// where the key has the bit.
void simhash_avx2(std::uint64_t mask, const std::uint64_t* keys, const std::uint32_t* weights, std::size_t count,
                  std::uint32_t* sums) {
    __m256i sum[8];
    for (int v = 0; v < 8; ++v) sum[v] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(sums + 8 * v));
    const __m256i first = _mm256_setr_epi32(31, 30, 29, 28, 27, 26, 25, 24);
    for (std::size_t k = 0; k < count; ++k) {
        const std::uint64_t signs = mix(keys[k] ^ mask);
        const __m256i low = _mm256_set1_epi32(static_cast<int>(signs)), high = _mm256_set1_epi32(static_cast<int>(signs >> 32));
        const __m256i weight = _mm256_set1_epi32(static_cast<int>(weights[k]));
        __m256i shift = first;
        for (int v = 0; v < 4; ++v) {
            const __m256i yes = _mm256_srai_epi32(_mm256_sllv_epi32(low, shift), 31);
            const __m256i also = _mm256_srai_epi32(_mm256_sllv_epi32(high, shift), 31);
            sum[v] = _mm256_add_epi32(sum[v], _mm256_and_si256(yes, weight));
            sum[v + 4] = _mm256_add_epi32(sum[v + 4], _mm256_and_si256(also, weight));
            shift = _mm256_sub_epi32(shift, _mm256_set1_epi32(8));
        }
    }
    for (int v = 0; v < 8; ++v) _mm256_storeu_si256(reinterpret_cast<__m256i*>(sums + 8 * v), sum[v]);
}

}  // namespace samecore
