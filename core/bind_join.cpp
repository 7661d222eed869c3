#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "arrays.hpp"
#include "frequencies.hpp"
#include "join.hpp"
#include "join_collapse.hpp"
#include "join_rank.hpp"
#include "matcher2008.hpp"
#include "pair_scores.hpp"
#include "sort_rows.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace samecore;

namespace {

using I64 = In<std::int64_t>;
using U64 = In<std::uint64_t>;
using U32 = In<std::uint32_t>;
using Weights = std::optional<U32>;
using PairArrays = std::tuple<Out<std::uint32_t>, Out<std::uint32_t>, Out<double>, Out<std::uint32_t>>;
using RankedArrays = std::tuple<Out<std::uint32_t>, Out<std::uint32_t>, Out<std::int64_t>, Out<std::uint32_t>,
                                Out<std::uint32_t>, std::size_t>;

void check_threads(int threads) {
    if (threads < 1) throw std::invalid_argument("threads: expected at least 1, found " + std::to_string(threads));
}

Rows rows_of(const I64& offsets, const U64& keys, const U32& counts, const Weights& weights, int threads) {
    check_threads(threads);
    if (offsets.size() == 0) throw std::invalid_argument("offsets: expected at least one, found none");
    if (counts.size() != keys.size())
        throw std::invalid_argument("counts: expected one per key, " + std::to_string(keys.size()) + ", found " +
                                    std::to_string(counts.size()));
    if (weights && weights->size() != keys.size())
        throw std::invalid_argument("weights: expected one per key, " + std::to_string(keys.size()) + ", found " +
                                    std::to_string(weights->size()));
    const Rows rows{offsets.data(), keys.data(), counts.data(), weights ? weights->data() : nullptr, offsets.size() - 1};
    nb::gil_scoped_release unlocked;
    check_rows(rows, keys.size(), threads);
    return rows;
}

Chosen chosen_of(const Rows& rows, const U32& documents) {
    for (std::size_t i = 0; i < documents.size(); ++i)
        if (documents.data()[i] >= rows.documents || (i > 0 && documents.data()[i] <= documents.data()[i - 1]))
            throw std::invalid_argument("documents: expected ascending and below " + std::to_string(rows.documents) +
                                        ", found " + std::to_string(documents.data()[i]));
    return {rows, documents.data(), documents.size()};
}

Threshold threshold_of(std::uint64_t num, std::uint64_t den) {
    if (num == 0 || num > den || den >= 0x80000000ull)
        throw std::invalid_argument("threshold: expected 0 < num <= den < 2^31, found " + std::to_string(num) + "/" +
                                    std::to_string(den));
    return {num, den};
}

PairArrays arrays_of(Pairs&& pairs) {
    return {give(std::move(pairs.left)), give(std::move(pairs.right)), give(std::move(pairs.score)),
            give(std::move(pairs.overlap))};
}

RankedView view_of(const U32& documents, const U32& sizes, const I64& offsets, const U32& ranks, const U32& weights,
                   std::size_t left, bool two_sides) {
    if (sizes.size() != documents.size() || offsets.size() != documents.size() + 1)
        throw std::invalid_argument("ranked: expected as many sizes as documents, and one more offset");
    const RankedView view{documents.data(), sizes.data(),      offsets.data(), ranks.data(), weights.data(),
                          documents.size(), left, weights.size(), two_sides};
    nb::gil_scoped_release unlocked;
    check_ranked(view, ranks.size());
    return view;
}

JoinOptions options_of(std::uint64_t num, std::uint64_t den, int threads, std::uint64_t sure) {
    check_threads(threads);
    if (sure > 1000) throw std::invalid_argument("sure: expected 0 to 1000, found " + std::to_string(sure));
    JoinOptions options;
    options.threshold = threshold_of(num, den);
    options.threads = threads;
    options.sure = sure;
    return options;
}

}  // namespace

void bind_join(nb::module_& m) {
    m.def("document_frequencies", [](I64 offsets, U64 keys, U32 counts, int threads) {
        const Rows rows = rows_of(offsets, keys, counts, {}, threads);
        Frequencies result;
        {
            nb::gil_scoped_release unlocked;
            result = document_frequencies(rows, threads);
        }
        return std::tuple(give(std::move(result.keys)), give(std::move(result.frequencies)));
    }, "offsets"_a, "keys"_a, "counts"_a, "threads"_a, "Ascending keys and the number of documents that have each.");

    m.def("entry_frequencies", [](I64 offsets, U64 keys, U32 counts, int threads) {
        const Rows rows = rows_of(offsets, keys, counts, {}, threads);
        std::vector<std::uint32_t> result;
        {
            nb::gil_scoped_release unlocked;
            result = entry_frequencies(rows, threads);
        }
        return give(std::move(result));
    }, "offsets"_a, "keys"_a, "counts"_a, "threads"_a, "For every entry the number of documents that have its key.");

    m.def("sort_rows", [](I64 offsets, U64 keys, int threads) {
        check_threads(threads);
        const std::size_t rows = offsets.size() == 0 ? 0 : offsets.size() - 1;
        for (std::size_t i = 0; i <= rows && offsets.size() > 0; ++i)
            if (offsets(i) < (i == 0 ? 0 : offsets(i - 1)) || (i == 0 && offsets(0) != 0) ||
                (i == rows && offsets(i) != static_cast<std::int64_t>(keys.size())))
                throw std::invalid_argument("offsets: expected ascending from 0 to " + std::to_string(keys.size()) +
                                            ", found " + std::to_string(offsets(i)));
        if (offsets.size() == 0) throw std::invalid_argument("offsets: expected at least one, found none");
        std::vector<std::int64_t> result;
        {
            nb::gil_scoped_release unlocked;
            result = sort_rows(offsets.data(), rows, keys.data(), threads);
        }
        return give(std::move(result));
    }, "offsets"_a, "keys"_a, "threads"_a, "The order of the entries in which the keys of each row ascend.");

    m.def("pair_scores", [](I64 offsets, U64 keys, U32 counts, U32 left, U32 right, bool multiset, int threads) {
        const Rows rows = rows_of(offsets, keys, counts, {}, threads);
        if (left.size() != right.size())
            throw std::invalid_argument("right: expected one per left, " + std::to_string(left.size()) + ", found " +
                                        std::to_string(right.size()));
        for (const U32& side : {left, right})
            for (std::size_t i = 0; i < side.size(); ++i)
                if (side.data()[i] >= rows.documents)
                    throw std::invalid_argument("pairs: expected documents below " + std::to_string(rows.documents) +
                                                ", found " + std::to_string(side.data()[i]));
        std::vector<double> result;
        {
            nb::gil_scoped_release unlocked;
            result = pair_scores(rows, left.data(), right.data(), left.size(), multiset, threads);
        }
        return give(std::move(result));
    }, "offsets"_a, "keys"_a, "counts"_a, "left"_a, "right"_a, "multiset"_a, "threads"_a,
       "The Jaccard similarity of each pair of documents; 0 where neither has keys.");

    m.def("collapse", [](I64 offsets, U64 keys, U32 counts, bool multiset, int threads) {
        const Rows rows = rows_of(offsets, keys, counts, {}, threads);
        std::vector<std::uint32_t> result;
        {
            nb::gil_scoped_release unlocked;
            result = collapse(rows, multiset, threads);
        }
        return give(std::move(result));
    }, "offsets"_a, "keys"_a, "counts"_a, "multiset"_a, "threads"_a,
       "For every document the first one with the same features; empty documents stay apart.");

    m.def("rank_elements", [](I64 offsets, U64 keys, U32 counts, Weights weights, U32 documents, bool multiset, int threads) {
        const Rows rows = rows_of(offsets, keys, counts, weights, threads);
        const Chosen chosen = chosen_of(rows, documents);
        Ranked result;
        {
            nb::gil_scoped_release unlocked;
            result = rank_elements({chosen}, multiset, threads);
        }
        return RankedArrays(give(std::move(result.documents)), give(std::move(result.sizes)),
                            give(std::move(result.offsets)), give(std::move(result.ranks)),
                            give(std::move(result.weights)), result.left);
    }, "offsets"_a, "keys"_a, "counts"_a, "weights"_a.none(), "documents"_a, "multiset"_a, "threads"_a,
       "The chosen documents as sets of ranked elements: documents, sizes, offsets, ranks, weights, left.");

    m.def("rank_elements_of_two", [](I64 offsets, U64 keys, U32 counts, Weights weights, U32 documents,
                                     I64 other_offsets, U64 other_keys, U32 other_counts, Weights other_weights,
                                     U32 other_documents, bool multiset, int threads) {
        const Rows rows = rows_of(offsets, keys, counts, weights, threads);
        const Rows others = rows_of(other_offsets, other_keys, other_counts, other_weights, threads);
        const std::vector<Chosen> sides{chosen_of(rows, documents), chosen_of(others, other_documents)};
        Ranked result;
        {
            nb::gil_scoped_release unlocked;
            result = rank_elements(sides, multiset, threads);
        }
        return RankedArrays(give(std::move(result.documents)), give(std::move(result.sizes)),
                            give(std::move(result.offsets)), give(std::move(result.ranks)),
                            give(std::move(result.weights)), result.left);
    }, "offsets"_a, "keys"_a, "counts"_a, "weights"_a.none(), "documents"_a, "other_offsets"_a, "other_keys"_a,
       "other_counts"_a, "other_weights"_a.none(), "other_documents"_a, "multiset"_a, "threads"_a,
       "As rank_elements, for two collections that will be joined with each other.");

    m.def("join", [](U32 documents, U32 sizes, I64 offsets, U32 ranks, U32 weights, std::size_t left, bool two_sides,
                     std::uint64_t num, std::uint64_t den, int threads, bool forest, std::uint64_t max_pairs, std::uint64_t sure) {
        JoinOptions options = options_of(num, den, threads, sure);
        options.forest = forest;
        options.max_pairs = max_pairs;
        const RankedView view = view_of(documents, sizes, offsets, ranks, weights, left, two_sides);
        Pairs result;
        {
            nb::gil_scoped_release unlocked;
            result = join(view, options);
        }
        return arrays_of(std::move(result));
    }, "documents"_a, "sizes"_a, "offsets"_a, "ranks"_a, "weights"_a, "left"_a, "two_sides"_a, "num"_a, "den"_a,
       "threads"_a, "forest"_a, "max_pairs"_a, "sure"_a,
       "Pairs at or above num/den as left, right, score, overlap, by (left, right). "
       "OverflowError when there are more than max_pairs.");

    m.def("count_partners", [](U32 documents, U32 sizes, I64 offsets, U32 ranks, U32 weights, std::size_t left,
                               bool two_sides, std::uint64_t num, std::uint64_t den, int threads, std::uint64_t sure, U32 contents) {
        const JoinOptions options = options_of(num, den, threads, sure);
        const RankedView view = view_of(documents, sizes, offsets, ranks, weights, left, two_sides);
        const std::vector<std::uint32_t> sample(contents.data(), contents.data() + contents.size());
        for (const std::uint32_t content : sample)
            if (content >= left) throw std::invalid_argument("contents: expected below " + std::to_string(left));
        std::vector<std::uint64_t> result;
        {
            nb::gil_scoped_release unlocked;
            result = count_partners(view, options, sample);
        }
        return give(std::move(result));
    }, "documents"_a, "sizes"_a, "offsets"_a, "ranks"_a, "weights"_a, "left"_a, "two_sides"_a, "num"_a, "den"_a,
       "threads"_a, "sure"_a, "contents"_a, "How many pairs the join reports from each of the given contents.");

    m.def("partition_bounds", [](std::uint64_t num, std::uint64_t den, std::uint64_t longest) {
        return give(partition_bounds(threshold_of(num, den), longest));
    }, "num"_a, "den"_a, "longest"_a, "Lower bounds of the length partitions of SpotSigs 2008.");

    m.def("match_2008", [](I64 offsets, U64 keys, U32 counts, Weights weights, std::uint64_t num, std::uint64_t den,
                           bool multiset, bool partitions, bool pruning, int threads) {
        const Rows rows = rows_of(offsets, keys, counts, weights, threads);
        const Threshold threshold = threshold_of(num, den);
        Match2008 result;
        {
            nb::gil_scoped_release unlocked;
            result = match_2008(rows, threshold, multiset, partitions, pruning, threads);
        }
        return std::tuple(arrays_of(std::move(result.pairs)), give(std::move(result.comparisons)), result.partitions);
    }, "offsets"_a, "keys"_a, "counts"_a, "weights"_a.none(), "num"_a, "den"_a, "multiset"_a, "partitions"_a,
       "pruning"_a, "threads"_a,
       "The matcher of SpotSigs 2008: pairs (left, right, score, overlap), comparisons per document, partitions.");
}
