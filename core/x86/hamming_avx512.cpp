// Hamming scans with VPOPCNTDQ: eight words, or sixteen halves, per instruction.
#include <immintrin.h>

#include "../hamming_scan.hpp"

#if defined(__GNUC__) || defined(__clang__)
#define SAMECORE_VPOPCNT __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vpopcntdq,popcnt")))
#else
#include <intrin.h>
#define SAMECORE_VPOPCNT
#endif

namespace samecore::hamming::x86 {
namespace {

bool has_vpopcnt() {
#if defined(__GNUC__) || defined(__clang__)
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512vpopcntdq");
#else
    int leaf[4];
    __cpuidex(leaf, 7, 0);
    return (leaf[2] & (1 << 14)) != 0;
#endif
}

SAMECORE_VPOPCNT std::size_t rows(const std::uint64_t* columns, std::size_t stride, std::size_t count,
                                  const std::uint64_t* query, std::size_t words, std::uint32_t limit,
                                  std::uint32_t* index, std::uint32_t* distance) {
    const __m512i most = _mm512_set1_epi64(limit);
    std::size_t found = 0;
    for (std::size_t row = 0; row < count; row += 16) {
        const std::size_t left = count - row;
        const __mmask8 low_rows = static_cast<__mmask8>(left >= 8 ? 0xff : (1u << left) - 1);
        const __mmask8 high_rows = static_cast<__mmask8>(left >= 16 ? 0xff : left <= 8 ? 0 : (1u << (left - 8)) - 1);
        __m512i low = _mm512_setzero_si512();
        __m512i high = low;
        __mmask8 low_near = low_rows;
        __mmask8 high_near = high_rows;
        for (std::size_t word = 0; word < words;) {
            // Distances only grow: look every four words whether any row is still near.
            const std::size_t stop = word + 4 < words ? word + 4 : words;
            for (; word < stop; ++word) {
                const __m512i wanted = _mm512_set1_epi64(static_cast<long long>(query[word]));
                const std::uint64_t* at = columns + word * stride + row;
                const __m512i first = _mm512_maskz_loadu_epi64(low_rows, at);
                const __m512i second = _mm512_maskz_loadu_epi64(high_rows, at + 8);
                low = _mm512_add_epi64(low, _mm512_popcnt_epi64(_mm512_xor_si512(first, wanted)));
                high = _mm512_add_epi64(high, _mm512_popcnt_epi64(_mm512_xor_si512(second, wanted)));
            }
            low_near = _mm512_mask_cmple_epu64_mask(low_rows, low, most);
            high_near = _mm512_mask_cmple_epu64_mask(high_rows, high, most);
            if ((low_near | high_near) == 0) break;
        }
        unsigned near = static_cast<unsigned>(low_near) | static_cast<unsigned>(high_near) << 8;
        if (near == 0) continue;
        alignas(64) std::uint64_t sums[16];
        _mm512_store_si512(sums, low);
        _mm512_store_si512(sums + 8, high);
        for (; near != 0; near &= near - 1) {
            const unsigned lane = static_cast<unsigned>(_tzcnt_u32(near));
            index[found] = static_cast<std::uint32_t>(row + lane);
            distance[found++] = static_cast<std::uint32_t>(sums[lane]);
        }
    }
    return found;
}

SAMECORE_VPOPCNT std::size_t four(const std::uint64_t* heads, std::size_t count, const std::uint64_t* queries,
                                  std::uint32_t limit, std::uint32_t* hits) {
    const __m512i most = _mm512_set1_epi64(limit);
    const __m512i q0 = _mm512_set1_epi64(static_cast<long long>(queries[0]));
    const __m512i q1 = _mm512_set1_epi64(static_cast<long long>(queries[1]));
    const __m512i q2 = _mm512_set1_epi64(static_cast<long long>(queries[2]));
    const __m512i q3 = _mm512_set1_epi64(static_cast<long long>(queries[3]));
    std::size_t found = 0;
    for (std::size_t row = 0; row < count; row += 8) {
        const std::size_t left = count - row;
        const __mmask8 rows = static_cast<__mmask8>(left >= 8 ? 0xff : (1u << left) - 1);
        const __m512i head = _mm512_maskz_loadu_epi64(rows, heads + row);
        const auto near = [&](__m512i query) SAMECORE_VPOPCNT -> std::uint32_t {
            return _mm512_mask_cmple_epu64_mask(rows, _mm512_popcnt_epi64(_mm512_xor_si512(head, query)), most);
        };
        std::uint32_t all = near(q0) | near(q1) << 8 | near(q2) << 16 | near(q3) << 24;
        for (; all != 0; all &= all - 1) {
            const unsigned bit = static_cast<unsigned>(_tzcnt_u32(all));
            hits[found++] = static_cast<std::uint32_t>((row + bit % 8) * kScanQueries) + bit / 8;
        }
    }
    return found;
}

SAMECORE_VPOPCNT std::size_t four_halves(const std::uint32_t* halves, std::size_t count,
                                         const std::uint32_t* queries, std::uint32_t limit,
                                         std::uint32_t* hits) {
    const __m512i most = _mm512_set1_epi32(static_cast<int>(limit));
    const __m512i q0 = _mm512_set1_epi32(static_cast<int>(queries[0]));
    const __m512i q1 = _mm512_set1_epi32(static_cast<int>(queries[1]));
    const __m512i q2 = _mm512_set1_epi32(static_cast<int>(queries[2]));
    const __m512i q3 = _mm512_set1_epi32(static_cast<int>(queries[3]));
    std::size_t found = 0;
    for (std::size_t row = 0; row < count; row += 16) {
        const std::size_t left = count - row;
        const __mmask16 rows = static_cast<__mmask16>(left >= 16 ? 0xffff : (1u << left) - 1);
        const __m512i half = _mm512_maskz_loadu_epi32(rows, halves + row);
        const auto near = [&](__m512i query) SAMECORE_VPOPCNT -> std::uint64_t {
            return _mm512_mask_cmple_epu32_mask(rows, _mm512_popcnt_epi32(_mm512_xor_si512(half, query)), most);
        };
        std::uint64_t all = near(q0) | near(q1) << 16 | near(q2) << 32 | near(q3) << 48;
        for (; all != 0; all &= all - 1) {
            const unsigned bit = static_cast<unsigned>(_tzcnt_u64(all));
            hits[found++] = static_cast<std::uint32_t>((row + bit % 16) * kScanQueries) + bit / 16;
        }
    }
    return found;
}

constexpr ScanKernel kernel{rows, four, four_halves, 0.17, 0.085, 0.045};

}  // namespace

const ScanKernel* scan_avx512() {
    static const bool present = has_vpopcnt();
    return present ? &kernel : nullptr;
}

}  // namespace samecore::hamming::x86
