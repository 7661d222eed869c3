#include "pair_scores.hpp"

#include <algorithm>

#include "parallel.hpp"

namespace samecore {

namespace {

double score(const Rows& rows, std::size_t one, std::size_t other, bool multiset) {
    std::size_t i = rows.begin(one), j = rows.begin(other);
    const std::size_t i_end = rows.end(one), j_end = rows.end(other);
    const auto mass = [&](std::size_t entry) -> std::uint64_t { return multiset ? rows.counts[entry] : 1; };
    std::uint64_t shared = 0, joint = 0;
    while (i < i_end && j < j_end) {
        if (rows.keys[i] < rows.keys[j]) {
            joint += mass(i++);
        } else if (rows.keys[j] < rows.keys[i]) {
            joint += mass(j++);
        } else {
            shared += std::min(mass(i), mass(j));
            joint += std::max(mass(i), mass(j));
            ++i, ++j;
        }
    }
    while (i < i_end) joint += mass(i++);
    while (j < j_end) joint += mass(j++);
    return joint == 0 ? 0.0 : static_cast<double>(shared) / static_cast<double>(joint);
}

}  // namespace

std::vector<double> pair_scores(const Rows& rows, const std::uint32_t* left, const std::uint32_t* right,
                                std::size_t pairs, bool multiset, int threads) {
    std::vector<double> scores(pairs);
    constexpr std::size_t piece_size = 4096;
    parallel_for((pairs + piece_size - 1) / piece_size, threads, [&](std::size_t piece, int) {
        const std::size_t end = std::min(pairs, (piece + 1) * piece_size);
        for (std::size_t i = piece * piece_size; i < end; ++i) scores[i] = score(rows, left[i], right[i], multiset);
    });
    return scores;
}

}  // namespace samecore
