// How many elements a partner must meet in the lists: see docs/exact-matcher.md, 7.
#include <algorithm>
#include <vector>

#include "join.hpp"

namespace samecore {
namespace {

// How many postings the join would read for the contents looked at, every `step`-th, if every
// partner were as long as the content itself and had to meet `sure` elements beyond the first.
// An element seen once among them counts as if it were in half of those between two.
std::uint64_t postings(const RankedView& view, const std::vector<std::uint32_t>& seen, const Threshold& threshold,
                       std::uint64_t sure, std::size_t step) {
    std::uint64_t sum = 0;
    for (std::size_t c = 0; c < view.contents; c += step) {
        const auto begin = static_cast<std::size_t>(view.offsets[c]), end = static_cast<std::size_t>(view.offsets[c + 1]);
        const std::uint64_t size = view.sizes[c];
        std::uint64_t shared = 0;  // by anyone; the rest is rarest of all and goes first
        for (std::size_t i = begin; i < end; ++i) shared += view.weights[view.ranks[i]];
        std::uint64_t passed = size - shared;
        const std::uint64_t prefix = size - threshold.overlap(size, size) + 1 + sure;
        for (std::size_t i = begin; i < end && passed < prefix; ++i) {
            const std::uint64_t times = seen[view.ranks[i]];
            sum += times > 1 ? times * step : (step + 1) / 2;
            passed += view.weights[view.ranks[i]];
        }
    }
    return sum;
}

}  // namespace

// Where documents share a template and miss the threshold by little, the few elements more
// that a partner must meet may be those of the template, which all have; without them
// nobody meets. But to meet in one element only means to be compared, which costs some
// fifty times as much as a posting.
std::uint64_t choose_sure(const RankedView& view, const Threshold& threshold, std::uint64_t usual) {
    constexpr std::uint64_t kComparison = 50;
    constexpr std::size_t kEnough = 8192, kLargestStep = 16;  // a look at all would cost a tenth of a small join
    const std::size_t step = std::min(1 + view.contents / kEnough, kLargestStep);
    std::vector<std::uint32_t> seen(view.elements, 0);
    for (std::size_t c = 0; c < view.contents; c += step)
        for (std::int64_t i = view.offsets[c]; i < view.offsets[c + 1]; ++i) ++seen[view.ranks[i]];
    const std::uint64_t least = postings(view, seen, threshold, 0, step);
    return kComparison * least < postings(view, seen, threshold, usual, step) ? 0 : usual;
}

}  // namespace samecore
