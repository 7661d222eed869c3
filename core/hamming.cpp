// Pairs within k bits: choose tables or the plain scan by estimated cost, run it, put
// the pairs in order.
#include "hamming.hpp"

#include <algorithm>
#include <atomic>

#include "hamming_job.hpp"
#include "parallel.hpp"

namespace samecore {
namespace {

using namespace hamming;

// Pairs are distinct, so ascending order is one order, whoever found them.
HammingPairs in_order(std::vector<std::vector<Found>>& found, std::size_t lefts, int threads) {
    std::size_t total = 0;
    for (const auto& part : found) total += part.size();
    std::vector<std::size_t> starts(lefts + 1, 0);
    for (const auto& part : found)
        for (const Found& pair : part) ++starts[pair.left + 1];
    for (std::size_t left = 0; left < lefts; ++left) starts[left + 1] += starts[left];
    struct Right {
        std::uint32_t right, distance;
    };
    std::vector<Right> rights(total);
    {
        std::vector<std::size_t> next(starts.begin(), starts.end() - 1);
        for (auto& part : found) {
            for (const Found& pair : part) rights[next[pair.left]++] = {pair.right, pair.distance};
            std::vector<Found>().swap(part);
        }
    }
    HammingPairs pairs;
    pairs.left.resize(total);
    pairs.right.resize(total);
    pairs.distance.resize(total);
    constexpr std::size_t kPiece = 1 << 14;
    parallel_for((lefts + kPiece - 1) / kPiece, threads, [&](std::size_t piece, int) {
        for (std::size_t left = piece * kPiece; left < std::min(lefts, (piece + 1) * kPiece); ++left) {
            const std::size_t lo = starts[left];
            const std::size_t hi = starts[left + 1];
            if (hi - lo > 1)
                std::sort(rights.begin() + static_cast<std::ptrdiff_t>(lo), rights.begin() + static_cast<std::ptrdiff_t>(hi),
                          [](const Right& a, const Right& b) { return a.right < b.right; });
            for (std::size_t i = lo; i < hi; ++i) {
                pairs.left[i] = static_cast<std::uint32_t>(left);
                pairs.right[i] = rights[i].right;
                pairs.distance[i] = static_cast<std::uint16_t>(rights[i].distance);
            }
        }
    });
    return pairs;
}

// Costs on this data, from pairs of sampled rows: skewed bits make unrelated
// fingerprints nearer than chance would, and then a head rejects less.
Costs costs_of(const Job& job, const std::vector<const std::uint64_t*>& rows) {
    constexpr std::size_t kLanes = 16;  // the scan stops for this many rows together
    const std::uint32_t limit = job.options.limit;
    const std::size_t half = rows.size() / 2;
    double survivors = 0;
    double read = 0;
    for (std::size_t start = 0; start < half; start += kLanes) {
        std::size_t slowest = 0;
        for (std::size_t i = start; i < std::min(half, start + kLanes); ++i) {
            const std::uint64_t head = rows[i][0] ^ rows[i + half][0];
            survivors += (limit <= kHalfLimit ? ones(fold(head)) : ones(head)) <= limit;
            std::size_t words = 0;
            for (std::uint32_t sum = 0; words < job.words() && sum <= limit; ++words)
                sum += ones(rows[i][words] ^ rows[i + half][words]);
            slowest = std::max(slowest, std::min(job.words(), (words + 3) / 4 * 4));
        }
        read += static_cast<double>(slowest);
    }
    const double groups = static_cast<double>((half + kLanes - 1) / kLanes);
    Costs costs;
    costs.compare = limit <= kHalfLimit ? job.scan->half_ns : job.scan->word_ns;
    if (half > 0) costs.compare += 15.0 * survivors / static_cast<double>(half);
    costs.scan = job.scan->row_ns * (half > 0 ? read / groups : 1.0);
    if (job.words() > 1) costs.move = 5.0;
    const double queries = static_cast<double>(job.left.count);
    const double size = static_cast<double>(job.size());
    costs.share = job.self ? 0.5 : queries * (size - queries) / (size * size);
    return costs;
}

HammingPairs run(Fingerprints left, Fingerprints right, bool self, const HammingOptions& options) {
    if (left.count == 0 || (!self && right.count == 0)) return {};
    std::atomic<std::uint64_t> total{0};
    Job job{left, right, self, options, &scan_kernel(options.level), {}, &total};
    std::vector<Block> blocks;
    if (options.method != HammingMethod::brute && options.limit < left.words * 64) {
        const std::size_t size = job.size();
        const std::size_t wanted = std::min<std::size_t>(4 * kSampleRows, size);
        std::vector<const std::uint64_t*> rows;
        for (std::size_t i = 0; i < wanted; ++i) rows.push_back(job.row(i * size / wanted));
        job.costs = costs_of(job, rows);
        if (options.compare_ns > 0) job.costs.compare = options.compare_ns;
        const double all_pairs = static_cast<double>(size) * static_cast<double>(size) * job.costs.share * job.costs.scan;
        blocks = plan_blocks(rows, job.words(), static_cast<double>(size), options.limit, job.costs, all_pairs,
                             options.method == HammingMethod::tables);
    }
    std::vector<std::vector<Found>> found;
    if (blocks.empty())
        search_brute(job, found);
    else
        search_tables(job, blocks, found);
    return in_order(found, left.count, options.threads);
}

}  // namespace

HammingPairs hamming_join(Fingerprints all, const HammingOptions& options) {
    return run(all, {nullptr, 0, all.words}, true, options);
}

HammingPairs hamming_look_up(Fingerprints queries, Fingerprints stored, const HammingOptions& options) {
    return run(queries, stored, false, options);
}

}  // namespace samecore
