// Compiling the words that matter into tables that need one probe each.
#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>

#include "hash.hpp"
#include "spots.hpp"
#include "unicode.hpp"

namespace samecore {
namespace {

std::vector<std::uint32_t> decode_all(const std::uint8_t* bytes, std::size_t length) {
    std::vector<std::uint32_t> codes;
    for (std::size_t at = 0; at < length;) codes.push_back(decode(bytes, at, length));
    return codes;
}

void refuse(const std::string& message) { throw std::invalid_argument("spot table: " + message); }

}  // namespace

SpotTable::SpotTable(const SpotWords& given, const SpotOptions& options)
    : options_(options), languages_(given.languages) {
    const std::size_t count = given.words.count;
    if (languages_ < 1 || languages_ > max_languages)
        refuse("expected 1 to 40 languages, found " + std::to_string(languages_));
    if (options.otherwise && languages_ < 2) refuse("expected a language beside the one for unknown ones");
    if (count > 65535) refuse("expected at most 65535 words, found " + std::to_string(count));
    const Unicode& unicode = Unicode::get();
    entries_.resize(count + 1);
    votes_.assign((count + 1) * vote_width() * 8, 0);
    std::vector<std::uint32_t> words;
    std::vector<Characters> characters;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint8_t* bytes = given.words.data + given.words.begin(i);
        const std::size_t length = given.words.end(i) - given.words.begin(i);
        const std::vector<std::uint32_t> codes = decode_all(bytes, length);
        if (codes.empty() || codes[0] == broken) refuse("word " + std::to_string(i) + " is empty or not UTF-8");
        Entry& entry = entries_[i + 1];
        entry.hash = hash_bytes(bytes, length, options.seed);
        entry.stop_mask = given.stop_masks[i];
        entry.spec_mask = 0;
        entry.first_spec = 0;
        if (given.weights[i] > max_weight) refuse("a word's weight is 0, 1, 2 or 3");
        for (std::size_t l = 0; l < languages_; ++l)
            if (entry.stop_mask >> l & 1)
                votes_[(i + 1) * vote_width() * 8 + l] = given.weights[i];
        const std::uint32_t number = static_cast<std::uint32_t>(i + 1);
        const bool unspaced = unicode.folded(codes[0]).kind() == CharClass::unspaced;
        if (unspaced && options.cjk == Cjk::bigrams) {
            if (codes.size() > max_characters)
                refuse("expected at most 8 characters in an unspaced word, found " + std::to_string(codes.size()));
            characters.push_back({number, codes});
        } else {
            words.push_back(number);
        }
    }
    // Specifications by (word, language), in the order given.
    std::vector<std::uint32_t> order(given.specs);
    for (std::size_t i = 0; i < given.specs; ++i) {
        order[i] = static_cast<std::uint32_t>(i);
        if (given.spec_words[i] >= count || given.spec_languages[i] >= languages_) refuse("a specification is out of range");
    }
    auto place_of = [&](std::uint32_t i) { return given.spec_words[i] * max_languages + given.spec_languages[i]; };
    std::stable_sort(order.begin(), order.end(), [&](auto x, auto y) { return place_of(x) < place_of(y); });
    for (const std::uint32_t i : order) {
        Entry& entry = entries_[given.spec_words[i] + 1];
        if (entry.spec_mask == 0) {
            entry.first_spec = static_cast<std::uint32_t>(ranges_.size());
            ranges_.resize(ranges_.size() + languages_, Range{0, 0});
        }
        const std::size_t language = given.spec_languages[i];
        Range& range = ranges_[entry.first_spec + language];
        const std::uint32_t next = static_cast<std::uint32_t>(specs_.size());
        if (!(entry.spec_mask >> language & 1)) range = {next, next};
        entry.spec_mask |= std::uint64_t{1} << language;
        range.last = next + 1;
        Spec spec{};
        const std::size_t steps = static_cast<std::size_t>(given.step_offsets[i + 1] - given.step_offsets[i]);
        if (steps < 1 || steps > max_steps) refuse("expected 1 to 8 steps, found " + std::to_string(steps));
        spec.count = static_cast<std::uint32_t>(steps);
        for (std::size_t s = 0; s < steps; ++s) {
            spec.steps[s] = given.steps[given.step_offsets[i] + static_cast<std::int64_t>(s)];
            if (spec.steps[s] < 1) refuse("expected steps of at least 1, found 0");
        }
        spec.prefix = spot_domain;
        if (options.key != SpotKey::chain) spec.prefix = combine(spec.prefix, entry.hash);
        if (options.key == SpotKey::spot)
            for (std::size_t s = 0; s < steps; ++s) spec.prefix = combine(spec.prefix, spec.steps[s]);
        specs_.push_back(spec);
    }
    place(words);
    place_characters(characters);
    for (const Entry& entry : entries_) hashes_.push_back(entry.hash);
    has_words_ = !words.empty();
    // The first word's hash leads to its own slot, never to a free one.
    if (has_words_) hashes_[0] = hashes_[words[0]];
}

// Hash and displace: buckets, fullest first, each take the first odd multiplier that
// sends their words to free slots. Up to half of the slots are used, so few are tried, and the table stays in the cache.
void SpotTable::place(const std::vector<std::uint32_t>& words) {
    const std::size_t buckets = std::bit_ceil(std::max<std::size_t>(words.size() / 4, 1));
    std::size_t slots = std::bit_ceil(std::max<std::size_t>(words.size() * 2, 16));
    std::vector<std::vector<std::uint32_t>> members(buckets);
    bucket_mask_ = buckets - 1;
    for (const std::uint32_t word : words) members[entries_[word].hash & bucket_mask_].push_back(word);
    std::vector<std::size_t> order(buckets);
    for (std::size_t b = 0; b < buckets; ++b) {
        order[b] = b;
        for (std::size_t i = 1; i < members[b].size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                if (entries_[members[b][i]].hash == entries_[members[b][j]].hash) refuse("a word is listed twice");
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t x, std::size_t y) { return members[x].size() > members[y].size(); });
    for (;; slots *= 2) {
        slot_shift_ = 64 - std::countr_zero(slots);
        slots_.assign(slots, 0);
        multipliers_.assign(buckets, 1);
        bool placed = true;
        for (const std::size_t b : order) {
            bool fits = members[b].empty();
            for (std::uint32_t multiplier = 1; !fits && multiplier < 200000; multiplier += 2) {
                std::size_t done = 0;
                for (; done < members[b].size(); ++done) {
                    std::uint16_t& slot = slots_[entries_[members[b][done]].hash * multiplier >> slot_shift_];
                    if (slot != 0) break;
                    slot = static_cast<std::uint16_t>(members[b][done]);
                }
                fits = done == members[b].size();
                multipliers_[b] = multiplier;
                if (!fits)
                    while (done-- > 0) slots_[entries_[members[b][done]].hash * multiplier >> slot_shift_] = 0;
            }
            placed &= fits;
        }
        if (placed) return;
    }
}

void SpotTable::place_characters(const std::vector<Characters>& all) {
    has_characters_ = !all.empty();
    std::size_t total = 1;
    for (const Characters& own : all) total += own.codes.size();
    sequences_.assign(std::bit_ceil(total * 2), {0, 0, false});
    starters_.assign(4096, 0);
    for (const Characters& own : all) {
        starters_[own.codes[0] & 4095] = 1;
        std::uint64_t key = 0;
        for (std::size_t i = 0; i < own.codes.size(); ++i) {
            key = combine(key, own.codes[i]);
            std::size_t at = key & (sequences_.size() - 1);
            while (sequences_[at].used && sequences_[at].key != key) at = (at + 1) & (sequences_.size() - 1);
            Sequence& sequence = sequences_[at];
            sequence.key = key;
            sequence.used = true;
            if (i + 1 < own.codes.size()) continue;
            if (sequence.entry != 0) refuse("a word is listed twice");
            sequence.entry = own.entry;
        }
    }
}

std::size_t SpotTable::find_characters(const std::uint32_t* codes, std::size_t available, std::uint32_t* found,
                                       std::uint32_t* lengths) const {
    if (!starters_[codes[0] & 4095]) return 0;
    const std::size_t longest = std::min(available, max_characters);
    std::size_t count = 0;
    std::uint64_t key = 0;
    for (std::size_t length = 1; length <= longest; ++length) {
        key = combine(key, codes[length - 1]);
        std::size_t at = key & (sequences_.size() - 1);
        while (sequences_[at].used && sequences_[at].key != key) at = (at + 1) & (sequences_.size() - 1);
        if (!sequences_[at].used) break;
        if (sequences_[at].entry == 0) continue;
        found[count] = sequences_[at].entry;
        lengths[count++] = static_cast<std::uint32_t>(length);
    }
    return count;
}

}  // namespace samecore
