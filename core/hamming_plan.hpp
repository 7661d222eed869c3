// Which bits form the tables of the Hamming matcher, and whether tables pay at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace samecore::hamming {

// A few bits of a fingerprint, read as a number.
struct Block {
    struct Run {
        std::uint32_t word, shift, out;
        std::uint64_t mask;
    };
    std::vector<Run> runs;
    int bits = 0;

    void add(std::uint32_t bit);

    std::uint64_t key(const std::uint64_t* row) const {
        std::uint64_t key = 0;
        for (const Run& run : runs) key |= ((row[run.word] >> run.shift) & run.mask) << run.out;
        return key;
    }
    bool agrees(const std::uint64_t* left, const std::uint64_t* right) const {
        for (const Run& run : runs)
            if ((((left[run.word] ^ right[run.word]) >> run.shift) & run.mask) != 0) return false;
        return true;
    }
};

// What work costs, in nanoseconds, and how many of the size^2 comparisons of a set
// are wanted: a half for a self join, less between two sets.
struct Costs {
    double compare;      // one pair in a run
    double scan;         // one pair in the blocked scan over everything
    double move = 3.0;   // one item through one pass of a partition
    double visit = 12.0; // one run
    double share = 0.5;
};

inline constexpr int kPassBits = 8;  // 256 open streams stay within the nearest cache and its page table

// Bits one pass should split a run of `size` by, of the `left` bits still to do.
int pass_bits(double size, int left);

// One pass over a run: each item moves, and each run that comes out costs a visit.
inline double pass_ns(const Costs& costs, double size, int bits) {
    return costs.move * size + costs.visit * static_cast<double>(1 << bits);
}

// m = limit + r disjoint blocks: two fingerprints within `limit` bits disagree on at
// most `limit` of them, so they agree on at least r. Empty when comparing every pair
// is estimated cheaper (unless `forced`). `rows` is a sample of the set.
std::vector<Block> plan_blocks(const std::vector<const std::uint64_t*>& rows, std::size_t words, double size,
                               std::uint32_t limit, const Costs& costs, double all_pairs_ns, bool forced);

}  // namespace samecore::hamming
