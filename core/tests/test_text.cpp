// The text kernels without Python: what a sanitizer build runs. Values are checked in
// depth by the Python twins; here the loops are driven over every edge they have.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "cpu.hpp"
#include "hash.hpp"
#include "shingles.hpp"
#include "spots.hpp"
#include "tokens_batch.hpp"

using namespace samecore;

namespace {

void check(bool holds, const char* what, int line) {
    if (holds) return;
    std::fprintf(stderr, "test_text.cpp:%d: %s\n", line, what);
    std::exit(1);
}
#define CHECK(condition) check((condition), #condition, __LINE__)

// A copy with not one byte to spare, so that a sanitizer sees any read past the end.
struct Exact {
    explicit Exact(const std::string& text) : size(text.size()), bytes(new std::uint8_t[text.size()]) {
        std::copy(text.begin(), text.end(), bytes.get());
    }
    std::size_t size;
    std::unique_ptr<std::uint8_t[]> bytes;
};

std::vector<std::string> words_of(const std::string& text, Cjk cjk = Cjk::bigrams) {
    const Exact exact(text);
    const std::int64_t offsets[] = {0, static_cast<std::int64_t>(text.size())};
    const WordBatch batch = normalized_words({exact.bytes.get(), exact.size, offsets, 1}, cjk);
    std::vector<std::string> words;
    for (std::size_t i = 0; i + 1 < batch.word_offsets.size; ++i)
        words.emplace_back(reinterpret_cast<const char*>(batch.text.data()) + batch.word_offsets[i],
                           reinterpret_cast<const char*>(batch.text.data()) + batch.word_offsets[i + 1]);
    return words;
}

// Every gear must give the hashes of the words that the slow one spells out.
void gears_agree(const std::string& text, std::uint64_t seed) {
    const Exact exact(text);
    std::vector<Scan> scans{scan_portable};
#if defined(SAMECORE_X86)
    if (cpu_level() >= CpuLevel::avx2) scans.push_back(scan_avx2);
    if (cpu_level() >= CpuLevel::avx512) scans.push_back(scan_avx512);
#endif
    std::vector<std::uint64_t> expected;
    for (const std::string& word : words_of(text))
        expected.push_back(hash_bytes(reinterpret_cast<const std::uint8_t*>(word.data()), word.size(), seed));
    for (const Scan scan : scans)
        for (const bool spans : {false, true}) {
            Tokenizer tokenizer({.seed = seed, .spans = spans, .runs = true});
            tokenizer.reserve(64);
            scan(tokenizer, exact.bytes.get(), 0, exact.size, exact.size);
            const std::uint64_t* hashes = tokenizer.sink.hashes;
            CHECK(std::vector<std::uint64_t>(hashes, hashes + tokenizer.sink.count) == expected);
            for (std::size_t i = 0; spans && i < tokenizer.sink.count; ++i)
                CHECK(0 <= tokenizer.sink.starts[i] && tokenizer.sink.starts[i] < tokenizer.sink.ends[i] &&
                      tokenizer.sink.ends[i] <= static_cast<std::int64_t>(exact.size));
        }
}

void test_words() {
    using Words = std::vector<std::string>;
    CHECK(words_of("") == Words{});
    CHECK(words_of("Hello, WORLD") == (Words{"hello", "world"}));
    CHECK(words_of("co\u00adop e\u0301") == (Words{"coop", "é"}));
    CHECK(words_of("日本語") == (Words{"日本", "本語"}));
    CHECK(words_of("日本語", Cjk::words) == Words{"日本語"});
    CHECK(words_of("ab\xe3\x81"
                   "cd\xff") == (Words{"ab", "cd"}));
}

void test_edges() {
    for (std::size_t before = 0; before < 70; ++before)
        for (const std::size_t length : {1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 130})
            for (const char* letter : {"x", "Q", "é", "中", "\xff"})
                for (const char* after : {"", " ", " y", "é"}) {
                    std::string text(before, ' ');
                    for (std::size_t i = 0; i < length; ++i) text += letter;
                    gears_agree(text + after, before);
                }
}

void test_random_bytes() {
    std::mt19937_64 random(7);
    const std::string_view alphabets[] = {"ab Z9.", "aé \xcc\x81中か\xe3\x82\x99", "\xed\xa0\x80\xf4\x90\xc3 a\xe3\x81"};
    for (int round = 0; round < 3000; ++round) {
        std::string text(random() % 300, ' ');
        const std::string_view alphabet = alphabets[round % 3];
        for (char& c : text) c = round % 5 == 0 ? static_cast<char>(random()) : alphabet[random() % alphabet.size()];
        gears_agree(text, random());
    }
}

void test_sort() {
    std::mt19937_64 random(3);
    for (const std::size_t count : {0, 1, 2, 15, 16, 17, 100, 2048, 2049, 50000})
        for (const std::uint64_t mask : {~0ull, 7ull, 0xffull << 56, 0xffffull << 20}) {
            Buffer<std::uint64_t> keys, spare;
            for (std::size_t i = 0; i < count; ++i) keys.push(random() & mask);
            std::vector<std::uint64_t> expected(keys.data(), keys.data() + count);
            std::sort(expected.begin(), expected.end());
            spare.reserve(count);
            Buffer<Placed> placed, room;
            for (std::size_t i = 0; i < count; ++i) placed.push(make_item<Placed>(keys[i], i));
            room.reserve(count);
            sort_keys(placed.data(), room.data(), count);
            for (std::size_t i = 0; i < count; ++i)
                CHECK(placed[i].key == expected[i] && keys[placed[i].place] == expected[i]);
            sort_keys(keys.data(), spare.data(), count);
            CHECK(std::equal(expected.begin(), expected.end(), keys.data()));
        }
}

void test_spots() {
    const std::string words = "thestory的ofmen";
    const std::int64_t offsets[] = {0, 3, 8, 11, 13, 16};
    const std::uint64_t stops[] = {3, 0, 2, 1, 0};
    const std::uint8_t weights[] = {1, 1, 1, 1, 1};
    const std::uint32_t spec_words[] = {0, 2, 0};
    const std::uint8_t spec_languages[] = {0, 1, 0};
    const std::int64_t step_offsets[] = {0, 2, 3, 4};
    const std::uint32_t steps[] = {1, 1, 1, 4000000000u};
    const Documents listed{reinterpret_cast<const std::uint8_t*>(words.data()), words.size(), offsets, 5};
    const SpotTable table({listed, stops, weights, spec_words, spec_languages, step_offsets, steps, 3, 2}, {});
    const Exact text("The story of the core; men. 目的地 the");
    const SpotOccurrences found = spot_occurrences(text.bytes.get(), text.size, table);
    CHECK(found.language == 0 && found.keys.size == 2);
    const std::int64_t ends[] = {0, static_cast<std::int64_t>(text.size), static_cast<std::int64_t>(text.size)};
    for (const int threads : {1, 2}) {
        const SpotCsr csr = extract_spots({text.bytes.get(), text.size, ends, 2}, table, true, threads);
        CHECK(csr.features.offsets[1] == 2 && csr.features.offsets[2] == 2 && csr.languages[1] == no_language);
        CHECK(csr.features.places.size == 2 && csr.features.places[0] + csr.features.places[1] == 0 + 3);
    }
    for (const ShingleUnit unit : {ShingleUnit::words, ShingleUnit::characters})
        for (const std::size_t width : {1, 3, 50}) {
            const Csr csr = extract_shingles({text.bytes.get(), text.size, ends, 2}, {.width = width, .unit = unit}, false, 2);
            CHECK(csr.offsets[1] >= 1 && csr.offsets[2] == csr.offsets[1] && csr.places.size == 0);
        }
}

}  // namespace

int main() {
    test_words();
    test_edges();
    test_random_bytes();
    test_sort();
    test_spots();
    std::puts("text kernels: ok");
}
