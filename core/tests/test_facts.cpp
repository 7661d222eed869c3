// The facts of k-grams without Python, for the sanitizers: any bytes, any number of threads, not a byte to spare.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "facts.hpp"

using namespace samecore;

namespace {

void check(bool holds, const char* what, int line) {
    if (holds) return;
    std::fprintf(stderr, "test_facts.cpp:%d: %s\n", line, what);
    std::exit(1);
}
#define CHECK(condition) check((condition), #condition, __LINE__)

struct Texts {
    std::vector<std::int64_t> offsets{0};
    std::unique_ptr<std::uint8_t[]> bytes;
    std::size_t size = 0;

    explicit Texts(const std::vector<std::string>& texts) {
        std::string all;
        for (const std::string& text : texts) {
            all += text;
            offsets.push_back(static_cast<std::int64_t>(all.size()));
        }
        size = all.size();
        bytes.reset(new std::uint8_t[size]);
        std::copy(all.begin(), all.end(), bytes.get());
    }
    Documents documents() const { return {bytes.get(), size, offsets.data(), offsets.size() - 1}; }
};

SpotTable two_languages() {
    const Texts words({"the", "a", "is", "der", "und", "的", "是"});
    const std::uint64_t masks[] = {1, 1, 1, 2, 2, 4, 4};
    const std::uint8_t weights[] = {1, 1, 1, 1, 1, 1, 1};
    const std::uint32_t spec_words[] = {0, 3, 5};
    const std::uint8_t spec_languages[] = {0, 1, 2};
    const std::int64_t step_offsets[] = {0, 1, 2, 3};
    const std::uint32_t steps[] = {1, 1, 1};
    return SpotTable({words.documents(), masks, weights, spec_words, spec_languages, step_offsets, steps, 3, 3}, {});
}

std::string any_text(std::mt19937_64& random) {
    static const std::string_view pieces[] = {"the ", "Core ", "der ", "Haus.", "\n", "\x01", "\x02", "\x03", "\x04",
                                              "的中国", "是", "É", "\xff", "\xe3\x80", ", ", "。", "x", "story "};
    std::string text;
    for (std::size_t n = random() % 120; n > 0; --n)
        text += random() % 9 == 0 ? std::string(1, static_cast<char>(random()))
                                  : std::string(pieces[random() % (sizeof pieces / sizeof *pieces)]);
    return text;
}

}  // namespace

int main() {
    std::mt19937_64 random(11);
    const SpotTable spots = two_languages();
    for (int round = 0; round < 400; ++round) {
        std::vector<std::string> texts, titles, urls;
        for (std::size_t n = random() % 5; n > 0; --n) {
            texts.push_back(any_text(random));
            titles.push_back(random() % 2 ? any_text(random) : "");
            urls.push_back(random() % 2 ? "http://the.core/story" : "");
        }
        const Texts text(texts), title(titles), url(urls);
        std::vector<std::uint64_t> prefixes;
        std::vector<std::uint8_t> codes;
        std::uint64_t prefix = random() % 100;
        for (std::size_t n = random() % 50; n > 0; --n, prefix += 1 + random() % (1ull << 34))
            prefixes.push_back(prefix), codes.push_back(static_cast<std::uint8_t>(random()));
        const CodeTable table(prefixes.data(), codes.data(), prefixes.size());
        for (std::size_t n = 0; n < prefixes.size(); ++n) CHECK(table.code(prefixes[n] << 24) == codes[n]);
        const FactOptions options{1 + random() % max_gram, &spots, &table, &table, &table};
        const FactCsr one = extract_facts(text.documents(), title.documents(), url.documents(), options, 1);
        const FactCsr two = extract_facts(text.documents(), title.documents(), url.documents(), options, 2);
        CHECK(one.features.keys.size == two.features.keys.size && one.codes.size == one.features.keys.size * fact_count);
        CHECK(std::equal(one.codes.data(), one.codes.data() + one.codes.size, two.codes.data()));
        for (std::size_t d = 0; d < texts.size(); ++d)
            for (std::int64_t i = one.features.offsets[d] + 1; i < one.features.offsets[d + 1]; ++i)
                CHECK(one.features.keys[static_cast<std::size_t>(i) - 1] < one.features.keys[static_cast<std::size_t>(i)]);
        std::vector<std::int32_t> singles(fact_count * 256), product(512);
        for (std::int32_t& weight : singles) weight = static_cast<std::int32_t>(random() % 40000) - 20000;
        for (std::int32_t& weight : product) weight = static_cast<std::int32_t>(random() % 40000) - 20000;
        const FactWeights weights{singles.data(), {{fact_tf, fact_df, product.data(), product.data() + 256}}, random() % 4};
        const Csr made = weigh_documents(text.documents(), title.documents(), url.documents(), options, weights, 2);
        CHECK(made.keys.size <= one.features.keys.size);
        for (std::size_t i = 0; i < made.counts.size; ++i) CHECK(made.counts[i] > 0);
    }
    std::puts("facts ok");
    return 0;
}
