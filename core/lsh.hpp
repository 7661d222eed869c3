// Pairs of documents whose min-hash sketches agree in at least one band, each verified.
// docs/lsh.md derives it; the steps lie in lsh_buckets, lsh_measure and lsh_link.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "frequencies.hpp"
#include "join.hpp"

namespace samecore {

// One row of min-hash values per document, borrowed.
struct Sketches {
    const std::uint32_t* values = nullptr;
    std::size_t documents = 0, slots = 0;

    const std::uint32_t* row(std::size_t document) const { return values + document * slots; }
};

// The distinct contents of one collection: ascending document numbers. Without features
// (rows.offsets == nullptr) sketches are compared instead.
struct LshSide {
    Sketches sketches;
    Rows rows;
    const std::uint32_t* documents = nullptr;
    std::size_t contents = 0;
};

struct LshOptions {
    std::size_t bands = 1, rows = 1;  // band b is the slots b*rows .. (b+1)*rows
    Threshold threshold{1, 2};
    bool multiset = true;
    bool verify = true;  // by features; otherwise by the share of equal slots
    bool forest = false;
    int threads = 1;
    std::uint64_t max_pairs = ~0ull;    // more: std::overflow_error (not for a forest)
    std::size_t bucket_limit = 64;      // contents of buckets with more pairs than so many have are joined exactly
    std::uint64_t forest_budget = ~0ull;  // pairs of these a forest may be taken from; above, they are linked
};

struct LshCounts {
    std::uint64_t candidates = 0;     // pairs that met in a bucket within the limit, once each
    std::uint64_t verified = 0;       // those of a possible length, whose similarity was computed
    std::uint64_t largest_bucket = 0; // contents
    std::uint64_t large_buckets = 0;  // above the limit
    std::uint64_t large_contents = 0; // contents that lie in one
    bool linked = false;              // a forest of large buckets that need not be of maximum score
};

struct LshResult {
    Pairs pairs;  // of documents, by (left, right); the same for any number of threads
    LshCounts counts;
};

// One side: pairs within it; two: pairs of one content from each.
LshResult lsh_join(const std::vector<LshSide>& sides, const LshOptions& options);

// For every row the first row with the same values. A row of nothing but 0xFFFFFFFF is
// the sketch of a document without features and stays itself.
std::vector<std::uint32_t> collapse_sketches(const Sketches& sketches, int threads);

}  // namespace samecore
