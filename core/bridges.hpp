// Bridges and joints of an undirected graph: the edges, and the nodes, that alone hold
// two parts together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace samecore {

struct Bridges {
    std::vector<std::uint64_t> edge;         // ascending numbers of the edges that are bridges
    std::vector<std::uint32_t> smaller_part; // nodes on the smaller side of each
    // Ascending nodes that are joints, and for each the nodes in the smaller part when
    // it is taken out and one branch is set against all the others; the largest such.
    std::vector<std::uint32_t> joint, joint_part;
};

// Linear time, no recursion, so that a chain of a million nodes is nothing special.
Bridges bridges(std::size_t nodes, std::size_t edges, const std::uint32_t* left, const std::uint32_t* right);

}  // namespace samecore
