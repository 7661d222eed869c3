// The exact containment join: all pairs of which one side is in the other to a share of at
// least num/den. docs/weighted-join.md derives it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace samecore::containment {

// Counted sets of one collection, borrowed (see samecore.features.csr).
struct Rows {
    const std::int64_t* offsets = nullptr;
    const std::uint64_t* keys = nullptr;
    const std::uint32_t* counts = nullptr;
    const std::uint32_t* weights = nullptr;  // may be absent: every occurrence weighs 1
    std::size_t size = 0;

    std::size_t begin(std::size_t row) const { return static_cast<std::size_t>(offsets[row]); }
    std::size_t end(std::size_t row) const { return static_cast<std::size_t>(offsets[row + 1]); }
    // Weight of one entry: occurrences (1 for sets) times weight.
    std::uint64_t mass(std::size_t at, bool multiset) const {
        return std::uint64_t{multiset ? counts[at] : 1} * (weights == nullptr ? 1 : weights[at]);
    }
};

// Throws std::invalid_argument unless offsets rise from 0 to `entries`, keys ascend within
// a document, counts and weights are at least 1 and no document weighs 2^31 or more.
void check(const Rows& rows, std::size_t entries, bool multiset);

// For every document the first one with the same keys (and counts, for multisets). One
// without entries matches nothing and stays itself.
std::vector<std::uint32_t> collapse(const Rows& rows, bool multiset, int threads);

struct Options {
    std::uint64_t num = 1, den = 2;   // 0 < num <= den < 2^31: products with sizes fit 64 bits
    bool multiset = true;
    int threads = 1;
    std::uint64_t max_pairs = ~0ull;  // more than this many: std::overflow_error
    int slack = 1;                    // eighths, 0 .. 8, of the needed overlap that are counted in lists
    std::size_t block_rows = 1 << 18; // documents indexed at a time: bounds memory, not the answer
};

struct Pairs {
    std::vector<std::uint32_t> left, right, overlap;
    std::vector<double> left_share, right_share;  // overlap / size of left, of right
};

struct Work {
    std::uint64_t indexed = 0, visited = 0, candidates = 0, verified = 0;
};

// Pairs of documents that stand for themselves in `first`, sorted by (left, right), with
// overlap / min(size) >= num/den. With `right` == nullptr one collection is joined with
// itself and left < right. The same bytes for any number of threads.
Pairs join(const Rows& left, const std::vector<std::uint32_t>& left_first, const Rows* right,
           const std::vector<std::uint32_t>* right_first, const Options& options, Work* work = nullptr);

}  // namespace samecore::containment
