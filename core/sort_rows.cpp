#include "sort_rows.hpp"

#include <algorithm>
#include <numeric>

#include "parallel.hpp"

namespace samecore {

std::vector<std::int64_t> sort_rows(const std::int64_t* offsets, std::size_t rows, const std::uint64_t* keys,
                                    int threads) {
    std::vector<std::int64_t> order(rows == 0 ? 0 : static_cast<std::size_t>(offsets[rows]));
    constexpr std::size_t piece_size = 1024;
    parallel_for((rows + piece_size - 1) / piece_size, threads, [&](std::size_t piece, int) {
        const std::size_t end = std::min(rows, (piece + 1) * piece_size);
        for (std::size_t row = piece * piece_size; row < end; ++row) {
            const auto first = order.begin() + offsets[row], last = order.begin() + offsets[row + 1];
            std::iota(first, last, offsets[row]);
            std::sort(first, last, [keys](std::int64_t a, std::int64_t b) {
                return keys[a] != keys[b] ? keys[a] < keys[b] : a < b;
            });
        }
    });
    return order;
}

}  // namespace samecore
