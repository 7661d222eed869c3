// The matching procedures of SpotSigs 2007: documents meet an index one by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace samecore {

// Rows of ascending element numbers below `elements`, with counts of at least 1.
struct Rows {
    std::size_t documents, elements;
    const std::int64_t* offsets;
    const std::uint32_t* ids;
    const std::uint32_t* counts;
};

struct Procedure {
    bool full;            // the index holds every document before the first is matched
    bool best;            // best guess: the highest score; else the first that reaches the threshold
    bool add_duplicates;  // documents found to be duplicates enter the index too
    bool size_bound;      // documents of too different a size are dropped before they are compared
    std::size_t seeds;    // so many at the head of the order are in the index at the outset
    std::uint64_t num, den;  // the threshold, inclusive
};

struct Matched {
    std::vector<std::int64_t> partner;     // of each document; -1 for one that is new
    std::vector<std::uint64_t> overlap;    // with the partner
    std::vector<std::uint32_t> collisions; // documents met in the index
    std::vector<std::uint32_t> compared;   // those of them whose overlap was counted
    std::vector<std::uint8_t> indexed;     // in the index at the end
    std::vector<double> seconds;           // spent on the document
};

// `order` lists every document once (checked). Signatures are visited by ascending number, and
// the documents that have one in the order in which they entered the index: that is what "first"
// means. Of equally good best guesses the one that entered first is taken.
Matched match_in_order(const Rows& rows, const std::uint32_t* order, const Procedure& procedure);

}  // namespace samecore
