// From keys with counts to sets of ranked elements, the form the join works on.
#pragma once

#include <cstdint>
#include <vector>

#include "frequencies.hpp"

namespace samecore {

// Distinct contents as sets of elements. An element is (key, occurrence); occurrences
// of one key that lie in exactly the same documents are one element with their joint
// weight. Elements are ranked by ascending document frequency. One that cannot be
// shared (a single document, or a single side) has no rank, but its weight counts in
// `sizes`.
struct Ranked {
    std::vector<std::uint32_t> documents;  // per content: its number in its collection
    std::vector<std::uint32_t> sizes;      // its whole weight; ascending within a side
    std::vector<std::int64_t> offsets;     // contents + 1
    std::vector<std::uint32_t> ranks;      // ascending within a content
    std::vector<std::uint32_t> weights;    // by rank
    std::size_t left = 0;                  // contents of the left side; then come the right's
};

// Contents without entries are left out. Throws std::invalid_argument when a content
// weighs 2^31 or more or a key has two weights.
Ranked rank_elements(const std::vector<Chosen>& sides, bool multiset, int threads);

}  // namespace samecore
