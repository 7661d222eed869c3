#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "arrays.hpp"
#include "containment.hpp"
#include "vectors.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace samecore;

namespace {

using I64 = In<std::int64_t>;
using U64 = In<std::uint64_t>;
using U32 = In<std::uint32_t>;
using F32 = In<float>;

void check_threads(int threads) {
    if (threads < 1) throw std::invalid_argument("threads: expected at least 1, found " + std::to_string(threads));
}

vectors::Rows rows_of(const I64& offsets, const U64& keys, const F32& values) {
    if (offsets.size() == 0) throw std::invalid_argument("offsets: expected at least one, found none");
    if (values.size() != keys.size())
        throw std::invalid_argument("values: expected one per key, " + std::to_string(keys.size()) + ", found " +
                                    std::to_string(values.size()));
    const vectors::Rows rows{offsets.data(), keys.data(), values.data(), offsets.size() - 1};
    nb::gil_scoped_release unlocked;
    vectors::check(rows, keys.size());
    return rows;
}

containment::Rows sets_of(const I64& offsets, const U64& keys, const U32& counts, const std::optional<U32>& weights,
                          bool multiset) {
    if (offsets.size() == 0) throw std::invalid_argument("offsets: expected at least one, found none");
    if (counts.size() != keys.size())
        throw std::invalid_argument("counts: expected one per key, " + std::to_string(keys.size()) + ", found " +
                                    std::to_string(counts.size()));
    if (weights && weights->size() != keys.size())
        throw std::invalid_argument("weights: expected one per key, " + std::to_string(keys.size()) + ", found " +
                                    std::to_string(weights->size()));
    const containment::Rows rows{offsets.data(), keys.data(), counts.data(), weights ? weights->data() : nullptr,
                                 offsets.size() - 1};
    nb::gil_scoped_release unlocked;
    containment::check(rows, keys.size(), multiset);
    return rows;
}

}  // namespace

void bind_vectors(nb::module_& m) {
    m.def("vector_join", [](I64 offsets, U64 keys, F32 values, std::optional<I64> other_offsets,
                            std::optional<U64> other_keys, std::optional<F32> other_values, double threshold,
                            bool jaccard, int threads, std::uint64_t max_pairs, std::size_t block_rows) {
        check_threads(threads);
        if (!(threshold > 0 && threshold <= 1))
            throw std::invalid_argument("threshold: expected above 0, at most 1, found " + std::to_string(threshold));
        if (block_rows < 1) throw std::invalid_argument("block_rows: expected at least 1, found 0");
        const bool two_sides = other_offsets.has_value();
        if (two_sides != other_keys.has_value() || two_sides != other_values.has_value())
            throw std::invalid_argument("other: expected offsets, keys and values, or none of them");
        const vectors::Rows rows = rows_of(offsets, keys, values);
        const vectors::Rows others =
            two_sides ? rows_of(*other_offsets, *other_keys, *other_values) : vectors::Rows{};
        vectors::Options options;
        options.threshold = threshold;
        options.measure = jaccard ? vectors::Measure::jaccard : vectors::Measure::cosine;
        options.threads = threads;
        options.max_pairs = max_pairs;
        options.block_rows = block_rows;
        vectors::Pairs pairs;
        vectors::Work work;
        std::vector<std::uint32_t> first, other_first;
        {
            nb::gil_scoped_release unlocked;
            first = vectors::collapse(rows, threads);
            if (two_sides) other_first = vectors::collapse(others, threads);
            pairs = vectors::join(rows, first, two_sides ? &others : nullptr, two_sides ? &other_first : nullptr,
                                  options, &work);
        }
        nb::dict counts;
        counts["contents"] = work.contents;
        counts["indexed"] = work.indexed;
        counts["visited"] = work.visited;
        counts["candidates"] = work.candidates;
        counts["sketched"] = work.sketched;
        counts["walked"] = work.walked;
        counts["verified"] = work.verified;
        return std::tuple(give(std::move(pairs.left)), give(std::move(pairs.right)), give(std::move(pairs.score)),
                          give(std::move(first)), give(std::move(other_first)), counts);
    }, "offsets"_a, "keys"_a, "values"_a, "other_offsets"_a.none(), "other_keys"_a.none(), "other_values"_a.none(),
       "threshold"_a, "jaccard"_a, "threads"_a, "max_pairs"_a, "block_rows"_a,
       "Pairs of distinct vectors at or above the threshold as left, right, score; then for every vector "
       "the first with the same entries (of either side), and counts of the work done. "
       "OverflowError when there are more than max_pairs.");

    m.def("containment_join", [](I64 offsets, U64 keys, U32 counts, std::optional<U32> weights,
                                 std::optional<I64> other_offsets, std::optional<U64> other_keys,
                                 std::optional<U32> other_counts, std::optional<U32> other_weights, std::uint64_t num,
                                 std::uint64_t den, bool multiset, int threads, std::uint64_t max_pairs, int slack,
                                 std::size_t block_rows) {
        check_threads(threads);
        if (num == 0 || num > den || den >= 0x80000000ull)
            throw std::invalid_argument("threshold: expected 0 < num <= den < 2^31, found " + std::to_string(num) +
                                        "/" + std::to_string(den));
        if (slack < 0 || slack > 8)
            throw std::invalid_argument("slack: expected 0 to 8, found " + std::to_string(slack));
        if (block_rows < 1) throw std::invalid_argument("block_rows: expected at least 1, found 0");
        const bool two_sides = other_offsets.has_value();
        if (two_sides != other_keys.has_value() || two_sides != other_counts.has_value())
            throw std::invalid_argument("other: expected offsets, keys and counts, or none of them");
        const containment::Rows rows = sets_of(offsets, keys, counts, weights, multiset);
        const containment::Rows others =
            two_sides ? sets_of(*other_offsets, *other_keys, *other_counts, other_weights, multiset)
                      : containment::Rows{};
        containment::Options options{num, den, multiset, threads, max_pairs, slack, block_rows};
        containment::Pairs pairs;
        containment::Work work;
        std::vector<std::uint32_t> first, other_first;
        {
            nb::gil_scoped_release unlocked;
            first = containment::collapse(rows, multiset, threads);
            if (two_sides) other_first = containment::collapse(others, multiset, threads);
            pairs = containment::join(rows, first, two_sides ? &others : nullptr, two_sides ? &other_first : nullptr,
                                      options, &work);
        }
        nb::dict counted;
        counted["indexed"] = work.indexed;
        counted["visited"] = work.visited;
        counted["candidates"] = work.candidates;
        counted["verified"] = work.verified;
        return std::tuple(give(std::move(pairs.left)), give(std::move(pairs.right)), give(std::move(pairs.overlap)),
                          give(std::move(pairs.left_share)), give(std::move(pairs.right_share)),
                          give(std::move(first)), give(std::move(other_first)), counted);
    }, "offsets"_a, "keys"_a, "counts"_a, "weights"_a.none(), "other_offsets"_a.none(), "other_keys"_a.none(),
       "other_counts"_a.none(), "other_weights"_a.none(), "num"_a, "den"_a, "multiset"_a, "threads"_a, "max_pairs"_a,
       "slack"_a, "block_rows"_a,
       "Pairs of distinct documents of which one lies in the other to a share of num/den or more: left, right, "
       "overlap, overlap/size of left, overlap/size of right; then for every document the first with the same "
       "features (of either side), and counts of the work done. OverflowError when there are more than max_pairs.");
}
