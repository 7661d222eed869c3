#include "linkage.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>
#include <string>

#include "parallel.hpp"
#include "wide.hpp"

namespace samecore {
namespace {

constexpr std::uint32_t none = ~0u;

// All that is listed between two living groups.
struct Edge {
    WideSum sum;           // average: scores times documents; complete: pairs listed
    std::uint64_t key;     // key of this edge's entry in the heap, 0 if it has none
    std::uint32_t tie;     // number of the earliest pair between the two
    std::uint32_t end[2];  // equal ends: the edge is dead
    std::uint32_t next[2]; // the list of half-edges around each end

    bool alive() const { return end[0] != end[1]; }
};

struct Entry {
    std::uint64_t key;
    std::uint32_t tie, edge;

    bool operator<(const Entry& other) const {  // the heap's top: high key, early pair
        return key != other.key ? key < other.key : tie > other.tie;
    }
};

struct Average {
    const std::uint32_t* multiplicity;
    std::uint64_t least;

    static std::uint64_t round(double score) {
        return static_cast<std::uint64_t>(score * static_cast<double>(std::uint64_t{1} << average_bits) + 0.5);
    }
    Average(const std::uint32_t* documents, double threshold) : multiplicity(documents) {
        const std::uint64_t exact = round(threshold);
        least = exact > average_slack ? exact - average_slack : 1;
    }
    bool counts(double) const { return true; }  // low scores pull averages down
    std::uint64_t weight(std::uint32_t content) const { return multiplicity[content]; }
    void open(Edge& edge, double score, std::uint64_t left, std::uint64_t right) const {
        edge.key = round(score);
        edge.sum = wide_product(edge.key, left * right);
    }
    std::uint64_t similarity(const Edge& edge, std::uint64_t left, std::uint64_t right) const {
        return wide_quotient(edge.sum, left * right);
    }
    void join(Edge& into, const Edge& from) const { into.sum.add(from.sum); }
};

struct Complete {
    double threshold;
    std::uint64_t least;

    // Doubles that are not negative compare as their bits do.
    explicit Complete(double t) : threshold(t), least(std::bit_cast<std::uint64_t>(t)) {}
    bool counts(double score) const { return score >= threshold; }  // any other forbids, like none
    std::uint64_t weight(std::uint32_t) const { return 1; }
    void open(Edge& edge, double score, std::uint64_t, std::uint64_t) const {
        edge.key = std::bit_cast<std::uint64_t>(score);
        edge.sum = {0, 1};
    }
    std::uint64_t similarity(const Edge& edge, std::uint64_t left, std::uint64_t right) const {
        return edge.sum.low == left * right ? edge.key : 0;
    }
    void join(Edge& into, const Edge& from) const {
        into.sum.low += from.sum.low;
        into.key = std::min(into.key, from.key);
    }
};

// One component. Members keep their memory from one component to the next.
//
// The heap holds upper bounds. Neither linkage ever lifts a similarity above the
// better of the two it came from, so after a merge the old entries still bound the
// new similarities: an entry is looked at again only when it comes to the top, and is
// put back lower if its groups have grown apart. What has sunk below the threshold
// never comes back. The pairs below the threshold therefore need no entries at all.
class Component {
public:
    // Nodes are 0 .. weights-1, edges as added, in the order of the pairs.
    std::vector<std::uint64_t> weight;
    std::vector<Edge> edges;

    template <class Rule>
    void run(const Rule& rule, std::vector<std::uint32_t>& parent) {
        prepare(rule.least, parent);
        while (!sorted_.empty() || !heap_.empty()) {
            const Entry top = pop();
            if (!current(top)) continue;
            const Edge& edge = edges[top.edge];
            const std::uint64_t now = rule.similarity(edge, weight[edge.end[0]], weight[edge.end[1]]);
            if (now == top.key)
                merge(rule, top.edge, parent);
            else
                enter(rule.least, top.edge, now);
        }
    }

private:
    std::vector<std::uint32_t> first_, degree_, slots_;
    // The queue is in two parts: the pairs as they came, sorted once, the best last,
    // and a heap of what was entered since. Sorting is several times cheaper than
    // as many pops from a heap that no cache holds.
    std::vector<Entry> sorted_, heap_;
    std::size_t used_ = 0, limit_ = 0;

    bool current(const Entry& entry) const {
        const Edge& edge = edges[entry.edge];
        return edge.alive() && edge.key == entry.key && edge.tie == entry.tie;
    }

    Entry pop() {
        Entry top;
        if (heap_.empty() || (!sorted_.empty() && heap_.front() < sorted_.back())) {
            top = sorted_.back();
            sorted_.pop_back();
        } else {
            top = heap_.front();
            std::pop_heap(heap_.begin(), heap_.end());
            heap_.pop_back();
        }
        return top;
    }

    void prepare(std::uint64_t least, std::vector<std::uint32_t>& parent) {
        const std::size_t nodes = weight.size();
        first_.assign(nodes, none);
        degree_.assign(nodes, 0);
        parent.resize(nodes);
        heap_.clear();
        sorted_.clear();
        limit_ = 64;
        for (std::uint32_t v = 0; v < nodes; ++v) parent[v] = v;
        for (std::uint32_t e = 0; e < edges.size(); ++e) {
            Edge& edge = edges[e];
            for (int side = 0; side < 2; ++side) {
                edge.next[side] = first_[edge.end[side]];
                first_[edge.end[side]] = 2 * e + side;
                ++degree_[edge.end[side]];
            }
            if (edge.key >= least)
                sorted_.push_back({edge.key, edge.tie, e});
            else
                edge.key = 0;
        }
        std::sort(sorted_.begin(), sorted_.end());
        // A quarter full at first; edges that move leave their old slot behind.
        slots_.assign(std::bit_ceil(4 * edges.size()), none);
        fill_slots();
    }

    void enter(std::uint64_t least, std::uint32_t e, std::uint64_t key) {
        edges[e].key = key >= least ? key : 0;
        if (key < least) return;
        if (heap_.size() > limit_) {  // has doubled since entries out of date were thrown out
            std::erase_if(heap_, [this](const Entry& entry) { return !current(entry); });
            std::make_heap(heap_.begin(), heap_.end());
            limit_ = 2 * heap_.size() + 64;
        }
        heap_.push_back({key, edges[e].tie, e});
        std::push_heap(heap_.begin(), heap_.end());
    }

    // Folds the group with fewer neighbours into the other, so that an edge moves at
    // most log(edges) times.
    template <class Rule>
    void merge(const Rule& rule, std::uint32_t joining, std::vector<std::uint32_t>& parent) {
        std::uint32_t kept = edges[joining].end[0], gone = edges[joining].end[1];
        if (degree_[kept] < degree_[gone]) std::swap(kept, gone);
        parent[gone] = kept;
        weight[kept] += weight[gone];
        kill(joining);
        for (std::uint32_t half = first_[gone], following; half != none; half = following) {
            const std::uint32_t e = half / 2, side = half % 2;
            Edge& edge = edges[e];
            following = edge.next[side];
            if (!edge.alive()) continue;
            const std::uint32_t other = edge.end[1 - side];
            const std::uint32_t twin = look_up(kept, other);
            if (twin == none) {
                edge.end[side] = kept;
                edge.next[side] = first_[kept];
                first_[kept] = half;
                ++degree_[kept];
                put(e);
            } else {
                const std::uint64_t key = edges[twin].key;
                const std::uint32_t tie = edges[twin].tie;
                rule.join(edges[twin], edge);
                edges[twin].tie = std::min(tie, edge.tie);
                kill(e);
                const std::uint64_t now = rule.similarity(edges[twin], weight[kept], weight[other]);
                if (now != key || edges[twin].tie != tie) enter(rule.least, twin, now);
            }
        }
    }

    void kill(std::uint32_t e) {
        --degree_[edges[e].end[0]];
        --degree_[edges[e].end[1]];
        edges[e].end[0] = edges[e].end[1];
    }

    // A hash table from two groups to their edge. Slots hold edge numbers only: an edge
    // found on the way is the one if its ends are, wherever it was put.
    std::size_t home(std::uint32_t a, std::uint32_t b) const {
        if (a > b) std::swap(a, b);
        const std::uint64_t mixed = ((std::uint64_t{a} << 32) | b) * 0x9e3779b97f4a7c15u;
        return (mixed ^ (mixed >> 32)) * 0xd6e8feb86659fd93u >> (64 - std::countr_zero(slots_.size()));
    }
    std::uint32_t look_up(std::uint32_t a, std::uint32_t b) const {
        for (std::size_t at = home(a, b);; at = (at + 1) & (slots_.size() - 1)) {
            if (slots_[at] == none) return none;
            const Edge& edge = edges[slots_[at]];
            if ((edge.end[0] == a && edge.end[1] == b) || (edge.end[0] == b && edge.end[1] == a)) return slots_[at];
        }
    }
    void put(std::uint32_t e) {
        if (used_ * 5 > slots_.size() * 3) {
            std::fill(slots_.begin(), slots_.end(), none);
            fill_slots();  // puts the moved edge, too
            return;
        }
        std::size_t at = home(edges[e].end[0], edges[e].end[1]);
        while (slots_[at] != none) at = (at + 1) & (slots_.size() - 1);
        slots_[at] = e;
        ++used_;
    }
    void fill_slots() {
        used_ = 0;
        for (std::uint32_t e = 0; e < edges.size(); ++e)
            if (edges[e].alive()) put(e);
    }
};

// Contents and pairs of the components with three contents or more, component after
// component. Two contents alone need no work: their pair is what made them one.
struct Parts {
    std::vector<std::size_t> content_start, pair_start, pairs;
    std::vector<std::uint32_t> contents, place;  // place: of a content within its component
};

template <class Rule>
Parts split(const PairGraph& graph, const Rule& rule, const std::vector<std::uint32_t>& labels) {
    Parts parts;
    std::vector<std::uint32_t> number(graph.nodes, none), size(graph.nodes);
    for (std::uint32_t label : labels) ++size[label];
    parts.content_start.push_back(0);
    for (std::uint32_t c = 0; c < graph.nodes; ++c)
        if (labels[c] == c && size[c] > 2) {
            number[c] = static_cast<std::uint32_t>(parts.content_start.size() - 1);
            parts.content_start.push_back(parts.content_start.back() + size[c]);
        }
    const std::size_t count = parts.content_start.size() - 1;

    parts.contents.resize(parts.content_start.back());
    parts.place.resize(graph.nodes);
    std::vector<std::size_t> fill(parts.content_start.begin(), parts.content_start.end() - 1);
    for (std::uint32_t c = 0; c < graph.nodes; ++c) {
        const std::uint32_t part = number[labels[c]];
        if (part == none) continue;
        parts.place[c] = static_cast<std::uint32_t>(fill[part] - parts.content_start[part]);
        parts.contents[fill[part]++] = c;
    }

    auto part_of = [&](std::size_t i) {
        const std::uint32_t label = labels[graph.left[i]];
        return label == labels[graph.right[i]] && rule.counts(graph.score[i]) ? number[label] : none;
    };
    parts.pair_start.assign(count + 1, 0);
    for (std::size_t i = 0; i < graph.size; ++i)
        if (const std::uint32_t part = part_of(i); part != none) ++parts.pair_start[part + 1];
    for (std::size_t part = 0; part < count; ++part) parts.pair_start[part + 1] += parts.pair_start[part];
    parts.pairs.resize(parts.pair_start.back());
    fill.assign(parts.pair_start.begin(), parts.pair_start.end() - 1);
    for (std::size_t i = 0; i < graph.size; ++i)
        if (const std::uint32_t part = part_of(i); part != none) parts.pairs[fill[part]++] = i;
    return parts;
}

template <class Rule>
std::vector<std::uint32_t> link(const PairGraph& graph, const Rule& rule, double threshold, int threads) {
    std::vector<std::uint32_t> labels = components(graph, threshold);
    const Parts parts = split(graph, rule, labels);
    const std::size_t count = parts.content_start.size() - 1;

    // Components of a few contents are taken many at a time.
    constexpr std::size_t enough_pairs = 1 << 14;
    std::vector<std::size_t> piece{0};
    for (std::size_t part = 0; part < count; ++part)
        if (parts.pair_start[part + 1] - parts.pair_start[piece.back()] >= enough_pairs) piece.push_back(part + 1);
    if (piece.back() != count) piece.push_back(count);

    struct Scratch {
        Component component;
        std::vector<std::uint32_t> parent, lowest;
    };
    std::vector<Scratch> scratch(static_cast<std::size_t>(std::max(threads, 1)));
    auto solve = [&](std::size_t part, Scratch& own) {
        Component& component = own.component;
        const std::uint32_t* contents = parts.contents.data() + parts.content_start[part];
        const std::size_t nodes = parts.content_start[part + 1] - parts.content_start[part];
        const std::size_t first = parts.pair_start[part], pairs = parts.pair_start[part + 1] - first;
        if (pairs >= none / 2)
            throw std::length_error("linkage: expected fewer than 2^31 pairs in one connected component, found " +
                                    std::to_string(pairs) + "; raise the threshold or the floor");
        component.weight.resize(nodes);
        for (std::size_t v = 0; v < nodes; ++v) component.weight[v] = rule.weight(contents[v]);
        component.edges.resize(pairs);
        for (std::size_t e = 0; e < pairs; ++e) {
            const std::size_t i = parts.pairs[first + e];
            Edge& edge = component.edges[e];
            edge.tie = static_cast<std::uint32_t>(e);
            edge.end[0] = parts.place[graph.left[i]], edge.end[1] = parts.place[graph.right[i]];
            rule.open(edge, graph.score[i], component.weight[edge.end[0]], component.weight[edge.end[1]]);
        }
        component.run(rule, own.parent);
        own.lowest.assign(nodes, none);
        for (std::uint32_t v = 0; v < nodes; ++v) {  // contents ascend: the first to come is the smallest
            std::uint32_t root = v;
            while (own.parent[root] != root) root = own.parent[root] = own.parent[own.parent[root]];
            if (own.lowest[root] == none) own.lowest[root] = contents[v];
            labels[contents[v]] = own.lowest[root];
        }
    };
    parallel_for(piece.size() - 1, threads, [&](std::size_t p, int thread) {
        for (std::size_t part = piece[p]; part < piece[p + 1]; ++part)
            solve(part, scratch[static_cast<std::size_t>(thread)]);
    });
    return labels;
}

}  // namespace

std::vector<std::uint32_t> average_linkage(const PairGraph& graph, double threshold,
                                           const std::uint32_t* multiplicity, int threads) {
    std::uint64_t documents = 0;
    for (std::size_t c = 0; c < graph.nodes; ++c) {
        if (multiplicity[c] == 0)
            throw std::invalid_argument("multiplicity: expected at least 1, found 0 at content " + std::to_string(c));
        documents += multiplicity[c];
    }
    if (documents > std::numeric_limits<std::uint32_t>::max())
        throw std::invalid_argument("multiplicity: expected fewer than 2^32 documents in all, found " +
                                    std::to_string(documents));
    return link(graph, Average(multiplicity, threshold), threshold, threads);
}

std::vector<std::uint32_t> complete_linkage(const PairGraph& graph, double threshold, int threads) {
    return link(graph, Complete(threshold), threshold, threads);
}

}  // namespace samecore
