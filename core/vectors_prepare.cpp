#include "vectors_prepare.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "parallel.hpp"
#include "vectors_raw.hpp"

namespace samecore::vectors {
namespace {

constexpr std::size_t kPieces = 128;

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

// Per dimension the largest normalised value, whose it is, and the largest of the others.
struct Largest {
    std::vector<float> first, second;
    std::vector<std::uint32_t> holder;

    explicit Largest(std::size_t dims) : first(dims, 0), second(dims, 0), holder(dims, kNone) {}
    void add(std::uint32_t dim, float value, std::uint32_t content) {
        if (value > first[dim]) {
            second[dim] = first[dim];
            first[dim] = value;
            holder[dim] = content;
        } else if (value > second[dim]) {
            second[dim] = value;
        }
    }
    float of_others(std::uint32_t dim, std::uint32_t content) const {
        return holder[dim] == content ? second[dim] : first[dim];
    }
};

// Lengths left of each entry, the sketch, and where the two rare ends begin. A query comes
// later in the order than what it finds, so none of its entries is above `later`.
void finish(Prepared::Entry* begin, Prepared::Entry* end, const Largest& others, std::uint32_t content, float later,
            double limit, Prepared& result) {
    double parts[Prepared::kBuckets] = {};
    double square = 0, query_bound = 0, index_bound = 0;
    Prepared::Entry *query_begin = end, *index_begin = end;
    for (Prepared::Entry* entry = begin; entry != end; ++entry) {
        const double value = entry->value;
        entry->before = round_up(std::sqrt(square));
        square += value * value;
        parts[entry->rank % Prepared::kBuckets] += value * value;
        const float most = others.of_others(entry->rank, content);
        query_bound += value * most;
        index_bound += value * std::min(most, later);
        const double length = std::sqrt(square);
        if (query_begin == end && std::min(length, query_bound) >= limit) query_begin = entry;
        if (index_begin == end && std::min(length, index_bound) >= limit) index_begin = entry;
    }
    result.query_begin[content] = result.offsets[content] + (query_begin - begin);
    result.index_begin[content] = result.offsets[content] + (index_begin - begin);
    for (std::size_t bucket = 0; bucket < Prepared::kBuckets; ++bucket)
        result.sketches[content * Prepared::kBuckets + bucket] =
            static_cast<std::int16_t>(std::min(32767.0, std::ceil(std::sqrt(parts[bucket]) * 32767)));
}

}  // namespace

float round_up(double value) {
    const float nearest = static_cast<float>(value);
    return static_cast<double>(nearest) < value ? std::nextafter(nearest, std::numeric_limits<float>::infinity())
                                                : nearest;
}

Prepared prepare(const std::vector<Rows>& sides, const std::vector<const std::vector<std::uint32_t>*>& first,
                 double limit, int threads) {
    const bool two_sides = sides.size() == 2;
    const Raw raw = gather(sides, first, threads);
    std::vector<char> alive(raw.size(), 1);
    const Frequencies frequencies = drop_hopeless(raw, limit, alive, threads);

    std::vector<std::uint32_t> by_rank;
    for (std::uint32_t dim = 0; dim < raw.dims.count; ++dim)
        if (frequencies.shared(dim)) by_rank.push_back(dim);
    std::sort(by_rank.begin(), by_rank.end(), [&](std::uint32_t a, std::uint32_t b) {
        const std::uint64_t fa = frequencies.total(a), fb = frequencies.total(b);
        return fa != fb ? fa > fb : a < b;
    });
    std::vector<std::uint32_t> rank_of(raw.dims.count, kNone);
    for (std::size_t rank = 0; rank < by_rank.size(); ++rank) rank_of[by_rank[rank]] = static_cast<std::uint32_t>(rank);

    // Shapes of the contents, and their order.
    std::vector<float> largest(raw.size(), 0), sum(raw.size(), 0);
    std::vector<double> scale(raw.size(), 0);
    std::vector<std::uint32_t> lengths(raw.size(), 0);
    parallel_for(kPieces, threads, [&](std::size_t piece, int) {
        for (std::size_t c = raw.size() * piece / kPieces; c < raw.size() * (piece + 1) / kPieces; ++c) {
            if (!alive[c]) continue;
            scale[c] = 1 / std::sqrt(raw.squares[c]);
            double total = 0;
            raw.each(c, [&](std::uint32_t dim, float value) {
                if (rank_of[dim] == kNone) return;
                const float normal = round_up(value * scale[c]);
                total += normal;
                largest[c] = std::max(largest[c], normal);
                ++lengths[c];
            });
            sum[c] = round_up(total * (1 + 1e-9));
        }
    });
    std::vector<std::uint32_t> order;
    Prepared result;
    for (std::size_t side = 0; side < sides.size(); ++side) {
        const std::size_t begin = order.size();
        for (std::size_t c = side == 0 ? 0 : raw.left; c < (side == 0 ? raw.left : raw.size()); ++c)
            if (alive[c] && lengths[c] > 0) order.push_back(static_cast<std::uint32_t>(c));
        std::sort(order.begin() + static_cast<std::ptrdiff_t>(begin), order.end(),
                  [&](std::uint32_t a, std::uint32_t b) {
                      return largest[a] != largest[b] ? largest[a] > largest[b] : a < b;
                  });
        if (side == 0) result.left = order.size();
    }
    result.dims = by_rank.size();
    result.offsets.push_back(0);
    for (const std::uint32_t c : order) {
        result.documents.push_back(raw.rows[c]);
        result.squares.push_back(raw.squares[c]);
        result.largest.push_back(largest[c]);
        result.sum.push_back(sum[c]);
        result.offsets.push_back(result.offsets.back() + lengths[c]);
    }

    std::vector<Largest> maxima(sides.size(), Largest(by_rank.size()));
    for (std::uint32_t at = 0; at < order.size(); ++at) {
        Largest& side = maxima[two_sides && at >= result.left ? 1 : 0];
        raw.each(order[at], [&](std::uint32_t dim, float value) {
            if (rank_of[dim] != kNone) side.add(rank_of[dim], round_up(value * scale[order[at]]), at);
        });
    }

    // Entries by rank, and where the rare end of each content begins.
    result.entries.resize(static_cast<std::size_t>(result.offsets.back()));
    result.query_begin = result.index_begin = std::vector<std::int64_t>(order.size());
    result.sketches.resize(order.size() * Prepared::kBuckets);
    parallel_for(kPieces, threads, [&](std::size_t piece, int) {
        for (std::size_t at = order.size() * piece / kPieces; at < order.size() * (piece + 1) / kPieces; ++at) {
            Prepared::Entry* const begin = result.entries.data() + result.offsets[at];
            Prepared::Entry* end = begin;
            raw.each(order[at], [&](std::uint32_t dim, float value) {
                if (rank_of[dim] != kNone) *end++ = {rank_of[dim], round_up(value * scale[order[at]]), 0};
            });
            std::sort(begin, end, [](const auto& a, const auto& b) { return a.rank < b.rank; });
            const bool right = two_sides && at >= result.left;
            finish(begin, end, maxima[two_sides && !right ? 1 : 0], static_cast<std::uint32_t>(at),
                   two_sides ? std::numeric_limits<float>::infinity() : largest[order[at]], limit, result);
        }
    });
    return result;
}

}  // namespace samecore::vectors
