// What the tokeniser must know of Unicode: what NFKC_Casefold makes of a code point,
// whether it belongs to a word, and canonical composition. Tables: Unicode 14.0.0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace samecore {

enum class CharClass : std::uint32_t {
    separator = 0,
    word = 1,        // letter or number
    mark = 2,        // continues a word, never starts one
    unspaced = 3,    // letter or number of a script written without spaces
    ignored = 4,     // soft hyphen, zero width...: as if it were not there
    unassigned = 5,  // separates; told apart for tests against other Unicode versions
};

// One number says all about a code point after folding:
//   bits 0-20 the folded code point, 21-23 its CharClass, 24 "may compose with the one
//   before", 25-30 rank of its combining class (0 = none). If bit 31 is set it folds to
//   several: bits 0-20 then index `pool`, which holds their number and that many of these.
struct Folded {
    std::uint32_t bits;
    std::uint32_t code() const { return bits & 0x1fffff; }
    CharClass kind() const { return static_cast<CharClass>((bits >> 21) & 7); }
    bool may_compose() const { return (bits >> 24) & 1; }
    std::uint32_t combining() const { return (bits >> 25) & 63; }
    bool several() const { return bits >> 31; }
};

class Unicode {
   public:
    // Unpacked from the committed tables on first use (a few milliseconds, 4.5 MB).
    static const Unicode& get();
    Folded folded(std::uint32_t code) const { return {folded_[code]}; }
    const std::uint32_t* pool(Folded several) const { return pool_.data() + several.code(); }
    // The pair a composed code point stands for; false if it is not one.
    bool decompose(std::uint32_t code, std::uint32_t& first, std::uint32_t& second) const;
    // What the pair composes to, or 0.
    std::uint32_t compose(std::uint32_t first, std::uint32_t second) const;

   private:
    Unicode();
    std::vector<std::uint32_t> folded_, pool_;
    struct Triple {
        std::uint32_t composed, first, second;
    };
    // Open addressing, a quarter full; composed 0 = free.
    static constexpr std::size_t slots = 4096;
    static std::size_t slot_of(std::uint32_t code) { return code * 2654435761u >> 20; }
    static std::size_t slot_of(std::uint32_t first, std::uint32_t second) {
        return (first * 2654435761u + second * 2246822519u) >> 20;
    }
    std::vector<Triple> by_composed_, by_pair_;
};

const char* unicode_version();

// A character of a run and the bytes of the text it came from.
struct Char {
    std::uint32_t code;
    std::size_t start, end;
};

// Canonical composition (NFC) in place, of characters that are each composed already.
// A character made of several covers the bytes of all of them. `spare` is scratch memory.
void compose_canonically(const Unicode& unicode, std::vector<Char>& characters, std::vector<Char>& spare);

// Whether composition may be done separately before and after this character.
inline bool starts_segment(Folded c) { return c.combining() == 0 && !c.may_compose(); }

constexpr std::uint32_t broken = 0x110000;  // what decode() gives for bytes that are not UTF-8

// One code point from bytes[at], `at < end`; moves `at` past it. Bytes that are not
// UTF-8 give `broken`, once per maximal bad sequence, as Python's errors="replace" does.
inline std::uint32_t decode(const std::uint8_t* bytes, std::size_t& at, std::size_t end) {
    const std::uint32_t lead = bytes[at++];
    if (lead < 0x80) return lead;
    if (lead < 0xc2 || lead > 0xf4) return broken;
    // The second byte's range excludes overlong forms, surrogates and code points too high.
    const std::uint32_t low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    const std::uint32_t high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    if (at == end || bytes[at] < low || bytes[at] > high) return broken;
    std::uint32_t code = (lead < 0xe0 ? lead & 0x1f : lead < 0xf0 ? lead & 0x0f : lead & 0x07) << 6;
    code |= bytes[at++] & 0x3f;
    for (int more = lead < 0xe0 ? 0 : lead < 0xf0 ? 1 : 2; more > 0; --more) {
        if (at == end || (bytes[at] & 0xc0) != 0x80) return broken;
        code = code << 6 | (bytes[at++] & 0x3f);
    }
    return code;
}

// UTF-8 of a code point as a little-endian number and its length in bytes.
struct Encoded {
    std::uint32_t bytes, length;
};

inline Encoded encode(std::uint32_t code) {
    if (code < 0x80) return {code, 1};
    if (code < 0x800) return {0x80c0 | code >> 6 | (code & 0x3f) << 8, 2};
    if (code < 0x10000) return {0x8080e0 | code >> 12 | (code >> 6 & 0x3f) << 8 | (code & 0x3f) << 16, 3};
    return {0x808080f0 | code >> 18 | (code >> 12 & 0x3f) << 8 | (code >> 6 & 0x3f) << 16 | (code & 0x3f) << 24, 4};
}

}  // namespace samecore
