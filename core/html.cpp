#include "html.hpp"

#include <algorithm>
#include <cstring>

namespace samecore {

namespace {

bool is_letter(std::uint8_t c) { return static_cast<std::uint8_t>((c | 0x20) - 'a') < 26; }

}  // namespace

HtmlMeasure measure_html(const std::uint8_t* page, std::size_t size) {
    HtmlMeasure found;
    std::uint64_t depth = 0;
    const std::uint8_t* const end = page + size;
    const std::uint8_t* mark = size == 0 ? nullptr : static_cast<const std::uint8_t*>(std::memchr(page, '<', size));
    while (mark != nullptr) {
        const std::uint8_t* const next =
            static_cast<const std::uint8_t*>(std::memchr(mark + 1, '<', static_cast<std::size_t>(end - mark - 1)));
        const std::uint8_t* const stop = next == nullptr ? end : next;
        const auto length = static_cast<std::uint64_t>(stop - mark);
        ++found.tags;
        found.longest = std::max(found.longest, length);
        if (length > 1) {
            const std::uint8_t first = mark[1];
            if (is_letter(first)) {
                found.depth = std::max(found.depth, ++depth);
                if (length > 2 && ((first == 't' && (mark[2] == 'd' || mark[2] == 'h')) ||
                                   (first == 'T' && (mark[2] == 'D' || mark[2] == 'H')))) {
                    found.cells = true;
                }
            } else if (first == '/' && depth > 0) {
                --depth;
            }
        }
        mark = next;
    }
    return found;
}

}  // namespace samecore
