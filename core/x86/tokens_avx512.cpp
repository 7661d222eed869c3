#include <immintrin.h>

#include "../tokens_scan.hpp"

namespace samecore {
namespace {

struct Classify {
    Masks operator()(const std::uint8_t* bytes) const {
        const __m512i raw = _mm512_loadu_si512(bytes);
        const __m512i small = _mm512_or_si512(raw, _mm512_set1_epi8(0x20));
        const std::uint64_t letter = _mm512_cmplt_epu8_mask(_mm512_sub_epi8(small, _mm512_set1_epi8('a')),
                                                            _mm512_set1_epi8(26));
        const std::uint64_t digit = _mm512_cmplt_epu8_mask(_mm512_sub_epi8(raw, _mm512_set1_epi8('0')),
                                                           _mm512_set1_epi8(10));
        const std::uint64_t high = _mm512_movepi8_mask(raw);
        return {letter | digit | high, high};
    }
};

}  // namespace

void scan_avx512(Tokenizer& tokenizer, const std::uint8_t* data, std::size_t begin, std::size_t end,
                 std::size_t size) {
    if (tokenizer.sink.starts != nullptr)
        scan_words<true>(tokenizer, data, begin, end, size, Classify{});
    else
        scan_words<false>(tokenizer, data, begin, end, size, Classify{});
}

}  // namespace samecore
