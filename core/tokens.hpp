// Words of UTF-8 documents as hashes. docs/tokens.md defines a word.
//
// Text is read in two gears. Bytes are classified 64 at a time into a mask of "letter,
// digit or beyond ASCII"; each run of such bytes is a word on its own if it is all
// ASCII (lower-cased and hashed from two 8-byte loads), else it goes through the full
// Unicode rules (`Tokenizer::mixed`). An ASCII separator always separates, so the runs
// do not depend on each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "unicode.hpp"

namespace samecore {

// A growable array of plain values that is never filled with zeros first.
template <class T>
class Buffer {
    static_assert(std::is_trivially_copyable_v<T>);

   public:
    Buffer() = default;
    explicit Buffer(std::size_t size) : size(size) { reserve(size); }
    Buffer(Buffer&& other) noexcept
        : size(std::exchange(other.size, 0)),
          data_(std::exchange(other.data_, nullptr)),
          capacity_(std::exchange(other.capacity_, 0)) {}
    Buffer& operator=(Buffer&& other) noexcept {
        std::swap(size, other.size);
        std::swap(data_, other.data_);
        std::swap(capacity_, other.capacity_);
        return *this;
    }
    ~Buffer() { std::free(data_); }

    T* data() { return data_; }
    const T* data() const { return data_; }
    T& operator[](std::size_t i) { return data_[i]; }
    const T& operator[](std::size_t i) const { return data_[i]; }
    std::size_t capacity() const { return capacity_; }

    void reserve(std::size_t wanted) {
        if (wanted <= capacity_) return;
        const std::size_t larger = wanted < capacity_ + capacity_ / 2 ? capacity_ + capacity_ / 2 : wanted;
        void* moved = std::realloc(data_, larger * sizeof(T));
        if (moved == nullptr) throw std::bad_alloc();
        data_ = static_cast<T*>(moved);
        capacity_ = larger;
    }
    void push(T value) {
        if (size == capacity_) reserve(size + 64);
        data_[size++] = value;
    }
    void append(const T* values, std::size_t count) {
        reserve(size + count);
        if (count > 0) std::memcpy(data_ + size, values, count * sizeof(T));
        size += count;
    }

    std::size_t size = 0;

   private:
    T* data_ = nullptr;
    std::size_t capacity_ = 0;
};

// How runs of scripts written without spaces become words.
enum class Cjk { bigrams = 0, words = 1, characters = 2 };

// What the fast loops write: plain pointers, so that the processor-specific files need
// no library code. `starts` and `ends` are null when spans are not wanted.
struct TokenSink {
    std::uint64_t* hashes = nullptr;
    std::int64_t* starts = nullptr;
    std::int64_t* ends = nullptr;
    std::size_t count = 0, capacity = 0;
    std::uint64_t seed = 0;
};

// A run of unspaced characters: its characters and the first word made of it.
struct Run {
    std::size_t first_token, first_char, length;
    // Words that start in the run; word i starts at character i (modes other than words).
    std::size_t tokens(Cjk cjk) const {
        return cjk == Cjk::words || length == 1 ? 1 : cjk == Cjk::bigrams ? length - 1 : length;
    }
};

struct TokenOptions {
    std::uint64_t seed = 0;
    Cjk cjk = Cjk::bigrams;
    bool spans = false;  // the bytes each word came from
    bool runs = false;   // the runs of unspaced characters
    bool text = false;   // the normalised words themselves (the slow gear throughout)
};

// Tokenises one document after the other; the memory is used again.
class Tokenizer {
   public:
    explicit Tokenizer(const TokenOptions& options) : options_(options), unicode_(Unicode::get()) {
        sink.seed = options.seed;
    }
    Tokenizer(const Tokenizer&) = delete;
    Tokenizer& operator=(const Tokenizer&) = delete;

    // The document is data[begin, end); bytes up to data[size) may be read, not used.
    void document(const std::uint8_t* data, std::size_t begin, std::size_t end, std::size_t size);

    // The full Unicode rules for data[begin, end), whose neighbours separate.
    void mixed(const std::uint8_t* data, std::size_t begin, std::size_t end);
    // Room for `more` words.
    void reserve(std::size_t more);

    TokenSink sink;            // the words; spans count from data[0]
    std::vector<Run> runs;     // if asked for
    Buffer<std::uint32_t> run_codes;                 // characters of the runs
    Buffer<std::size_t> run_starts, run_ends;        // and their bytes, if spans are asked for
    Buffer<std::uint8_t> text;                       // if asked for: words end to end
    Buffer<std::int64_t> text_ends;                  // and where each ends

   private:
    void emit(std::uint64_t hash, std::size_t start, std::size_t end);
    void emit_text(const std::uint8_t* bytes, std::size_t length);
    void end_word(std::size_t start, std::size_t end, bool compose);
    void end_run(bool compose);
    void compose_run();

    TokenOptions options_;
    const Unicode& unicode_;
    Buffer<std::uint64_t> hashes_;
    Buffer<std::int64_t> starts_, ends_;
    Buffer<std::uint8_t> word_;
    std::size_t run_begin_ = 0;
    Buffer<std::uint8_t> composed_;
    struct Span {
        std::size_t start, end;
    };
    Buffer<std::uint32_t> loose_;  // a run being composed
    Buffer<Span> loose_spans_;
    std::vector<Char> characters_, spare_;  // one segment of a word being composed
};

// The fast gear, one per instruction set (tokens.cpp, x86/).
using Scan = void (*)(Tokenizer&, const std::uint8_t* data, std::size_t begin, std::size_t end, std::size_t size);
void scan_portable(Tokenizer&, const std::uint8_t*, std::size_t, std::size_t, std::size_t);
void scan_avx2(Tokenizer&, const std::uint8_t*, std::size_t, std::size_t, std::size_t);
void scan_avx512(Tokenizer&, const std::uint8_t*, std::size_t, std::size_t, std::size_t);

// A long ASCII word, or one at the very end of the memory: reads nothing outside it.
std::uint64_t hash_ascii_word(const std::uint8_t* bytes, std::size_t length, std::uint64_t seed);

}  // namespace samecore
