#include "lsh_buckets.hpp"

#include <algorithm>
#include <array>

#include "hash.hpp"
#include "parallel.hpp"

namespace samecore {
namespace {

constexpr std::size_t kContentsPerPiece = 4096;

std::uint32_t hash_band(const std::uint32_t* values, std::size_t rows) {
    std::uint64_t state = hash_c;
    std::size_t i = 0;
    for (; i + 2 <= rows; i += 2)
        state = combine(state, static_cast<std::uint64_t>(values[i]) << 32 | values[i + 1]);
    if (i < rows) state = combine(state, values[i]);
    return static_cast<std::uint32_t>(state ^ state >> 32);
}

// Orders (hash, content) by hash; equal hashes stay in the order of contents.
void radix_sort(std::vector<std::uint64_t>& items, std::vector<std::uint64_t>& spare) {
    constexpr int kBits = 11;
    constexpr std::size_t kDigits = 1 << kBits;
    std::array<std::array<std::size_t, kDigits>, 3> counts{};
    const auto digit = [](std::uint64_t item, int pass) { return item >> (32 + kBits * pass) & (kDigits - 1); };
    for (const std::uint64_t item : items)
        for (int pass = 0; pass < 3; ++pass) ++counts[static_cast<std::size_t>(pass)][digit(item, pass)];
    for (int pass = 0; pass < 3; ++pass) {
        auto& places = counts[static_cast<std::size_t>(pass)];
        std::size_t sum = 0;
        for (std::size_t& place : places) {
            const std::size_t own = place;
            place = sum;
            sum += own;
        }
        for (const std::uint64_t item : items) spare[places[digit(item, pass)]++] = item;
        items.swap(spare);
    }
}

}  // namespace

BandHashes::BandHashes(const std::vector<LshSide>& sides, const LshOptions& options) : bands_(options.bands) {
    for (const LshSide& side : sides) contents_ += side.contents;
    values_.resize(contents_ * bands_);
    std::size_t base = 0;
    for (const LshSide& side : sides) {
        const std::size_t pieces = (side.contents + kContentsPerPiece - 1) / kContentsPerPiece;
        parallel_for(pieces, options.threads, [&](std::size_t piece, int) {
            const std::size_t end = std::min((piece + 1) * kContentsPerPiece, side.contents);
            for (std::size_t c = piece * kContentsPerPiece; c < end; ++c) {
                const std::uint32_t* row = side.sketches.row(side.documents[c]);
                std::uint32_t* out = values_.data() + (base + c) * bands_;
                for (std::size_t b = 0; b < bands_; ++b) out[b] = hash_band(row + b * options.rows, options.rows);
            }
        });
        base += side.contents;
    }
}

BandBuckets find_buckets(const BandHashes& hashes, std::size_t band, std::size_t split) {
    const std::size_t n = hashes.contents();
    std::vector<std::uint64_t> items(n), spare(n);
    for (std::size_t c = 0; c < n; ++c) items[c] = static_cast<std::uint64_t>(hashes.at(c, band)) << 32 | c;
    radix_sort(items, spare);
    BandBuckets buckets;
    for (std::size_t begin = 0, end; begin < n; begin = end) {
        end = begin + 1;
        while (end < n && items[end] >> 32 == items[begin] >> 32) ++end;
        if (end - begin < 2) continue;
        const auto first = static_cast<std::uint32_t>(items[begin]), last = static_cast<std::uint32_t>(items[end - 1]);
        if (split < n && (first >= split || last < split)) continue;  // all on one side
        for (std::size_t i = begin; i < end; ++i) buckets.members.push_back(static_cast<std::uint32_t>(items[i]));
        buckets.starts.push_back(buckets.members.size());
    }
    return buckets;
}

}  // namespace samecore
