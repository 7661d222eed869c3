// The fast gear of the tokeniser, written once and compiled per instruction set. The
// file that includes it supplies `classify`; everything is static, see hash.hpp.
#pragma once

#include "hash.hpp"
#include "tokens.hpp"

namespace samecore {

// Bit i: byte i may be part of a word (ASCII letter, digit, or not ASCII); is not ASCII.
struct Masks {
    std::uint64_t word, high;
};

// Which bytes of a 16-byte load belong to a word of length 0 to 16.
struct LengthMask {
    std::uint64_t first, second;
};
alignas(64) static constexpr LengthMask length_masks[17] = {
    {0, 0},
    {0xff, 0},
    {0xffff, 0},
    {0xffffff, 0},
    {0xffffffff, 0},
    {0xffffffffff, 0},
    {0xffffffffffff, 0},
    {0xffffffffffffff, 0},
    {~0ull, 0},
    {~0ull, 0xff},
    {~0ull, 0xffff},
    {~0ull, 0xffffff},
    {~0ull, 0xffffffff},
    {~0ull, 0xffffffffff},
    {~0ull, 0xffffffffffff},
    {~0ull, 0xffffffffffffff},
    {~0ull, ~0ull},
};

SAMECORE_INLINE unsigned lowest_bit(std::uint64_t mask) {
#if defined(__GNUC__) || defined(__clang__)
    return static_cast<unsigned>(__builtin_ctzll(mask | 1ull << 63));
#else
    return static_cast<unsigned>(std::countr_zero(mask | 1ull << 63));
#endif
}

template <bool Spans>
SAMECORE_INLINE void emit_ascii(TokenSink& sink, const std::uint8_t* data, std::size_t start, std::size_t end,
                                std::size_t size) {
    // Setting bit 5 makes letters small and leaves digits as they are.
    constexpr std::uint64_t small = 0x2020202020202020;
    const std::size_t length = end - start;
    std::uint64_t hash;
    if (length <= 16 && start + 16 <= size) [[likely]] {
        const LengthMask mask = length_masks[length];
        const std::uint64_t first = (load8(data + start) | small) & mask.first;
        const std::uint64_t second = (load8(data + start + 8) | small) & mask.second;
        hash = hash_last(first, second, length, sink.seed);
    } else {
        hash = hash_ascii_word(data + start, length, sink.seed);
    }
    sink.hashes[sink.count] = hash;
    if constexpr (Spans) {
        sink.starts[sink.count] = static_cast<std::int64_t>(start);
        sink.ends[sink.count] = static_cast<std::int64_t>(end);
    }
    ++sink.count;
}

template <bool Spans, class Classify>
static void scan_words(Tokenizer& tokenizer, const std::uint8_t* data, std::size_t begin, std::size_t end,
                       std::size_t size, Classify classify) {
    // A copy that never leaves the registers; the tokenizer's own is brought up to date
    // around every call that needs it.
    TokenSink sink = tokenizer.sink;
    std::uint64_t carry = 0;  // 1 if the byte before this block was part of a word
    bool high = false;        // whether that open word has a byte beyond ASCII
    std::size_t start = begin;
    for (std::size_t base = begin; base < end; base += 64) {
        Masks masks;
        if (base + 64 <= size) [[likely]] {
            masks = classify(data + base);
        } else {
            std::uint8_t padded[64] = {};
            std::memcpy(padded, data + base, size - base);
            masks = classify(padded);
        }
        if (end - base < 64) {
            const std::uint64_t inside = (1ull << (end - base)) - 1;
            masks.word &= inside;
            masks.high &= inside;
        }
        if (sink.capacity - sink.count < 64) [[unlikely]] {
            tokenizer.sink = sink;
            tokenizer.reserve(64);
            sink = tokenizer.sink;
        }
        const std::uint64_t before = masks.word << 1 | carry;
        std::uint64_t starts = masks.word & ~before, ends = ~masks.word & before;
        if (carry == 0) {
            start = base + lowest_bit(starts);
            starts &= starts - 1;
        }
        if (masks.high == 0 && !high) [[likely]] {
            while (ends != 0) {
                const std::size_t stop = base + lowest_bit(ends);
                ends &= ends - 1;
                emit_ascii<Spans>(sink, data, start, stop, size);
                start = base + lowest_bit(starts);
                starts &= starts - 1;
            }
        } else {
            while (ends != 0) {
                const unsigned stop = lowest_bit(ends);
                ends &= ends - 1;
                const unsigned first = start < base ? 0 : static_cast<unsigned>(start - base);
                const std::uint64_t below = (1ull << stop) - 1, from = ~0ull << first;
                if (high || (masks.high & below & from) != 0) {
                    tokenizer.sink = sink;
                    tokenizer.mixed(data, start, base + stop);
                    tokenizer.reserve(64);
                    sink = tokenizer.sink;
                    high = false;
                } else {
                    emit_ascii<Spans>(sink, data, start, base + stop, size);
                }
                start = base + lowest_bit(starts);
                starts &= starts - 1;
            }
            if (masks.word >> 63) {
                const unsigned first = start < base ? 0 : static_cast<unsigned>(start - base);
                high = high || (masks.high & (~0ull << first)) != 0;
            }
        }
        carry = masks.word >> 63;
    }
    if (carry != 0) {  // the document ended with a block and a word
        if (high) {
            tokenizer.sink = sink;
            tokenizer.mixed(data, start, end);
            return;
        }
        emit_ascii<Spans>(sink, data, start, end, size);
    }
    tokenizer.sink = sink;
}

}  // namespace samecore
