#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <stdexcept>
#include <string>

#include "arrays.hpp"
#include "hamming.hpp"

namespace nb = nanobind;

namespace {

using namespace samecore;
using Matrix = nb::ndarray<const std::uint64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

Fingerprints view(const Matrix& rows) {
    if (rows.shape(1) < 1 || rows.shape(1) > 64)
        throw std::invalid_argument("fingerprints: expected 1 to 64 words (64 to 4096 bits) a row, found " +
                                    std::to_string(rows.shape(1)));
    if (rows.shape(0) >= 0xffffffffu)
        throw std::invalid_argument("fingerprints: expected fewer than 2**32 - 1 rows, found " +
                                    std::to_string(rows.shape(0)));
    return {rows.data(), rows.shape(0), rows.shape(1)};
}

int check_threads(int threads) {
    if (threads < 1) throw std::invalid_argument("threads: expected at least 1, found " + std::to_string(threads));
    return threads;
}

HammingOptions options_of(std::uint32_t limit, std::uint64_t max_pairs, int threads, const std::string& method) {
    HammingOptions options;
    options.limit = limit;
    options.max_pairs = max_pairs;
    options.threads = check_threads(threads);
    options.level = cpu_level();
    if (method == "tables")
        options.method = HammingMethod::tables;
    else if (method == "brute")
        options.method = HammingMethod::brute;
    else if (method != "auto")
        throw std::invalid_argument("method: expected 'auto', 'tables' or 'brute', found '" + method + "'");
    return options;
}

nb::tuple give_pairs(HammingPairs&& pairs) {
    return nb::make_tuple(give(std::move(pairs.left)), give(std::move(pairs.right)), give(std::move(pairs.distance)));
}

HammingGrouping check_grouping(const In<std::uint32_t>& group, std::size_t groups) {
    for (std::size_t i = 0; i < group.shape(0); ++i)
        if (group.data()[i] >= groups)
            throw std::invalid_argument("group: expected numbers below " + std::to_string(groups) + ", found " +
                                        std::to_string(group.data()[i]));
    return {group.data(), group.shape(0), groups};
}

}  // namespace

void bind_hamming(nb::module_& m) {
    m.def(
        "hamming_distinct",
        [](const Matrix& rows, int threads) {
            const Fingerprints all = view(rows);
            check_threads(threads);
            HammingDistinct result;
            {
                nb::gil_scoped_release release;
                result = hamming_distinct(all, threads);
            }
            return nb::make_tuple(give(std::move(result.group)), give(std::move(result.first)));
        },
        nb::arg("rows"), nb::arg("threads"),
        "(group uint32[n], first uint32[g]): the content number of each row, and the first row of each content.");
    m.def(
        "hamming_join",
        [](const Matrix& rows, std::uint32_t limit, std::uint64_t max_pairs, int threads, const std::string& method) {
            const Fingerprints all = view(rows);
            const HammingOptions options = options_of(limit, max_pairs, threads, method);
            HammingPairs pairs;
            {
                nb::gil_scoped_release release;
                pairs = hamming_join(all, options);
            }
            return give_pairs(std::move(pairs));
        },
        nb::arg("rows"), nb::arg("limit"), nb::arg("max_pairs"), nb::arg("threads"), nb::arg("method"),
        "(left uint32, right uint32, distance uint16) of all pairs within `limit` bits, left < right, in order.");
    m.def(
        "hamming_look_up",
        [](const Matrix& queries, const Matrix& stored, std::uint32_t limit, std::uint64_t max_pairs, int threads,
           const std::string& method) {
            const Fingerprints left = view(queries);
            const Fingerprints right = view(stored);
            if (left.words != right.words)
                throw std::invalid_argument("queries: expected " + std::to_string(right.words * 64) +
                                            " bits like the stored fingerprints, found " +
                                            std::to_string(left.words * 64));
            if (left.count + right.count >= 0xffffffffu)
                throw std::invalid_argument("queries and stored: expected fewer than 2**32 - 1 rows together");
            const HammingOptions options = options_of(limit, max_pairs, threads, method);
            HammingPairs pairs;
            {
                nb::gil_scoped_release release;
                pairs = hamming_look_up(left, right, options);
            }
            return give_pairs(std::move(pairs));
        },
        nb::arg("queries"), nb::arg("stored"), nb::arg("limit"), nb::arg("max_pairs"), nb::arg("threads"),
        nb::arg("method"), "(query uint32, stored uint32, distance uint16) of all pairs within `limit` bits, in order.");
    m.def(
        "hamming_expand",
        [](const In<std::uint32_t>& left_group, std::size_t left_groups, const In<std::uint32_t>& right_group,
           std::size_t right_groups, const In<std::uint32_t>& left, const In<std::uint32_t>& right,
           const In<std::uint16_t>& distance, bool self, int threads) {
            const HammingGrouping first = check_grouping(left_group, left_groups);
            const HammingGrouping second = check_grouping(right_group, right_groups);
            check_threads(threads);
            const std::size_t count = left.shape(0);
            if (right.shape(0) != count || distance.shape(0) != count)
                throw std::invalid_argument("pairs: expected left, right and distance of one length");
            for (std::size_t p = 0; p < count; ++p)
                if (left.data()[p] >= left_groups || right.data()[p] >= (self ? left_groups : right_groups))
                    throw std::invalid_argument("pairs: expected group numbers, found one beyond the groups");
            HammingPairs pairs;
            {
                nb::gil_scoped_release release;
                pairs = hamming_expand(first, second, left.data(), right.data(), distance.data(), count, self, threads);
            }
            return give_pairs(std::move(pairs));
        },
        nb::arg("left_group"), nb::arg("left_groups"), nb::arg("right_group"), nb::arg("right_groups"),
        nb::arg("left"), nb::arg("right"), nb::arg("distance"), nb::arg("self"), nb::arg("threads"),
        "Pairs of groups turned into pairs of documents (left, right, distance), in order; a self join adds "
        "the pairs inside each group.");
}
