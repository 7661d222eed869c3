// The Jaccard similarity of named pairs of documents, one merge of two sorted rows each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "frequencies.hpp"

namespace samecore {

// left[i] and right[i] name the documents of pair i. Two documents without keys score 0.
std::vector<double> pair_scores(const Rows& rows, const std::uint32_t* left, const std::uint32_t* right,
                                std::size_t pairs, bool multiset, int threads);

}  // namespace samecore
