#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "arrays.hpp"
#include "lsh.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace samecore;

namespace {

using Matrix = nb::ndarray<const std::uint32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using I64 = In<std::int64_t>;
using U64 = In<std::uint64_t>;
using U32 = In<std::uint32_t>;
// Features of one collection: offsets, keys, counts, weights; absent: compare sketches.
using Feature = std::optional<std::tuple<I64, U64, U32, std::optional<U32>>>;

void check_threads(int threads) {
    if (threads < 1) throw std::invalid_argument("threads: expected at least 1, found " + std::to_string(threads));
}

Sketches sketches_of(const Matrix& matrix) {
    if (matrix.shape(1) < 1 || matrix.shape(1) > 1u << 20)
        throw std::invalid_argument("sketches: expected 1 to 2^20 slots, found " + std::to_string(matrix.shape(1)));
    if (matrix.shape(0) >= 0x7fffffffu)
        throw std::invalid_argument("sketches: expected fewer than 2^31 - 1 rows, found " +
                                    std::to_string(matrix.shape(0)));
    return {matrix.data(), matrix.shape(0), matrix.shape(1)};
}

LshSide side_of(const Matrix& matrix, const U32& documents, const Feature& features, int threads) {
    LshSide side{sketches_of(matrix), {}, documents.data(), documents.size()};
    for (std::size_t i = 0; i < documents.size(); ++i)
        if (documents.data()[i] >= matrix.shape(0) || (i > 0 && documents.data()[i] <= documents.data()[i - 1]))
            throw std::invalid_argument("documents: expected ascending and below " + std::to_string(matrix.shape(0)) +
                                        ", found " + std::to_string(documents.data()[i]));
    if (!features) return side;
    const auto& [offsets, keys, counts, weights] = *features;
    if (offsets.size() != matrix.shape(0) + 1)
        throw std::invalid_argument("features: expected " + std::to_string(matrix.shape(0)) +
                                    " documents, one per sketch, found " +
                                    std::to_string(static_cast<std::int64_t>(offsets.size()) - 1));
    if (counts.size() != keys.size() || (weights && weights->size() != keys.size()))
        throw std::invalid_argument("features: expected one count and one weight per key");
    side.rows = {offsets.data(), keys.data(), counts.data(), weights ? weights->data() : nullptr, offsets.size() - 1};
    nb::gil_scoped_release unlocked;
    check_rows(side.rows, keys.size(), threads);
    return side;
}

}  // namespace

void bind_lsh(nb::module_& m) {
    m.def("lsh_join", [](Matrix sketches, U32 documents, Feature features, std::optional<Matrix> other,
                         std::optional<U32> other_documents, Feature other_features, std::size_t bands,
                         std::size_t rows, std::uint64_t num, std::uint64_t den, bool multiset, int threads, bool forest,
                         std::uint64_t max_pairs, std::size_t bucket_limit, std::uint64_t forest_budget) {
        check_threads(threads);
        if (num == 0 || num > den || den >= 0x80000000ull)
            throw std::invalid_argument("threshold: expected 0 < num <= den < 2^31, found " + std::to_string(num) +
                                        "/" + std::to_string(den));
        if (bands < 1 || rows < 1 || bands > sketches.shape(1) / rows)
            throw std::invalid_argument("bands and rows: expected at least 1 each and a product of at most " +
                                        std::to_string(sketches.shape(1)) + " slots, found " + std::to_string(bands) +
                                        " x " + std::to_string(rows));
        if (bucket_limit < 2 || bucket_limit > 0x7fffffffu)
            throw std::invalid_argument("bucket_limit: expected 2 to 2^31 - 1, found " + std::to_string(bucket_limit));
        if (other.has_value() != other_documents.has_value())
            throw std::invalid_argument("other_documents: expected with other sketches, and only then");
        if (other && (other->shape(1) != sketches.shape(1) || features.has_value() != other_features.has_value()))
            throw std::invalid_argument("other: expected as many slots as the sketches have, and features if they have some");
        if (features && other_features && std::get<3>(*features).has_value() != std::get<3>(*other_features).has_value())
            throw std::invalid_argument("weights: expected on both sides or on none");
        std::vector<LshSide> sides{side_of(sketches, documents, features, threads)};
        if (other) sides.push_back(side_of(*other, *other_documents, other_features, threads));
        LshOptions options;
        options.bands = bands;
        options.rows = rows;
        options.threshold = {num, den};
        options.multiset = multiset;
        options.verify = features.has_value();
        options.forest = forest;
        options.threads = threads;
        options.max_pairs = max_pairs;
        options.bucket_limit = bucket_limit;
        options.forest_budget = forest_budget;
        LshResult result;
        {
            nb::gil_scoped_release unlocked;
            result = lsh_join(sides, options);
        }
        const LshCounts& counts = result.counts;
        return std::tuple(
            std::tuple(give(std::move(result.pairs.left)), give(std::move(result.pairs.right)),
                       give(std::move(result.pairs.score)), give(std::move(result.pairs.overlap))),
            std::tuple(counts.candidates, counts.verified, counts.largest_bucket, counts.large_buckets,
                       counts.large_contents, counts.linked));
    }, "sketches"_a, "documents"_a, "features"_a.none(), "other"_a.none(), "other_documents"_a.none(),
       "other_features"_a.none(), "bands"_a, "rows"_a, "num"_a, "den"_a, "multiset"_a, "threads"_a, "forest"_a,
       "max_pairs"_a, "bucket_limit"_a, "forest_budget"_a,
       "Pairs (left, right, score, overlap) that agree in a band and reach num/den, and the counts "
       "(candidates, verified, largest bucket, large buckets, contents in them, linked). "
       "OverflowError when there are more than max_pairs.");

    m.def("collapse_sketches", [](Matrix sketches, int threads) {
        check_threads(threads);
        const Sketches view = sketches_of(sketches);
        std::vector<std::uint32_t> result;
        {
            nb::gil_scoped_release unlocked;
            result = collapse_sketches(view, threads);
        }
        return give(std::move(result));
    }, "sketches"_a, "threads"_a, "For every sketch the first equal one; those of empty documents stay apart.");
}
