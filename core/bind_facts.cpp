#include <nanobind/nanobind.h>

#include <stdexcept>
#include <string>

#include "arrays.hpp"
#include "facts.hpp"

namespace nb = nanobind;
using namespace samecore;

namespace {

using Bytes = In<std::uint8_t>;
using Ends = In<std::int64_t>;

void expect(bool holds, const std::string& message) {
    if (!holds) throw std::invalid_argument(message);
}

template <class T>
Out<T> give_buffer(Buffer<T>&& values) {
    auto* owned = new Buffer<T>(std::move(values));
    if (owned->data() == nullptr) owned->reserve(1);
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<Buffer<T>*>(p); });
    return Out<T>(owned->data(), {owned->size}, owner);
}

Documents texts_of(const char* name, const Bytes& data, const Ends& offsets, std::size_t documents) {
    expect(offsets.size() == documents + 1, std::string(name) + ": expected one for each of " + std::to_string(documents) +
                                                " documents, found " + std::to_string(offsets.size()) + " offsets");
    std::int64_t previous = 0;
    for (std::size_t i = 0; i < offsets.size(); ++i) {
        expect(offsets.data()[i] >= previous, std::string(name) + ": expected ascending offsets from 0");
        previous = offsets.data()[i];
    }
    expect(static_cast<std::size_t>(previous) <= data.size(), std::string(name) + ": expected offsets within the data");
    return {data.data(), data.size(), offsets.data(), documents};
}

FactOptions options_of(std::size_t k, const SpotTable& spots, const CodeTable& grams, const CodeTable& words,
                       const CodeTable& queries, int threads) {
    expect(k >= 1 && k <= max_gram, "k: expected 1 to " + std::to_string(max_gram) + ", found " + std::to_string(k));
    expect(threads >= 1, "threads: expected at least 1, found " + std::to_string(threads));
    return {k, &spots, &grams, &words, &queries};
}

}  // namespace

void bind_facts(nb::module_& m) {
    m.attr("FACT_COUNT") = static_cast<int>(fact_count);
    nb::class_<CodeTable>(m, "CodeTable", "From the leading 40 bits of a key to a code; 0 for keys not listed.")
        .def("__init__", [](CodeTable* self, In<std::uint64_t> prefixes, Bytes codes) {
            expect(prefixes.size() == codes.size(), "codes: expected one per prefix, " + std::to_string(prefixes.size()) +
                                                        ", found " + std::to_string(codes.size()));
            for (std::size_t i = 0; i < prefixes.size(); ++i)
                expect(prefixes.data()[i] >> CodeTable::prefix_bits == 0 &&
                           (i == 0 || prefixes.data()[i - 1] < prefixes.data()[i]),
                       "prefixes: expected ascending numbers below 2**40");
            new (self) CodeTable(prefixes.data(), codes.data(), prefixes.size());
        }, nb::arg("prefixes"), nb::arg("codes"))
        .def("__len__", &CodeTable::size);
    m.def("facts", [](Bytes data, Ends offsets, Bytes title_data, Ends title_offsets, Bytes url_data, Ends url_offsets,
                      const SpotTable& spots, const CodeTable& grams, const CodeTable& words, const CodeTable& queries,
                      std::size_t k, int threads) {
            expect(offsets.size() >= 1, "offsets: expected one more than there are documents, found none");
            const Documents texts = texts_of("offsets", data, offsets, offsets.size() - 1);
            const Documents titles = texts_of("titles", title_data, title_offsets, texts.count);
            const Documents urls = texts_of("urls", url_data, url_offsets, texts.count);
            const FactOptions options = options_of(k, spots, grams, words, queries, threads);
            FactCsr found;
            {
                nb::gil_scoped_release unlocked;
                found = extract_facts(texts, titles, urls, options, threads);
            }
            return nb::make_tuple(give_buffer(std::move(found.features.offsets)), give_buffer(std::move(found.features.keys)),
                                  give_buffer(std::move(found.features.counts)), give_buffer(std::move(found.codes)));
        }, nb::arg("data"), nb::arg("offsets"), nb::arg("title_data"), nb::arg("title_offsets"), nb::arg("url_data"),
        nb::arg("url_offsets"), nb::arg("spots"), nb::arg("grams"), nb::arg("words"), nb::arg("queries"), nb::kw_only(),
        nb::arg("k") = 1, nb::arg("threads") = 1,
        "Facts of every k-gram as (offsets[n + 1], keys, counts, codes[keys * FACT_COUNT]).");
    m.def("weigh_facts", [](Bytes data, Ends offsets, Bytes title_data, Ends title_offsets, Bytes url_data,
                            Ends url_offsets, const SpotTable& spots, const CodeTable& grams, const CodeTable& words,
                            const CodeTable& queries, In<std::int32_t> singles, In<std::int64_t> product_facts,
                            In<std::int32_t> products, std::size_t k, std::size_t active, int threads) {
            expect(offsets.size() >= 1, "offsets: expected one more than there are documents, found none");
            const Documents texts = texts_of("offsets", data, offsets, offsets.size() - 1);
            const Documents titles = texts_of("titles", title_data, title_offsets, texts.count);
            const Documents urls = texts_of("urls", url_data, url_offsets, texts.count);
            const FactOptions options = options_of(k, spots, grams, words, queries, threads);
            expect(singles.size() == fact_count * 256, "singles: expected 256 for each fact, found " + std::to_string(singles.size()));
            expect(product_facts.size() % 2 == 0 && products.size() == product_facts.size() * 256,
                   "products: expected two facts and two tables of 256 for each product");
            FactWeights weights{singles.data(), {}, active};
            for (std::size_t p = 0; p < product_facts.size(); p += 2) {
                const std::int64_t left = product_facts.data()[p], right = product_facts.data()[p + 1];
                expect(left >= 0 && right >= 0 && left < static_cast<std::int64_t>(fact_count) &&
                           right < static_cast<std::int64_t>(fact_count),
                       "product_facts: expected numbers of facts");
                weights.products.push_back({static_cast<std::size_t>(left), static_cast<std::size_t>(right),
                                            products.data() + p * 256, products.data() + (p + 1) * 256});
            }
            Csr found;
            {
                nb::gil_scoped_release unlocked;
                found = weigh_documents(texts, titles, urls, options, weights, threads);
            }
            return nb::make_tuple(give_buffer(std::move(found.offsets)), give_buffer(std::move(found.keys)),
                                  give_buffer(std::move(found.counts)));
        }, nb::arg("data"), nb::arg("offsets"), nb::arg("title_data"), nb::arg("title_offsets"), nb::arg("url_data"),
        nb::arg("url_offsets"), nb::arg("spots"), nb::arg("grams"), nb::arg("words"), nb::arg("queries"),
        nb::arg("singles"), nb::arg("product_facts"), nb::arg("products"), nb::kw_only(), nb::arg("k") = 1,
        nb::arg("active") = 0, nb::arg("threads") = 1,
        "Weighted k-grams as (offsets[n + 1], keys, counts); see core/facts.hpp.");
}
