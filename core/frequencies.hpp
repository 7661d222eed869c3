// In how many documents does each key occur? Keys are dealt into buckets by hash, so
// that one bucket's table stays in cache; buckets are counted independently.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "join_pages.hpp"

namespace samecore {

// Features of one collection, borrowed from the caller (see samecore.features.csr).
struct Rows {
    const std::int64_t* offsets = nullptr;
    const std::uint64_t* keys = nullptr;
    const std::uint32_t* counts = nullptr;
    const std::uint32_t* weights = nullptr;  // may be absent: every occurrence weighs 1
    std::size_t documents = 0;

    std::size_t begin(std::size_t document) const { return static_cast<std::size_t>(offsets[document]); }
    std::size_t end(std::size_t document) const { return static_cast<std::size_t>(offsets[document + 1]); }
    std::size_t entries() const { return documents == 0 ? 0 : end(documents - 1); }
};

// Throws std::invalid_argument unless offsets rise from 0 to `entries`, keys ascend
// within a document, counts and weights are at least 1. Every kernel relies on it.
void check_rows(const Rows& rows, std::size_t entries, int threads);

// Some documents of one collection, in the order given.
struct Chosen {
    Rows rows;
    const std::uint32_t* documents = nullptr;  // nullptr: all of them, in order
    std::size_t count = 0;

    std::size_t document(std::size_t i) const { return documents == nullptr ? i : documents[i]; }
};

struct Entry {
    std::uint64_t key;
    std::uint32_t at;     // number of the entry, the second collection's after the first's
    std::uint32_t count;
};

// Entries grouped by hash of the key; within a bucket in the order of the input.
struct Buckets {
    Pages<Entry> entries;
    std::vector<std::size_t> starts;  // bucket b is entries[starts[b] .. starts[b + 1])
    std::size_t size() const { return starts.size() - 1; }
};

Buckets deal(const std::vector<Chosen>& collections, int threads);

inline std::uint64_t hash_key(std::uint64_t key) {
    key = (key ^ (key >> 32)) * 0x9E3779B97F4A7C15ull;
    return key ^ (key >> 29);
}

// A cache-sized table, reused for bucket after bucket: finds the first entry with the
// same key. Buckets use the high bits of the hash, tables the low ones.
class FirstTable {
public:
    void reset(const Entry* entries, std::size_t count);
    // The place of the first entry with the key of entry i; entries are asked in order.
    std::uint32_t first(std::uint32_t i) {
        const std::uint64_t key = entries_[i].key;
        for (std::size_t at = hash_key(key) & mask_;; at = (at + 1) & mask_) {
            if (places_[at] == 0) {
                places_[at] = i + 1;
                return i;
            }
            if (entries_[places_[at] - 1].key == key) return places_[at] - 1;
        }
    }

private:
    const Entry* entries_ = nullptr;
    std::vector<std::uint32_t> places_;  // entry + 1
    std::size_t mask_ = 0;
};

struct Frequencies {
    std::vector<std::uint64_t> keys;         // ascending
    std::vector<std::uint32_t> frequencies;  // documents with that key, at least 1
};

Frequencies document_frequencies(const Rows& rows, int threads);

// The document frequency of the key of every entry, aligned with rows.keys.
std::vector<std::uint32_t> entry_frequencies(const Rows& rows, int threads);

}  // namespace samecore
