// All pairs of fingerprints within k bits, exactly: in one set, or between two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cpu.hpp"

namespace samecore {

// `count` fingerprints of `words` * 64 bits, row after row.
struct Fingerprints {
    const std::uint64_t* data;
    std::size_t count;
    std::size_t words;
    const std::uint64_t* row(std::size_t i) const { return data + i * words; }
};

// Parallel arrays, ascending by (left, right).
struct HammingPairs {
    std::vector<std::uint32_t> left, right;
    std::vector<std::uint16_t> distance;
};

enum class HammingMethod { automatic, tables, brute };

struct HammingOptions {
    std::uint32_t limit = 0;           // the largest distance reported
    std::uint64_t max_pairs = 0;       // more pairs than this: std::length_error
    int threads = 1;                   // changes the time, never the answer
    HammingMethod method = HammingMethod::automatic;
    CpuLevel level = CpuLevel::portable;
    double compare_ns = 0;             // tests: what a comparison is taken to cost, so that tiny runs are split
};

// left < right in every pair. Meant for distinct fingerprints: equal ones are found
// too, but m copies of one give m(m-1)/2 pairs; see hamming_distinct.
HammingPairs hamming_join(Fingerprints all, const HammingOptions& options);

// left numbers a query, right a stored fingerprint.
HammingPairs hamming_look_up(Fingerprints queries, Fingerprints stored, const HammingOptions& options);

// group[i] numbers the content of row i, in order of first appearance;
// first[g] is the first row with content g.
struct HammingDistinct {
    std::vector<std::uint32_t> group, first;
};
HammingDistinct hamming_distinct(Fingerprints all, int threads);

struct HammingGrouping {
    const std::uint32_t* group;
    std::size_t documents;
    std::size_t groups;
};

// Pairs of groups turned into pairs of documents. A self join also yields the pairs
// inside each group, at distance 0, and has left < right (right_groups is not read);
// else left is a document of the first grouping and right one of the second.
HammingPairs hamming_expand(HammingGrouping left_groups, HammingGrouping right_groups, const std::uint32_t* left,
                            const std::uint32_t* right, const std::uint16_t* distance, std::size_t pairs,
                            bool self, int threads);

}  // namespace samecore
