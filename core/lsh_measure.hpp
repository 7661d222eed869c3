// What decides about a candidate: the Jaccard similarity of the features, or the share
// of equal slots of the sketches.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "lsh.hpp"

namespace samecore {

using Contents = std::vector<std::uint32_t>;  // ascending, numbered through over both sides

class Measure {
public:
    virtual ~Measure() = default;
    virtual std::uint64_t size(std::uint32_t content) const = 0;
    // False if the sizes alone rule the pair out.
    virtual bool possible(std::uint32_t x, std::uint32_t y) const = 0;
    // Does the pair reach the threshold? Fills in overlap and joint if so.
    virtual bool reached(std::uint32_t x, std::uint32_t y, Pair& pair) const = 0;
    // All pairs that reach the threshold, by the exact join: within `left` if `right` is
    // null, else of one content of each. Each list lies on one side. In no set order.
    // Throws std::overflow_error above max_pairs.
    virtual std::vector<Pair> join(const Contents& left, const Contents* right, bool forest,
                                   std::uint64_t max_pairs) const = 0;
};

std::unique_ptr<Measure> make_measure(const std::vector<LshSide>& sides, const LshOptions& options);

}  // namespace samecore
