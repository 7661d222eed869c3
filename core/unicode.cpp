#include "unicode.hpp"

#include <algorithm>

namespace samecore {
namespace {

#include "unicode_tables.inc"

constexpr std::size_t code_points = 0x110000;

// Hangul syllables are arithmetic, not a table.
constexpr std::uint32_t hangul_s = 0xac00, hangul_l = 0x1100, hangul_v = 0x1161, hangul_t = 0x11a7;
constexpr std::uint32_t hangul_ls = 19, hangul_vs = 21, hangul_ts = 28, hangul_ss = hangul_ls * hangul_vs * hangul_ts;

}  // namespace

const char* unicode_version() { return unicode_tables_version; }

const Unicode& Unicode::get() {
    static const Unicode unicode;
    return unicode;
}

Unicode::Unicode() : folded_(code_points) {
    // First what each code point is by itself.
    std::size_t code = 0;
    for (std::size_t i = 0; i < std::size(class_runs); i += 2)
        for (std::uint32_t n = class_runs[i]; n > 0; --n, ++code)
            folded_[code] = static_cast<std::uint32_t>(code) | class_runs[i + 1] << 21;
    // Combining classes by rank: there are fewer than 64 and only their order matters.
    std::vector<std::uint32_t> ranks;
    for (std::size_t i = 1; i < std::size(combining_runs); i += 2) ranks.push_back(combining_runs[i]);
    std::sort(ranks.begin(), ranks.end());
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    code = 0;
    for (std::size_t i = 0; i < std::size(combining_runs); i += 2) {
        const auto found = std::lower_bound(ranks.begin(), ranks.end(), combining_runs[i + 1]);
        const std::uint32_t rank = static_cast<std::uint32_t>(found - ranks.begin());
        if (rank == 0) {
            code += combining_runs[i];
            continue;
        }
        for (std::uint32_t n = combining_runs[i]; n > 0; --n, ++code) folded_[code] |= rank << 25;
    }
    by_composed_.resize(slots);
    by_pair_.resize(slots);
    static_assert(std::size(compose_triples) / 3 < slots / 2);
    auto insert = [](std::vector<Triple>& table, std::size_t at, const Triple& triple) {
        while (table[at].composed != 0) at = (at + 1) % slots;
        table[at] = triple;
    };
    for (std::size_t i = 0; i < std::size(compose_triples); i += 3) {
        const Triple triple{compose_triples[i], compose_triples[i + 1], compose_triples[i + 2]};
        insert(by_composed_, slot_of(triple.composed), triple);
        insert(by_pair_, slot_of(triple.first, triple.second), triple);
        folded_[triple.second] |= 1u << 24;
    }
    for (std::uint32_t c = hangul_v; c < hangul_v + hangul_vs; ++c) folded_[c] |= 1u << 24;
    for (std::uint32_t c = hangul_t + 1; c < hangul_t + hangul_ts; ++c) folded_[c] |= 1u << 24;
    // Then replace those that fold to something else by what they fold to. Targets fold
    // to themselves, so the order of replacement does not matter.
    code = 0;
    for (std::size_t i = 0; i < std::size(fold_stream);) {
        code += fold_stream[i];
        const std::uint32_t count = fold_stream[i + 1];
        const std::uint32_t* targets = fold_stream + i + 2;
        if (count == 1) {
            folded_[code] = folded_[targets[0]];
        } else {
            const std::uint32_t at = static_cast<std::uint32_t>(pool_.size());
            pool_.push_back(count);
            for (std::uint32_t j = 0; j < count; ++j) pool_.push_back(folded_[targets[j]]);
            folded_[code] = 1u << 31 | at;
        }
        i += 2 + count;
    }
}

bool Unicode::decompose(std::uint32_t code, std::uint32_t& first, std::uint32_t& second) const {
    if (code - hangul_s < hangul_ss) {
        const std::uint32_t index = code - hangul_s, tail = index % hangul_ts;
        first = tail ? code - tail : hangul_l + index / (hangul_vs * hangul_ts);
        second = tail ? hangul_t + tail : hangul_v + index / hangul_ts % hangul_vs;
        return true;
    }
    if (code < 0x80) return false;
    for (std::size_t at = slot_of(code); by_composed_[at].composed != 0; at = (at + 1) % slots)
        if (by_composed_[at].composed == code) {
            first = by_composed_[at].first;
            second = by_composed_[at].second;
            return true;
        }
    return false;
}

std::uint32_t Unicode::compose(std::uint32_t first, std::uint32_t second) const {
    if (first - hangul_l < hangul_ls && second - hangul_v < hangul_vs)
        return hangul_s + ((first - hangul_l) * hangul_vs + (second - hangul_v)) * hangul_ts;
    if (first - hangul_s < hangul_ss && (first - hangul_s) % hangul_ts == 0 && second - hangul_t - 1 < hangul_ts - 1)
        return first + (second - hangul_t);
    for (std::size_t at = slot_of(first, second); by_pair_[at].composed != 0; at = (at + 1) % slots)
        if (by_pair_[at].first == first && by_pair_[at].second == second) return by_pair_[at].composed;
    return 0;
}

void compose_canonically(const Unicode& unicode, std::vector<Char>& characters, std::vector<Char>& parts) {
    // Take every character apart. A pair's first part may be a pair itself.
    parts.clear();
    for (const Char& character : characters) {
        std::uint32_t tail[4], first = character.code, second;
        int count = 0;
        while (count < 4 && unicode.decompose(first, first, second)) tail[count++] = second;
        parts.push_back({first, character.start, character.end});
        while (count > 0) parts.push_back({tail[--count], character.start, character.end});
    }
    // A decomposed code point may fold further only if NFKC_Casefold were not stable
    // under decomposition; so its own combining class is read from its entry.
    auto rank = [&](const Char& c) { return unicode.folded(c.code).combining(); };
    for (std::size_t i = 0; i < parts.size();) {
        if (rank(parts[i]) == 0) {
            ++i;
            continue;
        }
        std::size_t j = i;
        while (j < parts.size() && rank(parts[j]) != 0) ++j;
        // Runs of marks are short; only a hostile text has long ones.
        if (j - i > 32)
            std::stable_sort(parts.begin() + static_cast<std::ptrdiff_t>(i), parts.begin() + static_cast<std::ptrdiff_t>(j),
                             [&](const Char& x, const Char& y) { return rank(x) < rank(y); });
        else
            for (std::size_t a = i + 1; a < j; ++a)
                for (std::size_t b = a; b > i && rank(parts[b]) < rank(parts[b - 1]); --b)
                    std::swap(parts[b], parts[b - 1]);
        i = j;
    }
    // Join each with the last starter unless something between blocks it.
    std::size_t kept = 0, starter = 0;
    bool has_starter = false;
    std::uint32_t last = 0;
    for (const Char& part : parts) {
        const std::uint32_t own = rank(part);
        const bool next_to_it = has_starter && kept == starter + 1;
        if (has_starter && (next_to_it || last < own)) {
            if (const std::uint32_t whole = unicode.compose(parts[starter].code, part.code)) {
                Char& joined = parts[starter];
                joined = {whole, std::min(joined.start, part.start), std::max(joined.end, part.end)};
                continue;
            }
        }
        if (own == 0) {
            starter = kept;
            has_starter = true;
        }
        last = own;
        parts[kept++] = part;
    }
    parts.resize(kept);
    characters.swap(parts);
}

}  // namespace samecore
