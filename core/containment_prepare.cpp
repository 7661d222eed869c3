#include "containment_prepare.hpp"

#include <algorithm>
#include <limits>

#include "parallel.hpp"
#include "vectors_dims.hpp"

namespace samecore::containment {
namespace {

constexpr std::size_t kPieces = 128;
constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

}  // namespace

Prepared prepare(const std::vector<Rows>& sides, const std::vector<const std::vector<std::uint32_t>*>& first,
                 const Options& options) {
    const bool two_sides = sides.size() == 2;
    Prepared result;
    for (std::size_t side = 0; side < sides.size(); ++side) {
        const Rows& rows = sides[side];
        std::vector<std::uint32_t> sizes(rows.size, 0), chosen;
        for (std::size_t row = 0; row < rows.size; ++row) {
            if ((*first[side])[row] != row || rows.begin(row) == rows.end(row)) continue;
            std::uint64_t size = 0;
            for (std::size_t at = rows.begin(row); at < rows.end(row); ++at) size += rows.mass(at, options.multiset);
            sizes[row] = static_cast<std::uint32_t>(size);
            chosen.push_back(static_cast<std::uint32_t>(row));
        }
        std::sort(chosen.begin(), chosen.end(), [&](std::uint32_t a, std::uint32_t b) {
            return sizes[a] != sizes[b] ? sizes[a] < sizes[b] : a < b;
        });
        result.documents.insert(result.documents.end(), chosen.begin(), chosen.end());
        for (const std::uint32_t row : chosen) result.sizes.push_back(sizes[row]);
        if (side == 0) result.left = chosen.size();
    }
    const std::size_t contents = result.documents.size();
    const auto side_of = [&](std::size_t content) { return content < result.left ? 0 : 1; };

    std::vector<KeyRows> keys{{sides[0].offsets, sides[0].keys, result.documents.data(), result.left}};
    if (two_sides)
        keys.push_back({sides[1].offsets, sides[1].keys, result.documents.data() + result.left, contents - result.left});
    const Dims dims = number_keys(keys, options.threads);
    std::vector<std::uint64_t> entry_begin{0};
    for (std::size_t content = 0; content < contents; ++content) {
        const Rows& rows = sides[static_cast<std::size_t>(side_of(content))];
        const std::uint32_t row = result.documents[content];
        entry_begin.push_back(entry_begin.back() + (rows.end(row) - rows.begin(row)));
    }

    // Ranks: commonest first, keys that cannot be shared left out.
    const std::uint64_t middle = entry_begin[result.left];
    std::vector<std::uint32_t> frequency(dims.count, 0), right_frequency(two_sides ? dims.count : 0, 0);
    for (std::uint64_t entry = 0; entry < dims.of_entry.size(); ++entry)
        ++(entry < middle ? frequency : right_frequency)[dims.of_entry[entry]];
    std::vector<std::uint32_t> by_rank;
    for (std::uint32_t dim = 0; dim < dims.count; ++dim)
        if (two_sides ? frequency[dim] > 0 && right_frequency[dim] > 0 : frequency[dim] > 1) by_rank.push_back(dim);
    const auto total = [&](std::uint32_t dim) {
        return std::uint64_t{frequency[dim]} + (two_sides ? right_frequency[dim] : 0);
    };
    std::sort(by_rank.begin(), by_rank.end(), [&](std::uint32_t a, std::uint32_t b) {
        return total(a) != total(b) ? total(a) > total(b) : a < b;
    });
    std::vector<std::uint32_t> rank_of(dims.count, kNone);
    for (std::size_t rank = 0; rank < by_rank.size(); ++rank) rank_of[by_rank[rank]] = static_cast<std::uint32_t>(rank);
    result.dims = by_rank.size();

    result.offsets.push_back(0);
    for (std::size_t content = 0; content < contents; ++content) {
        std::int64_t length = 0;
        for (std::uint64_t entry = entry_begin[content]; entry < entry_begin[content + 1]; ++entry)
            length += rank_of[dims.of_entry[entry]] != kNone;
        result.offsets.push_back(result.offsets.back() + length);
    }
    result.entries.resize(static_cast<std::size_t>(result.offsets.back()));
    result.needed.resize(contents);
    result.index_begin.resize(contents);
    result.unindexed.assign(contents, 0);
    parallel_for(kPieces, options.threads, [&](std::size_t piece, int) {
        for (std::size_t content = contents * piece / kPieces; content < contents * (piece + 1) / kPieces; ++content) {
            const Rows& rows = sides[static_cast<std::size_t>(side_of(content))];
            Prepared::Entry* const begin = result.entries.data() + result.offsets[content];
            Prepared::Entry* end = begin;
            std::uint64_t entry = entry_begin[content], shared = 0;
            for (std::size_t at = rows.begin(result.documents[content]); entry < entry_begin[content + 1]; ++at, ++entry) {
                const std::uint32_t rank = rank_of[dims.of_entry[entry]];
                if (rank == kNone) continue;
                *end++ = {rank, static_cast<std::uint32_t>(rows.mass(at, options.multiset))};
                shared += end[-1].mass;
            }
            std::sort(begin, end, [](const auto& a, const auto& b) { return a.rank < b.rank; });
            const std::uint64_t need = (options.num * result.sizes[content] + options.den - 1) / options.den;
            result.needed[content] = static_cast<std::uint32_t>(need);
            result.index_begin[content] = result.offsets[content + 1];
            if (shared < need) continue;  // in nothing, though something may be in it
            // Whatever holds `need` of `shared` misses at most shared - need, so it meets any
            // part that weighs more. Counting some more of it saves verifying.
            const std::uint64_t target = shared - need + 1 + need * static_cast<std::uint64_t>(options.slack) / 8;
            std::uint64_t rest = shared;
            Prepared::Entry* at = end;
            while (at != begin && shared - rest < target) rest -= (--at)->mass;
            result.index_begin[content] = result.offsets[content] + (at - begin);
            result.unindexed[content] = static_cast<std::uint32_t>(rest);
        }
    });
    return result;
}

}  // namespace samecore::containment
