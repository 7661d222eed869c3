// Equal fingerprints found by hashing: partition by hash, then one small table per part.
#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <utility>

#include "hamming.hpp"
#include "parallel.hpp"

namespace samecore {
namespace {

constexpr int kBits = 8;

// Every step can be undone, so for one word equal hashes mean equal fingerprints.
std::uint64_t mix(std::uint64_t x) {
    x ^= x >> 32;
    x *= 0x9fb21c651e98df25u;
    x ^= x >> 29;
    x *= 0xd6e8feb86659fd93u;
    return x ^ (x >> 32);
}

std::uint64_t hash_row(const std::uint64_t* row, std::size_t words) {
    std::uint64_t hash = mix(row[0]);
    for (std::size_t word = 1; word < words; ++word) hash = mix(hash + 0x9e3779b97f4a7c15u + row[word]);
    return hash;
}

struct Entry {
    std::uint64_t hash;
    std::uint32_t row;
};

}  // namespace

HammingDistinct hamming_distinct(Fingerprints all, int threads) {
    HammingDistinct result;
    const std::size_t n = all.count;
    result.group.resize(n);
    if (n == 0) return result;

    const auto pieces = static_cast<std::size_t>(threads);
    const auto begin = [&](std::size_t piece) { return n * piece / pieces; };
    std::vector<std::vector<std::size_t>> places(pieces, std::vector<std::size_t>(1 << kBits, 0));
    const std::unique_ptr<Entry[]> entries(new Entry[n]);
    parallel_for(pieces, threads, [&](std::size_t piece, int) {
        for (std::size_t i = begin(piece); i < begin(piece + 1); ++i)
            ++places[piece][hash_row(all.row(i), all.words) >> (64 - kBits)];
    });
    std::vector<std::size_t> ends(1 << kBits);
    std::size_t sum = 0;
    for (std::size_t part = 0; part < ends.size(); ++part) {
        for (auto& place : places) sum += std::exchange(place[part], sum);
        ends[part] = sum;
    }
    parallel_for(pieces, threads, [&](std::size_t piece, int) {
        for (std::size_t i = begin(piece); i < begin(piece + 1); ++i) {
            const std::uint64_t hash = hash_row(all.row(i), all.words);
            entries[places[piece][hash >> (64 - kBits)]++] = {hash, static_cast<std::uint32_t>(i)};
        }
    });

    // group[i] first holds the first row equal to row i. Rows of a part stand in
    // ascending order, so the first one put into the table is the first of its content.
    std::vector<std::uint32_t>& group = result.group;
    std::iota(group.begin(), group.end(), 0u);
    std::vector<std::vector<std::uint32_t>> tables(static_cast<std::size_t>(threads));
    parallel_for(ends.size(), threads, [&](std::size_t part, int thread) {
        const std::size_t lo = part == 0 ? 0 : ends[part - 1];
        const std::size_t size = ends[part] - lo;
        if (size < 2) return;
        std::size_t slots = 4;
        while (slots < 2 * size) slots *= 2;
        std::vector<std::uint32_t>& table = tables[static_cast<std::size_t>(thread)];
        table.assign(slots, 0);  // 0 is free, else 1 + place within the part
        const Entry* part_entries = entries.get() + lo;
        for (std::size_t i = 0; i < size; ++i) {
            const Entry& entry = part_entries[i];
            std::size_t slot = entry.hash & (slots - 1);
            for (; table[slot] != 0; slot = (slot + 1) & (slots - 1)) {
                const Entry& other = part_entries[table[slot] - 1];
                if (other.hash != entry.hash) continue;
                if (all.words > 1 && std::memcmp(all.row(other.row), all.row(entry.row), all.words * 8) != 0) continue;
                group[entry.row] = other.row;
                break;
            }
            if (table[slot] == 0) table[slot] = static_cast<std::uint32_t>(i + 1);
        }
    });

    // A first row comes before its copies: one pass numbers both.
    for (std::size_t i = 0; i < n; ++i) {
        if (group[i] == i) {
            group[i] = static_cast<std::uint32_t>(result.first.size());
            result.first.push_back(static_cast<std::uint32_t>(i));
        } else {
            group[i] = group[group[i]];
        }
    }
    return result;
}

}  // namespace samecore
