// One document against a block of inverted lists: which of those in the block are in it?
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "containment.hpp"
#include "containment_prepare.hpp"

namespace samecore::containment {

struct Found {
    std::uint32_t left, right, overlap;
    std::uint32_t left_size, right_size;
};

struct Posting {
    std::uint32_t content;  // within the block, ascending in a list
    std::uint32_t mass;
};

// Inverted lists over the rare ends of contents [begin, end).
struct Index {
    Index(const Prepared& prepared, std::size_t first, std::size_t last);

    std::size_t begin, end;
    std::vector<std::uint64_t> starts;
    std::vector<Posting> postings;
};

struct Scratch {
    std::vector<std::uint32_t> counted;  // per content of the block: overlap met in the lists
    std::vector<std::uint32_t> met;
    std::vector<std::uint32_t> query;    // by rank: the query's masses
    Work work;
};

// Appends the contents of the block, up to `stop`, that lie in `query` to the needed share.
void search(const Prepared& prepared, const Index& index, std::size_t query, std::size_t stop, Scratch& scratch,
            std::vector<Found>& found);

}  // namespace samecore::containment
