#include "union_find.hpp"

namespace samecore {

std::vector<std::uint32_t> components(const PairGraph& graph, double threshold) {
    UnionFind sets(graph.nodes);
    for (std::size_t i = 0; i < graph.size; ++i)
        if (graph.score[i] >= threshold) sets.unite(graph.left[i], graph.right[i]);
    return std::move(sets).labels();
}

std::vector<std::uint8_t> spanning_forest(std::size_t nodes, std::size_t edges, const std::uint32_t* left,
                                          const std::uint32_t* right) {
    UnionFind sets(nodes);
    std::vector<std::uint8_t> joins(edges);
    for (std::size_t i = 0; i < edges; ++i) joins[i] = sets.unite(left[i], right[i]);
    return joins;
}

}  // namespace samecore
