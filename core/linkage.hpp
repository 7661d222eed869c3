// Average and complete linkage on a sparse graph of scored pairs.
//
// Both are the greedy rule: inside each connected component of the pairs at or above
// the threshold, merge the two most similar groups as long as their similarity
// reaches the threshold; among equals, the two that hold the earliest listed pair.
#pragma once

#include <cstdint>
#include <vector>

#include "union_find.hpp"

namespace samecore {

// Scores are rounded to multiples of 2^-48 so that sums are integers and no order of
// additions matters. An average may fall short of the threshold by two such steps,
// more than all the rounding can add up to, so that a tie is never lost to it.
constexpr int average_bits = 48;
constexpr std::uint64_t average_slack = 2;

// Similarity of two groups: the mean over all pairs of documents across, where content
// c stands for multiplicity[c] >= 1 documents (2^32 - 1 in all at most), rounded down
// to a multiple of 2^-48.
std::vector<std::uint32_t> average_linkage(const PairGraph& graph, double threshold,
                                           const std::uint32_t* multiplicity, int threads);

// Similarity of two groups: the lowest score across; one unlisted pair makes it 0.
std::vector<std::uint32_t> complete_linkage(const PairGraph& graph, double threshold, int threads);

}  // namespace samecore
