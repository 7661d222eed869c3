// The arrays of a segment, from features or from older segments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "index_segment.hpp"

namespace samecore {

// Keys with their lists; values count words from the first of `words`.
struct SegmentLists {
    std::vector<std::uint32_t> starts;
    std::vector<std::uint64_t> keys;
    std::vector<std::uint32_t> values;
    std::vector<std::uint32_t> words;
};

struct IndexRows {
    const std::int64_t* offsets;
    const std::uint64_t* keys;
    const std::uint32_t* counts;
    std::size_t documents;
};

// Row order[i] becomes the content at place i; by that order rows must ascend in size.
SegmentLists build_lists(const IndexRows& rows, const std::uint32_t* order);

// The keys whose first kMergeBits bits are `part`, of several segments. `places[s][p]` is the
// new place of content p of segment s, ascending in p, or kNoContent if it is dropped.
// `starts` has the buckets of this part alone, counted from its first key, without the end.
constexpr unsigned kMergeBits = 6;
SegmentLists merge_part(const std::vector<SegmentView>& segments,
                        const std::vector<const std::uint32_t*>& places, unsigned part, unsigned bits);

// Every number in every list, and the order of keys and lists; the first thing wrong, or "".
const char* find_damage(const SegmentView& segment);

}  // namespace samecore
