// One query against one block of the index: lists, bounds, and the score of what is left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "vectors.hpp"
#include "vectors_index.hpp"
#include "vectors_prepare.hpp"

namespace samecore::vectors {

struct Found {
    std::uint32_t left, right;
    double score;
};

// One thread's memory.
struct Scratch {
    std::vector<float> sums;         // per content of the block; 0: not met
    std::vector<std::uint32_t> met;
    std::vector<float> query;        // by rank: the query's normalised values
    std::vector<float> lengths;      // by level: length of the query's entries up to that level
    Work work;
};

class Search {
public:
    // `sides` are the collections as given, for the final score; `limit` as in prepare.
    Search(const std::vector<Rows>& sides, const Prepared& prepared, const Options& options, double limit)
        : sides_(sides), prepared_(prepared), options_(options), limit_(limit), two_sides_(sides.size() == 2) {}

    // Appends the pairs of `query` with earlier contents (one side) or with all (two sides)
    // of the block, in no particular order.
    void run(const Index& index, std::size_t query, Scratch& scratch, std::vector<Found>& found) const;

private:
    void collect(const Index& index, std::size_t query, Scratch& scratch) const;
    bool lengths_allow(std::size_t query, std::size_t partner) const;
    bool sketches_allow(std::size_t query, std::size_t partner) const;
    void spread(std::size_t query, Scratch& scratch) const;
    void clear(std::size_t query, Scratch& scratch) const;
    bool walk(float sum, std::size_t query, std::size_t partner, const Scratch& scratch) const;
    void decide(std::size_t query, std::size_t partner, std::vector<Found>& found) const;

    const std::vector<Rows>& sides_;
    const Prepared& prepared_;
    const Options& options_;
    const double limit_;
    const bool two_sides_;
};

}  // namespace samecore::vectors
