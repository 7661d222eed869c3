#include "bridges.hpp"

#include <algorithm>
#include <utility>

namespace samecore {

// Depth-first search after Tarjan. `low` is the earliest visited node that a subtree
// reaches by one edge other than the one it hangs on; if that is not before the
// subtree itself, the edge it hangs on is a bridge. If it is not before the node the
// subtree hangs on, that node is a joint between the subtree and the rest.
Bridges bridges(std::size_t nodes, std::size_t edges, const std::uint32_t* left, const std::uint32_t* right) {
    std::vector<std::size_t> next(nodes + 1), stop;
    for (std::size_t e = 0; e < edges; ++e) ++next[left[e] + 1], ++next[right[e] + 1];
    for (std::size_t v = 0; v < nodes; ++v) next[v + 1] += next[v];
    std::vector<std::size_t> around(2 * edges);
    stop.assign(next.begin(), next.end() - 1);
    for (std::size_t e = 0; e < edges; ++e) around[stop[left[e]]++] = e, around[stop[right[e]]++] = e;

    constexpr std::size_t none = ~std::size_t{0};
    std::vector<std::uint32_t> visit(nodes), low(nodes), below(nodes, 1);  // visit 0: not yet
    std::vector<std::size_t> hangs_on(nodes, none);
    std::vector<std::uint32_t> path;
    std::vector<std::uint32_t> part(edges);  // 0: no bridge
    std::vector<std::size_t> found;
    std::vector<std::uint32_t> joint_part(nodes), hanging(nodes);  // joint_part 0: no joint
    std::vector<std::pair<std::uint32_t, std::uint32_t>> branches;
    std::uint32_t clock = 0;

    for (std::uint32_t root = 0; root < nodes; ++root) {
        if (visit[root] || next[root] == stop[root]) continue;
        found.clear();
        branches.clear();
        visit[root] = low[root] = ++clock;
        path.push_back(root);
        while (!path.empty()) {
            const std::uint32_t v = path.back();
            if (next[v] < stop[v]) {
                const std::size_t e = around[next[v]++];
                if (e == hangs_on[v]) continue;
                const std::uint32_t w = left[e] ^ right[e] ^ v;
                if (visit[w]) {
                    low[v] = std::min(low[v], visit[w]);
                } else {
                    visit[w] = low[w] = ++clock;
                    hangs_on[w] = e;
                    path.push_back(w);
                }
                continue;
            }
            path.pop_back();
            if (path.empty()) break;
            const std::uint32_t up = path.back();
            low[up] = std::min(low[up], low[v]);
            below[up] += below[v];
            if (low[v] == visit[v]) part[hangs_on[v]] = below[v], found.push_back(hangs_on[v]);
            if (low[v] >= visit[up]) branches.emplace_back(up, below[v]);
        }
        for (std::size_t e : found) part[e] = std::min(part[e], below[root] - part[e]);
        for (const auto& [v, branch] : branches) {
            joint_part[v] = std::max(joint_part[v], std::min(branch, below[root] - 1 - branch));
            hanging[v] += branch;
        }
        // What does not hang on a joint is a part too, set against all that does.
        for (const auto& [v, branch] : branches)
            joint_part[v] = std::max(joint_part[v], std::min(hanging[v], below[root] - 1 - hanging[v]));
    }

    Bridges out;
    for (std::size_t e = 0; e < edges; ++e)
        if (part[e]) out.edge.push_back(e), out.smaller_part.push_back(part[e]);
    for (std::uint32_t v = 0; v < nodes; ++v)
        if (joint_part[v]) out.joint.push_back(v), out.joint_part.push_back(joint_part[v]);
    return out;
}

}  // namespace samecore
