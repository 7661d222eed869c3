// The innermost loops of the Hamming matcher: which of many rows lie within
// `limit` bits of a query. Chosen once by processor; every version gives the same hits.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "cpu.hpp"

namespace samecore::hamming {

// x86 compilers must not assume the popcnt instruction, and then call a table
// routine; plain arithmetic is quicker. Static, as it differs with the flags of the file.
template <class Word>
static inline std::uint32_t ones(Word x) {
#if defined(SAMECORE_X86) && !defined(__POPCNT__)
    constexpr Word all = static_cast<Word>(~Word{0});
    x -= (x >> 1) & (all / 3);
    x = (x & (all / 5)) + ((x >> 2) & (all / 5));
    x = (x + (x >> 4)) & (all / 17);
    return static_cast<std::uint32_t>(static_cast<Word>(x * (all / 255)) >> (sizeof(Word) * 8 - 8));
#else
    return static_cast<std::uint32_t>(std::popcount(x));
#endif
}

// Rows per call at most, so that the caller's buffers for hits can be fixed arrays.
inline constexpr std::size_t kScanRows = 512;
inline constexpr std::size_t kScanQueries = 4;

struct ScanKernel {
    // Rows lie column-wise: word w of row r is columns[w * stride + r]. Writes the row
    // numbers within `limit` bits of the query and their distances, ascending by row.
    std::size_t (*rows)(const std::uint64_t* columns, std::size_t stride, std::size_t count,
                        const std::uint64_t* query, std::size_t words, std::uint32_t limit,
                        std::uint32_t* index, std::uint32_t* distance);
    // Four queries of one word against `count` words. A hit is row * 4 + query; hits come in any order.
    std::size_t (*four)(const std::uint64_t* heads, std::size_t count, const std::uint64_t* queries,
                        std::uint32_t limit, std::uint32_t* hits);
    // The same on 32-bit words: half of a fingerprint, as a first test.
    std::size_t (*four_halves)(const std::uint32_t* halves, std::size_t count, const std::uint32_t* queries,
                               std::uint32_t limit, std::uint32_t* hits);
    // Measured cost of comparing one word by rows, by four and by four_halves on a 2.6 GHz
    // processor; steers the choice of plan only.
    double row_ns;
    double word_ns;
    double half_ns;
};

// The kernel of a level; falls back to the next lower level where the machine lacks
// what the version needs (AVX-512 without VPOPCNTDQ).
const ScanKernel& scan_kernel(CpuLevel level);

}  // namespace samecore::hamming
