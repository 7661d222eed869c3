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
    std::uint32_t least = 0;   // fewer votes than this for 100 words: the language counts as unknown
    bool otherwise = false;    // the last language is for documents whose language is unknown
};

constexpr std::size_t max_languages = 40, max_steps = 8, max_characters = 8;
constexpr std::uint8_t max_weight = 3;
constexpr std::uint8_t no_language = 255;

// The words that matter, each normalised, as given by the caller.
struct SpotWords {
    Documents words;                  // UTF-8, one word each, distinct
    const std::uint64_t* stop_masks;  // bit l: a stop word of language l
    const std::uint8_t* weights;      // how much a hit says about the language: 0 to max_weight
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
        std::uint64_t stop_mask;
        std::uint64_t spec_mask;   // languages where it is an antecedent
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

    // The only entry that a word with this hash can be; it is if the hashes agree. One
    // probe: each bucket of the table has a multiplier that keeps its words apart, found
    // when the table is made. A free slot gives entry 0, whose hash agrees with no word's
    // that leads there.
    std::uint32_t candidate(std::uint64_t hash) const {
        return slots_[hash * multipliers_[hash & bucket_mask_] >> slot_shift_];
    }
    bool agrees(std::uint32_t entry, std::uint64_t hash) const { return hashes_[entry] == hash; }
    // Entries of character sequences that start at codes[0]; returns how many (at most 8).
    std::size_t find_characters(const std::uint32_t* codes, std::size_t available, std::uint32_t* found,
                                std::uint32_t* lengths) const;

    const Entry& entry(std::uint32_t i) const { return entries_[i]; }
    // One byte per language, padded to vote_width() times eight: the weight of the entry if it is a stop word there.
    const std::uint8_t* votes(std::uint32_t i) const { return votes_.data() + i * vote_width() * 8; }
    std::size_t vote_width() const { return (languages_ + 7) / 8; }
    Range specs_of(const Entry& entry, std::size_t language) const { return ranges_[entry.first_spec + language]; }
    const Spec& spec(std::uint32_t i) const { return specs_[i]; }
    const SpotOptions& options() const { return options_; }
    std::size_t languages() const { return languages_; }
    bool has_words() const { return has_words_; }
    bool has_characters() const { return has_characters_; }

   private:
    void place(const std::vector<std::uint32_t>& words);
    struct Characters {
        std::uint32_t entry;
        std::vector<std::uint32_t> codes;
    };
    void place_characters(const std::vector<Characters>& all);

    SpotOptions options_;
    std::size_t languages_;
    std::vector<Entry> entries_;         // entry 0 stands for none
    std::vector<std::uint64_t> hashes_;  // of the entries, apart because every word asks
    std::vector<std::uint8_t> votes_;
    std::vector<Spec> specs_;
    std::vector<Range> ranges_;
    std::vector<std::uint16_t> slots_;
    std::vector<std::uint32_t> multipliers_;
    std::uint64_t bucket_mask_ = 0;
    int slot_shift_ = 0;
    bool has_words_ = false, has_characters_ = false;
    // Character sequences and all their beginnings, so that a search ends where none goes
    // on; open addressing. `starters_` says, by low bits, which characters begin any.
    struct Sequence {
        std::uint64_t key;
        std::uint32_t entry;  // 0: only the beginning of others
        bool used;
    };
    std::vector<Sequence> sequences_;
    std::vector<std::uint8_t> starters_;
};

struct SpotCsr {
    Csr features;
    Buffer<std::uint8_t> languages;  // index of the profile used, or no_language
};

// With `places` the features have them: the number of the word at which the antecedent stands.
SpotCsr extract_spots(const Documents& documents, const SpotTable& table, bool places, int threads);

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
