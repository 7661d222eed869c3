#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <stdexcept>
#include <string>

#include "arrays.hpp"
#include "hash.hpp"
#include "html.hpp"
#include "shingles.hpp"
#include "spots.hpp"
#include "tokens_batch.hpp"

namespace nb = nanobind;
using namespace samecore;

namespace {

// Hands a buffer's memory to numpy; the array frees it. Call with the lock held.
template <class T>
Out<T> give_buffer(Buffer<T>&& values) {
    auto* owned = new Buffer<T>(std::move(values));
    if (owned->data() == nullptr) owned->reserve(1);  // numpy wants an address even for nothing
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<Buffer<T>*>(p); });
    return Out<T>(owned->data(), {owned->size}, owner);
}

void expect(bool holds, const std::string& message) {
    if (!holds) throw std::invalid_argument(message);
}

Documents documents_of(const In<std::uint8_t>& data, const In<std::int64_t>& offsets) {
    expect(offsets.size() >= 1, "offsets: expected one more than there are documents, found none");
    const std::int64_t* at = offsets.data();
    const std::size_t count = offsets.size() - 1;
    std::int64_t previous = 0;
    for (std::size_t i = 0; i <= count; ++i) {
        expect(at[i] >= previous, "offsets: expected ascending numbers from 0, found " + std::to_string(at[i]) +
                                      " at " + std::to_string(i));
        previous = at[i];
    }
    expect(static_cast<std::size_t>(previous) <= data.size(),
           "offsets: expected at most the " + std::to_string(data.size()) + " bytes of data, found " +
               std::to_string(previous));
    return {data.data(), data.size(), at, count};
}

int checked_threads(int threads) {
    expect(threads >= 1 && threads <= 4096, "threads: expected 1 to 4096, found " + std::to_string(threads));
    return threads;
}

Cjk checked_cjk(int cjk) {
    expect(cjk >= 0 && cjk <= 2, "cjk: expected 0 (bigrams), 1 (words) or 2 (characters), found " + std::to_string(cjk));
    return static_cast<Cjk>(cjk);
}

ShingleOptions shingle_options(std::size_t width, int unit, std::uint64_t seed, int cjk) {
    expect(width >= 1, "width: expected at least 1, found 0");
    expect(unit == 0 || unit == 1, "unit: expected 0 (words) or 1 (characters), found " + std::to_string(unit));
    return {width, static_cast<ShingleUnit>(unit), seed, checked_cjk(cjk)};
}

nb::tuple give_csr(Csr&& csr, bool places) {
    nb::object placed = nb::none();
    if (places) placed = nb::cast(give_buffer(std::move(csr.places)));
    return nb::make_tuple(give_buffer(std::move(csr.offsets)), give_buffer(std::move(csr.keys)),
                          give_buffer(std::move(csr.counts)), placed);
}

// Runs work without the interpreter lock and returns its result.
template <class Work>
auto unlocked(Work&& work) {
    nb::gil_scoped_release release;
    return work();
}

void bind_html(nb::module_& m) {
    m.def("measure_html", [](nb::bytes page) {
            const auto* bytes = reinterpret_cast<const std::uint8_t*>(page.c_str());
            const std::size_t size = page.size();
            const HtmlMeasure found = unlocked([&] { return measure_html(bytes, size); });
            return nb::make_tuple(found.tags, found.depth, found.longest, found.cells);
        }, nb::arg("page"),
        "Of an HTML page: the number of '<', the most tags open at once, the bytes from one '<' to the next at most, "
        "and whether there are table cells.");
}

void bind_tokens(nb::module_& m) {
    m.def("unicode_version", &unicode_version, "Version of the Unicode tables that define a word.");
    m.def("hash_word", [](nb::bytes word, std::uint64_t seed) {
            return hash_bytes(reinterpret_cast<const std::uint8_t*>(word.c_str()), word.size(), seed);
        }, nb::arg("word"), nb::arg("seed") = 0, "The hash of a normalised word's UTF-8 bytes.");
    m.def("code_point_classes", [] {
            Buffer<std::uint8_t> classes(0x110000);
            const Unicode& unicode = Unicode::get();
            for (std::uint32_t c = 0; c < 0x110000; ++c)
                classes[c] = unicode.folded(c).several() ? 6 : static_cast<std::uint8_t>(unicode.folded(c).kind());
            return give_buffer(std::move(classes));
        }, "For each code point after folding: 0 separator, 1 word, 2 mark, 3 unspaced script, 4 ignored, "
           "5 unassigned, 6 several.");
    m.def("tokens", [](In<std::uint8_t> data, In<std::int64_t> offsets, std::uint64_t seed, int cjk, int threads) {
            const Documents documents = documents_of(data, offsets);
            const Cjk mode = checked_cjk(cjk);
            checked_threads(threads);
            TokenBatch batch = unlocked([&] { return tokenize(documents, seed, mode, threads); });
            return nb::make_tuple(give_buffer(std::move(batch.offsets)), give_buffer(std::move(batch.hashes)),
                                  give_buffer(std::move(batch.starts)), give_buffer(std::move(batch.ends)));
        }, nb::arg("data"), nb::arg("offsets"), nb::kw_only(), nb::arg("seed") = 0, nb::arg("cjk") = 0,
        nb::arg("threads") = 1,
        "Words as (offsets[n + 1], hashes, starts, ends); starts and ends are bytes of data.");
    m.def("words", [](In<std::uint8_t> data, In<std::int64_t> offsets, int cjk) {
            const Documents documents = documents_of(data, offsets);
            const Cjk mode = checked_cjk(cjk);
            WordBatch batch = unlocked([&] { return normalized_words(documents, mode); });
            return nb::make_tuple(give_buffer(std::move(batch.offsets)), give_buffer(std::move(batch.word_offsets)),
                                  give_buffer(std::move(batch.text)));
        }, nb::arg("data"), nb::arg("offsets"), nb::kw_only(), nb::arg("cjk") = 0,
        "Normalised words as (offsets[n + 1] into word_offsets, word_offsets into text, text).");
    m.def("word_frequencies", [](In<std::uint8_t> data, In<std::int64_t> offsets, std::uint64_t seed, int cjk,
                                 int threads) {
            const Documents documents = documents_of(data, offsets);
            const Cjk mode = checked_cjk(cjk);
            checked_threads(threads);
            WordFrequencies found = unlocked([&] { return word_frequencies(documents, seed, mode, threads); });
            return nb::make_tuple(give_buffer(std::move(found.hashes)), give_buffer(std::move(found.occurrences)),
                                  give_buffer(std::move(found.documents)), give_buffer(std::move(found.starts)),
                                  give_buffer(std::move(found.ends)));
        }, nb::arg("data"), nb::arg("offsets"), nb::kw_only(), nb::arg("seed") = 0, nb::arg("cjk") = 0,
        nb::arg("threads") = 1,
        "Distinct words as (hashes ascending, occurrences, documents, starts, ends of the first place).");
}

void bind_spots(nb::module_& m) {
    nb::class_<SpotTable>(m, "SpotTable", "Antecedents and stop words of up to 40 languages, compiled.")
        .def("__init__", [](SpotTable* self, In<std::uint8_t> data, In<std::int64_t> offsets,
                            In<std::uint64_t> stop_masks, In<std::uint8_t> weights, In<std::uint32_t> spec_words,
                            In<std::uint8_t> spec_languages, In<std::int64_t> step_offsets, In<std::uint32_t> steps,
                            std::size_t languages, bool skip_stop_words, bool partial, int key, int cjk,
                            std::uint64_t seed, std::uint32_t least, bool otherwise) {
                const Documents words = documents_of(data, offsets);
                expect(stop_masks.size() == words.count && weights.size() == words.count,
                       "stop_masks, weights: expected one per word");
                expect(spec_languages.size() == spec_words.size() && step_offsets.size() == spec_words.size() + 1,
                       "spec_languages, step_offsets: expected one per specification (and one more offset)");
                for (std::size_t i = 0; i + 1 < step_offsets.size(); ++i)
                    expect(step_offsets.data()[i] <= step_offsets.data()[i + 1], "step_offsets: expected ascending");
                expect(step_offsets.data()[0] >= 0 &&
                           step_offsets.data()[step_offsets.size() - 1] <= static_cast<std::int64_t>(steps.size()),
                       "step_offsets: expected to lie within steps");
                expect(key >= 0 && key <= 2, "key: expected 0 (antecedent), 1 (spot) or 2 (chain), found " + std::to_string(key));
                expect(checked_cjk(cjk) != Cjk::characters, "cjk: expected 0 (bigrams) or 1 (words), found 2");
                const SpotWords given{words, stop_masks.data(), weights.data(), spec_words.data(),
                                      spec_languages.data(), step_offsets.data(), steps.data(),
                                      spec_words.size(), languages};
                const SpotOptions options{skip_stop_words, partial, static_cast<SpotKey>(key),
                                          static_cast<Cjk>(cjk), seed, least, otherwise};
                new (self) SpotTable(given, options);
            }, nb::arg("data"), nb::arg("offsets"), nb::arg("stop_masks"), nb::arg("weights"), nb::arg("spec_words"),
            nb::arg("spec_languages"), nb::arg("step_offsets"), nb::arg("steps"), nb::arg("languages"), nb::kw_only(),
            nb::arg("skip_stop_words") = true, nb::arg("partial") = true, nb::arg("key") = 0, nb::arg("cjk") = 0,
            nb::arg("seed") = 0, nb::arg("least") = 0, nb::arg("otherwise") = false);
    m.def("spots", [](In<std::uint8_t> data, In<std::int64_t> offsets, const SpotTable& table, bool places,
                      int threads) {
            const Documents documents = documents_of(data, offsets);
            checked_threads(threads);
            SpotCsr found = unlocked([&] { return extract_spots(documents, table, places, threads); });
            return nb::make_tuple(give_csr(std::move(found.features), places), give_buffer(std::move(found.languages)));
        }, nb::arg("data"), nb::arg("offsets"), nb::arg("table"), nb::kw_only(), nb::arg("places") = false,
        nb::arg("threads") = 1,
        "Spot signatures as ((offsets[n + 1], keys, counts, places), language[n]); language 255 = unknown, places "
        "None if not asked for.");
    m.def("spot_occurrences", [](In<std::uint8_t> data, const SpotTable& table) {
            SpotOccurrences found = unlocked([&] { return spot_occurrences(data.data(), data.size(), table); });
            return nb::make_tuple(static_cast<int>(found.language), give_buffer(std::move(found.keys)),
                                  give_buffer(std::move(found.antecedents)),
                                  give_buffer(std::move(found.antecedent_starts)),
                                  give_buffer(std::move(found.antecedent_ends)), give_buffer(std::move(found.starts)),
                                  give_buffer(std::move(found.ends)), give_buffer(std::move(found.chain_offsets)),
                                  give_buffer(std::move(found.chain_tokens)));
        }, nb::arg("data"), nb::arg("table"),
        "Spots of one document in text order: (language, keys, antecedents, antecedent_starts, antecedent_ends, "
        "starts, ends, chain_offsets, chain_tokens); antecedents number the table's words, starts and ends are bytes.");
}

void bind_shingles(nb::module_& m) {
    m.def("shingles", [](In<std::uint8_t> data, In<std::int64_t> offsets, std::size_t width, int unit,
                         std::uint64_t seed, int cjk, bool places, int threads) {
            const Documents documents = documents_of(data, offsets);
            const ShingleOptions options = shingle_options(width, unit, seed, cjk);
            checked_threads(threads);
            return give_csr(unlocked([&] { return extract_shingles(documents, options, places, threads); }), places);
        }, nb::arg("data"), nb::arg("offsets"), nb::kw_only(), nb::arg("width") = 5, nb::arg("unit") = 0,
        nb::arg("seed") = 0, nb::arg("cjk") = 0, nb::arg("places") = false, nb::arg("threads") = 1,
        "Shingles of width words (unit 0) or characters (unit 1) as (offsets[n + 1], keys, counts, places); places "
        "None if not asked for.");
    m.def("shingle_occurrences", [](In<std::uint8_t> data, std::size_t width, int unit, std::uint64_t seed, int cjk) {
            const ShingleOptions options = shingle_options(width, unit, seed, cjk);
            ShingleOccurrences found = unlocked([&] { return shingle_occurrences(data.data(), data.size(), options); });
            return nb::make_tuple(give_buffer(std::move(found.keys)), give_buffer(std::move(found.starts)),
                                  give_buffer(std::move(found.ends)));
        }, nb::arg("data"), nb::kw_only(), nb::arg("width") = 5, nb::arg("unit") = 0, nb::arg("seed") = 0,
        nb::arg("cjk") = 0, "Shingles of one document in text order: (keys, starts, ends), bytes.");
}

}  // namespace

void bind_text(nb::module_& m) {
    bind_html(m);
    bind_tokens(m);
    bind_spots(m);
    bind_shingles(m);
}
