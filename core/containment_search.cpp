#include "containment_search.hpp"

#include <algorithm>
#include <utility>

namespace samecore::containment {

Index::Index(const Prepared& prepared, std::size_t first, std::size_t last)
    : begin(first), end(last), starts(prepared.dims + 2, 0) {
    const auto each = [&](auto&& use) {
        for (std::size_t content = begin; content < end; ++content)
            for (auto at = prepared.index_begin[content]; at < prepared.offsets[content + 1]; ++at)
                use(static_cast<std::uint32_t>(content - begin), prepared.entries[static_cast<std::size_t>(at)]);
    };
    each([&](std::uint32_t, const Prepared::Entry& entry) { ++starts[entry.rank + 2]; });
    for (std::size_t rank = 2; rank < starts.size(); ++rank) starts[rank] += starts[rank - 1];
    postings.resize(starts.back());
    each([&](std::uint32_t content, const Prepared::Entry& entry) {
        postings[starts[entry.rank + 1]++] = {content, entry.mass};
    });
}

void search(const Prepared& prepared, const Index& index, std::size_t query, std::size_t stop, Scratch& scratch,
            std::vector<Found>& found) {
    const auto row = [&](std::size_t content) {
        return std::pair(prepared.entries.data() + prepared.offsets[content],
                         prepared.entries.data() + prepared.offsets[content + 1]);
    };
    const auto [query_begin, query_end] = row(query);
    for (const Prepared::Entry* entry = query_begin; entry != query_end; ++entry) {
        const Posting* posting = index.postings.data() + index.starts[entry->rank];
        const Posting* const last = index.postings.data() + index.starts[entry->rank + 1];
        const Posting* const first = posting;
        for (; posting != last && posting->content < stop; ++posting) {
            std::uint32_t& counted = scratch.counted[posting->content];
            if (counted == 0) scratch.met.push_back(posting->content);
            counted += std::min(entry->mass, posting->mass);
        }
        scratch.work.visited += static_cast<std::uint64_t>(posting - first);
    }
    bool spread = false;
    for (const std::uint32_t content : scratch.met) {
        const std::size_t partner = index.begin + content;
        std::uint32_t overlap = std::exchange(scratch.counted[content], 0);
        const std::uint32_t need = prepared.needed[partner];
        // All of the rare end was counted; the rest could at best be there completely.
        std::uint32_t left = prepared.unindexed[partner];
        if (std::uint64_t{overlap} + left < need) continue;
        if (!spread) {
            spread = true;
            scratch.query.resize(prepared.dims);
            for (const Prepared::Entry* entry = query_begin; entry != query_end; ++entry)
                scratch.query[entry->rank] = entry->mass;
        }
        ++scratch.work.verified;
        // Rare ones first: they fail soonest.
        const Prepared::Entry* const first = prepared.entries.data() + prepared.offsets[partner];
        const Prepared::Entry* entry = prepared.entries.data() + prepared.index_begin[partner];
        while (entry != first && std::uint64_t{overlap} + left >= need) {
            --entry;
            overlap += std::min(scratch.query[entry->rank], entry->mass);
            left -= entry->mass;
        }
        if (std::uint64_t{overlap} + left < need) continue;
        found.push_back({prepared.documents[partner], prepared.documents[query], overlap, prepared.sizes[partner],
                         prepared.sizes[query]});
    }
    if (spread)
        for (const Prepared::Entry* entry = query_begin; entry != query_end; ++entry) scratch.query[entry->rank] = 0;
    scratch.work.candidates += scratch.met.size();
    scratch.met.clear();
}

}  // namespace samecore::containment
