#include <immintrin.h>

#include "../tokens_scan.hpp"

namespace samecore {
namespace {

// Unsigned "x - low <= width" for 32 bytes at a time: AVX2 compares signed only.
inline __m256i within(__m256i bytes, char low, char width) {
    const __m256i shifted = _mm256_sub_epi8(bytes, _mm256_set1_epi8(low));
    return _mm256_cmpeq_epi8(_mm256_min_epu8(shifted, _mm256_set1_epi8(width)), shifted);
}

inline Masks half(const std::uint8_t* bytes) {
    const __m256i raw = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes));
    const __m256i letter = within(_mm256_or_si256(raw, _mm256_set1_epi8(0x20)), 'a', 25);
    const __m256i word = _mm256_or_si256(_mm256_or_si256(letter, within(raw, '0', 9)), raw);
    // The sign bit of `raw` itself stands for "not ASCII", that of `word` for both.
    return {static_cast<std::uint32_t>(_mm256_movemask_epi8(word)),
            static_cast<std::uint32_t>(_mm256_movemask_epi8(raw))};
}

struct Classify {
    Masks operator()(const std::uint8_t* bytes) const {
        const Masks low = half(bytes), high = half(bytes + 32);
        return {low.word | high.word << 32, low.high | high.high << 32};
    }
};

}  // namespace

void scan_avx2(Tokenizer& tokenizer, const std::uint8_t* data, std::size_t begin, std::size_t end, std::size_t size) {
    if (tokenizer.sink.starts != nullptr)
        scan_words<true>(tokenizer, data, begin, end, size, Classify{});
    else
        scan_words<false>(tokenizer, data, begin, end, size, Classify{});
}

}  // namespace samecore
