#include "index_build.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace samecore {
namespace {

struct Posting {
    std::uint32_t content, count;
};

// Appends one key with its postings, which ascend by content.
void put(SegmentLists& lists, std::uint64_t key, const Posting* postings, std::size_t length) {
    lists.keys.push_back(key);
    if (length == 1 && postings[0].count == 1) {
        lists.values.push_back(postings[0].content);
        return;
    }
    if (lists.words.size() >= kMaxSegment || length > (kMaxSegment >> 2))
        throw std::overflow_error("segment: more than 2**31 - 1 words of postings");
    lists.values.push_back(static_cast<std::uint32_t>(lists.words.size()) | kListFlag);
    std::uint32_t most = 1;
    for (std::size_t i = 0; i < length; ++i) most = std::max(most, postings[i].count);
    const std::uint32_t width = most == 1 ? 0 : most < 256 ? 1 : 2;
    lists.words.push_back(static_cast<std::uint32_t>(length) << 2 | width);
    for (std::size_t i = 0; i < length; ++i) lists.words.push_back(postings[i].content);
    if (width == 1) {
        for (std::size_t i = 0; i < length; i += 4) {
            std::uint8_t four[4] = {0, 0, 0, 0};
            for (std::size_t k = i; k < std::min(i + 4, length); ++k)
                four[k - i] = static_cast<std::uint8_t>(postings[k].count);
            std::uint32_t word;
            std::memcpy(&word, four, 4);
            lists.words.push_back(word);
        }
    } else if (width == 2) {
        for (std::size_t i = 0; i < length; ++i) lists.words.push_back(postings[i].count);
    }
}

struct Entry {
    std::uint64_t key;
    Posting posting;
};

}  // namespace

SegmentLists build_lists(const IndexRows& rows, const std::uint32_t* order) {
    const std::size_t total = static_cast<std::size_t>(rows.offsets[rows.documents] - rows.offsets[0]);
    // Dealt by the first bits of the key, so that each pile is sorted in cache.
    const unsigned pile_bits = total < 4096 ? 0 : 12;
    std::vector<std::size_t> piles((std::size_t{1} << pile_bits) + 1, 0);
    for (std::size_t e = 0; e < total; ++e) ++piles[bucket_of(mix_key(rows.keys[e]), pile_bits) + 1];
    for (std::size_t p = 1; p < piles.size(); ++p) piles[p] += piles[p - 1];
    std::vector<Entry> entries(total);
    std::vector<std::size_t> next(piles.begin(), piles.end() - 1);
    for (std::size_t place = 0; place < rows.documents; ++place) {
        const std::size_t row = order[place];
        for (std::int64_t e = rows.offsets[row]; e < rows.offsets[row + 1]; ++e) {
            const std::uint64_t key = mix_key(rows.keys[e]);
            entries[next[bucket_of(key, pile_bits)]++] = {key, {static_cast<std::uint32_t>(place), rows.counts[e]}};
        }
    }
    SegmentLists lists;
    std::vector<Posting> postings;
    for (std::size_t p = 0; p + 1 < piles.size(); ++p) {
        Entry* const begin = entries.data() + piles[p];
        Entry* const end = entries.data() + piles[p + 1];
        std::sort(begin, end, [](const Entry& a, const Entry& b) {
            return a.key != b.key ? a.key < b.key : a.posting.content < b.posting.content;
        });
        for (const Entry* at = begin; at != end;) {
            postings.clear();
            const std::uint64_t key = at->key;
            for (; at != end && at->key == key; ++at) postings.push_back(at->posting);
            put(lists, key, postings.data(), postings.size());
        }
    }
    const unsigned bits = bucket_bits(lists.keys.size());
    lists.starts.assign((std::size_t{1} << bits) + 1, 0);
    for (const std::uint64_t key : lists.keys) ++lists.starts[bucket_of(key, bits) + 1];
    for (std::size_t b = 1; b < lists.starts.size(); ++b) lists.starts[b] += lists.starts[b - 1];
    return lists;
}

SegmentLists merge_part(const std::vector<SegmentView>& segments,
                        const std::vector<const std::uint32_t*>& places, unsigned part, unsigned bits) {
    if (bits < kMergeBits) throw std::invalid_argument("bits: expected at least 6");
    struct Head {
        std::size_t segment, at, end;
    };
    std::vector<Head> heads;
    const std::uint64_t first = std::uint64_t{part} << (64 - kMergeBits);
    const std::uint64_t last = first | (~std::uint64_t{0} >> kMergeBits);
    for (std::size_t s = 0; s < segments.size(); ++s) {
        const SegmentView& view = segments[s];
        const std::uint64_t* end = view.keys + view.key_count;
        const std::uint64_t* from = std::lower_bound(view.keys, end, first);
        const std::uint64_t* to = std::upper_bound(from, end, last);
        if (from != to)
            heads.push_back({s, static_cast<std::size_t>(from - view.keys), static_cast<std::size_t>(to - view.keys)});
    }
    SegmentLists lists;
    const std::size_t buckets = std::size_t{1} << (bits - kMergeBits);
    const std::size_t bucket_base = std::size_t{part} << (bits - kMergeBits);
    lists.starts.assign(buckets + 1, 0);
    std::vector<Posting> postings;
    while (!heads.empty()) {
        std::uint64_t key = ~std::uint64_t{0};
        for (const Head& head : heads) key = std::min(key, segments[head.segment].keys[head.at]);
        postings.clear();
        for (std::size_t h = 0; h < heads.size();) {
            Head& head = heads[h];
            const SegmentView& view = segments[head.segment];
            if (view.keys[head.at] != key) {
                ++h;
                continue;
            }
            const PostingList list = view.list(head.at);
            const std::uint32_t* const place = places[head.segment];
            const std::size_t before = postings.size();
            for (std::size_t i = 0; i < list.length; ++i) {
                if (list.contents[i] >= view.contents)
                    throw DamagedSegment("a posting names a content that is not there");
                const std::uint32_t content = place[list.contents[i]];
                if (content != kNoContent) postings.push_back({content, list.count(i)});
            }
            std::inplace_merge(postings.begin(), postings.begin() + static_cast<std::ptrdiff_t>(before), postings.end(),
                               [](const Posting& a, const Posting& b) { return a.content < b.content; });
            if (++head.at == head.end) {
                heads.erase(heads.begin() + static_cast<std::ptrdiff_t>(h));  // the next head is now here
            } else {
                if (view.keys[head.at] <= key) throw DamagedSegment("the keys are out of order");
                ++h;
            }
        }
        if (postings.empty()) continue;
        put(lists, key, postings.data(), postings.size());
        ++lists.starts[bucket_of(key, bits) - bucket_base + 1];
    }
    for (std::size_t b = 1; b < lists.starts.size(); ++b) lists.starts[b] += lists.starts[b - 1];
    lists.starts.pop_back();
    return lists;
}

const char* find_damage(const SegmentView& segment) {
    for (std::size_t i = 1; i < segment.contents; ++i)
        if (segment.sizes[i] < segment.sizes[i - 1]) return "the contents are not in order of size";
    std::vector<std::uint64_t> sums;
    for (std::size_t bucket = 0; bucket < (std::size_t{1} << segment.bits); ++bucket) {
        const std::size_t from = segment.starts[bucket], to = segment.starts[bucket + 1];
        if (from > to || to > segment.key_count) return "the table of buckets is out of order";
        for (std::size_t k = from; k < to; ++k)
            if (bucket_of(segment.keys[k], segment.bits) != bucket) return "a key lies in the wrong bucket";
    }
    try {
        for (std::size_t k = 0; k < segment.key_count; ++k) {
            if (k > 0 && segment.keys[k] <= segment.keys[k - 1]) return "the keys are out of order";
            const PostingList list = segment.list(k);
            for (std::size_t i = 0; i < list.length; ++i) {
                if (list.contents[i] >= segment.contents) return "a posting names a content that is not there";
                if (i > 0 && list.contents[i] <= list.contents[i - 1]) return "a list is out of order";
                if (list.count(i) == 0) return "a posting counts nothing";
            }
        }
    } catch (const DamagedSegment&) {
        return "a list lies outside the file";
    }
    return "";
}

}  // namespace samecore
