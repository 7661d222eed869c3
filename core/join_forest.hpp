// The maximum-score spanning forest of a stream of pairs, in bounded memory.
#pragma once

#include <cstdint>
#include <vector>

#include "join.hpp"

namespace samecore {

// The order of Kruskal's algorithm: best score first, compared as fractions, then by
// (left, right). It is total, so the forest is unique whatever the order of arrival:
// an edge that is last on a cycle of any part of the pairs is in no forest of the whole.
inline bool better(const Pair& a, const Pair& b) {
    const std::uint64_t x = static_cast<std::uint64_t>(a.overlap) * b.joint;
    const std::uint64_t y = static_cast<std::uint64_t>(b.overlap) * a.joint;
    if (x != y) return x > y;
    return a.left != b.left ? a.left < b.left : a.right < b.right;
}

class Forest {
public:
    // Vertices are documents; those of the right side are told apart by `shift`.
    Forest(std::size_t vertices, std::size_t shift);
    void add(const Pair& pair) {
        pairs_.push_back(pair);
        if (pairs_.size() >= limit_) reduce();
    }
    // Keeps of all pairs so far only the forest.
    void reduce();
    std::vector<Pair>& pairs() { return pairs_; }

private:
    std::uint32_t root(std::uint32_t v);

    std::vector<Pair> pairs_;
    std::vector<std::uint32_t> parent_;
    std::size_t shift_, limit_;
};

}  // namespace samecore
