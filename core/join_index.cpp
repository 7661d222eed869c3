#include "join_index.hpp"

#include "parallel.hpp"

namespace samecore {
namespace {

constexpr std::size_t kPieces = 64;

// Of the ranked elements as they occur; 1 without weights.
std::uint64_t mean_weight(const RankedView& view) {
    std::uint64_t sum = 0;
    const std::size_t count = static_cast<std::size_t>(view.offsets[view.contents]);
    for (std::size_t i = 0; i < count; ++i) sum += view.weights[view.ranks[i]];
    return count == 0 ? 1 : sum / count;
}

}  // namespace

JoinIndex build_index(const RankedView& view, const JoinOptions& options) {
    const Threshold tau = options.threshold;
    JoinIndex index;
    index.sure = {options.sure * mean_weight(view)};
    index.base = view.two_sides ? view.left : 0;
    const std::size_t count = view.contents - index.base;
    index.contents.resize(count);
    index.least.resize(count);
    parallel_for(kPieces, options.threads, [&](std::size_t piece, int) {
        for (std::size_t y = count * piece / kPieces; y < count * (piece + 1) / kPieces; ++y) {
            const std::size_t c = index.base + y;
            const std::uint32_t* begin = view.ranks + view.offsets[c];
            const std::uint32_t* end = view.ranks + view.offsets[c + 1];
            const std::uint64_t size = view.sizes[c];
            // The smallest overlap any partner can have: one of its own size when
            // partners are never smaller, else one of size tau * |y|.
            const std::uint64_t needed = view.two_sides ? (tau.num * size + tau.den - 1) / tau.den
                                                        : tau.overlap(size, size);
            const std::uint64_t limit = index.sure.tail_limit(needed);
            std::uint64_t mass = 0;
            const std::uint32_t* tail = end;
            while (tail != begin && mass + view.weights[tail[-1]] < limit) mass += view.weights[*--tail];
            index.contents[y] = {static_cast<std::uint32_t>(size), static_cast<std::uint32_t>(mass),
                                 tail == end ? kNoRank : *tail, static_cast<std::uint32_t>(tail - begin)};
            index.least[y] = static_cast<std::uint32_t>(index.sure.of(needed) + 1);
        }
    });
    index.starts.assign(view.elements + 1, 0);
    for (std::size_t y = 0; y < count; ++y) {
        const std::uint32_t* ranks = view.ranks + view.offsets[index.base + y];
        for (std::uint32_t i = 0; i < index.contents[y].tail_at; ++i) ++index.starts[ranks[i] + 1];
    }
    for (std::size_t r = 0; r < view.elements; ++r) index.starts[r + 1] += index.starts[r];
    index.postings.resize(static_cast<std::size_t>(index.starts.back()));
    std::vector<std::int64_t> next(index.starts.begin(), index.starts.end() - 1);
    for (std::size_t y = 0; y < count; ++y) {
        const std::uint32_t* ranks = view.ranks + view.offsets[index.base + y];
        for (std::uint32_t i = 0; i < index.contents[y].tail_at; ++i)
            index.postings[static_cast<std::size_t>(next[ranks[i]]++)] = static_cast<std::uint32_t>(y);
    }
    return index;
}

}  // namespace samecore
