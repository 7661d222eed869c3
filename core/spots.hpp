// Spot signatures: chains of words that follow chosen antecedents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "keys.hpp"
#include "tokens.hpp"

namespace samecore {

enum class SpotKey { antecedent = 0, spot = 1, chain = 2 };

struct SpotOptions {
    bool skip_stop_words = true;  // a chain moves on past stop words
    bool partial = true;          // the end of the text may cut a chain
    SpotKey key = SpotKey::antecedent;
    Cjk cjk = Cjk::bigrams;
    std::uint64_t seed = 0;
};

constexpr std::size_t max_languages = 16, max_steps = 8, max_characters = 8;
constexpr std::uint8_t no_language = 255;

// The words that matter, each normalised, as given by the caller.
struct SpotWords {
    Documents words;                  // UTF-8, one word each, distinct
    const std::uint16_t* stop_masks;  // bit l: a stop word of language l
    const std::uint8_t* weights;      // how much a hit says about the language: 1 or 2
    // Specification i: word spec_words[i] is an antecedent of spec_languages[i], with
    // steps[step_offsets[i], step_offsets[i + 1]).
    const std::uint32_t* spec_words;
    const std::uint8_t* spec_languages;
    const std::int64_t* step_offsets;
    const std::uint32_t* steps;
    std::size_t specs;
    std::size_t languages;
};

// The compiled form: read-only, shared by all threads.
class SpotTable {
   public:
    SpotTable(const SpotWords& words, const SpotOptions& options);

    struct Entry {
        std::uint64_t hash;
        std::uint64_t votes[2];    // one byte per language: the weight if it is a stop word there
        std::uint16_t stop_mask;
        std::uint16_t spec_mask;   // languages where it is an antecedent
        std::uint32_t first_spec;  // into spec_ranges, one per language
    };
    struct Spec {
        std::uint64_t prefix;  // the key before the chain's words
        std::uint32_t steps[max_steps];
        std::uint32_t count;
    };
    struct Range {
        std::uint32_t first, last;
    };

    // The entry of a word by its hash, 0 if there is none. One probe: each bucket of the
    // table has a multiplier that keeps its words apart, found when the table is made.
    std::uint32_t find(std::uint64_t hash) const {
        const std::uint64_t spread = hash * multipliers_[hash & bucket_mask_];
        const std::uint32_t entry = slots_[spread >> slot_shift_];
        return entries_[entry].hash == hash ? entry : 0;
    }
    // Entries of character sequences that start at codes[0]; returns how many (at most 8).
    std::size_t find_characters(const std::uint32_t* codes, std::size_t available, std::uint32_t* found,
                                std::uint32_t* lengths) const;

    const Entry& entry(std::uint32_t i) const { return entries_[i]; }
    Range specs_of(const Entry& entry, std::size_t language) const { return ranges_[entry.first_spec + language]; }
    const Spec& spec(std::uint32_t i) const { return specs_[i]; }
    const SpotOptions& options() const { return options_; }
    std::size_t languages() const { return languages_; }
    bool has_characters() const { return has_characters_; }

   private:
    void place(const std::vector<std::uint32_t>& words);
    void place_characters(std::uint32_t entry, const std::vector<std::uint32_t>& codes);

    SpotOptions options_;
    std::size_t languages_;
    std::vector<Entry> entries_;  // entry 0 stands for none
    std::vector<Spec> specs_;
    std::vector<Range> ranges_;
    std::vector<std::uint16_t> slots_;
    std::vector<std::uint64_t> multipliers_;
    std::uint64_t bucket_mask_ = 0;
    int slot_shift_ = 0;
    bool has_characters_ = false;
    std::vector<std::uint8_t> longest_;  // by low bits of the first character: the longest sequence
    struct Sequence {
        std::uint64_t key;
        std::uint32_t entry;
    };
    std::vector<Sequence> sequences_;  // open addressing, entry 0 = free
};

struct SpotCsr {
    Csr features;
    Buffer<std::uint8_t> languages;  // index of the profile used, or no_language
};

SpotCsr extract_spots(const Documents& documents, const SpotTable& table, int threads);

// One document's spots in the order of the text. Bytes count from the document's start.
struct SpotOccurrences {
    std::uint8_t language;
    Buffer<std::uint64_t> keys;
    Buffer<std::uint32_t> antecedents;  // numbers of the words given to the table
    Buffer<std::int64_t> antecedent_starts, antecedent_ends, starts, ends;
    Buffer<std::int64_t> chain_offsets;  // count + 1, into chain_tokens
    Buffer<std::int64_t> chain_tokens;   // numbers of the chain's words in the document
};

SpotOccurrences spot_occurrences(const std::uint8_t* text, std::size_t size, const SpotTable& table);

}  // namespace samecore
