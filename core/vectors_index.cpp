#include "vectors_index.hpp"

#include <algorithm>

namespace samecore::vectors {

Index::Index(const Prepared& prepared, std::size_t begin, std::size_t end)
    : begin_(begin), end_(end), starts_(prepared.dims + 2, 0), most_(end - begin) {
    // Counting sort by rank, content after content: lists come out ascending.
    const auto each = [&](auto&& use) {
        for (std::size_t content = begin; content < end; ++content)
            for (std::int64_t at = prepared.index_begin[content]; at < prepared.offsets[content + 1]; ++at)
                use(static_cast<std::uint32_t>(content - begin), prepared.entries[static_cast<std::size_t>(at)]);
    };
    each([&](std::uint32_t, const Prepared::Entry& entry) { ++starts_[entry.rank + 2]; });
    for (std::size_t rank = 2; rank < starts_.size(); ++rank) starts_[rank] += starts_[rank - 1];
    postings_.resize(starts_.back());
    each([&](std::uint32_t content, const Prepared::Entry& entry) {
        postings_[starts_[entry.rank + 1]++] = {content, entry.value, entry.before};
    });
    float most = 0;
    for (std::size_t content = 0; content < size(); ++content)
        most_[content] = most = std::max(most, prepared.sum[begin + content]);
}

}  // namespace samecore::vectors
