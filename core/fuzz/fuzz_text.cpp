// Any bytes at all through the measures of pages, tokeniser, spots and shingles. With clang:
//   clang++ -std=c++20 -O1 -g -fsanitize=fuzzer,address,undefined -DSAMECORE_X86=1 ...
// Without libFuzzer, drive.cpp supplies a main() that makes up inputs.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "cpu.hpp"
#include "hash.hpp"
#include "html.hpp"
#include "shingles.hpp"
#include "spots.hpp"
#include "tokens_batch.hpp"

using namespace samecore;

namespace {

void require(bool holds) {
    if (!holds) std::abort();
}

SpotTable make_table(SpotOptions options) {
    static const std::string words = "aenisthe的中国はです日ที่";
    static const std::int64_t offsets[] = {0, 1, 2, 3, 5, 8, 11, 17, 20, 26, 29, 38};
    static const std::uint64_t stops[] = {1, 3, 0, 1, 5, 2, 2, 4, 4, 6, 0};
    static const std::uint8_t weights[] = {1, 1, 1, 1, 1, 1, 1, 2, 2, 1, 1};
    static const std::uint32_t spec_words[] = {0, 1, 4, 5, 6, 7, 8, 9, 10, 0};
    static const std::uint8_t languages[] = {0, 1, 2, 1, 1, 2, 2, 2, 0, 2};
    static const std::int64_t step_offsets[] = {0, 1, 3, 6, 7, 9, 10, 11, 13, 14, 22};
    static const std::uint32_t steps[] = {1, 1, 2, 1, 1, 1, 1, 2, 1, 1, 3, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1, 9};
    const Documents listed{reinterpret_cast<const std::uint8_t*>(words.data()), words.size(), offsets, 11};
    return SpotTable({listed, stops, weights, spec_words, languages, step_offsets, steps, 10, 3}, options);
}

std::vector<std::uint64_t> hashes(Scan scan, const std::uint8_t* data, std::size_t from, std::size_t to,
                                  std::size_t size, TokenOptions options) {
    Tokenizer tokenizer(options);
    tokenizer.reserve(64);
    scan(tokenizer, data, from, to, size);
    return {tokenizer.sink.hashes, tokenizer.sink.hashes + tokenizer.sink.count};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* input, std::size_t size) {
    if (size == 0) return 0;
    // The first byte chooses the options; the rest, in memory of exactly its size, is cut
    // into three documents at places the input itself names.
    const std::uint8_t choice = input[0];
    --size;
    const std::unique_ptr<std::uint8_t[]> data(new std::uint8_t[size]);
    std::copy(input + 1, input + 1 + size, data.get());
    const HtmlMeasure page = measure_html(data.get(), size);
    require(page.tags <= size && page.depth <= page.tags && page.longest <= size);
    std::int64_t offsets[4] = {0, 0, 0, static_cast<std::int64_t>(size)};
    if (size > 2) {
        offsets[1] = static_cast<std::int64_t>((data[0] * 256u + data[1]) % size);
        offsets[2] = offsets[1] + static_cast<std::int64_t>(data[2] % (size - static_cast<std::size_t>(offsets[1])));
    }
    const Documents documents{data.get(), size, offsets, 3};
    const Cjk cjk = static_cast<Cjk>(choice % 3);

    const TokenBatch tokens = tokenize(documents, choice, cjk, 1);
    const WordBatch words = normalized_words(documents, cjk);
    require(tokens.hashes.size == words.word_offsets.size - 1);
    for (std::size_t i = 0; i < tokens.hashes.size; ++i) {
        const std::int64_t from = words.word_offsets[i], to = words.word_offsets[i + 1];
        require(from < to);
        require(hash_bytes(words.text.data() + from, static_cast<std::size_t>(to - from), choice) == tokens.hashes[i]);
        require(0 <= tokens.starts[i] && tokens.starts[i] < tokens.ends[i] && tokens.ends[i] <= offsets[3]);
    }
    const TokenOptions options{.seed = choice, .cjk = cjk};
    const auto expected = hashes(scan_portable, data.get(), 0, size, size, options);
#if defined(SAMECORE_X86)
    if (cpu_level() >= CpuLevel::avx2) require(hashes(scan_avx2, data.get(), 0, size, size, options) == expected);
    if (cpu_level() >= CpuLevel::avx512) require(hashes(scan_avx512, data.get(), 0, size, size, options) == expected);
#endif
    static const SpotTable tables[] = {make_table({}), make_table({.skip_stop_words = false, .partial = false, .key = SpotKey::spot}),
                                       make_table({.key = SpotKey::chain, .cjk = Cjk::words})};
    const SpotTable& table = tables[choice % 3];
    const SpotCsr spots = extract_spots(documents, table, choice % 2 == 0, 1);
    for (std::size_t d = 0; d < 3; ++d) {
        const auto* start = data.get() + documents.begin(d);
        const SpotOccurrences found = spot_occurrences(start, documents.end(d) - documents.begin(d), table);
        std::uint64_t total = 0;
        for (std::int64_t i = spots.features.offsets[d]; i < spots.features.offsets[d + 1]; ++i) {
            total += spots.features.counts[static_cast<std::size_t>(i)];
            if (i > spots.features.offsets[d])
                require(spots.features.keys[static_cast<std::size_t>(i)] > spots.features.keys[static_cast<std::size_t>(i - 1)]);
        }
        require(total == found.keys.size && spots.languages[d] == found.language);
    }
    const ShingleUnit unit = choice & 64 ? ShingleUnit::characters : ShingleUnit::words;
    extract_shingles(documents, {.width = 1u + choice % 7, .unit = unit, .cjk = cjk}, choice % 2 == 1, 1);
    word_frequencies(documents, choice, cjk, 1);
    return 0;
}
