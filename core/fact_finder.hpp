// The facts of one document after the other, handed to a visitor in ascending order of the keys.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>

#include "facts.hpp"
#include "hash.hpp"
#include "spot_finder.hpp"

namespace samecore {

// 16 steps for every doubling: 16 log2(x + 1), straight between powers of two; at most 255.
inline std::uint8_t level(std::uint64_t x) {
    const std::uint64_t value = std::min<std::uint64_t>(x, 1 << 16) + 1;
    const int power = std::bit_width(value) - 1;
    const std::uint64_t code = 16 * static_cast<std::uint64_t>(power) + (value * 16 >> power) - 16;
    return static_cast<std::uint8_t>(std::min<std::uint64_t>(code, 255));
}

inline std::uint8_t share(std::uint64_t part, std::uint64_t whole) {
    return static_cast<std::uint8_t>(std::min<std::uint64_t>((510 * part + whole) / (2 * whole), 255));
}

class FactFinder {
   public:
    explicit FactFinder(const FactOptions& options)
        : options_(options),
          finder_(*options.spots, true),
          field_({.seed = 0, .cjk = options.spots->options().cjk}),
          unicode_(Unicode::get()) {}

    // Calls visit(key, term frequency, codes) for every k-gram.
    template <class Visit>
    void document(const Documents& texts, const Documents& titles, const Documents& urls, std::size_t d, Visit&& visit) {
        finder_.document(texts.data, texts.begin(d), texts.end(d), texts.size);
        count_ = finder_.tokenizer.sink.count;
        if (count_ == 0) return;
        field_words(titles, d, title_);
        field_words(urls, d, url_);
        look_around(texts.data, texts.begin(d), texts.end(d));
        gather();
        give(visit);
    }

   private:
    enum Flag : std::uint8_t { capital = 1, spot = 2, link = 4, heading = 8 };
    struct Entry {
        std::uint64_t key;
        std::uint32_t times, first, capitals, spots, links, headings;
        std::uint8_t line, marks;
    };
    // Few words: a filter of 64 bits answers almost always.
    struct Field {
        std::uint64_t filter = 0;
        Buffer<std::uint64_t> hashes;
        bool has(std::uint64_t hash) const {
            if (!(filter >> (hash & 63) & 1)) return false;
            return std::find(hashes.data(), hashes.data() + hashes.size, hash) != hashes.data() + hashes.size;
        }
    };

    void field_words(const Documents& fields, std::size_t d, Field& field) {
        field.filter = 0;
        field.hashes.size = 0;
        if (fields.begin(d) == fields.end(d)) return;
        field_.document(fields.data, fields.begin(d), fields.end(d), fields.size);
        for (std::size_t i = 0; i < std::min<std::size_t>(field_.sink.count, 64); ++i) {
            field.hashes.push(field_.sink.hashes[i]);
            field.filter |= std::uint64_t{1} << (field_.sink.hashes[i] & 63);
        }
    }

    // Capitals, lines and their punctuation, links and headings, antecedents: what stands around each word.
    void look_around(const std::uint8_t* data, std::size_t begin, std::size_t end) {
        flags_.size = lines_.size = marks_.size = 0;
        flags_.reserve(count_ + 1);
        lines_.reserve(count_);
        marks_.reserve(count_);
        const TokenSink& tokens = finder_.tokenizer.sink;
        std::size_t at = begin, line_start = 0, marks = 0;
        std::uint8_t inside = 0;
        auto end_line = [&](std::size_t token) {
            if (token > line_start) {
                const std::size_t words = token - line_start;
                std::memset(lines_.data() + line_start, level(words), words);
                std::memset(marks_.data() + line_start, share(std::min(marks, words), words), words);
            }
            line_start = token;
            marks = 0;
        };
        auto gap = [&](std::size_t to, std::size_t token) {
            for (; at < to; ++at) {
                switch (data[at]) {
                    case '\n': end_line(token); break;
                    case 1: inside |= link; break;
                    case 2: inside &= static_cast<std::uint8_t>(~link); break;
                    case 3: inside |= heading; break;
                    case 4: inside &= static_cast<std::uint8_t>(~heading); break;
                    case ',': case '.': case ';': case ':': case '!': case '?': ++marks; break;
                    case 0xe3: marks += to - at >= 3 && data[at + 1] == 0x80 && (data[at + 2] == 0x81 || data[at + 2] == 0x82); break;
                    case 0xef:
                        marks += to - at >= 3 && data[at + 1] == 0xbc &&
                                 (data[at + 2] == 0x8c || data[at + 2] == 0x9b || data[at + 2] == 0x9a ||
                                  data[at + 2] == 0x81 || data[at + 2] == 0x9f);
                        break;
                }
            }
        };
        for (std::size_t i = 0; i < count_; ++i) {
            const std::size_t start = static_cast<std::size_t>(tokens.starts[i]);
            gap(start, i);
            at = std::max(at, static_cast<std::size_t>(tokens.ends[i]));
            flags_[i] = inside | (is_capital(data, start, end) ? capital : 0);
        }
        gap(end, count_);
        end_line(count_);
        finder_.spots([&](std::uint64_t, const Hit&, const std::size_t* chain, std::uint32_t) { flags_[chain[0]] |= spot; });
    }

    bool is_capital(const std::uint8_t* data, std::size_t at, std::size_t end) const {
        if (data[at] < 0x80) return data[at] >= 'A' && data[at] <= 'Z';
        const std::uint32_t code = decode(data, at, end);
        return code < broken && !unicode_.folded(code).several() && unicode_.folded(code).code() != code;
    }

    // One entry for each different k-gram.
    void gather() {
        const std::uint64_t* hashes = finder_.tokenizer.sink.hashes;
        width_ = std::min(options_.k, count_);
        const std::size_t grams = count_ - width_ + 1;
        std::size_t slots = 64;
        while (slots < 2 * grams) slots *= 2;
        const std::size_t mask = slots - 1;
        table_.reserve(slots);
        std::memset(table_.data(), 0, slots * sizeof(std::uint32_t));
        entries_.size = 0;
        keys_.size = 0;
        keys_.reserve(grams);
        for (std::size_t i = 0; i < grams; ++i) {
            std::uint64_t key = shingle_domain;
            for (std::size_t j = 0; j < width_; ++j) key = combine(key, hashes[i + j]);
            key = finish(key);
            std::size_t at = key & mask;
            while (table_[at] != 0 && entries_[table_[at] - 1].key != key) at = (at + 1) & mask;
            if (table_[at] == 0) {
                entries_.push({key, 0, static_cast<std::uint32_t>(i), 0, 0, 0, 0, 0, 0});
                table_[at] = static_cast<std::uint32_t>(entries_.size);
                keys_.push(key);
            }
            Entry& entry = entries_[table_[at] - 1];
            const std::uint8_t flags = flags_[i];
            ++entry.times;
            entry.capitals += flags & capital;
            entry.spots += (flags & spot) / spot;
            entry.links += (flags & link) / link;
            entry.headings += (flags & heading) / heading;
            entry.line = std::max(entry.line, lines_[i]);
            entry.marks = std::max(entry.marks, marks_[i]);
        }
        spare_.reserve(keys_.size);
        sort_keys(keys_.data(), spare_.data(), keys_.size);
        mask_ = mask;
    }

    template <class Visit>
    void give(Visit&& visit) {
        const std::uint64_t* hashes = finder_.tokenizer.sink.hashes;
        const std::uint8_t length = level(count_);
        for (std::size_t n = 0; n < keys_.size; ++n) {
            std::size_t at = keys_[n] & mask_;
            while (entries_[table_[at] - 1].key != keys_[n]) at = (at + 1) & mask_;
            const Entry& entry = entries_[table_[at] - 1];
            std::uint8_t codes[fact_count];
            std::size_t titles = 0, urls = 0, stops = 0;
            for (std::size_t j = 0; j < width_; ++j) {
                const std::size_t token = entry.first + j;
                titles += title_.has(hashes[token]);
                urls += url_.has(hashes[token]);
                stops += finder_.is_stop(token);
            }
            codes[fact_tf] = static_cast<std::uint8_t>(std::min<std::uint32_t>(entry.times, 255));
            codes[fact_df] = options_.grams->code(entry.key);
            codes[fact_df_avg] = codes[fact_df_med] = 0;
            if (options_.k > 1) word_frequencies(hashes + entry.first, codes);
            codes[fact_qf] = options_.queries->code(entry.key);
            codes[fact_location] = level(entry.first);
            codes[fact_place] = share(entry.first, count_);
            codes[fact_length] = length;
            codes[fact_capital] = share(entry.capitals, entry.times);
            codes[fact_title] = share(titles, width_);
            codes[fact_url] = share(urls, width_);
            codes[fact_spots] = static_cast<std::uint8_t>(std::min<std::uint32_t>(entry.spots, 255));
            codes[fact_spot_share] = share(entry.spots, entry.times);
            codes[fact_stop] = share(stops, width_);
            codes[fact_link] = share(entry.links, entry.times);
            codes[fact_heading] = share(entry.headings, entry.times);
            codes[fact_line] = entry.line;
            codes[fact_marks] = entry.marks;
            codes[fact_language] = finder_.language;
            visit(entry.key, entry.times, codes);
        }
    }

    void word_frequencies(const std::uint64_t* hashes, std::uint8_t* codes) const {
        std::uint8_t words[max_gram];
        unsigned sum = 0;
        for (std::size_t j = 0; j < width_; ++j) {
            words[j] = options_.words->code(finish(combine(shingle_domain, hashes[j])));
            sum += words[j];
        }
        std::sort(words, words + width_);
        codes[fact_df_avg] = static_cast<std::uint8_t>((2 * sum + width_) / (2 * width_));
        codes[fact_df_med] = words[(width_ - 1) / 2];
    }

    FactOptions options_;
    SpotFinder finder_;
    Tokenizer field_;
    const Unicode& unicode_;
    Field title_, url_;
    std::size_t count_ = 0, width_ = 0, mask_ = 0;
    Buffer<std::uint8_t> flags_, lines_, marks_;
    Buffer<Entry> entries_;
    Buffer<std::uint32_t> table_;  // number of the entry + 1; 0: free
    Buffer<std::uint64_t> keys_, spare_;
};

}  // namespace samecore
