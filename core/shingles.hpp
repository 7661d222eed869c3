// Shingles: every run of `width` consecutive words, or of characters of the normalised
// text. A document with fewer gives one shingle of all it has; an empty one gives none.
#pragma once

#include "keys.hpp"
#include "tokens.hpp"

namespace samecore {

enum class ShingleUnit { words = 0, characters = 1 };

struct ShingleOptions {
    std::size_t width = 5;  // at least 1
    ShingleUnit unit = ShingleUnit::words;
    std::uint64_t seed = 0;
    // Characters are taken from the words joined by single spaces; there unspaced runs
    // are words whatever this says.
    Cjk cjk = Cjk::bigrams;
};

// With `places` the features have them: the number of the word at which a shingle begins.
Csr extract_shingles(const Documents& documents, const ShingleOptions& options, bool places, int threads);

// One document's shingles in the order of the text, and their bytes.
struct ShingleOccurrences {
    Buffer<std::uint64_t> keys;
    Buffer<std::int64_t> starts, ends;
};

ShingleOccurrences shingle_occurrences(const std::uint8_t* text, std::size_t size, const ShingleOptions& options);

}  // namespace samecore
