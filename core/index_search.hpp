// Queries against segments and recent contents: all contents with Jaccard >= num/den, or
// with fingerprints within some bits. The same answer as comparing with every one of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "index_build.hpp"
#include "index_recent.hpp"
#include "index_segment.hpp"
#include "join.hpp"

namespace samecore {

struct IndexHit {
    std::uint32_t row;      // of the batch that was asked for
    std::uint32_t content;  // its number in the index
    std::uint32_t overlap;  // for fingerprints: bits that differ
    std::uint32_t joint;    // weight of the union; for fingerprints: bits in all
};

using IndexHits = std::vector<IndexHit>;

// All pieces in one, sorted by (row, content); rows of a piece come before those of the next.
IndexHits in_order(std::vector<IndexHits>&& pieces);

class IndexReader {
public:
    // Both must outlive the reader; `recent` may grow between calls, not during one.
    IndexReader(std::vector<SegmentView> segments, const RecentContents* recent)
        : segments_(std::move(segments)), recent_(recent) {}

    // `weights` may be null: every occurrence then weighs 1.
    IndexHits search(const IndexRows& rows, const std::uint32_t* weights, const Threshold& tau, int threads);

    // Per row a content with exactly these keys and counts, or kNoContent.
    std::vector<std::uint32_t> identical(const IndexRows& rows, int threads);

    // `blocks` cuts a fingerprint into so many keys; see fingerprint_blocks.
    IndexHits search_bits(const std::uint64_t* prints, std::size_t count, std::size_t words, std::uint32_t blocks,
                          std::uint32_t max_bits, int threads);

private:
    struct Scratch {
        std::vector<std::uint32_t> counts;   // zero between probes; read as 8, 16 or 32 bits
        std::vector<std::uint32_t> touched;  // places with a count
        std::vector<std::uint32_t> windows;
        std::vector<std::uint64_t> masses;
    };
    struct Asked {
        std::uint64_t mixed, key;
        std::uint32_t count;
        std::uint64_t weight;
    };
    using Row = std::vector<Asked>;

    void prepare(int threads);
    void probe(const SegmentView& view, const Row& row, std::uint64_t size, const Threshold& tau, Scratch& scratch,
               IndexHits& hits, std::uint32_t number);
    template <class Sum>
    void probe_as(const SegmentView& view, const Row& row, std::uint64_t size, const Threshold& tau, Scratch& scratch,
                  IndexHits& hits, std::uint32_t number);
    void probe_recent(const Row& row, std::uint64_t size, const Threshold& tau, Scratch& scratch, IndexHits& hits,
                      std::uint32_t number);
    void probe_bits(const SegmentView& view, const std::uint64_t* print, const std::vector<std::uint64_t>& blocks,
                    std::uint32_t max_bits, IndexHits& hits, std::uint32_t number);

    std::vector<SegmentView> segments_;
    const RecentContents* recent_;
    std::vector<Scratch> scratch_;
};

// A fingerprint as `blocks` keys, block number and bits together: two fingerprints that differ
// in fewer than `blocks` bits share one. Blocks are of equal width, up to a bit, and at most 56.
std::vector<std::uint64_t> fingerprint_blocks(const std::uint64_t* print, std::size_t words, std::uint32_t blocks);

}  // namespace samecore
