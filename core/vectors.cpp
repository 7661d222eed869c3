#include "vectors.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

#include "parallel.hpp"
#include "vectors_collapse.hpp"
#include "vectors_index.hpp"
#include "vectors_prepare.hpp"
#include "vectors_score.hpp"

namespace samecore::vectors {
namespace {

constexpr std::size_t kQueriesPerPiece = 128;
constexpr float kMet = 1e-37f;    // products may underflow to 0, which means not met
constexpr float kDead = -1e30f;  // no sum of products comes back from this

struct Found {
    std::uint32_t left, right;
    double score;
};

// One thread's memory.
struct Scratch {
    std::vector<float> sums;             // per content of the block; 0: not met
    std::vector<std::uint32_t> met;
    std::vector<float> query;            // by rank: the query's values as given
    Work work;
};

class Search {
public:
    Search(const Prepared& prepared, const Options& options, double limit, bool two_sides)
        : prepared_(prepared), options_(options), limit_(limit), two_sides_(two_sides) {}

    void run(const Index& index, std::size_t query, Scratch& scratch, std::vector<Found>& found) const {
        collect(index, query, scratch);
        bool spread = false;
        for (const std::uint32_t content : scratch.met) {
            const float sum = scratch.sums[content];
            scratch.sums[content] = 0;
            const std::size_t partner = index.begin() + content;
            if (sum < 0 || !lengths_allow(sum, query, partner)) continue;
            if (!spread) spread = true, spread_query(query, scratch);
            verify(query, partner, scratch, found);
        }
        if (spread) clear_query(query, scratch);
        scratch.work.candidates += scratch.met.size();
        scratch.met.clear();
    }

private:
    // Adds up the products over the rare ends, and gives up on a content as soon as what is
    // left of both vectors is too short: sum + |x before| |y before| < limit.
    void collect(const Index& index, std::size_t query, Scratch& scratch) const {
        const std::size_t stop = two_sides_ ? index.size() : std::min(index.size(), query - index.begin());
        const std::int64_t begin = prepared_.query_begin[query], end = prepared_.tail_offsets[query + 1];
        const float largest = prepared_.largest[query], total = prepared_.sum[query];
        // Sums in float: each of the additions may be short by one part in 2^24.
        const float limit = static_cast<float>(limit_ - static_cast<double>(end - begin + 8) * 0x1p-23);
        // x.y <= sum of x * largest of y. The first content whose forerunners and itself reach that:
        std::size_t start = 0;
        for (std::size_t high = stop; start < high;) {
            const std::size_t middle = (start + high) / 2;
            if (index.most(middle) * largest < limit) start = middle + 1;
            else high = middle;
        }
        if (start >= stop) return;
        float* const sums = scratch.sums.data();
        for (std::int64_t at = end; at-- > begin;) {
            const Prepared::Tail entry = prepared_.tails[static_cast<std::size_t>(at)];
            const Posting* posting = index.list_begin(entry.rank);
            const Posting* const last = index.list_end(entry.rank);
            if (start > 0)
                posting = std::lower_bound(posting, last, start,
                                           [](const Posting& p, std::size_t s) { return p.content < s; });
            const Posting* const first = posting;
            for (; posting != last && posting->content < stop; ++posting) {
                float sum = sums[posting->content];
                if (sum == 0) {
                    scratch.met.push_back(posting->content);
                    const std::size_t partner = index.begin() + posting->content;
                    if (prepared_.sum[partner] * largest < limit || prepared_.largest[partner] * total < limit) {
                        sums[posting->content] = kDead;
                        continue;
                    }
                    sum = kMet;
                }
                sum += entry.value * posting->value;
                if (sum + entry.before * posting->before < limit) sum = kDead;
                sums[posting->content] = sum;
            }
            scratch.work.visited += static_cast<std::uint64_t>(posting - first);
        }
    }

    // For the extended Jaccard the needed cosine depends on the lengths:
    // t/(1+t) * (|x|/|y| + |y|/|x|). The cosine is at most 1.
    bool lengths_allow(float, std::size_t query, std::size_t partner) const {
        if (options_.measure == Measure::cosine) return true;
        const double ratio = std::sqrt(prepared_.squares[query] / prepared_.squares[partner]);
        return options_.threshold / (1 + options_.threshold) * (ratio + 1 / ratio) * (1 - 1e-9) <= 1;
    }

    void spread_query(std::size_t query, Scratch& scratch) const {
        scratch.query.resize(prepared_.dims);
        for (auto at = prepared_.offsets[query]; at < prepared_.offsets[query + 1]; ++at)
            scratch.query[prepared_.ranks[static_cast<std::size_t>(at)]] = prepared_.values[static_cast<std::size_t>(at)];
    }
    void clear_query(std::size_t query, Scratch& scratch) const {
        for (auto at = prepared_.offsets[query]; at < prepared_.offsets[query + 1]; ++at)
            scratch.query[prepared_.ranks[static_cast<std::size_t>(at)]] = 0;
    }

    // The score as defined: products in key order. Keys that are not shared add exact zeros.
    void verify(std::size_t query, std::size_t partner, Scratch& scratch, std::vector<Found>& found) const {
        ++scratch.work.verified;
        double dot = 0;
        const auto end = static_cast<std::size_t>(prepared_.offsets[partner + 1]);
        for (auto at = static_cast<std::size_t>(prepared_.offsets[partner]); at < end; ++at)
            dot += static_cast<double>(scratch.query[prepared_.ranks[at]]) * prepared_.values[at];
        const double value = score(options_.measure, dot, prepared_.squares[query], prepared_.squares[partner]);
        if (value < options_.threshold) return;
        std::uint32_t left = prepared_.documents[query], right = prepared_.documents[partner];
        if (!two_sides_ && left > right) std::swap(left, right);
        found.push_back({left, right, value});
    }

    const Prepared& prepared_;
    const Options& options_;
    const double limit_;
    const bool two_sides_;
};

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
    const Search search(prepared, options, limit, two_sides);
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
            own.sums.resize(block, 0);
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
