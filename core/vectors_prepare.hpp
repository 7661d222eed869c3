// From keys and values to ranked, normalised contents: what the join works on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "vectors.hpp"

namespace samecore::vectors {

// Contents that may have a partner at all: those of the left side, then the right's; within
// a side by descending `largest`. Dimensions are ranked by descending frequency, rank 0 the
// commonest, and only those that two contents (of different sides) share have a rank.
// `largest`, `sum` and the entries speak of the normalised vector restricted to ranked
// dimensions, rounded up, so that a bound made of them is never too low.
struct Prepared {
    std::vector<std::uint32_t> documents;
    std::vector<double> squares;        // |x|^2 of the whole vector, in key order
    std::vector<float> largest, sum;    // maximum and sum of the entries
    // Entries by ascending rank, each with the length of all entries left of it. As a query a
    // content looks up the entries from query_begin on, and in the index stand those from
    // index_begin on: what lies left of that cannot reach the limit alone.
    struct Entry {
        std::uint32_t rank;
        float value;
        float before;
    };
    std::vector<std::int64_t> offsets;
    std::vector<Entry> entries;
    std::vector<std::int64_t> query_begin, index_begin;
    // Lengths of the parts of each content that fall into kBuckets buckets of dimensions, in
    // units of 1/32767, rounded up: one cache line per content.
    static constexpr std::size_t kBuckets = 32;
    std::vector<std::int16_t> sketches;
    std::size_t left = 0;  // contents of the left side
    std::size_t dims = 0;  // ranked dimensions

    std::size_t size() const { return documents.size(); }
};

// `limit` is the least cosine of interest, already lowered by the error of the sums.
Prepared prepare(const std::vector<Rows>& sides, const std::vector<const std::vector<std::uint32_t>*>& first,
                 double limit, int threads);

// The least float not below a number.
float round_up(double value);

}  // namespace samecore::vectors
