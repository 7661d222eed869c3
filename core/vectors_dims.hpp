// 64-bit keys to small dense numbers, for one or two collections together. Entries are
// dealt into buckets by hash so that one bucket's table stays in cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace samecore {

// Some rows of a collection; their entries are numbered one after another, and those of
// the second collection go on from there.
struct KeyRows {
    const std::int64_t* offsets = nullptr;
    const std::uint64_t* keys = nullptr;
    const std::uint32_t* rows = nullptr;
    std::size_t count = 0;
};

struct Dims {
    std::vector<std::uint32_t> of_entry;  // per entry: its dimension
    std::size_t count = 0;                // dimensions
};

// The numbering depends on the input alone. Throws std::invalid_argument when there are
// 2^32 or more different keys.
Dims number_keys(const std::vector<KeyRows>& collections, int threads);

// The hash behind it; buckets use the high bits, tables the low ones.
inline std::uint64_t mix_key(std::uint64_t key) {
    key = (key ^ (key >> 32)) * 0x9E3779B97F4A7C15ull;
    return key ^ (key >> 29);
}

}  // namespace samecore
