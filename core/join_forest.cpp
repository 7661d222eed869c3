#include "join_forest.hpp"

#include <algorithm>
#include <numeric>

namespace samecore {
namespace {

// Room for new pairs between two reductions, beside the forest itself: large enough
// that sorting is amortised, small beside the input.
constexpr std::size_t kBlock = 1 << 18;

}  // namespace

Forest::Forest(std::size_t vertices, std::size_t shift)
    : parent_(vertices), shift_(shift), limit_(kBlock) {}

std::uint32_t Forest::root(std::uint32_t v) {
    while (parent_[v] != v) v = parent_[v] = parent_[parent_[v]];
    return v;
}

void Forest::reduce() {
    std::iota(parent_.begin(), parent_.end(), 0u);
    std::sort(pairs_.begin(), pairs_.end(), better);
    std::size_t kept = 0;
    for (const Pair& pair : pairs_) {
        const std::uint32_t a = root(pair.left), b = root(pair.right + static_cast<std::uint32_t>(shift_));
        if (a == b) continue;
        parent_[std::max(a, b)] = std::min(a, b);
        pairs_[kept++] = pair;
    }
    pairs_.resize(kept);
    limit_ = 2 * kept + kBlock;
}

}  // namespace samecore
