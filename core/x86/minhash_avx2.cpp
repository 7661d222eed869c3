#include <immintrin.h>

#include "../minhash.hpp"
#include "../sketch_hash.hpp"

namespace samecore {
namespace {

struct alignas(64) Halves {
    std::uint32_t low[minhash_block], high[minhash_block];
};

__m256i load(const std::uint32_t* at) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)); }
void store(std::uint32_t* at, __m256i values) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(at), values); }

// `Groups` of 16 slots: their minima stay in registers over all keys; the factors are read
// from the nearest cache by the multiplication itself.
template <int Groups>
void groups(const std::uint32_t* factors, const std::uint32_t* blenders, const Halves& halves, std::size_t count,
            std::uint32_t* minima) {
    alignas(64) std::uint32_t blended[Groups][minhash_block];
    for (int g = 0; g < Groups; ++g) {
        const __m256i blender = _mm256_set1_epi32(static_cast<int>(blenders[g]));
        for (std::size_t k = 0; k < count; k += 8) {  // the halves are padded to whole vectors
            const __m256i high = _mm256_mullo_epi32(blender, load(halves.high + k));
            store(blended[g] + k, _mm256_add_epi32(load(halves.low + k), high));
        }
    }
    __m256i least[2 * Groups];
    for (int v = 0; v < 2 * Groups; ++v) least[v] = load(minima + 8 * v);
    for (std::size_t k = 0; k < count; ++k)
        for (int g = 0; g < Groups; ++g) {
            const __m256i x = _mm256_set1_epi32(static_cast<int>(blended[g][k]));
            const __m256i first = _mm256_mullo_epi32(x, load(factors + 16 * g));
            const __m256i second = _mm256_mullo_epi32(x, load(factors + 16 * g + 8));
            least[2 * g] = _mm256_min_epu32(least[2 * g], first);
            least[2 * g + 1] = _mm256_min_epu32(least[2 * g + 1], second);
        }
    for (int v = 0; v < 2 * Groups; ++v) store(minima + 8 * v, least[v]);
}

}  // namespace

void minhash_avx2(const std::uint32_t* factors, const std::uint32_t* blenders, std::size_t padded, std::uint64_t mask,
                  const std::uint64_t* keys, std::size_t count, std::uint32_t* minima) {
    Halves halves;
    const std::size_t whole = (count + 7) / 8 * 8;
    for (std::size_t k = 0; k < whole; ++k) {
        const std::uint64_t mixed = mix(keys[k < count ? k : count - 1] ^ mask);
        halves.low[k] = static_cast<std::uint32_t>(mixed);
        halves.high[k] = static_cast<std::uint32_t>(mixed >> 32);
    }
    std::size_t at = 0;
    for (; at + 64 <= padded; at += 64) groups<4>(factors + at, blenders + at / 16, halves, count, minima + at);
    for (; at < padded; at += 16) groups<1>(factors + at, blenders + at / 16, halves, count, minima + at);
}

}  // namespace samecore
