#include "hamming_scan.hpp"

namespace samecore::hamming {

#if defined(SAMECORE_X86)
namespace x86 {
const ScanKernel& scan_avx2();
const ScanKernel* scan_avx512();  // null without VPOPCNTDQ
}  // namespace x86
#endif

namespace {

std::size_t rows_portable(const std::uint64_t* columns, std::size_t stride, std::size_t count,
                          const std::uint64_t* query, std::size_t words, std::uint32_t limit,
                          std::uint32_t* index, std::uint32_t* distance) {
    std::size_t found = 0;
    for (std::size_t row = 0; row < count; ++row) {
        std::uint32_t sum = 0;
        for (std::size_t word = 0; word < words && sum <= limit; ++word)
            sum += ones(columns[word * stride + row] ^ query[word]);
        index[found] = static_cast<std::uint32_t>(row);
        distance[found] = sum;
        found += sum <= limit;
    }
    return found;
}

template <class Word>
std::size_t four_portable(const Word* heads, std::size_t count, const Word* queries, std::uint32_t limit,
                          std::uint32_t* hits) {
    std::size_t found = 0;
    for (std::size_t row = 0; row < count; ++row)
        for (std::uint32_t query = 0; query < kScanQueries; ++query)
            if (ones(static_cast<Word>(heads[row] ^ queries[query])) <= limit)
                hits[found++] = static_cast<std::uint32_t>(row * kScanQueries) + query;
    return found;
}

constexpr ScanKernel portable{rows_portable, four_portable<std::uint64_t>, four_portable<std::uint32_t>, 2.2,
                              1.4, 1.4};

}  // namespace

const ScanKernel& scan_kernel(CpuLevel level) {
#if defined(SAMECORE_X86)
    if (level == CpuLevel::avx512)
        if (const ScanKernel* wide = x86::scan_avx512()) return *wide;
    if (level >= CpuLevel::avx2) return x86::scan_avx2();
#endif
    (void)level;
    return portable;
}

}  // namespace samecore::hamming
