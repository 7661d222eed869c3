#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>

#include <stdexcept>
#include <string>
#include <tuple>

#include "arrays.hpp"
#include "procedures.hpp"

namespace nb = nanobind;

namespace samecore {
namespace {

void expect(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

Rows check(const In<std::int64_t>& offsets, const In<std::uint32_t>& ids, const In<std::uint32_t>& counts,
           std::size_t elements) {
    expect(offsets.size() >= 1 && offsets.data()[0] == 0, "offsets: expected to start with 0");
    const std::size_t documents = offsets.size() - 1;
    expect(documents < 0xffffffffu && elements < 0xffffffffu, "expected fewer than 2^32 - 1 documents and elements");
    expect(static_cast<std::size_t>(offsets.data()[documents]) == ids.size() && counts.size() == ids.size(),
           "offsets: expected to end at the number of ids and of counts");
    for (std::size_t d = 0; d < documents; ++d) {
        const std::int64_t begin = offsets.data()[d], end = offsets.data()[d + 1];
        expect(begin <= end && end <= static_cast<std::int64_t>(ids.size()), "offsets: expected to ascend");
        std::uint64_t size = 0;
        for (std::int64_t at = begin; at < end; ++at) {
            expect(ids.data()[at] < elements && (at == begin || ids.data()[at - 1] < ids.data()[at]),
                   "ids: expected to ascend within a document, below the number of elements");
            expect(counts.data()[at] > 0, "counts: expected at least 1");
            size += counts.data()[at];
        }
        expect(size < 0x80000000u, "counts: expected documents of fewer than 2^31 signatures");
    }
    return {documents, elements, offsets.data(), ids.data(), counts.data()};
}

auto match(const In<std::int64_t>& offsets, const In<std::uint32_t>& ids, const In<std::uint32_t>& counts,
           std::size_t elements, const In<std::uint32_t>& order, std::uint32_t num, std::uint32_t den, bool full,
           bool best, bool add_duplicates, bool size_bound, std::size_t seeds) {
    const Rows rows = check(offsets, ids, counts, elements);
    expect(order.size() == rows.documents, "order: expected every document once");
    expect(num > 0 && num <= den && den < 0x80000000u, "threshold: expected a fraction above 0 and at most 1");
    Matched found;
    {
        nb::gil_scoped_release unlocked;
        found = match_in_order(rows, order.data(), {full, best, add_duplicates, size_bound, seeds, num, den});
    }
    return std::make_tuple(give(std::move(found.partner)), give(std::move(found.overlap)),
                           give(std::move(found.collisions)), give(std::move(found.compared)),
                           give(std::move(found.indexed)), give(std::move(found.seconds)));
}

}  // namespace
}  // namespace samecore

void bind_procedures(nb::module_& m) {
    m.def("match_in_order", &samecore::match, nb::arg("offsets"), nb::arg("ids"), nb::arg("counts"),
          nb::arg("elements"), nb::arg("order"), nb::arg("num"), nb::arg("den"), nb::arg("full"), nb::arg("best"),
          nb::arg("add_duplicates"), nb::arg("size_bound"), nb::arg("seeds"),
          "Documents against an index in the given order: partner, overlap, collisions, compared, indexed, seconds.");
}
