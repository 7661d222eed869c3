// Queries for fingerprints: candidates share a block with the query and are compared whole.
#include <algorithm>
#include <bit>
#include <string>

#include "index_search.hpp"
#include "parallel.hpp"

namespace samecore {
namespace {

constexpr std::size_t kPiece = 16;  // queries a thread takes at a time

std::uint32_t differing(const std::uint64_t* a, const std::uint64_t* b, std::size_t words) {
    std::uint32_t bits = 0;
    for (std::size_t w = 0; w < words; ++w) bits += static_cast<std::uint32_t>(std::popcount(a[w] ^ b[w]));
    return bits;
}

}  // namespace

std::vector<std::uint64_t> fingerprint_blocks(const std::uint64_t* print, std::size_t words, std::uint32_t blocks) {
    const std::uint64_t bits = words * 64;
    if (blocks < 1 || blocks > 255 || blocks > bits || (bits + blocks - 1) / blocks > 56)
        throw std::invalid_argument("blocks: expected at most 255 blocks of 1 to 56 bits, found " +
                                    std::to_string(blocks) + " of " + std::to_string(bits) + " bits");
    std::vector<std::uint64_t> keys(blocks);
    for (std::uint64_t block = 0; block < blocks; ++block) {
        std::uint64_t value = 0;
        for (std::uint64_t bit = bits * block / blocks; bit < bits * (block + 1) / blocks; ++bit)
            value = value << 1 | (print[bit / 64] >> (bit % 64) & 1);
        keys[block] = block << 56 | value;
    }
    return keys;
}

IndexHits IndexReader::search_bits(const std::uint64_t* prints, std::size_t count, std::size_t words,
                                   std::uint32_t blocks, std::uint32_t max_bits, int threads) {
    const std::uint32_t width = static_cast<std::uint32_t>(words * 64);
    const std::size_t pieces = (count + kPiece - 1) / kPiece;
    std::vector<IndexHits> found(pieces);
    parallel_for(pieces, threads, [&](std::size_t piece, int) {
        for (std::size_t number = piece * kPiece; number < std::min((piece + 1) * kPiece, count); ++number) {
            const std::uint64_t* print = prints + number * words;
            // From `blocks` differing bits on, two fingerprints need not share a block: all are compared.
            const std::vector<std::uint64_t> keys =
                max_bits < blocks ? fingerprint_blocks(print, words, blocks) : std::vector<std::uint64_t>{};
            for (const SegmentView& view : segments_)
                probe_bits(view, print, keys, max_bits, found[piece], static_cast<std::uint32_t>(number));
            for (std::size_t y = 0; recent_ && y < recent_->size(); ++y) {
                const std::uint32_t bits = differing(print, recent_->print(y), words);
                if (bits <= max_bits)
                    found[piece].push_back({static_cast<std::uint32_t>(number), recent_->number(y), bits, width});
            }
        }
    });
    return in_order(std::move(found));
}

void IndexReader::probe_bits(const SegmentView& view, const std::uint64_t* print,
                             const std::vector<std::uint64_t>& blocks, std::uint32_t max_bits, IndexHits& hits,
                             std::uint32_t number) {
    const std::size_t words = view.print_words;
    const std::uint32_t width = static_cast<std::uint32_t>(words * 64);
    auto compare = [&](std::size_t y) {
        const std::uint32_t bits = differing(print, view.prints + y * words, words);
        if (bits <= max_bits) hits.push_back({number, view.numbers[y], bits, width});
    };
    if (blocks.empty()) {
        for (std::size_t y = 0; y < view.contents; ++y) compare(y);
        return;
    }
    const std::size_t before = hits.size();
    for (const std::uint64_t key : blocks) {
        const PostingList list = view.find(mix_key(key));
        for (std::size_t k = 0; k < list.length; ++k) {
            if (list.contents[k] >= view.contents)
                throw DamagedSegment("a posting names a content that is not there");
            compare(list.contents[k]);
        }
    }
    // One that shares several blocks was found several times.
    std::sort(hits.begin() + static_cast<std::ptrdiff_t>(before), hits.end(),
              [](const IndexHit& a, const IndexHit& b) { return a.content < b.content; });
    hits.erase(std::unique(hits.begin() + static_cast<std::ptrdiff_t>(before), hits.end(),
                           [](const IndexHit& a, const IndexHit& b) { return a.content == b.content; }),
               hits.end());
}

}  // namespace samecore
