#include "containment.hpp"

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string>
#include <utility>

#include "containment_prepare.hpp"
#include "parallel.hpp"
#include "vectors_collapse.hpp"

namespace samecore::containment {
namespace {

constexpr std::size_t kQueriesPerPiece = 64;

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
    std::size_t begin, end;
    std::vector<std::uint64_t> starts;
    std::vector<Posting> postings;

    Index(const Prepared& prepared, std::size_t first, std::size_t last)
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
};

struct Scratch {
    std::vector<std::uint32_t> counted;  // per content of the block: overlap met in the lists
    std::vector<std::uint32_t> met;
    std::vector<std::uint32_t> query;    // by rank: the query's masses
    Work work;
};

// Finds the contents of the block, up to `stop`, that lie in `query` to the needed share.
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

}  // namespace

void check(const Rows& rows, std::size_t entries, bool multiset) {
    if (rows.offsets[0] != 0 || rows.offsets[rows.size] != static_cast<std::int64_t>(entries))
        throw std::invalid_argument("offsets: expected to run from 0 to " + std::to_string(entries) + ", found " +
                                    std::to_string(rows.offsets[0]) + " to " + std::to_string(rows.offsets[rows.size]));
    if (rows.size >= 0xFFFFFFFFull) throw std::invalid_argument("offsets: expected fewer than 2^32 - 1 documents");
    for (std::size_t row = 0; row < rows.size; ++row)
        if (rows.offsets[row] > rows.offsets[row + 1])
            throw std::invalid_argument("offsets: expected to rise, found a fall after document " + std::to_string(row));
    for (std::size_t row = 0; row < rows.size; ++row) {
        std::uint64_t size = 0;
        for (std::size_t at = rows.begin(row); at < rows.end(row); ++at) {
            if (at > rows.begin(row) && rows.keys[at] <= rows.keys[at - 1])
                throw std::invalid_argument("keys: expected ascending within a document, found otherwise in document " +
                                            std::to_string(row));
            const std::uint64_t mass = rows.mass(at, multiset);
            if (rows.counts[at] == 0 || mass == 0)
                throw std::invalid_argument("counts, weights: expected at least 1, found 0 in document " +
                                            std::to_string(row));
            size += std::min<std::uint64_t>(mass, 0x80000000ull);
            if (size >= 0x80000000ull)
                throw std::invalid_argument("counts: expected documents that weigh less than 2^31, found document " +
                                            std::to_string(row));
        }
    }
}

std::vector<std::uint32_t> collapse(const Rows& rows, bool multiset, int threads) {
    return collapse_rows(rows.offsets, rows.keys, rows.counts, rows.size, multiset, threads);
}

Pairs join(const Rows& left, const std::vector<std::uint32_t>& left_first, const Rows* right,
           const std::vector<std::uint32_t>* right_first, const Options& options, Work* work) {
    const bool two_sides = right != nullptr;
    std::vector<Rows> sides{left};
    std::vector<const std::vector<std::uint32_t>*> first{&left_first};
    if (two_sides) sides.push_back(*right), first.push_back(right_first);
    const Prepared prepared = prepare(sides, first, options);

    std::vector<Scratch> scratch(static_cast<std::size_t>(options.threads));
    std::vector<Found> all;
    Work total;
    // Contents [begin, end) are sought in the queries; the smaller is the contained one. Of
    // two sides either may be, so there are two passes, and equal sizes fall to the first.
    const auto pass = [&](std::size_t begin, std::size_t end, std::size_t query_begin, std::size_t query_end,
                          bool swapped) {
        const std::size_t block = std::max<std::size_t>(1, options.block_rows);
        for (std::size_t at = begin; at < end; at += block) {
            const Index index(prepared, at, std::min(end, at + block));
            total.indexed += index.postings.size();
            const std::size_t pieces = (query_end - query_begin + kQueriesPerPiece - 1) / kQueriesPerPiece;
            std::vector<std::vector<Found>> found(pieces);
            std::atomic<std::uint64_t> count{all.size()};
            parallel_for(pieces, options.threads, [&](std::size_t piece, int thread) {
                Scratch& own = scratch[static_cast<std::size_t>(thread)];
                own.counted.resize(block, 0);
                const std::size_t from = query_begin + piece * kQueriesPerPiece;
                for (std::size_t query = from; query < std::min(query_end, from + kQueriesPerPiece); ++query) {
                    const auto sizes = prepared.sizes.begin();
                    const auto first_size = sizes + static_cast<std::ptrdiff_t>(index.begin);
                    const auto last_size = sizes + static_cast<std::ptrdiff_t>(index.end);
                    std::size_t stop;
                    if (!two_sides) stop = query > index.begin ? std::min(query, index.end) - index.begin : 0;
                    else if (swapped) stop = static_cast<std::size_t>(std::lower_bound(first_size, last_size, prepared.sizes[query]) - first_size);
                    else stop = static_cast<std::size_t>(std::upper_bound(first_size, last_size, prepared.sizes[query]) - first_size);
                    if (stop == 0) continue;
                    const std::size_t before = found[piece].size();
                    search(prepared, index, query, stop, own, found[piece]);
                    const std::uint64_t more = found[piece].size() - before;
                    if (count.fetch_add(more) + more > options.max_pairs)
                        throw std::overflow_error("pairs: expected at most " + std::to_string(options.max_pairs) +
                                                  ", found more");
                }
            });
            for (auto& piece : found) {
                for (Found& pair : piece) {
                    if (swapped || (!two_sides && pair.left > pair.right)) {
                        std::swap(pair.left, pair.right);
                        std::swap(pair.left_size, pair.right_size);
                    }
                    all.push_back(pair);
                }
                std::vector<Found>().swap(piece);
            }
        }
    };
    if (two_sides) {
        pass(0, prepared.left, prepared.left, prepared.documents.size(), false);
        pass(prepared.left, prepared.documents.size(), 0, prepared.left, true);
    } else {
        pass(0, prepared.left, 0, prepared.left, false);
    }
    for (const Scratch& own : scratch) {
        total.visited += own.work.visited;
        total.candidates += own.work.candidates;
        total.verified += own.work.verified;
    }
    if (work != nullptr) *work = total;
    std::sort(all.begin(), all.end(), [](const Found& a, const Found& b) {
        return a.left != b.left ? a.left < b.left : a.right < b.right;
    });
    Pairs pairs;
    for (const Found& pair : all) {
        pairs.left.push_back(pair.left);
        pairs.right.push_back(pair.right);
        pairs.overlap.push_back(pair.overlap);
        pairs.left_share.push_back(static_cast<double>(pair.overlap) / pair.left_size);
        pairs.right_share.push_back(static_cast<double>(pair.overlap) / pair.right_size);
    }
    return pairs;
}

}  // namespace samecore::containment
