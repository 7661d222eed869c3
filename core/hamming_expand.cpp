// From pairs of distinct contents to pairs of documents, in order.
#include <algorithm>
#include <utility>

#include "hamming.hpp"
#include "parallel.hpp"

namespace samecore {
namespace {

constexpr std::size_t kPiece = 4096;

struct Lists {
    std::vector<std::size_t> starts;
    std::vector<std::uint32_t> values;
};

// The documents of each group, ascending.
Lists members_of(HammingGrouping grouping) {
    Lists lists;
    lists.starts.assign(grouping.groups + 1, 0);
    for (std::size_t i = 0; i < grouping.documents; ++i) ++lists.starts[grouping.group[i] + 1];
    for (std::size_t g = 0; g < grouping.groups; ++g) lists.starts[g + 1] += lists.starts[g];
    lists.values.resize(grouping.documents);
    std::vector<std::size_t> next(lists.starts.begin(), lists.starts.end() - 1);
    for (std::size_t i = 0; i < grouping.documents; ++i)
        lists.values[next[grouping.group[i]]++] = static_cast<std::uint32_t>(i);
    return lists;
}

struct Edge {
    std::uint32_t group;
    std::uint16_t distance;
};

}  // namespace

HammingPairs hamming_expand(HammingGrouping left_groups, HammingGrouping right_groups, const std::uint32_t* left,
                            const std::uint32_t* right, const std::uint16_t* distance, std::size_t pairs,
                            bool self, int threads) {
    const Lists members = members_of(self ? left_groups : right_groups);

    // The groups near each group, itself included in a self join.
    std::vector<std::size_t> starts(left_groups.groups + 1, self ? 1 : 0);
    starts[0] = 0;
    for (std::size_t p = 0; p < pairs; ++p) {
        ++starts[left[p] + 1];
        if (self) ++starts[right[p] + 1];
    }
    for (std::size_t g = 0; g < left_groups.groups; ++g) starts[g + 1] += starts[g];
    std::vector<Edge> edges(starts.back());
    std::vector<std::size_t> next(starts.begin(), starts.end() - 1);
    for (std::size_t g = 0; self && g < left_groups.groups; ++g) edges[next[g]++] = {static_cast<std::uint32_t>(g), 0};
    for (std::size_t p = 0; p < pairs; ++p) {
        edges[next[left[p]]++] = {right[p], distance[p]};
        if (self) edges[next[right[p]]++] = {left[p], distance[p]};
    }

    const auto each = [&](std::size_t document, auto&& take) {
        const std::uint32_t group = left_groups.group[document];
        // Most documents have no copy and no neighbour.
        if (self && starts[group + 1] - starts[group] == 1 && members.starts[group + 1] - members.starts[group] == 1)
            return;
        for (std::size_t e = starts[group]; e < starts[group + 1]; ++e) {
            const auto* lo = members.values.data() + members.starts[edges[e].group];
            const auto* hi = members.values.data() + members.starts[edges[e].group + 1];
            take(self ? std::upper_bound(lo, hi, static_cast<std::uint32_t>(document)) : lo, hi, edges[e].distance);
        }
    };
    const std::size_t pieces = (left_groups.documents + kPiece - 1) / kPiece;
    const auto stop = [&](std::size_t piece) { return std::min(left_groups.documents, (piece + 1) * kPiece); };
    std::vector<std::size_t> at(left_groups.documents + 1, 0);
    parallel_for(pieces, threads, [&](std::size_t piece, int) {
        for (std::size_t i = piece * kPiece; i < stop(piece); ++i)
            each(i, [&](const auto* lo, const auto* hi, std::uint16_t) { at[i + 1] += static_cast<std::size_t>(hi - lo); });
    });
    for (std::size_t i = 0; i < left_groups.documents; ++i) at[i + 1] += at[i];

    HammingPairs out;
    out.left.resize(at.back());
    out.right.resize(at.back());
    out.distance.resize(at.back());
    std::vector<std::vector<std::pair<std::uint32_t, std::uint16_t>>> buffers(static_cast<std::size_t>(threads));
    parallel_for(pieces, threads, [&](std::size_t piece, int thread) {
        auto& row = buffers[static_cast<std::size_t>(thread)];
        for (std::size_t i = piece * kPiece; i < stop(piece); ++i) {
            if (at[i] == at[i + 1]) continue;
            row.clear();
            each(i, [&](const auto* lo, const auto* hi, std::uint16_t bits) {
                for (; lo != hi; ++lo) row.emplace_back(*lo, bits);
            });
            std::sort(row.begin(), row.end());
            for (std::size_t j = 0; j < row.size(); ++j) {
                out.left[at[i] + j] = static_cast<std::uint32_t>(i);
                out.right[at[i] + j] = row[j].first;
                out.distance[at[i] + j] = row[j].second;
            }
        }
    });
    return out;
}

}  // namespace samecore
