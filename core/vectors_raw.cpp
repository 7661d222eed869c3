#include "vectors_raw.hpp"

#include <numeric>

#include "parallel.hpp"

namespace samecore::vectors {
namespace {

constexpr std::size_t kPieces = 128;
constexpr int kRounds = 4;

}  // namespace

Raw gather(const std::vector<Rows>& sides, const std::vector<const std::vector<std::uint32_t>*>& first, int threads) {
    Raw raw{sides, {}, {0}, {}, 0, {}};
    std::vector<std::size_t> counts;
    for (std::size_t side = 0; side < sides.size(); ++side) {
        const Rows& rows = sides[side];
        for (std::size_t row = 0; row < rows.size; ++row) {
            if ((*first[side])[row] != row) continue;
            double square = 0;
            for (std::size_t at = rows.begin(row); at < rows.end(row); ++at)
                square += static_cast<double>(rows.values[at]) * rows.values[at];
            if (!(square > 0)) continue;
            raw.rows.push_back(static_cast<std::uint32_t>(row));
            raw.squares.push_back(square);
            raw.entries.push_back(raw.entries.back() + (rows.end(row) - rows.begin(row)));
        }
        if (side == 0) raw.left = raw.size();
    }
    std::vector<KeyRows> keys;
    for (std::size_t side = 0; side < sides.size(); ++side) {
        const std::size_t begin = side == 0 ? 0 : raw.left, end = side == 0 ? raw.left : raw.size();
        keys.push_back({sides[side].offsets, sides[side].keys, raw.rows.data() + begin, end - begin});
    }
    raw.dims = number_keys(keys, threads);
    return raw;
}

// A dimension that only one content has adds nothing to any product. A content whose other
// dimensions are too short to reach the limit has no partner, and leaves; that may strand
// further dimensions, so this is repeated while it pays.
Frequencies drop_hopeless(const Raw& raw, double limit, std::vector<char>& alive, int threads) {
    Frequencies frequencies{{}, raw.sides.size() == 2};
    for (int round = 0;; ++round) {
        for (std::size_t side = 0; side < raw.sides.size(); ++side) frequencies.sides[side].assign(raw.dims.count, 0);
        for (std::size_t content = 0; content < raw.size(); ++content) {
            if (!alive[content]) continue;
            std::uint32_t* counts = frequencies.sides[raw.side(content)].data();
            raw.each(content, [&](std::uint32_t dim, float) { ++counts[dim]; });
        }
        if (round == kRounds) return frequencies;
        std::vector<std::size_t> gone(kPieces, 0);
        parallel_for(kPieces, threads, [&](std::size_t piece, int) {
            for (std::size_t c = raw.size() * piece / kPieces; c < raw.size() * (piece + 1) / kPieces; ++c) {
                if (!alive[c]) continue;
                double square = 0;
                raw.each(c, [&](std::uint32_t dim, float value) {
                    if (frequencies.shared(dim)) square += static_cast<double>(value) * value;
                });
                if (square < limit * limit * raw.squares[c]) alive[c] = 0, ++gone[piece];
            }
        });
        if (std::accumulate(gone.begin(), gone.end(), std::size_t{0}) * 50 < raw.size()) round = kRounds - 1;
    }
}

}  // namespace samecore::vectors
