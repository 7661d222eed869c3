// Puts the keys of every row in ascending order, after they have been changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace samecore {

// For each place the entry that belongs there. Rows are offsets[i] .. offsets[i + 1]; equal keys keep their order.
std::vector<std::int64_t> sort_rows(const std::int64_t* offsets, std::size_t rows, const std::uint64_t* keys,
                                    int threads);

}  // namespace samecore
