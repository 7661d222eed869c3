#include "index_segment.hpp"

#include <string>

namespace samecore {

void SegmentView::check(std::size_t starts_count) const {
    if (contents > kMaxSegment)
        throw std::invalid_argument("segment: expected at most 2**31 - 1 contents, found " + std::to_string(contents));
    if (word_count > kMaxSegment)
        throw std::invalid_argument("segment: expected at most 2**31 - 1 words, found " + std::to_string(word_count));
    if (starts_count < 2 || (starts_count - 1) != (std::size_t{1} << bits))
        throw std::invalid_argument("starts: expected one more than a power of two, found " +
                                    std::to_string(starts_count));
    if (starts[0] != 0 || starts[starts_count - 1] != key_count)
        throw std::invalid_argument("starts: expected to end at " + std::to_string(key_count) + ", found " +
                                    std::to_string(starts[starts_count - 1]));
}

}  // namespace samecore
