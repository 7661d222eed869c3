#include "containment.hpp"

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string>
#include <utility>

#include "containment_search.hpp"
#include "parallel.hpp"
#include "vectors_collapse.hpp"

namespace samecore::containment {
namespace {

constexpr std::size_t kQueriesPerPiece = 64;

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
    // `smaller` counts the contents of a block that a query may contain.
    const auto smaller = [&](const Index& index, std::size_t query, bool swapped) -> std::size_t {
        if (!two_sides) return query > index.begin ? std::min(query, index.end) - index.begin : 0;
        const auto begin = prepared.sizes.begin() + static_cast<std::ptrdiff_t>(index.begin);
        const auto end = prepared.sizes.begin() + static_cast<std::ptrdiff_t>(index.end);
        const auto stop = swapped ? std::lower_bound(begin, end, prepared.sizes[query])
                                  : std::upper_bound(begin, end, prepared.sizes[query]);
        return static_cast<std::size_t>(stop - begin);
    };
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
                if (own.counted.size() < index.end - index.begin) own.counted.resize(index.end - index.begin, 0);
                const std::size_t from = query_begin + piece * kQueriesPerPiece;
                for (std::size_t query = from; query < std::min(query_end, from + kQueriesPerPiece); ++query) {
                    const std::size_t stop = smaller(index, query, swapped);
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
