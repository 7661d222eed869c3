// Stars: every member is linked to its leader by a pair at or above the threshold.
#pragma once

#include <cstdint>
#include <vector>

#include "union_find.hpp"

namespace samecore {

struct Stars {
    std::vector<std::uint32_t> leader;  // of each content; its own number if it leads
    std::vector<double> score;          // with the leader; 1 for a leader
};

// Visits the contents in `order` (a permutation, checked). One that reaches the
// threshold with leaders visited before it joins the one with the highest score, the
// earlier visited among equals; any other becomes a leader.
Stars stars(const PairGraph& graph, double threshold, const std::uint32_t* order);

}  // namespace samecore
