// One place decides which instruction set the kernels use.
#pragma once

namespace samecore {

enum class CpuLevel { portable = 0, avx2 = 1, avx512 = 2 };

// The best level this machine has, lowered (never raised) by the environment
// variable SAMECORE_CPU = portable | avx2 | avx512. Read once.
CpuLevel cpu_level();

const char* cpu_level_name(CpuLevel level);

}  // namespace samecore
