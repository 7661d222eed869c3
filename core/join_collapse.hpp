// Documents with the same features become one content.
#pragma once

#include <cstdint>
#include <vector>

#include "frequencies.hpp"

namespace samecore {

// For every document the first document with exactly the same entries. Found by hash,
// decided by comparison. A document without entries matches nothing and stays itself.
// With multiset = false counts are not looked at.
std::vector<std::uint32_t> collapse(const Rows& rows, bool multiset, int threads);

}  // namespace samecore
