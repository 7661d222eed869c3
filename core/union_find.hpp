// Disjoint sets, and the groups and forests that need nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace samecore {

// Scored pairs of the contents 0 .. nodes-1: left < right, sorted, each pair once,
// scores in [0, 1]. A pair that is not listed counts as 0.
struct PairGraph {
    std::size_t nodes = 0;
    std::size_t size = 0;
    const std::uint32_t* left = nullptr;
    const std::uint32_t* right = nullptr;
    const double* score = nullptr;
};

// The root of a set is its smallest member, so roots are labels as they stand.
// Linking by number instead of by size costs at most a logarithm (path halving).
class UnionFind {
public:
    explicit UnionFind(std::size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), 0u); }

    std::uint32_t find(std::uint32_t x) {
        while (parent_[x] != x) x = parent_[x] = parent_[parent_[x]];
        return x;
    }

    // False if the two were together already.
    bool unite(std::uint32_t a, std::uint32_t b) {
        a = find(a), b = find(b);
        if (a == b) return false;
        if (a > b) std::swap(a, b);
        parent_[b] = a;
        return true;
    }

    std::vector<std::uint32_t> labels() && {
        // Parents are never above their children, so one pass upwards flattens all.
        for (std::size_t x = 0; x < parent_.size(); ++x) parent_[x] = parent_[parent_[x]];
        return std::move(parent_);
    }

private:
    std::vector<std::uint32_t> parent_;
};

// Connected components of the pairs with score >= threshold; each content's label
// is the smallest content of its component.
std::vector<std::uint32_t> components(const PairGraph& graph, double threshold);

// Which of the edges, taken in the given order, join two trees (1) and which close a
// circle (0). In order of falling score the ones marked are the maximum spanning forest.
std::vector<std::uint8_t> spanning_forest(std::size_t nodes, std::size_t edges, const std::uint32_t* left,
                                          const std::uint32_t* right);

}  // namespace samecore
