// The spots of one document after the other, handed to a visitor: what the features (spots.cpp) and the facts of
// learned weights (facts.cpp) share.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>

#include "hash.hpp"
#include "spots.hpp"

namespace samecore {

// Where an antecedent was met.
struct Hit {
    std::uint32_t entry;
    std::size_t place;       // the word that starts there, or would
    std::size_t next;        // the first word after it
    std::size_t start, end;  // its bytes; only if spans are asked for
};

// A listed word met in the text, in 64 bits because there are many: 16 for the entry, 1
// for whether a word starts there (none does at the last character of a run), 4 for the
// distance to the first word after it, 43 for the number of the word.
struct Met {
    std::uint64_t bits;
    static Met make(std::size_t token, std::size_t distance, bool is_word, std::uint32_t entry) {
        return {static_cast<std::uint64_t>(token) << 21 | distance << 17 | std::uint64_t{is_word} << 16 | entry};
    }
    std::uint32_t entry() const { return bits & 0xffff; }
    bool is_word() const { return bits >> 16 & 1; }
    std::size_t token() const { return bits >> 21; }
    std::size_t next() const { return token() + (bits >> 17 & 15); }
};

// One document at a time: words, hits, the language, stop words as bits.
class SpotFinder {
   public:
    SpotFinder(const SpotTable& table, bool spans)
        : table_(table),
          spans_(spans),
          tokenizer({.seed = table.options().seed,
                     .cjk = table.options().cjk,
                     .spans = spans,
                     .runs = table.has_characters()}) {}

    void document(const std::uint8_t* data, std::size_t begin, std::size_t end, std::size_t size) {
        tokenizer.document(data, begin, end, size);
        count_ = tokenizer.sink.count;
        find_words();
        find_characters();
        language = table_.languages() == 1 ? std::uint8_t{0} : guess();
        if (language != no_language) choose();
    }

    // Calls visit(key, hit, chain, length) for every spot, first those of words in the
    // order of the text, then those of character sequences in the order of the text.
    template <class Visit>
    void spots(Visit&& visit) const {
        if (language == no_language) return;
        for (std::size_t i = 0; i < antecedents_; ++i) {
            const SpotTable::Entry& entry = table_.entry(words_[i].entry());
            const std::size_t token = words_[i].token();
            Hit hit{words_[i].entry(), token, token + 1, 0, 0};
            if (spans_) {
                hit.start = static_cast<std::size_t>(tokenizer.sink.starts[token]);
                hit.end = static_cast<std::size_t>(tokenizer.sink.ends[token]);
            }
            chains(entry, hit, visit);
        }
        for (std::size_t i = 0; i < sequences_.size; ++i) {
            const SpotTable::Entry& entry = table_.entry(sequences_[i].entry());
            if (!(entry.spec_mask >> language & 1)) continue;
            Hit hit{sequences_[i].entry(), sequences_[i].token(), sequences_[i].next(), 0, 0};
            if (spans_) hit.start = sequence_starts_[i], hit.end = sequence_ends_[i];
            chains(entry, hit, visit);
        }
    }

    // Whether a word is a stop word of the document's language.
    bool is_stop(std::size_t token) const {
        return language != no_language && (stops_[token / 64] >> (token % 64) & 1);
    }

    std::uint8_t language = no_language;

   private:
    void find_words() {
        words_.size = 0;
        if (!table_.has_words()) return;
        words_.reserve(count_ + 1);
        const std::uint64_t* hashes = tokenizer.sink.hashes;
        Met* out = words_.data();
        std::size_t found = 0;
        for (std::size_t i = 0; i < count_; ++i) {  // always write, keep if it was one: no branch to miss
            const std::uint32_t entry = table_.candidate(hashes[i]);
            out[found] = Met::make(i, 1, true, entry);
            found += table_.agrees(entry, hashes[i]);
        }
        words_.size = found;
    }

    void find_characters() {
        sequences_.size = sequence_starts_.size = sequence_ends_.size = 0;
        for (const Run& run : tokenizer.runs) {
            const std::size_t tokens = run.tokens(Cjk::bigrams);
            const std::uint32_t* codes = tokenizer.run_codes.data() + run.first_char;
            for (std::size_t i = 0; i < run.length; ++i) {
                std::uint32_t found[max_characters], lengths[max_characters];
                const std::size_t count = table_.find_characters(codes + i, run.length - i, found, lengths);
                for (std::size_t k = 0; k < count; ++k) {
                    // The number counts from the last word of the run where no other is left.
                    const std::size_t first = std::min(i, tokens), next = std::min<std::size_t>(i + lengths[k], tokens);
                    sequences_.push(Met::make(run.first_token + first, next - first, i < tokens, found[k]));
                    if (spans_) {
                        sequence_starts_.push(tokenizer.run_starts[run.first_char + i]);
                        sequence_ends_.push(tokenizer.run_ends[run.first_char + i + lengths[k] - 1]);
                    }
                }
            }
        }
    }

    // The language with most votes, the first of equals, if they are enough.
    std::uint8_t guess() const {
        std::uint64_t totals[max_languages] = {};
        switch (table_.vote_width()) {
            case 1: count_votes<1>(totals); break;
            case 2: count_votes<2>(totals); break;
            case 3: count_votes<3>(totals); break;
            case 4: count_votes<4>(totals); break;
            default: count_votes<5>(totals);
        }
        const SpotOptions& options = table_.options();
        const std::size_t known = table_.languages() - options.otherwise;
        const std::uint64_t* best = std::max_element(totals, totals + known);
        if (*best > 0 && *best * 100 >= std::uint64_t{options.least} * count_) return static_cast<std::uint8_t>(best - totals);
        return options.otherwise ? static_cast<std::uint8_t>(known) : no_language;
    }

    // One byte per language, eight of them added at a time; so many votes fit before they must be emptied.
    template <std::size_t width>
    void count_votes(std::uint64_t* totals) const {
        static_assert(width * 8 <= max_languages);
        for (const Buffer<Met>* met : {&words_, &sequences_})
            for (std::size_t at = 0; at < met->size;) {
                const std::size_t stop = std::min<std::size_t>(met->size, at + 255 / max_weight);
                std::uint64_t votes[width] = {};
                for (; at < stop; ++at) {
                    std::uint64_t own[width];
                    std::memcpy(own, table_.votes((*met)[at].entry()), sizeof own);
                    for (std::size_t w = 0; w < width; ++w) votes[w] += own[w];
                }
                std::uint8_t bytes[width * 8];
                std::memcpy(bytes, votes, sizeof bytes);
                for (std::size_t l = 0; l < width * 8; ++l) totals[l] += bytes[l];
            }
    }

    // Stop words of the language as bits, and its antecedents to the front of `words_`.
    void choose() {
        stops_.size = count_ / 64 + 2;
        stops_.reserve(stops_.size);
        std::fill_n(stops_.data(), stops_.size, 0);
        auto mark = [&](Met met) {
            const std::uint64_t stop = table_.entry(met.entry()).stop_mask >> language & met.is_word();
            stops_[met.token() / 64] |= stop << (met.token() % 64);
        };
        antecedents_ = 0;
        for (std::size_t i = 0; i < words_.size; ++i) {
            const Met met = words_[i];
            mark(met);
            words_[antecedents_] = met;
            antecedents_ += table_.entry(met.entry()).spec_mask >> language & 1;
        }
        for (std::size_t i = 0; i < sequences_.size; ++i) mark(sequences_[i]);
    }

    // The first word at or after `token` (which exists) that is not a stop word; may be the end.
    std::size_t skip(std::size_t token) const {
        for (;;) {
            const std::uint64_t rest = ~(stops_[token / 64] >> (token % 64));
            const std::size_t run = static_cast<std::size_t>(std::countr_zero(rest));
            if (run < 64 - token % 64) return token + run;
            token = (token / 64 + 1) * 64;
            if (token >= count_) return token;
        }
    }

    template <class Visit>
    void chains(const SpotTable::Entry& entry, const Hit& hit, Visit&& visit) const {
        const SpotOptions& options = table_.options();
        const SpotTable::Range range = table_.specs_of(entry, language);
        for (std::uint32_t s = range.first; s < range.last; ++s) {
            const SpotTable::Spec& spec = table_.spec(s);
            std::uint64_t key = spec.prefix;
            std::size_t chain[max_steps];
            std::uint32_t length = 0;
            std::size_t at = hit.next - 1;
            for (; length < spec.count; ++length) {
                at += spec.steps[length];
                if (at >= count_) break;
                if (options.skip_stop_words && (at = skip(at)) >= count_) break;
                key = combine(key, tokenizer.sink.hashes[at]);
                chain[length] = at;
            }
            if (length == spec.count || (options.partial && length > 0)) visit(finish(key), hit, chain, length);
        }
    }

    const SpotTable& table_;
    bool spans_;
    std::size_t count_ = 0, antecedents_ = 0;
    Buffer<Met> words_, sequences_;
    Buffer<std::size_t> sequence_starts_, sequence_ends_;  // if spans are asked for
    Buffer<std::uint64_t> stops_;                          // bit per word

   public:
    Tokenizer tokenizer;
};

}  // namespace samecore
