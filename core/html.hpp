// What an HTML parser would meet in a page, counted without parsing it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace samecore {

struct HtmlMeasure {
    std::uint64_t tags = 0;      // bytes '<'
    std::uint64_t depth = 0;     // most tags open at once, if every tag that is never closed stays open
    std::uint64_t longest = 0;   // bytes from one '<' to the next, or to the end, at most
    bool cells = false;          // <td or <th, both letters in the same case
};

// One pass over the bytes; never reads beyond them.
HtmlMeasure measure_html(const std::uint8_t* page, std::size_t size);

}  // namespace samecore
