// From loose keys to CSR: sort each document's keys, count equal ones, and join pieces.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "parallel.hpp"
#include "tokens.hpp"

namespace samecore {

struct Documents {
    const std::uint8_t* data;
    std::size_t size;             // bytes in data
    const std::int64_t* offsets;  // count + 1, ascending, within data
    std::size_t count;

    std::size_t begin(std::size_t i) const { return static_cast<std::size_t>(offsets[i]); }
    std::size_t end(std::size_t i) const { return static_cast<std::size_t>(offsets[i + 1]); }
};

// Documents [bounds[i], bounds[i + 1]) make piece i. The pieces depend on the documents
// alone, so the output does not depend on the number of threads.
inline std::vector<std::size_t> pieces_of(const Documents& documents) {
    constexpr std::size_t piece_bytes = 1 << 18, piece_documents = 1 << 14;
    std::vector<std::size_t> bounds{0};
    for (std::size_t i = 0; i < documents.count; ++i)
        if (documents.end(i) - documents.begin(bounds.back()) >= piece_bytes || i + 1 - bounds.back() >= piece_documents)
            bounds.push_back(i + 1);
    if (bounds.back() != documents.count) bounds.push_back(documents.count);
    return bounds;
}

// A key, and the number of the word of its document at which it stands.
struct Placed {
    std::uint64_t key;
    std::uint32_t place;
};

inline std::uint64_t key_of(std::uint64_t key) { return key; }
inline std::uint64_t key_of(const Placed& item) { return item.key; }

template <class Item>
Item make_item(std::uint64_t key, std::size_t place) {
    if constexpr (std::is_same_v<Item, Placed>)
        return {key, static_cast<std::uint32_t>(std::min<std::size_t>(place, UINT32_MAX))};
    else
        return key;
}

template <class Item>
void insertion_sort(Item* keys, std::size_t count) {
    for (std::size_t i = 1; i < count; ++i) {
        const Item item = keys[i];
        std::size_t j = i;
        for (; j > 0 && key_of(keys[j - 1]) > key_of(item); --j) keys[j] = keys[j - 1];
        keys[j] = item;
    }
}

// Keys are hashes, so their leading bits spread them evenly: one pass over as many
// buckets as there are keys leaves almost nothing to do. `spare` has room for `count`.
template <class Item>
void sort_keys(Item* keys, Item* spare, std::size_t count, int shift = 64) {
    if (count <= 16) return insertion_sort(keys, count);
    int bits = 4;
    while (bits < 11 && (std::size_t{1} << bits) < count) ++bits;
    if (shift < bits) bits = shift;
    if (bits == 0) return;  // all bits used: the keys are equal
    const int down = shift - bits;
    const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
    std::size_t ends[2048];
    std::fill_n(ends, mask + 1, 0);
    for (std::size_t i = 0; i < count; ++i) ++ends[key_of(keys[i]) >> down & mask];
    if (ends[key_of(keys[0]) >> down & mask] == count) return sort_keys(keys, spare, count, down);  // one bucket
    std::size_t sum = 0;
    for (std::size_t b = 0; b <= mask; ++b) {
        const std::size_t own = ends[b];
        ends[b] = sum;
        sum += own;
    }
    for (std::size_t i = 0; i < count; ++i) spare[ends[key_of(keys[i]) >> down & mask]++] = keys[i];
    std::copy_n(spare, count, keys);
    if (count <= 2048) {
        // Buckets are in order: one insertion sort over all of them moves keys within
        // theirs only. Repeated keys do not move; a crowded bucket is not expected.
        std::size_t from = 0;
        for (std::size_t b = 0; b <= mask; from = ends[b++])
            if (ends[b] - from > 32)
                std::sort(keys + from, keys + ends[b],
                          [](const Item& x, const Item& y) { return key_of(x) < key_of(y); });
        return insertion_sort(keys, count);
    }
    std::size_t from = 0;
    for (std::size_t b = 0; b <= mask; from = ends[b++])
        if (ends[b] - from > 1) sort_keys(keys + from, spare, ends[b] - from, down);
}

// Keys and how often each occurs, document after document; of keys with places also where each first stands.
struct Csr {
    Buffer<std::int64_t> offsets;
    Buffer<std::uint64_t> keys;
    Buffer<std::uint32_t> counts;
    Buffer<std::uint32_t> places;  // empty if they were not asked for

    // Sorts `loose` and appends it as one document.
    template <class Item>
    void add_document(Buffer<Item>& loose, Buffer<Item>& spare) {
        constexpr bool placed = std::is_same_v<Item, Placed>;
        const std::size_t n = loose.size;
        spare.reserve(n);
        sort_keys(loose.data(), spare.data(), n);
        keys.reserve(keys.size + n);
        counts.reserve(counts.size + n);
        if constexpr (placed) places.reserve(places.size + n);
        // Written without a branch: the place moves on only when the key is new.
        std::uint64_t* key = keys.data() + keys.size;
        std::uint32_t* times = counts.data() + counts.size;
        std::size_t at = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const bool fresh = i == 0 || key_of(loose[i]) != key_of(loose[i - 1]);
            at += fresh;
            key[at - 1] = key_of(loose[i]);
            times[at - 1] = fresh ? 1 : times[at - 1] + 1;
            if constexpr (placed) {
                std::uint32_t& first = places.data()[places.size + at - 1];
                first = fresh ? loose[i].place : std::min(first, loose[i].place);
            }
        }
        keys.size += at;
        counts.size += at;
        if constexpr (placed) places.size += at;
        offsets.push(static_cast<std::int64_t>(keys.size));
    }
};

// Pieces end to end; each is freed when it has been copied.
inline Csr join_pieces(std::vector<Csr>& pieces, int threads) {
    std::size_t documents = 0, keys = 0;
    std::vector<std::pair<std::size_t, std::size_t>> places;
    for (const Csr& piece : pieces) {
        places.emplace_back(documents, keys);
        documents += piece.offsets.size;
        keys += piece.keys.size;
    }
    const bool placed = std::any_of(pieces.begin(), pieces.end(), [](const Csr& piece) { return piece.places.size > 0; });
    Csr whole{Buffer<std::int64_t>(documents + 1), Buffer<std::uint64_t>(keys), Buffer<std::uint32_t>(keys),
              Buffer<std::uint32_t>(placed ? keys : 0)};
    whole.offsets[0] = 0;
    parallel_for(pieces.size(), threads, [&](std::size_t i, int) {
        const Csr piece = std::move(pieces[i]);
        const auto [document, key] = places[i];
        for (std::size_t d = 0; d < piece.offsets.size; ++d)
            whole.offsets[document + d + 1] = static_cast<std::int64_t>(key) + piece.offsets[d];
        if (piece.keys.size == 0) return;
        std::copy_n(piece.keys.data(), piece.keys.size, whole.keys.data() + key);
        std::copy_n(piece.counts.data(), piece.counts.size, whole.counts.data() + key);
        if (placed) std::copy_n(piece.places.data(), piece.places.size, whole.places.data() + key);
    });
    return whole;
}

}  // namespace samecore
