// The sketch kernels without Python: what a sanitizer build runs. Values are checked in
// depth by the Python twins; here every instruction set must agree on every edge.
#include <cstdio>
#include <cstdlib>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "cpu.hpp"
#include "minhash.hpp"
#include "modp.hpp"
#include "simhash.hpp"

using namespace samecore;

namespace {

void check(bool holds, const char* what, int line) {
    if (holds) return;
    std::fprintf(stderr, "test_sketch.cpp:%d: %s\n", line, what);
    std::exit(1);
}
#define CHECK(condition) check((condition), #condition, __LINE__)

template <class Kernel>
std::vector<Kernel> kernels(Kernel portable, [[maybe_unused]] Kernel avx2, [[maybe_unused]] Kernel avx512) {
    std::vector<Kernel> found{portable};
#if defined(SAMECORE_X86)
    if (cpu_level() >= CpuLevel::avx2) found.push_back(avx2);
    if (cpu_level() >= CpuLevel::avx512) found.push_back(avx512);
#endif
    return found;
}

#if defined(SAMECORE_X86)
const auto minhashes = kernels<MinhashUpdate>(minhash_portable, minhash_avx2, minhash_avx512);
const auto simhashes = kernels<SimhashUpdate>(simhash_portable, simhash_avx2, simhash_avx512);
#else
const auto minhashes = kernels<MinhashUpdate>(minhash_portable, nullptr, nullptr);
const auto simhashes = kernels<SimhashUpdate>(simhash_portable, nullptr, nullptr);
#endif

void test_gears_agree() {
    std::mt19937_64 random(3);
    for (const std::size_t count : {0, 1, 2, 3, 4, 5, 7, 8, 9, 255, 256}) {
        // Vectors with not one element to spare, so that a sanitizer sees any read past the end.
        std::vector<std::uint64_t> keys(count);
        std::vector<std::uint32_t> weights(count);
        for (auto& key : keys) key = random();
        for (auto& weight : weights) weight = static_cast<std::uint32_t>(random() % (1u << 23));
        for (const std::size_t slots : {1, 16, 17, 64, 79, 80, 128, 130, 208, 256}) {
            const Multiply family(slots, random());
            std::vector<std::vector<std::uint32_t>> found;
            for (const MinhashUpdate update : minhashes) {
                found.emplace_back(family.padded, Multiply::highest);
                update(family.factors.data(), family.blenders.data(), family.padded, family.mask, keys.data(), count, found.back().data());
                CHECK(found.back() == found.front());
            }
        }
        std::vector<std::vector<std::uint32_t>> sums;
        for (const SimhashUpdate update : simhashes) {
            sums.emplace_back(64, 7);
            update(count, keys.data(), weights.data(), count, sums.back().data());
            CHECK(sums.back() == sums.front());
        }
    }
}

void test_documents() {
    std::string text;
    std::vector<std::int64_t> offsets{0};
    for (const int words : {0, 1, 4, 5, 6, 259, 260, 261, 3000, 0}) {
        for (int i = 0; i < words; ++i) text += "w" + std::to_string(i % 700) + (i % 9 ? " " : " é中日 ");
        offsets.push_back(static_cast<std::int64_t>(text.size()));
    }
    const std::vector<std::uint8_t> bytes(text.begin(), text.end());
    const Documents documents{bytes.data(), bytes.size(), offsets.data(), offsets.size() - 1};
    const ShingleOptions options;
    const Csr csr = extract_shingles(documents, options, false, 1);
    const KeyRows rows{csr.offsets.data(), csr.keys.data(), csr.counts.data(), csr.counts.data(), documents.count};
    const std::size_t n = documents.count, slots = 70;
    const Multiply fast(slots, 1);
    const ModPrime prime(slots, 1);
    std::vector<std::uint32_t> first(n * slots);
    std::vector<std::uint64_t> first_prime(n * slots), first_bits(n * 2);
    minhash_texts(documents, options, fast, 1, first.data());
    minhash_texts(documents, options, prime, 1, first_prime.data());
    simhash_texts(documents, options, 128, 1, 1, first_bits.data());
    CHECK(first[0] == Multiply::none && first_prime[0] == ModPrime::none && first_bits[0] == 0);
    for (const int threads : {1, 2}) {
        std::vector<std::uint32_t> minima(n * slots);
        std::vector<std::uint64_t> primes(n * slots), bits(n * 2);
        minhash_keys(rows, false, fast, threads, minima.data());
        minhash_keys(rows, false, prime, threads, primes.data());
        simhash_keys(rows, SimhashWeights::counts, 128, 1, threads, bits.data());
        CHECK(minima == first && primes == first_prime && bits == first_bits);
        minhash_keys(rows, true, fast, threads, minima.data());
        simhash_keys(rows, SimhashWeights::weights, 128, 1, threads, bits.data());
        simhash_keys(rows, SimhashWeights::unit, 128, 1, threads, bits.data());
        const Csr kept = modp_texts(documents, options, 4, 1, threads);
        const Buffer<std::uint8_t> chosen = modp_keys(csr.keys.data(), csr.keys.size, 4, 1);
        std::size_t sum = 0;
        for (std::size_t i = 0; i < chosen.size; ++i) sum += chosen[i];
        CHECK(kept.keys.size == sum && sum > 0);
    }
    std::vector<std::int64_t> left{0, 8, 8}, right{0, 8, 5};
    std::vector<std::uint32_t> equal(3);
    equal_slots(first.data(), first.data(), slots, left.data(), right.data(), 3, Multiply::none, 2, equal.data());
    CHECK(equal[0] == 0 && equal[1] == slots && equal[2] < slots);
}

void test_heavy_weights() {
    const std::int64_t offsets[] = {0, 3};
    const std::uint64_t keys[] = {1, 2, 3};
    const std::uint32_t counts[] = {0xffffffff, 0xffffffff, 5}, small[] = {0x7ffffffe, 1, 1};
    std::uint64_t out = 0;
    simhash_keys({offsets, keys, counts, small, 1}, SimhashWeights::weights, 64, 0, 1, &out);
    bool refused = false;
    try {
        simhash_keys({offsets, keys, counts, counts, 1}, SimhashWeights::weights, 64, 0, 1, &out);
    } catch (const std::invalid_argument&) {
        refused = true;
    }
    CHECK(refused);
}

}  // namespace

int main() {
    test_gears_agree();
    test_documents();
    test_heavy_weights();
    std::puts("sketch kernels: ok");
}
