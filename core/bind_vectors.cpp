#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "arrays.hpp"
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
}
