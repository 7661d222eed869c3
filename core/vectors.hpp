// Exact joins of sparse non-negative vectors: all pairs whose cosine, or extended Jaccard,
// reaches a threshold. docs/weighted-join.md derives every bound used here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace samecore::vectors {

// One collection, borrowed: vector i has entries offsets[i] .. offsets[i + 1), keys
// ascending within it, values >= 0. A value of 0 is as good as no entry.
struct Rows {
    const std::int64_t* offsets = nullptr;
    const std::uint64_t* keys = nullptr;
    const float* values = nullptr;
    std::size_t size = 0;

    std::size_t begin(std::size_t row) const { return static_cast<std::size_t>(offsets[row]); }
    std::size_t end(std::size_t row) const { return static_cast<std::size_t>(offsets[row + 1]); }
};

// Throws std::invalid_argument unless offsets rise from 0 to `entries`, keys ascend within
// a vector and values are finite and not negative. The join relies on it.
void check(const Rows& rows, std::size_t entries);

// For every vector the first one with the same positive entries. Found by hash, decided by
// comparison. A vector without positive entries matches nothing and stays itself.
std::vector<std::uint32_t> collapse(const Rows& rows, int threads);

enum class Measure {
    cosine,   // x.y / sqrt(|x|^2 |y|^2)
    jaccard,  // x.y / (|x|^2 + |y|^2 - x.y), the extended Jaccard (Tanimoto) coefficient
};

struct Options {
    double threshold = 0.9;           // in (0, 1], inclusive
    Measure measure = Measure::cosine;
    int threads = 1;
    std::uint64_t max_pairs = ~0ull;  // more than this many: std::overflow_error
    std::size_t block_rows = 1 << 18; // vectors indexed at a time: bounds memory, not the answer
};

struct Pairs {
    std::vector<std::uint32_t> left, right;
    std::vector<double> score;
};

// What was done, for benchmarks and for people who wonder.
struct Work {
    std::uint64_t contents = 0;    // vectors left after collapsing and dropping hopeless ones
    std::uint64_t indexed = 0;     // entries put into inverted lists
    std::uint64_t visited = 0;     // entries of inverted lists visited
    std::uint64_t candidates = 0;  // pairs met in the lists
    std::uint64_t sketched = 0;    // pairs that survived the lists
    std::uint64_t walked = 0;      // pairs that survived their sketches
    std::uint64_t verified = 0;    // pairs whose score was computed
};

// Pairs of vectors that stand for themselves in `first` (see collapse), sorted by
// (left, right). With `right` == nullptr the collection is joined with itself and
// left < right. The same bytes for any number of threads.
Pairs join(const Rows& left, const std::vector<std::uint32_t>& left_first, const Rows* right,
           const std::vector<std::uint32_t>* right_first, const Options& options, Work* work = nullptr);

}  // namespace samecore::vectors
