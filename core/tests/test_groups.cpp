// The grouping kernels without Python, for the sanitizers: random graphs, and the laws
// that need no oracle (the twins in Python are that).
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "bridges.hpp"
#include "leader.hpp"
#include "linkage.hpp"
#include "union_find.hpp"
#include "wide.hpp"

using namespace samecore;

static void expect(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "failed: %s\n", what);
    std::exit(1);
}

static void wide_arithmetic(std::mt19937_64& random) {
    for (int i = 0; i < 20000; ++i) {
        const std::uint64_t a = random() >> random() % 64, b = random() >> random() % 64;
        const WideSum native = wide_product(a, b), portable = wide_product_portable(a, b);
        expect(native.high == portable.high && native.low == portable.low, "products agree");
        const std::uint64_t divisor = (random() >> (1 + random() % 63)) + 1;
        const WideSum sum{random() % divisor, random()};
        expect(wide_quotient(sum, divisor) == wide_quotient_portable(sum, divisor), "quotients agree");
        WideSum total{0, a};
        total.add({0, b});
        expect(total.low == a + b && total.high == (a + b < a), "the carry is kept");
    }
}

static void random_graph(std::mt19937_64& random, std::uint32_t nodes, unsigned percent) {
    std::vector<std::uint32_t> left, right, multiplicity(nodes), order(nodes);
    std::vector<double> score;
    for (std::uint32_t a = 0; a < nodes; ++a)
        for (std::uint32_t b = a + 1; b < nodes; ++b)
            if (random() % 100 < percent)
                left.push_back(a), right.push_back(b), score.push_back(static_cast<double>(random() % 11) / 10);
    for (std::uint32_t c = 0; c < nodes; ++c) order[c] = c, multiplicity[c] = 1 + random() % 3;
    std::shuffle(order.begin(), order.end(), random);
    const PairGraph graph{nodes, left.size(), left.data(), right.data(), score.data()};

    for (double threshold : {0.1, 0.5, 1.0}) {
        const auto whole = components(graph, threshold);
        const auto average = average_linkage(graph, threshold, multiplicity.data(), 1);
        expect(average == average_linkage(graph, threshold, multiplicity.data(), 3), "threads do not matter");
        const auto complete = complete_linkage(graph, threshold, 2);
        const Stars star = stars(graph, threshold, order.data());
        std::vector<std::size_t> size(nodes), good(nodes);
        for (std::uint32_t c = 0; c < nodes; ++c) {
            expect(whole[average[c]] == whole[c] && average[average[c]] == average[c], "average divides components");
            expect(whole[complete[c]] == whole[c] && complete[c] <= c, "complete divides components");
            expect(star.leader[star.leader[c]] == star.leader[c], "leaders lead themselves");
            expect(star.score[c] >= threshold, "members reach the threshold");
            ++size[complete[c]];
        }
        for (std::size_t i = 0; i < graph.size; ++i)
            good[complete[left[i]]] += complete[left[i]] == complete[right[i]] && score[i] >= threshold;
        for (std::uint32_t c = 0; c < nodes; ++c)
            if (size[c]) expect(good[c] == size[c] * (size[c] - 1) / 2, "complete groups hold good pairs only");
    }
    const auto joins = spanning_forest(nodes, left.size(), left.data(), right.data());
    const Bridges found = bridges(nodes, left.size(), left.data(), right.data());
    for (std::uint64_t edge : found.edge) expect(joins[edge], "every forest holds the bridges");
}

int main() {
    std::mt19937_64 random(7);
    wide_arithmetic(random);
    for (std::uint32_t nodes : {0u, 1u, 2u, 3u, 16u, 64u, 200u})
        for (unsigned percent : {0u, 2u, 10u, 50u, 100u}) random_graph(random, nodes, percent);

    std::vector<std::uint32_t> left(100000), right(100000);
    for (std::uint32_t i = 0; i < 100000; ++i) left[i] = i, right[i] = i + 1;
    const Bridges chain = bridges(100001, left.size(), left.data(), right.data());
    expect(chain.edge.size() == 100000 && chain.smaller_part[49999] == 50000, "a long chain is all bridges");
    std::puts("groups: ok");
}
