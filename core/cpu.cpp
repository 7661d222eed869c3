#include "cpu.hpp"

#include <cstdlib>
#include <cstring>
#include <initializer_list>

#if defined(SAMECORE_X86) && defined(_MSC_VER)
#include <immintrin.h>
#include <intrin.h>
#endif

namespace samecore {
namespace {

CpuLevel detect() {
#if defined(SAMECORE_X86) && (defined(__GNUC__) || defined(__clang__))
    __builtin_cpu_init();
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                      __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
    const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
    return avx512 ? CpuLevel::avx512 : avx2 ? CpuLevel::avx2 : CpuLevel::portable;
#elif defined(SAMECORE_X86) && defined(_MSC_VER)
    int leaf[4];
    __cpuid(leaf, 1);
    const bool saved = (leaf[2] & (1 << 27)) != 0;  // OSXSAVE: the system keeps wide registers
    if (!saved) return CpuLevel::portable;
    const unsigned long long state = _xgetbv(0);
    __cpuidex(leaf, 7, 0);
    const bool avx2 = (state & 6) == 6 && (leaf[1] & (1 << 5)) && (leaf[1] & (1 << 3)) && (leaf[1] & (1 << 8));
    const int wide = (1 << 16) | (1 << 17) | (1 << 30) | (1 << 31);  // F, DQ, BW, VL
    const bool avx512 = avx2 && (state & 0xe6) == 0xe6 && (leaf[1] & wide) == wide;
    return avx512 ? CpuLevel::avx512 : avx2 ? CpuLevel::avx2 : CpuLevel::portable;
#else
    return CpuLevel::portable;
#endif
}

CpuLevel choose() {
    const CpuLevel best = detect();
    const char* asked = std::getenv("SAMECORE_CPU");
    if (asked == nullptr) return best;
    for (CpuLevel level : {CpuLevel::portable, CpuLevel::avx2})
        if (std::strcmp(asked, cpu_level_name(level)) == 0 && level < best) return level;
    return best;
}

}  // namespace

CpuLevel cpu_level() {
    static const CpuLevel level = choose();
    return level;
}

const char* cpu_level_name(CpuLevel level) {
    switch (level) {
        case CpuLevel::avx512: return "avx512";
        case CpuLevel::avx2: return "avx2";
        default: return "portable";
    }
}

}  // namespace samecore
