// The shingles of one document after the other, handed to a visitor: what the features
// (shingles.cpp) and the sketches taken straight from text share.
#pragma once

#include <algorithm>

#include "hash.hpp"
#include "shingles.hpp"

namespace samecore {

class Shingler {
   public:
    Shingler(const ShingleOptions& options, bool spans)
        : options_(options),
          characters_(options.unit == ShingleUnit::characters),
          tokenizer_({.seed = options.seed,
                      .cjk = characters_ ? Cjk::words : options.cjk,
                      .spans = spans,
                      .text = characters_}) {}

    // Calls visit(key, first word, last word) for every shingle.
    template <class Visit>
    void document(const std::uint8_t* data, std::size_t begin, std::size_t end, std::size_t size, Visit&& visit) {
        tokenizer_.document(data, begin, end, size);
        characters_ ? of_characters(visit) : of_words(visit);
    }

    const TokenSink& tokens() const { return tokenizer_.sink; }

   private:
    template <class Visit>
    void of_words(Visit&& visit) {
        const std::uint64_t* hashes = tokenizer_.sink.hashes;
        const std::size_t count = tokenizer_.sink.count, width = std::min(options_.width, count);
        if (count == 0) return;
        for (std::size_t i = 0; i + width <= count; ++i) {
            std::uint64_t key = shingle_domain;
            for (std::size_t j = 0; j < width; ++j) key = combine(key, hashes[i + j]);
            visit(finish(key), i, i + width - 1);
        }
    }

    template <class Visit>
    void of_characters(Visit&& visit) {
        // The words joined by spaces, where each character starts, and whose it is (a
        // space belongs to the word after it).
        joined_.size = starts_.size = owners_.size = 0;
        std::size_t from = 0;
        for (std::size_t word = 0; word < tokenizer_.sink.count; ++word) {
            const std::size_t to = static_cast<std::size_t>(tokenizer_.text_ends[word]);
            if (word > 0) {
                starts_.push(joined_.size);
                owners_.push(word);
                joined_.push(' ');
            }
            for (; from < to; ++from) {
                const std::uint8_t byte = tokenizer_.text[from];
                if ((byte & 0xc0) != 0x80) {
                    starts_.push(joined_.size);
                    owners_.push(word);
                }
                joined_.push(byte);
            }
        }
        const std::size_t count = starts_.size, width = std::min(options_.width, count);
        if (count == 0) return;
        starts_.push(joined_.size);
        for (std::size_t i = 0; i + width <= count; ++i) {
            const std::size_t begin = starts_[i], end = starts_[i + width];
            const std::uint64_t hash = hash_bytes(joined_.data() + begin, end - begin, options_.seed);
            visit(finish(combine(character_domain, hash)), owners_[i], owners_[i + width - 1]);
        }
    }

    ShingleOptions options_;
    bool characters_;
    Tokenizer tokenizer_;
    Buffer<std::uint8_t> joined_;
    Buffer<std::size_t> starts_, owners_;
};

}  // namespace samecore
