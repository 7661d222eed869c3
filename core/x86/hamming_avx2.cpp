// Hamming scans with AVX2: bits are counted by a table of sixteen nibbles (VPSHUFB).
#include <immintrin.h>

#include "../hamming_scan.hpp"

namespace samecore::hamming::x86 {
namespace {

// Ones per byte, at most 8 each.
inline __m256i byte_ones(__m256i x) {
    const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,  //
                                           0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    const __m256i nibble = _mm256_set1_epi8(15);
    const __m256i low = _mm256_shuffle_epi8(table, _mm256_and_si256(x, nibble));
    const __m256i high = _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(x, 4), nibble));
    return _mm256_add_epi8(low, high);
}

inline __m256i word_ones(__m256i x) { return _mm256_sad_epu8(byte_ones(x), _mm256_setzero_si256()); }

inline __m256i half_ones(__m256i x) {
    const __m256i pairs = _mm256_maddubs_epi16(byte_ones(x), _mm256_set1_epi8(1));
    return _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
}

std::size_t rows(const std::uint64_t* columns, std::size_t stride, std::size_t count, const std::uint64_t* query,
                 std::size_t words, std::uint32_t limit, std::uint32_t* index, std::uint32_t* distance) {
    const __m256i most = _mm256_set1_epi64x(limit);
    std::size_t found = 0;
    std::size_t row = 0;
    for (; row + 4 <= count; row += 4) {
        __m256i sum = _mm256_setzero_si256();
        unsigned near = 0;
        for (std::size_t word = 0; word < words;) {
            const std::size_t stop = word + 4 < words ? word + 4 : words;
            for (; word < stop; ++word) {
                const __m256i wanted = _mm256_set1_epi64x(static_cast<long long>(query[word]));
                const __m256i here =
                    _mm256_loadu_si256(reinterpret_cast<const __m256i*>(columns + word * stride + row));
                sum = _mm256_add_epi64(sum, word_ones(_mm256_xor_si256(here, wanted)));
            }
            const __m256i far = _mm256_cmpgt_epi64(sum, most);
            near = ~static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(far))) & 15;
            if (near == 0) break;
        }
        if (near == 0) continue;
        alignas(32) std::uint64_t sums[4];
        _mm256_store_si256(reinterpret_cast<__m256i*>(sums), sum);
        for (; near != 0; near &= near - 1) {
            const unsigned lane = static_cast<unsigned>(_tzcnt_u32(near));
            index[found] = static_cast<std::uint32_t>(row + lane);
            distance[found++] = static_cast<std::uint32_t>(sums[lane]);
        }
    }
    for (; row < count; ++row) {
        std::uint32_t sum = 0;
        for (std::size_t word = 0; word < words && sum <= limit; ++word)
            sum += static_cast<std::uint32_t>(_mm_popcnt_u64(columns[word * stride + row] ^ query[word]));
        if (sum > limit) continue;
        index[found] = static_cast<std::uint32_t>(row);
        distance[found++] = sum;
    }
    return found;
}

std::size_t four(const std::uint64_t* heads, std::size_t count, const std::uint64_t* queries, std::uint32_t limit,
                 std::uint32_t* hits) {
    const __m256i most = _mm256_set1_epi64x(limit);
    std::size_t found = 0;
    std::size_t row = 0;
    for (; row + 4 <= count; row += 4) {
        const __m256i head = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(heads + row));
        unsigned all = 0;
        for (unsigned query = 0; query < 4; ++query) {
            const __m256i wanted = _mm256_set1_epi64x(static_cast<long long>(queries[query]));
            const __m256i far = _mm256_cmpgt_epi64(word_ones(_mm256_xor_si256(head, wanted)), most);
            all |= (~static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(far))) & 15) << (query * 4);
        }
        for (; all != 0; all &= all - 1) {
            const unsigned bit = static_cast<unsigned>(_tzcnt_u32(all));
            hits[found++] = static_cast<std::uint32_t>((row + bit % 4) * kScanQueries) + bit / 4;
        }
    }
    for (; row < count; ++row)
        for (std::uint32_t query = 0; query < 4; ++query)
            if (static_cast<std::uint32_t>(_mm_popcnt_u64(heads[row] ^ queries[query])) <= limit)
                hits[found++] = static_cast<std::uint32_t>(row * kScanQueries) + query;
    return found;
}

std::size_t four_halves(const std::uint32_t* halves, std::size_t count, const std::uint32_t* queries,
                        std::uint32_t limit, std::uint32_t* hits) {
    const __m256i most = _mm256_set1_epi32(static_cast<int>(limit));
    std::size_t found = 0;
    std::size_t row = 0;
    for (; row + 8 <= count; row += 8) {
        const __m256i half = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(halves + row));
        unsigned all = 0;
        for (unsigned query = 0; query < 4; ++query) {
            const __m256i wanted = _mm256_set1_epi32(static_cast<int>(queries[query]));
            const __m256i far = _mm256_cmpgt_epi32(half_ones(_mm256_xor_si256(half, wanted)), most);
            all |= (~static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(far))) & 255) << (query * 8);
        }
        for (; all != 0; all &= all - 1) {
            const unsigned bit = static_cast<unsigned>(_tzcnt_u32(all));
            hits[found++] = static_cast<std::uint32_t>((row + bit % 8) * kScanQueries) + bit / 8;
        }
    }
    for (; row < count; ++row)
        for (std::uint32_t query = 0; query < 4; ++query)
            if (static_cast<std::uint32_t>(_mm_popcnt_u32(halves[row] ^ queries[query])) <= limit)
                hits[found++] = static_cast<std::uint32_t>(row * kScanQueries) + query;
    return found;
}

constexpr ScanKernel kernel{rows, four, four_halves, 0.42, 0.20, 0.12};

}  // namespace

const ScanKernel& scan_avx2() { return kernel; }

}  // namespace samecore::hamming::x86
