// Inverted lists over the part of each content that a partner must meet.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "join.hpp"

namespace samecore {

constexpr std::uint32_t kNoRank = std::numeric_limits<std::uint32_t>::max();

// A share of the needed overlap that must be met by counting, in eighths: of an overlap
// of `needed`, all but `tail_limit(needed) - 1` can be found in the lists.
struct Slack {
    std::uint64_t eighths;
    std::uint64_t sure(std::uint64_t needed) const { return (needed - 1) * eighths / 8; }
    std::uint64_t tail_limit(std::uint64_t needed) const { return needed - sure(needed); }
    // The largest `needed` whose tail_limit is at most `tail`; tail >= 1.
    std::uint64_t needed_for(std::uint64_t tail) const {
        return eighths == 8 ? std::numeric_limits<std::uint64_t>::max() : 1 + 8 * (tail - 1) / (8 - eighths);
    }
};

struct Indexed {
    std::uint32_t size;
    std::uint32_t tail_mass;  // weight of the ranked elements that are not in the lists
    std::uint32_t tail_rank;  // rank of the first of them, kNoRank for none
    std::uint32_t tail_at;    // its place in the content
};

struct JoinIndex {
    std::size_t base = 0;                // first content that is indexed; lists count from here
    std::vector<Indexed> contents;
    std::vector<std::uint32_t> least;    // overlap a partner must find in the lists, at least 1
    std::vector<std::int64_t> starts;    // by rank
    std::vector<std::uint32_t> postings; // contents, ascending and so by ascending size
};

JoinIndex build_index(const RankedView& view, const JoinOptions& options);

}  // namespace samecore
