// The matcher of SpotSigs (2008), sections 4.2 and 4.3: length partitions, inverted
// lists by descending length, two bounds that stop early.
#pragma once

#include <cstdint>
#include <vector>

#include "frequencies.hpp"
#include "join.hpp"

namespace samecore {

struct Match2008 {
    Pairs pairs;
    std::vector<std::uint32_t> comparisons;  // Jaccard computations made for each document
    std::uint64_t partitions = 0;            // partitions up to the longest document
};

// The boundaries p_0 = 1 < p_1 < ... of the printed rule, while p_k <= longest.
std::vector<std::uint64_t> partition_bounds(const Threshold& threshold, std::uint64_t longest);

// `partitions` = false puts all lengths into one partition; `pruning` = false keeps the
// lists but drops both bounds. The pairs are the same in every case.
Match2008 match_2008(const Rows& rows, const Threshold& threshold, bool multiset, bool partitions, bool pruning,
                     int threads);

}  // namespace samecore
