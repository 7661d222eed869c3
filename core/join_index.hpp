// Inverted lists over the part of each content that a partner must meet.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "join.hpp"

namespace samecore {

constexpr std::uint32_t kNoRank = std::numeric_limits<std::uint32_t>::max();

// How much of a needed overlap is sure to be met in the lists: `most` of it, or all but
// one if it is less. What may be missing from the lists is below tail_limit. With 0 this
// is the plain prefix filter; the more, the longer the lists and the fewer candidates.
struct Sure {
    std::uint64_t most;
    std::uint64_t of(std::uint64_t needed) const { return std::min(needed - 1, most); }
    std::uint64_t tail_limit(std::uint64_t needed) const { return needed - of(needed); }
    // The largest `needed` whose tail_limit is at most `tail`; tail >= 1.
    std::uint64_t needed_for(std::uint64_t tail) const { return tail + most; }
};

struct Indexed {
    std::uint32_t size;
    std::uint32_t tail_mass;  // weight of the ranked elements that are not in the lists
    std::uint32_t tail_rank;  // rank of the first of them, kNoRank for none
    std::uint32_t tail_at;    // its place in the content
};

struct JoinIndex {
    Sure sure{0};
    std::size_t base = 0;                // first content that is indexed; lists count from here
    std::vector<Indexed> contents;
    std::vector<std::uint32_t> least;    // overlap a partner must find in the lists, at least 1; not falling
    std::vector<std::int64_t> starts;    // by rank
    std::vector<std::uint32_t> postings; // contents, ascending and so by ascending size
};

JoinIndex build_index(const RankedView& view, const JoinOptions& options);

}  // namespace samecore
