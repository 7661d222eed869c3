#include "tokens.hpp"

#include <algorithm>

#include "cpu.hpp"
#include "hash.hpp"
#include "tokens_scan.hpp"

namespace samecore {
namespace {

// Eight bytes at a time in an ordinary register; the sign bit of each byte is the answer.
struct Classify {
    static std::uint64_t gather_signs(std::uint64_t signs) { return (signs >> 7) * 0x0102040810204080u >> 56; }

    // Sign bits of the bytes (all below 0x80) that lie in [low, high].
    static std::uint64_t within(std::uint64_t bytes, std::uint64_t low, std::uint64_t high) {
        constexpr std::uint64_t each = 0x0101010101010101;
        return (bytes + each * (0x80 - low)) & ~(bytes + each * (0x7f - high));
    }

    Masks operator()(const std::uint8_t* bytes) const {
        constexpr std::uint64_t signs = 0x8080808080808080;
        Masks masks{0, 0};
        for (unsigned i = 0; i < 8; ++i) {
            const std::uint64_t raw = load8(bytes + 8 * i), low = raw & ~signs;
            const std::uint64_t letter = within(low | 0x2020202020202020, 'a', 'z'), digit = within(low, '0', '9');
            masks.word |= gather_signs((letter | digit | raw) & signs) << (8 * i);
            masks.high |= gather_signs(raw & signs) << (8 * i);
        }
        return masks;
    }
};

// Like hash_bytes, but 16 bytes after the word may be read (not used).
std::uint64_t hash_padded(const std::uint8_t* bytes, std::size_t length, std::uint64_t seed) {
    if (length > 16) return hash_bytes(bytes, length, seed);
    const LengthMask mask = length_masks[length];
    return hash_last(load8(bytes) & mask.first, load8(bytes + 8) & mask.second, length, seed);
}

// Leaves room for 16 bytes that hash_padded may read.
inline void append_utf8(Buffer<std::uint8_t>& word, std::uint32_t code) {
    word.reserve(word.size + 20);
    const Encoded bytes = encode(code);
    for (unsigned i = 0; i < 4; ++i) word[word.size + i] = static_cast<std::uint8_t>(bytes.bytes >> (8 * i));
    word.size += bytes.length;
}

// The code point that starts at `at`, in text known to be UTF-8.
std::uint32_t peek(const Buffer<std::uint8_t>& text, std::size_t at) { return decode(text.data(), at, text.size); }

Scan choose_scan() {
#if defined(SAMECORE_X86)
    if (cpu_level() == CpuLevel::avx512) return scan_avx512;
    if (cpu_level() == CpuLevel::avx2) return scan_avx2;
#endif
    return scan_portable;
}

}  // namespace

void scan_portable(Tokenizer& tokenizer, const std::uint8_t* data, std::size_t begin, std::size_t end,
                   std::size_t size) {
    if (tokenizer.sink.starts != nullptr)
        scan_words<true>(tokenizer, data, begin, end, size, Classify{});
    else
        scan_words<false>(tokenizer, data, begin, end, size, Classify{});
}

std::uint64_t hash_ascii_word(const std::uint8_t* bytes, std::size_t length, std::uint64_t seed) {
    constexpr std::uint64_t small = 0x2020202020202020;
    std::uint64_t state = seed;
    std::size_t left = length;
    for (; left > 16; left -= 16, bytes += 16)
        state = fold((load8(bytes) | small) ^ hash_a ^ state, (load8(bytes + 8) | small) ^ hash_b);
    std::uint8_t padded[16] = {};
    for (std::size_t i = 0; i < left && i < 16; ++i) padded[i] = bytes[i] | 0x20;
    return hash_last(load8(padded), load8(padded + 8), length, state);
}

void Tokenizer::reserve(std::size_t more) {
    if (sink.capacity - sink.count >= more) return;
    const std::size_t wanted = sink.count + more + 1024;
    hashes_.reserve(wanted);
    sink.hashes = hashes_.data();
    sink.capacity = hashes_.capacity();
    if (options_.spans) {
        starts_.reserve(sink.capacity);
        ends_.reserve(sink.capacity);
        sink.starts = starts_.data();
        sink.ends = ends_.data();
    }
}

void Tokenizer::document(const std::uint8_t* data, std::size_t begin, std::size_t end, std::size_t size) {
    static const Scan scan = choose_scan();
    sink.count = 0;
    runs.clear();
    run_codes.size = run_starts.size = run_ends.size = text.size = text_ends.size = 0;
    reserve(64);
    if (options_.text)
        mixed(data, begin, end);
    else
        scan(*this, data, begin, end, size);
}

inline void Tokenizer::emit(std::uint64_t hash, std::size_t start, std::size_t end) {
    if (sink.count == sink.capacity) reserve(64);
    sink.hashes[sink.count] = hash;
    if (options_.spans) {
        sink.starts[sink.count] = static_cast<std::int64_t>(start);
        sink.ends[sink.count] = static_cast<std::int64_t>(end);
    }
    ++sink.count;
}

void Tokenizer::emit_text(const std::uint8_t* bytes, std::size_t length) {
    text.append(bytes, length);
    text_ends.push(static_cast<std::int64_t>(text.size));
}

void Tokenizer::mixed(const std::uint8_t* data, std::size_t begin, std::size_t end) {
    enum { none, word, run } open = none;
    std::size_t start = 0, stop = 0;  // bytes of the open word
    std::uint32_t last = 0;           // combining class of the character before
    bool compose = false;             // the open word is perhaps not in composed form
    auto close = [&] {
        if (open == word) end_word(start, stop, compose);
        if (open == run) end_run(compose);
        open = none;
    };
    auto take = [&](Folded c, std::size_t from, std::size_t to) {
        const CharClass kind = c.kind();
        if (kind == CharClass::ignored) return;
        const int wanted = kind == CharClass::word       ? word
                           : kind == CharClass::unspaced ? run
                           : kind == CharClass::mark     ? open
                                                         : none;
        if (wanted != open || open == none) {
            close();
            if (wanted == none) return;
            open = wanted == word ? word : run;
            start = from;
            last = 0;
            compose = false;
            word_.size = 0;
            if (!options_.runs) run_codes.size = run_starts.size = run_ends.size = 0;
            run_begin_ = run_codes.size;
        }
        const std::uint32_t combining = c.combining();
        compose |= c.may_compose() || (combining != 0 && combining < last);
        last = combining;
        stop = to;
        if (open == word) {
            append_utf8(word_, c.code());
        } else {
            run_codes.push(c.code());
            if (options_.spans) {
                run_starts.push(from);
                run_ends.push(to);
            }
        }
    };
    for (std::size_t at = begin; at < end;) {
        const std::size_t from = at;
        const std::uint32_t code = decode(data, at, end);
        if (code == broken) {
            close();
            continue;
        }
        const Folded folded = unicode_.folded(code);
        if (!folded.several()) {
            take(folded, from, at);
        } else {
            const std::uint32_t* pool = unicode_.pool(folded);
            for (std::uint32_t i = 1; i <= pool[0]; ++i) take(Folded{pool[i]}, from, at);
        }
    }
    close();
}

void Tokenizer::end_word(std::size_t start, std::size_t end, bool compose) {
    if (compose) {
        // Segment by segment, so that a very long word needs no more memory than a short one.
        composed_.size = 0;
        for (std::size_t at = 0; at < word_.size;) {
            characters_.clear();
            do {
                characters_.push_back({decode(word_.data(), at, word_.size), 0, 0});
            } while (at < word_.size && !starts_segment(unicode_.folded(peek(word_, at))));
            compose_canonically(unicode_, characters_, spare_);
            for (const Char& c : characters_) append_utf8(composed_, c.code);
        }
        composed_.reserve(composed_.size + 16);
        std::swap(word_, composed_);
    }
    emit(hash_padded(word_.data(), word_.size, options_.seed), start, end);
    if (options_.text) emit_text(word_.data(), word_.size);
}

void Tokenizer::compose_run() {
    const std::size_t count = run_codes.size - run_begin_;
    const bool spans = options_.spans;
    loose_.size = loose_spans_.size = 0;
    loose_.append(run_codes.data() + run_begin_, count);
    for (std::size_t i = 0; spans && i < count; ++i)
        loose_spans_.push({run_starts[run_begin_ + i], run_ends[run_begin_ + i]});
    run_codes.size = run_begin_;
    if (spans) run_starts.size = run_ends.size = run_begin_;
    for (std::size_t i = 0; i < count;) {
        characters_.clear();
        do {
            const Span span = spans ? loose_spans_[i] : Span{0, 0};
            characters_.push_back({loose_[i], span.start, span.end});
        } while (++i < count && !starts_segment(unicode_.folded(loose_[i])));
        compose_canonically(unicode_, characters_, spare_);
        for (const Char& c : characters_) {
            run_codes.push(c.code);
            if (spans) run_starts.push(c.start), run_ends.push(c.end);
        }
    }
}

void Tokenizer::end_run(bool compose) {
    const bool spans = options_.spans;
    if (compose) compose_run();
    const std::size_t n = run_codes.size - run_begin_;
    const std::uint32_t* codes = run_codes.data() + run_begin_;
    const Run run{sink.count, run_begin_, n};
    if (options_.runs) runs.push_back(run);
    const std::size_t tokens = run.tokens(options_.cjk);
    const std::size_t width = options_.cjk == Cjk::words ? n : options_.cjk == Cjk::bigrams && n > 1 ? 2 : 1;
    reserve(tokens);
    for (std::size_t i = 0; i < tokens; ++i) {
        std::size_t start = 0, end = 0;
        if (spans) {
            // Reordered marks may leave the last character's bytes before another's.
            start = run_starts[run_begin_ + i], end = run_ends[run_begin_ + i];
            for (std::size_t j = i; j < i + width; ++j) {
                start = std::min(start, run_starts[run_begin_ + j]);
                end = std::max(end, run_ends[run_begin_ + j]);
            }
        }
        if (width <= 2) {  // at most eight bytes: no need to write them down
            const Encoded first = encode(codes[i]), second = width == 2 ? encode(codes[i + 1]) : Encoded{0, 0};
            const std::uint64_t bytes =
                first.bytes | (width == 2 ? static_cast<std::uint64_t>(second.bytes) << (8 * first.length) : 0);
            const std::uint32_t length = first.length + second.length;
            emit(hash_last(bytes, 0, length, options_.seed), start, end);
            if (options_.text) {
                std::uint8_t written[8];
                for (unsigned j = 0; j < 8; ++j) written[j] = static_cast<std::uint8_t>(bytes >> (8 * j));
                emit_text(written, length);
            }
        } else {
            word_.size = 0;
            for (std::size_t j = 0; j < width; ++j) append_utf8(word_, codes[i + j]);
            emit(hash_bytes(word_.data(), word_.size, options_.seed), start, end);
            if (options_.text) emit_text(word_.data(), word_.size);
        }
    }
}

}  // namespace samecore
