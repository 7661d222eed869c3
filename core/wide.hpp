// A 128-bit sum of products and its quotient, enough for exact averages. Compilers
// without a 128-bit integer get the schoolbook version, which the tests hold equal.
#pragma once

#include <cstdint>

namespace samecore {

struct WideSum {
    std::uint64_t high = 0, low = 0;

    void add(const WideSum& other) {
        low += other.low;
        high += other.high + (low < other.low);
    }
};

inline WideSum wide_product_portable(std::uint64_t a, std::uint64_t b) {
    const std::uint64_t half = 0xffffffffu;
    const std::uint64_t ll = (a & half) * (b & half), lh = (a & half) * (b >> 32);
    const std::uint64_t hl = (a >> 32) * (b & half), hh = (a >> 32) * (b >> 32);
    const std::uint64_t middle = (ll >> 32) + (lh & half) + (hl & half);
    return {hh + (lh >> 32) + (hl >> 32) + (middle >> 32), (middle << 32) | (ll & half)};
}

// The quotient must fit in 64 bits: sum.high < divisor < 2^63.
inline std::uint64_t wide_quotient_portable(const WideSum& sum, std::uint64_t divisor) {
    std::uint64_t rest = sum.high, quotient = 0;
    for (int bit = 63; bit >= 0; --bit) {
        rest = (rest << 1) | ((sum.low >> bit) & 1);
        quotient <<= 1;
        if (rest >= divisor) rest -= divisor, quotient |= 1;
    }
    return quotient;
}

#if defined(__SIZEOF_INT128__)

inline WideSum wide_product(std::uint64_t a, std::uint64_t b) {
    const auto product = static_cast<unsigned __int128>(a) * b;
    return {static_cast<std::uint64_t>(product >> 64), static_cast<std::uint64_t>(product)};
}

inline std::uint64_t wide_quotient(const WideSum& sum, std::uint64_t divisor) {
    if (sum.high == 0) return sum.low / divisor;
    return static_cast<std::uint64_t>(((static_cast<unsigned __int128>(sum.high) << 64) | sum.low) / divisor);
}

#else

inline WideSum wide_product(std::uint64_t a, std::uint64_t b) { return wide_product_portable(a, b); }

inline std::uint64_t wide_quotient(const WideSum& sum, std::uint64_t divisor) {
    return sum.high == 0 ? sum.low / divisor : wide_quotient_portable(sum, divisor);
}

#endif

}  // namespace samecore
