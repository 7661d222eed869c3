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
    if (whole < 1 << 22 && part <= whole)  // 32 bits divide faster
        return static_cast<std::uint8_t>((510 * static_cast<std::uint32_t>(part) + static_cast<std::uint32_t>(whole)) /
                                         (2 * static_cast<std::uint32_t>(whole)));
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
        if (options_.k > 1) {
            const std::uint64_t* hashes = finder_.tokenizer.sink.hashes;
            words_.reserve(count_);
            for (std::size_t i = 0; i < count_; ++i)
                words_[i] = options_.words->code(finish(combine(shingle_domain, hashes[i])));
        }
        gather();
        give(visit);
    }

   private:
    enum Flag : std::uint8_t { capital = 1, spot = 2, link = 4, heading = 8, stop = 16, title = 32, url = 64 };
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
            const std::uint64_t hash = tokens.hashes[i];
            flags_[i] = static_cast<std::uint8_t>(inside | (is_capital(data, start, end) ? capital : 0) |
                                                  (finder_.is_stop(i) ? stop : 0) | (title_.has(hash) ? title : 0) |
                                                  (url_.has(hash) ? url : 0));
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

    struct Place {
        std::uint64_t key;
        std::size_t at;
    };

    // Every k-gram and where it begins, by key, in the order of the text among equals. Keys are hashes: their leading
    // bits spread them evenly over as many buckets as there are k-grams, which leaves little to sort.
    void gather() {
        const std::uint64_t* hashes = finder_.tokenizer.sink.hashes;
        width_ = std::min(options_.k, count_);
        const std::size_t grams = count_ - width_ + 1;
        int bits = 4;
        while (bits < 14 && (std::size_t{1} << bits) < grams) ++bits;
        const int down = 64 - bits;
        const std::size_t buckets = std::size_t{1} << bits;
        ends_.reserve(buckets);
        std::memset(ends_.data(), 0, buckets * sizeof(std::uint32_t));
        loose_.reserve(grams);
        places_.reserve(grams);
        for (std::size_t i = 0; i < grams; ++i) {
            std::uint64_t key = shingle_domain;
            for (std::size_t j = 0; j < width_; ++j) key = combine(key, hashes[i + j]);
            loose_[i] = finish(key);
            ++ends_[loose_[i] >> down];
        }
        std::uint32_t sum = 0;
        for (std::size_t b = 0; b < buckets; ++b) {
            const std::uint32_t own = ends_[b];
            ends_[b] = sum;
            sum += own;
        }
        for (std::size_t i = 0; i < grams; ++i) places_[ends_[loose_[i] >> down]++] = {loose_[i], i};
        places_.size = grams;
        std::size_t from = 0;
        const auto before = [](const Place& x, const Place& y) { return x.key < y.key; };
        for (std::size_t b = 0; b < buckets; from = ends_[b++])
            if (ends_[b] - from > 32) std::stable_sort(places_.data() + from, places_.data() + ends_[b], before);
        for (std::size_t i = 1; i < grams; ++i) {  // moves places within their buckets only
            const Place place = places_[i];
            std::size_t j = i;
            for (; j > 0 && places_[j - 1].key > place.key; --j) places_[j] = places_[j - 1];
            places_[j] = place;
        }
    }

    template <class Visit>
    void give(Visit&& visit) {
        const std::uint8_t length = level(count_);
        for (std::size_t n = 0; n < places_.size;) {
            const std::uint64_t key = places_[n].key;
            const std::size_t first = places_[n].at;
            std::uint32_t times = 0, capitals = 0, spots = 0, links = 0, headings = 0;
            std::uint8_t line = 0, marks = 0;
            for (; n < places_.size && places_[n].key == key; ++n, ++times) {
                const std::size_t at = places_[n].at;
                const std::uint8_t flags = flags_[at];
                capitals += flags & capital;
                spots += (flags & spot) / spot;
                links += (flags & link) / link;
                headings += (flags & heading) / heading;
                line = std::max(line, lines_[at]);
                marks = std::max(marks, marks_[at]);
            }
            std::size_t titles = 0, urls = 0, stops = 0;
            for (std::size_t j = 0; j < width_; ++j) {
                const std::uint8_t flags = flags_[first + j];
                titles += (flags & title) / title;
                urls += (flags & url) / url;
                stops += (flags & stop) / stop;
            }
            std::uint8_t codes[fact_count];
            codes[fact_tf] = static_cast<std::uint8_t>(std::min<std::uint32_t>(times, 255));
            codes[fact_df] = options_.grams->code(key);
            codes[fact_df_avg] = codes[fact_df_med] = 0;
            if (options_.k > 1) word_frequencies(words_.data() + first, codes);
            codes[fact_qf] = options_.queries->code(key);
            codes[fact_location] = level(first);
            codes[fact_place] = share(first, count_);
            codes[fact_length] = length;
            codes[fact_capital] = share_of(capitals, times);
            codes[fact_title] = share_of(titles, width_);
            codes[fact_url] = share_of(urls, width_);
            codes[fact_spots] = static_cast<std::uint8_t>(std::min<std::uint32_t>(spots, 255));
            codes[fact_spot_share] = share_of(spots, times);
            codes[fact_stop] = share_of(stops, width_);
            codes[fact_link] = share_of(links, times);
            codes[fact_heading] = share_of(headings, times);
            codes[fact_line] = line;
            codes[fact_marks] = marks;
            codes[fact_language] = finder_.language;
            visit(key, times, codes);
        }
    }

    // Nearly always none or all of them: a division is spared.
    static std::uint8_t share_of(std::uint64_t part, std::uint64_t whole) {
        return part == 0 ? 0 : part == whole ? 255 : share(part, whole);
    }

    void word_frequencies(const std::uint8_t* first, std::uint8_t* codes) const {
        std::uint8_t words[max_gram];
        std::copy_n(first, width_, words);
        unsigned sum = 0;
        for (std::size_t j = 0; j < width_; ++j) sum += words[j];
        std::sort(words, words + width_);
        codes[fact_df_avg] = static_cast<std::uint8_t>((2 * sum + width_) / (2 * width_));
        codes[fact_df_med] = words[(width_ - 1) / 2];
    }

    FactOptions options_;
    SpotFinder finder_;
    Tokenizer field_;
    const Unicode& unicode_;
    Field title_, url_;
    std::size_t count_ = 0, width_ = 0;
    Buffer<std::uint8_t> flags_, lines_, marks_, words_;
    Buffer<Place> places_;
    Buffer<std::uint64_t> loose_;
    Buffer<std::uint32_t> ends_;
};

}  // namespace samecore
