#include "vectors.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

#include "parallel.hpp"
#include "vectors_collapse.hpp"
#include "vectors_score.hpp"
#include "vectors_search.hpp"

namespace samecore::vectors {
namespace {

constexpr std::size_t kQueriesPerPiece = 128;
}  // namespace

void check(const Rows& rows, std::size_t entries) {
    if (rows.offsets[0] != 0 || rows.offsets[rows.size] != static_cast<std::int64_t>(entries))
        throw std::invalid_argument("offsets: expected to run from 0 to " + std::to_string(entries) + ", found " +
                                    std::to_string(rows.offsets[0]) + " to " + std::to_string(rows.offsets[rows.size]));
    if (rows.size >= 0xFFFFFFFFull) throw std::invalid_argument("offsets: expected fewer than 2^32 - 1 vectors");
    for (std::size_t row = 0; row < rows.size; ++row)
        if (rows.offsets[row] > rows.offsets[row + 1])
            throw std::invalid_argument("offsets: expected to rise, found a fall after vector " + std::to_string(row));
    for (std::size_t row = 0; row < rows.size; ++row)
        for (std::size_t at = rows.begin(row); at < rows.end(row); ++at) {
            if (at > rows.begin(row) && rows.keys[at] <= rows.keys[at - 1])
                throw std::invalid_argument("keys: expected ascending within a vector, found otherwise in vector " +
                                            std::to_string(row));
            if (!(rows.values[at] >= 0) || !std::isfinite(rows.values[at]))
                throw std::invalid_argument("values: expected finite and at least 0, found " +
                                            std::to_string(rows.values[at]) + " in vector " + std::to_string(row));
        }
}

std::vector<std::uint32_t> collapse(const Rows& rows, int threads) {
    return collapse_rows(rows.offsets, rows.keys, rows.values, rows.size, true, threads);
}

Pairs join(const Rows& left, const std::vector<std::uint32_t>& left_first, const Rows* right,
           const std::vector<std::uint32_t>* right_first, const Options& options, Work* work) {
    const bool two_sides = right != nullptr;
    std::vector<Rows> sides{left};
    std::vector<const std::vector<std::uint32_t>*> first{&left_first};
    if (two_sides) sides.push_back(*right), first.push_back(right_first);
    std::size_t longest = 0;
    for (const Rows& rows : sides)
        for (std::size_t row = 0; row < rows.size; ++row) longest = std::max(longest, rows.end(row) - rows.begin(row));
    // Sums in double, those of the score included, are off by less than a part in 2^53 per
    // term and a few for the rest; this is far more than all of them together.
    const double limit =
        least_cosine(options.measure, options.threshold) * (1 - 1e-9 - 0x1p-49 * static_cast<double>(longest));
    const Prepared prepared = prepare(sides, first, limit, options.threads);

    const std::size_t queries = two_sides ? prepared.left : prepared.size();
    const std::size_t index_begin = two_sides ? prepared.left : 0;
    const std::size_t block = std::max<std::size_t>(1, options.block_rows);
    const Search search(sides, prepared, options, limit);
    std::vector<Scratch> scratch(static_cast<std::size_t>(options.threads));
    std::vector<Found> all;
    Work total;
    total.contents = prepared.size();
    for (std::size_t begin = index_begin; begin < prepared.size(); begin += block) {
        const Index index(prepared, begin, std::min(prepared.size(), begin + block));
        total.indexed += index.entries();
        const std::size_t from = two_sides ? 0 : begin + 1;
        const std::size_t pieces = from < queries ? (queries - from + kQueriesPerPiece - 1) / kQueriesPerPiece : 0;
        std::vector<std::vector<Found>> found(pieces);
        std::atomic<std::uint64_t> count{all.size()};
        parallel_for(pieces, options.threads, [&](std::size_t piece, int thread) {
            Scratch& own = scratch[static_cast<std::size_t>(thread)];
            if (own.sums.size() < index.size()) own.sums.resize(index.size(), 0);
            const std::size_t piece_begin = from + piece * kQueriesPerPiece;
            for (std::size_t query = piece_begin; query < std::min(queries, piece_begin + kQueriesPerPiece); ++query) {
                const std::size_t before = found[piece].size();
                search.run(index, query, own, found[piece]);
                const std::uint64_t more = found[piece].size() - before;
                if (count.fetch_add(more) + more > options.max_pairs)
                    throw std::overflow_error("pairs: expected at most " + std::to_string(options.max_pairs) +
                                              ", found more");
            }
        });
        for (auto& piece : found) {
            all.insert(all.end(), piece.begin(), piece.end());
            std::vector<Found>().swap(piece);
        }
    }
    for (const Scratch& own : scratch) {
        total.visited += own.work.visited;
        total.candidates += own.work.candidates;
        total.verified += own.work.verified;
        total.walked += own.work.walked;
        total.sketched += own.work.sketched;
    }
    if (work != nullptr) *work = total;
    std::sort(all.begin(), all.end(), [](const Found& a, const Found& b) {
        return a.left != b.left ? a.left < b.left : a.right < b.right;
    });
    Pairs pairs;
    pairs.left.reserve(all.size()), pairs.right.reserve(all.size()), pairs.score.reserve(all.size());
    for (const Found& pair : all) {
        pairs.left.push_back(pair.left);
        pairs.right.push_back(pair.right);
        pairs.score.push_back(pair.score);
    }
    return pairs;
}

}  // namespace samecore::vectors
