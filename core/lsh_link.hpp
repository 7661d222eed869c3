// The connected parts of buckets too large, and too much alike, to list their pairs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lsh_measure.hpp"
#include "union_find.hpp"

namespace samecore {

// Finds pairs that connect what the pairs of a bucket connect, and few others: first a
// few pivots are compared with everything they are not yet connected to, which settles
// a bucket of copies of one template; then whatever is still apart is joined exactly.
// Two contents that are connected already, in this bucket or another, are not compared.
class Linker {
public:
    // Contents from `split` on form the right side, if there are two.
    Linker(const Measure& measure, std::size_t contents, std::size_t split, std::size_t limit, int threads);

    void connected(const Pair& pair) { sets_.unite(pair.left, pair.right); }
    // Appends the pairs that were found.
    void link(const std::uint32_t* members, std::size_t count, std::vector<Pair>& found);
    std::uint64_t verified() const { return verified_; }

private:
    bool together(const std::uint32_t* members, std::size_t count);
    bool choose_pivot(const std::uint32_t* members, std::size_t count, std::size_t round, std::uint32_t& pivot);
    void compare(std::uint32_t pivot, const std::uint32_t* members, std::size_t count, std::vector<Pair>& found);
    void join_parts(const std::uint32_t* members, std::size_t count, std::vector<Pair>& found);
    void join_across(const Contents& a, const Contents& b, std::vector<Pair>& found);
    void join_within(const Contents& a, std::vector<Pair>& found);
    void take(std::vector<Pair>&& pairs, std::vector<Pair>& found);
    int side(std::uint32_t content) const { return two_sides_ && content >= split_; }

    const Measure& measure_;
    UnionFind sets_;
    bool two_sides_;
    std::size_t split_, limit_;
    int threads_;
    std::uint64_t verified_ = 0;
    std::vector<std::uint32_t> tally_;   // members of the bucket at hand by part; zero in between
    std::vector<std::uint32_t> pivots_;  // of the bucket at hand
};

}  // namespace samecore
