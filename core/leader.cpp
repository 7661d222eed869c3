#include "leader.hpp"

#include <stdexcept>
#include <string>

namespace samecore {

Stars stars(const PairGraph& graph, double threshold, const std::uint32_t* order) {
    const std::size_t n = graph.nodes;
    constexpr std::uint32_t unseen = ~0u;
    std::vector<std::uint32_t> rank(n, unseen);
    for (std::size_t i = 0; i < n; ++i) {
        if (order[i] >= n || rank[order[i]] != unseen)
            throw std::invalid_argument("order: expected each content once, found " + std::to_string(order[i]) +
                                        (order[i] >= n ? " beyond the last content" : " twice"));
        rank[order[i]] = static_cast<std::uint32_t>(i);
    }

    // A decision looks back only, so each pair is kept once, at its later visited end.
    auto later = [&](std::size_t i) {
        return rank[graph.left[i]] > rank[graph.right[i]] ? graph.left[i] : graph.right[i];
    };
    std::vector<std::size_t> start(n + 1);
    for (std::size_t i = 0; i < graph.size; ++i)
        if (graph.score[i] >= threshold) ++start[later(i) + 1];
    for (std::size_t c = 0; c < n; ++c) start[c + 1] += start[c];
    std::vector<std::size_t> pair(start[n]), fill(start.begin(), start.end() - 1);
    for (std::size_t i = 0; i < graph.size; ++i)
        if (graph.score[i] >= threshold) pair[fill[later(i)]++] = i;

    Stars out{std::vector<std::uint32_t>(n), std::vector<double>(n, 1.0)};
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t content = order[i];
        std::uint32_t best = content;
        double best_score = -1.0;
        for (std::size_t p = start[content]; p < start[content + 1]; ++p) {
            const std::size_t at = pair[p];
            const std::uint32_t other = graph.left[at] ^ graph.right[at] ^ content;
            if (out.leader[other] != other) continue;
            const double score = graph.score[at];
            if (score > best_score || (score == best_score && rank[other] < rank[best]))
                best = other, best_score = score;
        }
        out.leader[content] = best;
        if (best != content) out.score[content] = best_score;
    }
    return out;
}

}  // namespace samecore
