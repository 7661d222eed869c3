#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>

#include <stdexcept>
#include <string>

#include "arrays.hpp"
#include "bridges.hpp"
#include "leader.hpp"
#include "linkage.hpp"
#include "union_find.hpp"

namespace nb = nanobind;

namespace samecore {
namespace {

using Numbers = In<std::uint32_t>;
using Scores = In<double>;

void expect_length(const char* name, std::size_t found, std::size_t expected) {
    if (found != expected)
        throw std::invalid_argument(std::string(name) + ": expected " + std::to_string(expected) +
                                    " entries, found " + std::to_string(found));
}

void expect_nodes(std::size_t n) {
    if (n >= 0xffffffffu)
        throw std::invalid_argument("n: expected fewer than 2^32 - 1 contents, found " + std::to_string(n));
}

void expect_threads(int threads) {
    if (threads < 1) throw std::invalid_argument("threads: expected 1 or more, found " + std::to_string(threads));
}

// Everything the kernels rely on, in one pass.
PairGraph check(std::size_t n, const Numbers& left, const Numbers& right, const Scores& score, double threshold) {
    expect_nodes(n);
    expect_length("right", right.size(), left.size());
    expect_length("score", score.size(), left.size());
    if (!(threshold > 0.0 && threshold <= 1.0))
        throw std::invalid_argument("threshold: expected above 0 and at most 1, found " + std::to_string(threshold));
    const PairGraph graph{n, left.size(), left.data(), right.data(), score.data()};
    for (std::size_t i = 0; i < graph.size; ++i) {
        const char* wrong = nullptr;
        if (graph.left[i] >= graph.right[i] || graph.right[i] >= n)
            wrong = "left < right < n";
        else if (i > 0 && (graph.left[i - 1] > graph.left[i] ||
                           (graph.left[i - 1] == graph.left[i] && graph.right[i - 1] >= graph.right[i])))
            wrong = "pairs sorted by (left, right), each once";
        else if (!(graph.score[i] >= 0.0 && graph.score[i] <= 1.0))
            wrong = "scores from 0 to 1";
        if (wrong)
            throw std::invalid_argument(std::string("pairs: expected ") + wrong + ", found (" +
                                        std::to_string(graph.left[i]) + ", " + std::to_string(graph.right[i]) + ", " +
                                        std::to_string(graph.score[i]) + ") at pair " + std::to_string(i));
    }
    return graph;
}

void check_edges(std::size_t n, const Numbers& left, const Numbers& right) {
    expect_nodes(n);
    expect_length("right", right.size(), left.size());
    for (std::size_t i = 0; i < left.size(); ++i)
        if (left.data()[i] >= n || right.data()[i] >= n || left.data()[i] == right.data()[i])
            throw std::invalid_argument("edges: expected two different contents below " + std::to_string(n) +
                                        ", found (" + std::to_string(left.data()[i]) + ", " +
                                        std::to_string(right.data()[i]) + ") at edge " + std::to_string(i));
}

}  // namespace
}  // namespace samecore

void bind_groups(nb::module_& m) {
    using namespace samecore;
    using nb::arg;

    m.def(
        "components",
        [](std::size_t n, Numbers left, Numbers right, Scores score, double threshold) {
            std::vector<std::uint32_t> labels;
            {
                nb::gil_scoped_release release;
                labels = components(check(n, left, right, score, threshold), threshold);
            }
            return give(std::move(labels));
        },
        arg("n"), arg("left"), arg("right"), arg("score"), arg("threshold"),
        "Label of each content: the smallest content of its connected component.");

    m.def(
        "stars",
        [](std::size_t n, Numbers left, Numbers right, Scores score, double threshold, Numbers order) {
            Stars out;
            {
                nb::gil_scoped_release release;
                const PairGraph graph = check(n, left, right, score, threshold);
                expect_length("order", order.size(), n);
                out = stars(graph, threshold, order.data());
            }
            return std::pair(give(std::move(out.leader)), give(std::move(out.score)));
        },
        arg("n"), arg("left"), arg("right"), arg("score"), arg("threshold"), arg("order"),
        "Leader of each content and the score with it; a leader leads itself with 1.");

    m.def(
        "average_linkage",
        [](std::size_t n, Numbers left, Numbers right, Scores score, double threshold, Numbers multiplicity,
           int threads) {
            std::vector<std::uint32_t> labels;
            {
                nb::gil_scoped_release release;
                const PairGraph graph = check(n, left, right, score, threshold);
                expect_length("multiplicity", multiplicity.size(), n);
                expect_threads(threads);
                labels = average_linkage(graph, threshold, multiplicity.data(), threads);
            }
            return give(std::move(labels));
        },
        arg("n"), arg("left"), arg("right"), arg("score"), arg("threshold"), arg("multiplicity"), arg("threads"),
        "Label of each content: the smallest content of its average-linkage group.");

    m.def(
        "complete_linkage",
        [](std::size_t n, Numbers left, Numbers right, Scores score, double threshold, int threads) {
            std::vector<std::uint32_t> labels;
            {
                nb::gil_scoped_release release;
                const PairGraph graph = check(n, left, right, score, threshold);
                expect_threads(threads);
                labels = complete_linkage(graph, threshold, threads);
            }
            return give(std::move(labels));
        },
        arg("n"), arg("left"), arg("right"), arg("score"), arg("threshold"), arg("threads"),
        "Label of each content: the smallest content of its complete-linkage group.");

    m.def(
        "spanning_forest",
        [](std::size_t n, Numbers left, Numbers right) {
            std::vector<std::uint8_t> joins;
            {
                nb::gil_scoped_release release;
                check_edges(n, left, right);
                joins = spanning_forest(n, left.size(), left.data(), right.data());
            }
            return give(std::move(joins));
        },
        arg("n"), arg("left"), arg("right"),
        "1 for each edge that joins two trees when edges are taken in order, else 0.");

    m.def(
        "bridges",
        [](std::size_t n, Numbers left, Numbers right) {
            Bridges out;
            {
                nb::gil_scoped_release release;
                check_edges(n, left, right);
                out = bridges(n, left.size(), left.data(), right.data());
            }
            return nb::make_tuple(give(std::move(out.edge)), give(std::move(out.smaller_part)),
                                  give(std::move(out.joint)), give(std::move(out.joint_part)));
        },
        arg("n"), arg("left"), arg("right"),
        "Numbers of the edges that are bridges (ascending) and the nodes on the smaller side of each; then "
        "the nodes that are joints (ascending) and the nodes in the smaller part when each is taken out.");
}
