// Counted sets as ranked entries, with the part of each that a container must share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "containment.hpp"

namespace samecore::containment {

// Contents of the left side, then the right's; within a side by ascending size. Dimensions
// are ranked by descending frequency, rank 0 the commonest; a key that cannot be shared has
// no rank, but its weight counts in `sizes`.
struct Prepared {
    struct Entry {
        std::uint32_t rank;
        std::uint32_t mass;
    };
    std::vector<std::uint32_t> documents, sizes;
    std::vector<std::uint32_t> needed;         // least overlap at which it counts as contained
    std::vector<std::int64_t> offsets;
    std::vector<Entry> entries;                // by ascending rank
    std::vector<std::int64_t> index_begin;     // the rare end, to be indexed, begins here
    std::vector<std::uint32_t> unindexed;      // mass of the entries before it
    std::size_t left = 0;                      // contents of the left side
    std::size_t dims = 0;                      // ranked dimensions
};

Prepared prepare(const std::vector<Rows>& sides, const std::vector<const std::vector<std::uint32_t>*>& first,
                 const Options& options);

}  // namespace samecore::containment
