#include "join.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>

#include "join_forest.hpp"
#include "join_index.hpp"
#include "join_pages.hpp"
#include "join_probe.hpp"
#include "parallel.hpp"

namespace samecore {
namespace {

constexpr std::size_t kContentsPerPiece = 128;

[[noreturn]] void too_many(std::uint64_t max_pairs) {
    throw std::overflow_error("more than " + std::to_string(max_pairs) + " pairs");
}

// Pairs of all pieces, in order of (left, right): counted by left, then each left sorted.
Pairs sorted(std::vector<std::vector<Pair>>& pieces, std::size_t lefts, int threads) {
    std::vector<std::size_t> starts(lefts + 1, 0);
    for (const auto& piece : pieces)
        for (const Pair& pair : piece) ++starts[pair.left + 1];
    for (std::size_t l = 0; l < lefts; ++l) starts[l + 1] += starts[l];
    const std::size_t total = starts.back();
    const Pages<Pair> all = make_pages<Pair>(total);
    std::vector<std::size_t> next(starts.begin(), starts.end() - 1);
    for (auto& piece : pieces) {
        for (const Pair& pair : piece) all[next[pair.left]++] = pair;
        piece = {};
    }
    Pairs result;
    result.left.resize(total);
    result.right.resize(total);
    result.overlap.resize(total);
    result.score.resize(total);
    constexpr std::size_t kPieces = 64;
    parallel_for(kPieces, threads, [&](std::size_t piece, int) {
        const std::size_t begin = lefts * piece / kPieces, end = lefts * (piece + 1) / kPieces;
        for (std::size_t l = begin; l < end; ++l)
            std::sort(all.get() + starts[l], all.get() + starts[l + 1],
                      [](const Pair& a, const Pair& b) { return a.right < b.right; });
        for (std::size_t i = starts[begin]; i < starts[end]; ++i) {
            result.left[i] = all[i].left;
            result.right[i] = all[i].right;
            result.overlap[i] = all[i].overlap;
            result.score[i] = static_cast<double>(all[i].overlap) / static_cast<double>(all[i].joint);
        }
    });
    return result;
}

Pair make_pair(const RankedView& view, const JoinIndex& index, std::size_t x, std::uint32_t y, std::uint32_t overlap) {
    const std::size_t c = index.base + y;
    Pair pair{view.documents[x], view.documents[c], overlap, view.sizes[x] + view.sizes[c] - overlap};
    if (!view.two_sides && pair.left > pair.right) std::swap(pair.left, pair.right);
    return pair;
}

std::size_t vertices(const std::uint32_t* begin, const std::uint32_t* end) {
    return begin == end ? 0 : std::size_t{*std::max_element(begin, end)} + 1;
}

template <class Sum>
Pairs join_with(const RankedView& view, const JoinIndex& index, const JoinOptions& options) {
    const std::size_t probing = view.two_sides ? view.left : view.contents;
    const std::size_t pieces = (probing + kContentsPerPiece - 1) / kContentsPerPiece;
    const std::size_t lefts = vertices(view.documents, view.documents + probing);
    const std::size_t shift = view.two_sides ? lefts : 0;
    const std::size_t rights = view.two_sides ? vertices(view.documents + probing, view.documents + view.contents) : 0;
    struct Worker {
        Prober<Sum> prober;
        Forest forest;
    };
    std::vector<std::unique_ptr<Worker>> workers(static_cast<std::size_t>(options.threads));
    std::vector<std::vector<Pair>> found(pieces);
    std::atomic<std::uint64_t> total{0};
    parallel_for(pieces, options.threads, [&](std::size_t piece, int thread) {
        auto& worker = workers[static_cast<std::size_t>(thread)];
        if (!worker)
            worker.reset(new Worker{Prober<Sum>(view, index, options.threshold),
                                    Forest(options.forest ? lefts + rights : 0, shift)});
        // The longest contents come first: they cost most, and the last piece should be small.
        const std::size_t end = probing - piece * kContentsPerPiece;
        const std::size_t begin = end > kContentsPerPiece ? end - kContentsPerPiece : 0;
        std::vector<Pair>& mine = found[piece];
        for (std::size_t x = begin; x < end; ++x) {
            const std::size_t before = mine.size();
            worker->prober.probe(x, [&](std::uint32_t y, std::uint32_t overlap) {
                const Pair pair = make_pair(view, index, x, y, overlap);
                if (options.forest) worker->forest.add(pair);
                else mine.push_back(pair);
            });
            const std::size_t more = mine.size() - before;
            if (more != 0 && total.fetch_add(more) + more > options.max_pairs) too_many(options.max_pairs);
        }
    });
    if (options.forest) {
        Forest whole(lefts + rights, shift);
        for (auto& worker : workers) {
            if (!worker) continue;
            for (const Pair& pair : worker->forest.pairs()) whole.add(pair);
            worker.reset();
        }
        whole.reduce();
        found.clear();
        found.push_back(std::move(whole.pairs()));
    }
    return sorted(found, lefts, options.threads);
}

template <class Sum>
std::vector<std::uint64_t> count_with(const RankedView& view, const JoinIndex& index, const JoinOptions& options,
                                      const std::vector<std::uint32_t>& contents) {
    std::vector<std::uint64_t> result(contents.size(), 0);
    std::vector<std::unique_ptr<Prober<Sum>>> probers(static_cast<std::size_t>(options.threads));
    parallel_for(contents.size(), options.threads, [&](std::size_t i, int thread) {
        auto& prober = probers[static_cast<std::size_t>(thread)];
        if (!prober) prober = std::make_unique<Prober<Sum>>(view, index, options.threshold);
        prober->probe(contents[i], [&](std::uint32_t, std::uint32_t) { ++result[i]; });
    });
    return result;
}

std::uint32_t largest_size(const RankedView& view) {
    return view.contents == 0 ? 0 : *std::max_element(view.sizes, view.sizes + view.contents);
}

}  // namespace

void check_ranked(const RankedView& view, std::size_t ranks) {
    const auto refuse = [](const char* message) { throw std::invalid_argument(message); };
    if (view.left > view.contents) refuse("left: expected at most the number of contents");
    if (!view.two_sides && view.left != view.contents) refuse("left: expected all contents when there is one side");
    if (view.offsets[0] != 0) refuse("offsets: expected to start at 0");
    for (std::size_t c = 0; c < view.contents; ++c) {
        if (view.offsets[c + 1] < view.offsets[c]) refuse("offsets: expected not to fall");
        if (c != 0 && c != view.left && view.sizes[c] < view.sizes[c - 1]) refuse("sizes: expected not to fall");
        if (view.sizes[c] == 0 || view.sizes[c] >= 0x80000000u) refuse("sizes: expected 1 to 2^31 - 1");
    }
    if (static_cast<std::size_t>(view.offsets[view.contents]) != ranks)
        refuse("offsets: expected to end at the number of ranks");
    for (std::size_t c = 0; c < view.contents; ++c) {
        std::uint64_t mass = 0;
        for (std::int64_t i = view.offsets[c]; i < view.offsets[c + 1]; ++i) {
            if (view.ranks[i] >= view.elements) refuse("ranks: expected each to have a weight");
            if (i > view.offsets[c] && view.ranks[i] <= view.ranks[i - 1]) refuse("ranks: expected to rise in a content");
            mass += view.weights[view.ranks[i]];
        }
        if (mass > view.sizes[c]) refuse("sizes: expected at least the weight of the ranked elements");
    }
}

Pairs join(const RankedView& view, const JoinOptions& options) {
    JoinOptions chosen = options;
    chosen.sure = choose_sure(view, options.threshold, options.sure);
    const JoinIndex index = build_index(view, chosen);
    const std::uint32_t largest = largest_size(view);
    if (largest < 0x100) return join_with<std::uint8_t>(view, index, options);
    if (largest < 0x10000) return join_with<std::uint16_t>(view, index, options);
    return join_with<std::uint32_t>(view, index, options);
}

std::vector<std::uint64_t> count_partners(const RankedView& view, const JoinOptions& options,
                                          const std::vector<std::uint32_t>& contents) {
    const JoinIndex index = build_index(view, options);
    return count_with<std::uint32_t>(view, index, options, contents);
}

}  // namespace samecore
