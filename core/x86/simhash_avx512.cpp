#include <immintrin.h>

#include "../simhash.hpp"
#include "../sketch_hash.hpp"

namespace samecore {

// The signs of a key are themselves the masks under which its weight is added.
void simhash_avx512(std::uint64_t mask, const std::uint64_t* keys, const std::uint32_t* weights, std::size_t count,
                    std::uint32_t* sums) {
    __m512i sum[4];
    for (int v = 0; v < 4; ++v) sum[v] = _mm512_loadu_si512(sums + 16 * v);
    for (std::size_t k = 0; k < count; ++k) {
        const std::uint64_t signs = mix(keys[k] ^ mask);
        const __m512i weight = _mm512_set1_epi32(static_cast<int>(weights[k]));
        for (int v = 0; v < 4; ++v)
            sum[v] = _mm512_mask_add_epi32(sum[v], static_cast<__mmask16>(signs >> (16 * v)), sum[v], weight);
    }
    for (int v = 0; v < 4; ++v) _mm512_storeu_si512(sums + 16 * v, sum[v]);
}

}  // namespace samecore
