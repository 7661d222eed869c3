#include "vectors_dims.hpp"

#include <memory>
#include <stdexcept>
#include <string>

#include "parallel.hpp"

namespace samecore {
namespace {

constexpr int kBucketBits = 8;
constexpr std::size_t kBuckets = std::size_t{1} << kBucketBits;
constexpr std::size_t kPieces = 32;  // fixed, so that the order within a bucket is too

struct Dealt {
    std::uint64_t key;
    std::uint64_t entry;
};

std::size_t bucket_of(std::uint64_t key) { return mix_key(key) >> (64 - kBucketBits); }

// A piece is a run of rows of one collection together with the number of its first entry.
struct Piece {
    const KeyRows* rows;
    std::size_t begin, end;
    std::uint64_t entry;
};

std::vector<Piece> pieces_of(const std::vector<KeyRows>& collections, std::uint64_t& entries) {
    std::vector<Piece> pieces;
    entries = 0;
    for (const KeyRows& rows : collections)
        for (std::size_t piece = 0; piece < kPieces; ++piece) {
            const std::size_t begin = rows.count * piece / kPieces, end = rows.count * (piece + 1) / kPieces;
            pieces.push_back({&rows, begin, end, entries});
            for (std::size_t i = begin; i < end; ++i)
                entries += static_cast<std::uint64_t>(rows.offsets[rows.rows[i] + 1] - rows.offsets[rows.rows[i]]);
        }
    return pieces;
}

template <class Use>
void each_key(const Piece& piece, Use&& use) {
    std::uint64_t entry = piece.entry;
    for (std::size_t i = piece.begin; i < piece.end; ++i) {
        const std::uint32_t row = piece.rows->rows[i];
        for (std::int64_t at = piece.rows->offsets[row]; at < piece.rows->offsets[row + 1]; ++at)
            use(piece.rows->keys[at], entry++);
    }
}

// Numbers the keys of one bucket by first appearance; writes the number of each entry.
std::size_t number_bucket(const Dealt* begin, const Dealt* end, std::vector<std::uint32_t>& numbers) {
    std::size_t places = 16;
    std::vector<std::uint32_t> table(places, 0);  // slot + 1
    std::vector<std::uint64_t> keys;
    const auto insert = [&](std::uint64_t key) -> std::uint32_t {
        std::size_t at = mix_key(key) & (places - 1);
        for (; table[at] != 0; at = (at + 1) & (places - 1))
            if (keys[table[at] - 1] == key) return table[at] - 1;
        keys.push_back(key);
        table[at] = static_cast<std::uint32_t>(keys.size());
        return table[at] - 1;
    };
    for (const Dealt* entry = begin; entry != end; ++entry) {
        if (2 * keys.size() >= places) {
            places *= 4;
            table.assign(places, 0);
            for (std::size_t slot = 0; slot < keys.size(); ++slot) {
                std::size_t at = mix_key(keys[slot]) & (places - 1);
                while (table[at] != 0) at = (at + 1) & (places - 1);
                table[at] = static_cast<std::uint32_t>(slot + 1);
            }
        }
        numbers[entry->entry] = insert(entry->key);
    }
    return keys.size();
}

}  // namespace

Dims number_keys(const std::vector<KeyRows>& collections, int threads) {
    std::uint64_t entries = 0;
    const std::vector<Piece> pieces = pieces_of(collections, entries);
    // Count, then deal: place[piece][bucket] is where the piece writes next.
    std::vector<std::uint64_t> place(pieces.size() * kBuckets, 0);
    parallel_for(pieces.size(), threads, [&](std::size_t piece, int) {
        std::uint64_t* counts = place.data() + piece * kBuckets;
        each_key(pieces[piece], [&](std::uint64_t key, std::uint64_t) { ++counts[bucket_of(key)]; });
    });
    std::vector<std::uint64_t> starts(kBuckets + 1, 0);
    std::uint64_t total = 0;
    for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
        starts[bucket] = total;
        for (std::size_t piece = 0; piece < pieces.size(); ++piece) {
            const std::uint64_t count = place[piece * kBuckets + bucket];
            place[piece * kBuckets + bucket] = total;
            total += count;
        }
    }
    starts[kBuckets] = total;
    const std::unique_ptr<Dealt[]> dealt(new Dealt[entries]);
    parallel_for(pieces.size(), threads, [&](std::size_t piece, int) {
        std::uint64_t* next = place.data() + piece * kBuckets;
        each_key(pieces[piece], [&](std::uint64_t key, std::uint64_t entry) {
            dealt[next[bucket_of(key)]++] = {key, entry};
        });
    });

    Dims dims;
    dims.of_entry.resize(entries);
    std::vector<std::size_t> sizes(kBuckets, 0);
    parallel_for(kBuckets, threads, [&](std::size_t bucket, int) {
        sizes[bucket] = number_bucket(dealt.get() + starts[bucket], dealt.get() + starts[bucket + 1], dims.of_entry);
    });
    std::vector<std::size_t> base(kBuckets, 0);
    for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
        base[bucket] = dims.count;
        dims.count += sizes[bucket];
    }
    if (dims.count > 0xFFFFFFFFull)
        throw std::invalid_argument("keys: expected fewer than 2^32 different ones, found " +
                                    std::to_string(dims.count));
    parallel_for(kBuckets, threads, [&](std::size_t bucket, int) {
        for (std::uint64_t at = starts[bucket]; at < starts[bucket + 1]; ++at)
            dims.of_entry[dealt[at].entry] += static_cast<std::uint32_t>(base[bucket]);
    });
    return dims;
}

}  // namespace samecore
