#include <nanobind/nanobind.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "arrays.hpp"
#include "minhash.hpp"
#include "modp.hpp"
#include "simhash.hpp"

namespace nb = nanobind;
using namespace samecore;

namespace {

template <class T>
using Rows = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<nb::numpy, T, nb::ndim<2>>;

template <class T>
nb::capsule owner_of(Buffer<T>* owned) {
    if (owned->data() == nullptr) owned->reserve(1);  // numpy wants an address even for nothing
    return nb::capsule(owned, [](void* p) noexcept { delete static_cast<Buffer<T>*>(p); });
}

template <class T>
Out<T> give_list(Buffer<T>&& values) {
    auto* owned = new Buffer<T>(std::move(values));
    const nb::capsule owner = owner_of(owned);
    return Out<T>(owned->data(), {owned->size}, owner);
}

template <class T>
Matrix<T> give_matrix(Buffer<T>&& values, std::size_t rows, std::size_t columns) {
    auto* owned = new Buffer<T>(std::move(values));
    const nb::capsule owner = owner_of(owned);
    return Matrix<T>(owned->data(), {rows, columns}, owner);
}

void expect(bool holds, const std::string& message) {
    if (!holds) throw std::invalid_argument(message);
}

void check_offsets(const In<std::int64_t>& offsets, std::size_t size) {
    expect(offsets.size() >= 1, "offsets: expected one more than there are documents, found none");
    std::int64_t previous = 0;
    for (std::size_t i = 0; i < offsets.size(); ++i) {
        const std::int64_t at = offsets.data()[i];
        expect(at >= previous, "offsets: expected ascending numbers from 0, found " + std::to_string(at) + " at " +
                                   std::to_string(i));
        previous = at;
    }
    expect(static_cast<std::size_t>(previous) <= size,
           "offsets: expected at most " + std::to_string(size) + ", found " + std::to_string(previous));
}

Documents documents_of(const In<std::uint8_t>& data, const In<std::int64_t>& offsets) {
    check_offsets(offsets, data.size());
    return {data.data(), data.size(), offsets.data(), offsets.size() - 1};
}

KeyRows rows_of(const In<std::int64_t>& offsets, const In<std::uint64_t>& keys, const In<std::uint32_t>& counts) {
    check_offsets(offsets, keys.size());
    expect(counts.size() == keys.size(), "counts: expected one for each of the " + std::to_string(keys.size()) +
                                             " keys, found " + std::to_string(counts.size()));
    return {offsets.data(), keys.data(), counts.data(), nullptr, offsets.size() - 1};
}

ShingleOptions shingle_options(std::size_t width, int unit, std::uint64_t seed, int cjk) {
    expect(width >= 1, "width: expected at least 1, found 0");
    expect(unit == 0 || unit == 1, "unit: expected 0 (words) or 1 (characters), found " + std::to_string(unit));
    expect(cjk >= 0 && cjk <= 2, "cjk: expected 0 (bigrams), 1 (words) or 2 (characters), found " + std::to_string(cjk));
    return {width, static_cast<ShingleUnit>(unit), seed, static_cast<Cjk>(cjk)};
}

void check_threads(int threads) {
    expect(threads >= 1 && threads <= 4096, "threads: expected 1 to 4096, found " + std::to_string(threads));
}

void check_slots(std::size_t slots) {
    expect(slots >= 1 && slots <= max_slots,
           "slots: expected 1 to " + std::to_string(max_slots) + ", found " + std::to_string(slots));
}

void check_bits(std::size_t bits) {
    expect(bits >= 64 && bits <= max_simhash_bits && bits % 64 == 0,
           "bits: expected a multiple of 64 up to " + std::to_string(max_simhash_bits) + ", found " + std::to_string(bits));
}

void check_modulus(std::uint64_t modulus) { expect(modulus >= 1, "modulus: expected at least 1, found 0"); }

// Runs work without the interpreter lock and returns its result.
template <class Work>
auto unlocked(Work&& work) {
    nb::gil_scoped_release release;
    return work();
}

template <class Family>
void bind_family(nb::module_& m, const char* of_texts, const char* of_keys, const char* equal) {
    using Value = typename Family::Value;
    m.def(of_texts, [](In<std::uint8_t> data, In<std::int64_t> offsets, std::size_t slots, std::uint64_t seed,
                       std::size_t width, int unit, std::uint64_t shingle_seed, int cjk, int threads) {
            const Documents documents = documents_of(data, offsets);
            const ShingleOptions options = shingle_options(width, unit, shingle_seed, cjk);
            check_slots(slots);
            check_threads(threads);
            return give_matrix(unlocked([&] {
                Buffer<Value> out(documents.count * slots);
                minhash_texts(documents, options, Family(slots, seed), threads, out.data());
                return out;
            }), documents.count, slots);
        }, nb::arg("data"), nb::arg("offsets"), nb::kw_only(), nb::arg("slots") = 128, nb::arg("seed") = 0,
        nb::arg("width") = 5, nb::arg("unit") = 0, nb::arg("shingle_seed") = 0, nb::arg("cjk") = 0,
        nb::arg("threads") = 1, "Minima over the shingles of each text, one row of slots per document.");
    m.def(of_keys, [](In<std::int64_t> offsets, In<std::uint64_t> keys, In<std::uint32_t> counts, std::size_t slots,
                      std::uint64_t seed, bool multiset, int threads) {
            const KeyRows rows = rows_of(offsets, keys, counts);
            check_slots(slots);
            check_threads(threads);
            return give_matrix(unlocked([&] {
                Buffer<Value> out(rows.count * slots);
                minhash_keys(rows, multiset, Family(slots, seed), threads, out.data());
                return out;
            }), rows.count, slots);
        }, nb::arg("offsets"), nb::arg("keys"), nb::arg("counts"), nb::kw_only(), nb::arg("slots") = 128,
        nb::arg("seed") = 0, nb::arg("multiset") = false, nb::arg("threads") = 1,
        "Minima over the keys of each document; with multiset, over its occurrences.");
    m.def(equal, [](Rows<Value> left_rows, Rows<Value> right_rows, In<std::int64_t> left, In<std::int64_t> right,
                    int threads) {
            const std::size_t slots = left_rows.shape(1), pairs = left.size();
            expect(right_rows.shape(1) == slots, "sketches: expected " + std::to_string(slots) +
                                                     " slots on both sides, found " + std::to_string(right_rows.shape(1)));
            expect(right.size() == pairs, "pairs: expected as many on both sides, found " + std::to_string(pairs) +
                                              " and " + std::to_string(right.size()));
            auto inside = [](const In<std::int64_t>& numbers, std::size_t rows) {
                return std::all_of(numbers.data(), numbers.data() + numbers.size(), [&](std::int64_t n) {
                    return n >= 0 && static_cast<std::size_t>(n) < rows;
                });
            };
            expect(inside(left, left_rows.shape(0)) && inside(right, right_rows.shape(0)),
                   "pairs: expected numbers of rows of the sketches");
            check_threads(threads);
            return give_list(unlocked([&] {
                Buffer<std::uint32_t> out(pairs);
                equal_slots(left_rows.data(), right_rows.data(), slots, left.data(), right.data(), pairs, Family::none,
                            threads, out.data());
                return out;
            }));
        }, nb::arg("left_rows"), nb::arg("right_rows"), nb::arg("left"), nb::arg("right"), nb::kw_only(),
        nb::arg("threads") = 1, "In how many slots the rows of each pair agree; those of empty documents never do.");
}

void bind_simhash(nb::module_& m) {
    m.def("simhash_texts", [](In<std::uint8_t> data, In<std::int64_t> offsets, std::size_t bits, std::uint64_t seed,
                              std::size_t width, int unit, std::uint64_t shingle_seed, int cjk, int threads) {
            const Documents documents = documents_of(data, offsets);
            const ShingleOptions options = shingle_options(width, unit, shingle_seed, cjk);
            check_bits(bits);
            check_threads(threads);
            return give_matrix(unlocked([&] {
                Buffer<std::uint64_t> out(documents.count * (bits / 64));
                simhash_texts(documents, options, bits, seed, threads, out.data());
                return out;
            }), documents.count, bits / 64);
        }, nb::arg("data"), nb::arg("offsets"), nb::kw_only(), nb::arg("bits") = 64, nb::arg("seed") = 0,
        nb::arg("width") = 1, nb::arg("unit") = 0, nb::arg("shingle_seed") = 0, nb::arg("cjk") = 0,
        nb::arg("threads") = 1, "SimHash of each text over its shingles, every occurrence weighing 1.");
    m.def("simhash_keys", [](In<std::int64_t> offsets, In<std::uint64_t> keys, In<std::uint32_t> counts,
                             In<std::uint32_t> weights, int weighing, std::size_t bits, std::uint64_t seed, int threads) {
            KeyRows rows = rows_of(offsets, keys, counts);
            expect(weighing >= 0 && weighing <= 2, "weighing: expected 0 (unit), 1 (counts) or 2 (weights), found " +
                                                       std::to_string(weighing));
            expect(weighing < 2 || weights.size() == keys.size(),
                   "weights: expected one for each of the " + std::to_string(keys.size()) + " keys, found " +
                       std::to_string(weights.size()));
            rows.weights = weights.data();
            check_bits(bits);
            check_threads(threads);
            return give_matrix(unlocked([&] {
                Buffer<std::uint64_t> out(rows.count * (bits / 64));
                simhash_keys(rows, static_cast<SimhashWeights>(weighing), bits, seed, threads, out.data());
                return out;
            }), rows.count, bits / 64);
        }, nb::arg("offsets"), nb::arg("keys"), nb::arg("counts"), nb::arg("weights"), nb::kw_only(),
        nb::arg("weighing") = 1, nb::arg("bits") = 64, nb::arg("seed") = 0, nb::arg("threads") = 1,
        "SimHash of each document; a key weighs 1, its count, or its count times its weight.");
}

void bind_modp(nb::module_& m) {
    m.def("modp_texts", [](In<std::uint8_t> data, In<std::int64_t> offsets, std::uint64_t modulus, std::uint64_t seed,
                           std::size_t width, int unit, std::uint64_t shingle_seed, int cjk, int threads) {
            const Documents documents = documents_of(data, offsets);
            const ShingleOptions options = shingle_options(width, unit, shingle_seed, cjk);
            check_modulus(modulus);
            check_threads(threads);
            Csr csr = unlocked([&] { return modp_texts(documents, options, modulus, seed, threads); });
            return nb::make_tuple(give_list(std::move(csr.offsets)), give_list(std::move(csr.keys)),
                                  give_list(std::move(csr.counts)));
        }, nb::arg("data"), nb::arg("offsets"), nb::kw_only(), nb::arg("modulus") = 25, nb::arg("seed") = 0,
        nb::arg("width") = 10, nb::arg("unit") = 0, nb::arg("shingle_seed") = 0, nb::arg("cjk") = 0,
        nb::arg("threads") = 1, "The shingles of each text that belong to the sample: (offsets, keys, counts).");
    m.def("modp_keys", [](In<std::uint64_t> keys, std::uint64_t modulus, std::uint64_t seed) {
            check_modulus(modulus);
            return give_list(unlocked([&] { return modp_keys(keys.data(), keys.size(), modulus, seed); }));
        }, nb::arg("keys"), nb::kw_only(), nb::arg("modulus") = 25, nb::arg("seed") = 0,
        "For each key, 1 if it belongs to the sample.");
}

}  // namespace

void bind_sketch(nb::module_& m) {
    bind_family<Multiply>(m, "minhash_texts", "minhash_keys", "equal_slots");
    bind_family<ModPrime>(m, "minhash_prime_texts", "minhash_prime_keys", "equal_slots_prime");
    bind_simhash(m);
    bind_modp(m);
}
