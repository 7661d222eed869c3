// Whole batches of documents: their words, and how often each word occurs.
#pragma once

#include "keys.hpp"
#include "tokens.hpp"

namespace samecore {

struct TokenBatch {
    Buffer<std::int64_t> offsets;  // documents + 1
    Buffer<std::uint64_t> hashes;
    Buffer<std::int64_t> starts, ends;  // bytes of the data
};

TokenBatch tokenize(const Documents& documents, std::uint64_t seed, Cjk cjk, int threads);

struct WordBatch {
    Buffer<std::int64_t> offsets;  // documents + 1, into word_offsets
    Buffer<std::int64_t> word_offsets;
    Buffer<std::uint8_t> text;  // normalised words, UTF-8
};

WordBatch normalized_words(const Documents& documents, Cjk cjk);

// Distinct words, ascending by hash. `starts` and `ends` are the bytes of the first
// place where each occurs.
struct WordFrequencies {
    Buffer<std::uint64_t> hashes, occurrences, documents;
    Buffer<std::int64_t> starts, ends;
};

WordFrequencies word_frequencies(const Documents& documents, std::uint64_t seed, Cjk cjk, int threads);

}  // namespace samecore
