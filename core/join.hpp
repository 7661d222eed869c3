// The exact set join: all pairs of contents with Jaccard >= num/den. docs/exact-matcher.md
// derives every bound used here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace samecore {

// Ranked contents, borrowed; see Ranked in join_rank.hpp.
struct RankedView {
    const std::uint32_t* documents = nullptr;
    const std::uint32_t* sizes = nullptr;
    const std::int64_t* offsets = nullptr;
    const std::uint32_t* ranks = nullptr;
    const std::uint32_t* weights = nullptr;
    std::size_t contents = 0;
    std::size_t left = 0;      // contents of the left side
    std::size_t elements = 0;  // number of ranks
    bool two_sides = false;    // left against right, rather than left against itself
};

// Throws std::invalid_argument on anything the join could trip over.
void check_ranked(const RankedView& view, std::size_t ranks);

// A threshold num/den with 0 < num <= den < 2^31. With sizes below 2^31 no product of
// two of these numbers, or of one with a sum of two sizes, leaves 64 bits.
struct Threshold {
    std::uint64_t num, den;
    // The least overlap that reaches the threshold for two sizes:
    // o/(a+b-o) >= num/den  <=>  o*(num+den) >= num*(a+b).
    std::uint64_t overlap(std::uint64_t a, std::uint64_t b) const {
        return (num * (a + b) + num + den - 1) / (num + den);
    }
    bool reached(std::uint64_t overlap, std::uint64_t a, std::uint64_t b) const {
        return overlap * (num + den) >= num * (a + b);
    }
    bool sizes_allow(std::uint64_t small, std::uint64_t large) const { return small * den >= num * large; }
};

struct Pair {
    std::uint32_t left, right;  // documents; left < right when there is one side
    std::uint32_t overlap;
    std::uint32_t joint;        // weight of the union
};

struct Pairs {
    std::vector<std::uint32_t> left, right, overlap;
    std::vector<double> score;
};

struct JoinOptions {
    Threshold threshold{1, 2};
    int threads = 1;
    bool forest = false;             // only the maximum-score spanning forest
    std::uint64_t max_pairs = ~0ull; // more than this many: std::overflow_error (not for a forest)
    std::uint64_t sure = 3;          // elements a partner must meet in the lists, beyond the first, unless
                                     // none is cheaper by far
};

// `usual`, or 0 where that spares the join most of its work. The answer is the same for any number.
std::uint64_t choose_sure(const RankedView& view, const Threshold& threshold, std::uint64_t usual);

// Sorted by (left, right); the same for any number of threads.
Pairs join(const RankedView& view, const JoinOptions& options);

// How many partners each of the given contents has among the contents before it (one
// side) or on the right (two sides; then contents of the left). For estimates.
std::vector<std::uint64_t> count_partners(const RankedView& view, const JoinOptions& options,
                                          const std::vector<std::uint32_t>& contents);

}  // namespace samecore
