#include "join_collapse.hpp"

#include <algorithm>

#include "parallel.hpp"

namespace samecore {
namespace {

constexpr std::size_t kPieces = 64;

std::uint64_t content_hash(const Rows& rows, std::size_t document, bool multiset) {
    std::uint64_t hash = rows.end(document) - rows.begin(document);
    for (std::size_t i = rows.begin(document); i < rows.end(document); ++i) {
        hash = (hash ^ rows.keys[i]) * 0x9E3779B97F4A7C15ull;
        if (multiset) hash += rows.counts[i];
        hash ^= hash >> 32;
    }
    return hash;
}

bool same_content(const Rows& rows, std::size_t a, std::size_t b, bool multiset) {
    const std::size_t length = rows.end(a) - rows.begin(a);
    if (length != rows.end(b) - rows.begin(b)) return false;
    const auto same = [&](const auto* values) {
        return std::equal(values + rows.begin(a), values + rows.end(a), values + rows.begin(b));
    };
    return same(rows.keys) && (!multiset || same(rows.counts));
}

}  // namespace

std::vector<std::uint32_t> collapse(const Rows& rows, bool multiset, int threads) {
    std::vector<std::uint64_t> hashes(rows.documents);
    parallel_for(kPieces, threads, [&](std::size_t piece, int) {
        const std::size_t begin = rows.documents * piece / kPieces, end = rows.documents * (piece + 1) / kPieces;
        for (std::size_t d = begin; d < end; ++d) hashes[d] = content_hash(rows, d, multiset);
    });
    std::size_t places = 16;
    while (places < 2 * rows.documents) places *= 2;
    std::vector<std::uint32_t> table(places, 0);  // document + 1
    std::vector<std::uint32_t> first(rows.documents);
    for (std::size_t d = 0; d < rows.documents; ++d) {
        first[d] = static_cast<std::uint32_t>(d);
        if (rows.begin(d) == rows.end(d)) continue;
        for (std::size_t at = hashes[d] & (places - 1);; at = (at + 1) & (places - 1)) {
            if (table[at] == 0) {
                table[at] = static_cast<std::uint32_t>(d + 1);
                break;
            }
            const std::uint32_t other = table[at] - 1;
            if (hashes[other] == hashes[d] && same_content(rows, other, d, multiset)) {
                first[d] = other;
                break;
            }
        }
    }
    return first;
}

}  // namespace samecore
