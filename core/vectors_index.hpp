// Inverted lists over the rare ends of a block of contents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "vectors_prepare.hpp"

namespace samecore::vectors {

struct Posting {
    std::uint32_t content;  // within the block, ascending in a list
    float value;
    float before;  // length of the content's entries of lower rank
};

class Index {
public:
    // Contents [begin, end) of `prepared`.
    Index(const Prepared& prepared, std::size_t begin, std::size_t end);

    const Posting* list_begin(std::uint32_t rank) const { return postings_.data() + starts_[rank]; }
    const Posting* list_end(std::uint32_t rank) const { return postings_.data() + starts_[rank + 1]; }
    std::size_t begin() const { return begin_; }
    std::size_t size() const { return end_ - begin_; }
    std::size_t entries() const { return postings_.size(); }
    // The largest sum among the block's contents up to and with this one.
    float most(std::size_t content) const { return most_[content]; }

private:
    std::size_t begin_, end_;
    std::vector<std::uint64_t> starts_;
    std::vector<Posting> postings_;
    std::vector<float> most_;
};

}  // namespace samecore::vectors
