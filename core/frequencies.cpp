#include "frequencies.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "parallel.hpp"

namespace samecore {
namespace {

constexpr std::size_t kPieces = 64;              // fixed, so that results never depend on threads
constexpr std::size_t kEntriesPerBucket = 8192;  // table of 16k places + keys: half of a small L2
constexpr int kMaxBucketBits = 12;               // more open write streams than this thrash the TLB

constexpr std::size_t kMaxEntries = std::size_t{1} << 31;  // entries are numbered in 31 bits and a mark

struct Span {
    std::size_t begin, end;
};

Span piece_of(std::size_t count, std::size_t piece) {
    return {count * piece / kPieces, count * (piece + 1) / kPieces};
}

[[noreturn]] void refuse(const std::string& message) { throw std::invalid_argument(message); }

void check_document(const Rows& rows, std::size_t document) {
    const std::size_t begin = rows.begin(document), end = rows.end(document);
    for (std::size_t i = begin; i < end; ++i) {
        if (i > begin && rows.keys[i] <= rows.keys[i - 1])
            refuse("keys: expected distinct and ascending within a document, found " +
                   std::to_string(rows.keys[i]) + " after " + std::to_string(rows.keys[i - 1]) +
                   " in document " + std::to_string(document));
        if (rows.counts[i] == 0)
            refuse("counts: expected at least 1, found 0 in document " + std::to_string(document));
        if (rows.weights != nullptr && rows.weights[i] == 0)
            refuse("weights: expected at least 1, found 0 in document " + std::to_string(document));
    }
}

}  // namespace

void check_rows(const Rows& rows, std::size_t entries, int threads) {
    if (rows.documents > 0xFFFFFFFEull)
        refuse("documents: expected fewer than 2^32 - 1, found " + std::to_string(rows.documents));
    if (entries >= kMaxEntries)
        refuse("entries: expected fewer than 2^31, found " + std::to_string(entries));
    if (rows.offsets[0] != 0) refuse("offsets: expected to start at 0, found " + std::to_string(rows.offsets[0]));
    for (std::size_t d = 0; d < rows.documents; ++d)
        if (rows.offsets[d + 1] < rows.offsets[d])
            refuse("offsets: expected not to fall, found " + std::to_string(rows.offsets[d + 1]) + " after " +
                   std::to_string(rows.offsets[d]) + " at document " + std::to_string(d));
    if (rows.entries() != entries)
        refuse("offsets: expected to end at the number of keys, " + std::to_string(entries) + ", found " +
               std::to_string(rows.entries()));
    parallel_for(kPieces, threads, [&](std::size_t piece, int) {
        const Span span = piece_of(rows.documents, piece);
        for (std::size_t d = span.begin; d < span.end; ++d) check_document(rows, d);
    });
}

Buckets deal(const std::vector<Chosen>& collections, int threads) {
    std::size_t total = 0;
    for (const Chosen& chosen : collections) total += chosen.rows.entries();
    if (total >= kMaxEntries)
        refuse("entries: expected fewer than 2^31 in all, found " + std::to_string(total));
    int bits = 0;
    while (bits < kMaxBucketBits && (total >> bits) > kEntriesPerBucket) ++bits;
    const std::size_t buckets = std::size_t{1} << bits;
    auto bucket_of = [&](std::uint64_t key) -> std::size_t {
        return bits == 0 ? 0 : static_cast<std::size_t>(hash_key(key) >> (64 - bits));
    };
    auto for_each = [&](std::size_t piece, auto&& visit) {
        std::size_t base = 0;
        for (const Chosen& chosen : collections) {
            const Span span = piece_of(chosen.count, piece);
            for (std::size_t i = span.begin; i < span.end; ++i) {
                const std::size_t document = chosen.document(i);
                for (std::size_t e = chosen.rows.begin(document); e < chosen.rows.end(document); ++e)
                    visit(chosen.rows, e, base);
            }
            base += chosen.rows.entries();
        }
    };
    // Where each piece writes in each bucket: count first, then deal without locks.
    std::vector<std::uint32_t> next(kPieces * buckets, 0);
    parallel_for(kPieces, threads, [&](std::size_t piece, int) {
        std::uint32_t* mine = next.data() + piece * buckets;
        for_each(piece, [&](const Rows& rows, std::size_t e, std::size_t) { ++mine[bucket_of(rows.keys[e])]; });
    });
    Buckets result;
    result.starts.assign(buckets + 1, 0);
    std::size_t start = 0;
    for (std::size_t b = 0; b < buckets; ++b) {
        result.starts[b] = start;
        for (std::size_t piece = 0; piece < kPieces; ++piece) {
            const std::uint32_t count = next[piece * buckets + b];
            next[piece * buckets + b] = static_cast<std::uint32_t>(start);
            start += count;
        }
    }
    result.starts[buckets] = start;
    result.entries = make_pages<Entry>(start);
    Entry* out = result.entries.get();
    parallel_for(kPieces, threads, [&](std::size_t piece, int) {
        std::uint32_t* mine = next.data() + piece * buckets;
        for_each(piece, [&](const Rows& rows, std::size_t e, std::size_t base) {
            out[mine[bucket_of(rows.keys[e])]++] = {rows.keys[e], static_cast<std::uint32_t>(base + e),
                                                    rows.counts[e]};
        });
    });
    return result;
}

void FirstTable::reset(const Entry* entries, std::size_t count) {
    std::size_t places = 16;
    while (places < 2 * count) places *= 2;
    places_.assign(places, 0);
    mask_ = places - 1;
    entries_ = entries;
}

namespace {

// Counts bucket after bucket; done(bucket, entries, firsts, frequencies by first).
template <class Done>
void count_buckets(const Buckets& buckets, int threads, Done&& done) {
    struct Scratch {
        FirstTable table;
        std::vector<std::uint32_t> firsts, frequencies;
    };
    std::vector<Scratch> scratch(static_cast<std::size_t>(threads));
    parallel_for(buckets.size(), threads, [&](std::size_t b, int thread) {
        Scratch& s = scratch[static_cast<std::size_t>(thread)];
        const Entry* entries = buckets.entries.get() + buckets.starts[b];
        const std::size_t count = buckets.starts[b + 1] - buckets.starts[b];
        s.table.reset(entries, count);
        s.firsts.resize(count);
        s.frequencies.assign(count, 0);
        for (std::uint32_t i = 0; i < count; ++i) ++s.frequencies[s.firsts[i] = s.table.first(i)];
        done(b, entries, s.firsts, s.frequencies);
    });
}

}  // namespace

Frequencies document_frequencies(const Rows& rows, int threads) {
    const Buckets buckets = deal({{rows, nullptr, rows.documents}}, threads);
    std::vector<std::vector<std::pair<std::uint64_t, std::uint32_t>>> found(buckets.size());
    count_buckets(buckets, threads, [&](std::size_t b, const Entry* entries, const auto& firsts, const auto& counts) {
        for (std::uint32_t i = 0; i < firsts.size(); ++i)
            if (firsts[i] == i) found[b].emplace_back(entries[i].key, counts[i]);
    });
    std::vector<std::size_t> starts(found.size() + 1, 0);
    for (std::size_t b = 0; b < found.size(); ++b) starts[b + 1] = starts[b] + found[b].size();
    // Ascending keys need a second dealing, by value this time: equal spans of the key
    // range would be uneven for keys that are not hashes, so sort runs and merge them.
    std::vector<std::pair<std::uint64_t, std::uint32_t>> all(starts.back());
    parallel_for(found.size(), threads, [&](std::size_t b, int) {
        std::copy(found[b].begin(), found[b].end(), all.begin() + static_cast<std::ptrdiff_t>(starts[b]));
        found[b] = {};
    });
    auto at = [&](std::size_t run) { return all.begin() + static_cast<std::ptrdiff_t>(all.size() * run / kPieces); };
    parallel_for(kPieces, threads, [&](std::size_t run, int) { std::sort(at(run), at(run + 1)); });
    for (std::size_t width = 1; width < kPieces; width *= 2)
        parallel_for(kPieces / (2 * width), threads, [&](std::size_t i, int) {
            std::inplace_merge(at(2 * width * i), at(2 * width * i + width), at(2 * width * (i + 1)));
        });
    Frequencies result;
    result.keys.resize(all.size());
    result.frequencies.resize(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        result.keys[i] = all[i].first;
        result.frequencies[i] = all[i].second;
    }
    return result;
}

std::vector<std::uint32_t> entry_frequencies(const Rows& rows, int threads) {
    const Buckets buckets = deal({{rows, nullptr, rows.documents}}, threads);
    std::vector<std::uint32_t> result(rows.entries());
    count_buckets(buckets, threads, [&](std::size_t, const Entry* entries, const auto& firsts, const auto& counts) {
        for (std::size_t i = 0; i < firsts.size(); ++i) result[entries[i].at] = counts[firsts[i]];
    });
    return result;
}

}  // namespace samecore
