// Rows with the same entries become one content. Used for vectors (values are floats) and
// for counted sets (values are counts).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "parallel.hpp"
#include "vectors_dims.hpp"

namespace samecore {

// For every row the first one with the same entries whose value is not 0; compared by key
// and, with `by_value`, by value. Rows without such entries stay themselves. Sorted keys
// and skipped zeros make the walk over two rows a plain merge.
template <class Value>
std::vector<std::uint32_t> collapse_rows(const std::int64_t* offsets, const std::uint64_t* keys, const Value* values,
                                         std::size_t size, bool by_value, int threads) {
    static_assert(sizeof(Value) == 4);
    constexpr std::size_t kPieces = 64;
    std::vector<std::uint64_t> hashes(size, 0);  // 0: nothing in it
    parallel_for(kPieces, threads, [&](std::size_t piece, int) {
        for (std::size_t row = size * piece / kPieces; row < size * (piece + 1) / kPieces; ++row) {
            std::uint64_t hash = 0;
            for (std::int64_t at = offsets[row]; at < offsets[row + 1]; ++at) {
                if (values[at] == Value{0}) continue;
                hash = mix_key(hash ^ keys[at]) + 1;
                if (by_value) hash = mix_key(hash ^ std::bit_cast<std::uint32_t>(values[at])) + 1;
            }
            hashes[row] = hash;
        }
    });
    const auto same = [&](std::size_t a, std::size_t b) {
        std::int64_t i = offsets[a], j = offsets[b];
        for (;;) {
            while (i < offsets[a + 1] && values[i] == Value{0}) ++i;
            while (j < offsets[b + 1] && values[j] == Value{0}) ++j;
            if (i == offsets[a + 1] || j == offsets[b + 1]) return i == offsets[a + 1] && j == offsets[b + 1];
            if (keys[i] != keys[j] || (by_value && values[i] != values[j])) return false;
            ++i, ++j;
        }
    };
    const auto empty = [&](std::size_t row) {
        for (std::int64_t at = offsets[row]; at < offsets[row + 1]; ++at)
            if (values[at] != Value{0}) return false;
        return true;
    };
    std::size_t places = 16;
    while (places < 2 * size) places *= 2;
    std::vector<std::uint32_t> table(places, 0);  // row + 1
    std::vector<std::uint32_t> first(size);
    for (std::size_t row = 0; row < size; ++row) {
        first[row] = static_cast<std::uint32_t>(row);
        if (hashes[row] == 0 && empty(row)) continue;
        for (std::size_t at = hashes[row] & (places - 1);; at = (at + 1) & (places - 1)) {
            if (table[at] == 0) {
                table[at] = static_cast<std::uint32_t>(row + 1);
                break;
            }
            const std::uint32_t other = table[at] - 1;
            if (hashes[other] == hashes[row] && same(other, row)) {
                first[row] = other;
                break;
            }
        }
    }
    return first;
}

}  // namespace samecore
