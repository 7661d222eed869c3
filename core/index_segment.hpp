// One immutable segment of the persistent index: contents by ascending size, and for
// every key the contents that have it. docs/index-format.md describes the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace samecore {

// Found while reading: an offset or a number that cannot be. The file is damaged.
struct DamagedSegment : std::runtime_error {
    using std::runtime_error::runtime_error;
};

constexpr std::uint32_t kListFlag = 0x80000000u;       // a value with it is the place of a list
constexpr std::size_t kMaxSegment = 0x7fffffffu;       // contents, and words of lists, in one segment
constexpr unsigned kMaxBucketBits = 28;
constexpr std::uint32_t kNoContent = 0xffffffffu;

// One to one, so that keys of any kind are spread evenly over the buckets.
inline std::uint64_t mix_key(std::uint64_t key) {
    key = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9ull;
    key = (key ^ (key >> 27)) * 0x94d049bb133111ebull;
    return key ^ (key >> 31);
}

// Eight to sixteen keys a bucket: a search among so many stays within two lines of cache.
inline unsigned bucket_bits(std::size_t keys) {
    unsigned bits = 0;
    while (bits < kMaxBucketBits && (std::size_t{8} << (bits + 1)) <= keys) ++bits;
    return bits;
}

inline std::size_t bucket_of(std::uint64_t mixed, unsigned bits) {
    return bits == 0 ? 0 : static_cast<std::size_t>(mixed >> (64 - bits));
}

// The contents that have a key, ascending; counts are all 1 unless narrow or wide is set.
struct PostingList {
    const std::uint32_t* contents = nullptr;
    const std::uint8_t* narrow = nullptr;
    const std::uint32_t* wide = nullptr;
    std::uint32_t length = 0;

    std::uint32_t count(std::size_t at) const { return narrow ? narrow[at] : wide ? wide[at] : 1u; }
};

// Borrowed arrays. `check` must have passed before anything else is called.
struct SegmentView {
    const std::uint32_t* numbers = nullptr;  // the content's number in the index, by place
    const std::uint32_t* sizes = nullptr;    // its weight, ascending
    std::size_t contents = 0;
    const std::uint32_t* starts = nullptr;  // first key of each bucket, and the end
    unsigned bits = 0;
    const std::uint64_t* keys = nullptr;  // mixed, ascending
    const std::uint32_t* values = nullptr;
    std::size_t key_count = 0;
    const std::uint32_t* words = nullptr;
    std::size_t word_count = 0;
    const std::uint64_t* prints = nullptr;  // fingerprints, `print_words` each; none for Jaccard
    std::size_t print_words = 0;

    void check(std::size_t starts_count) const;  // std::invalid_argument on lengths that do not fit

    // The list of a mixed key; of length 0 if no content has it.
    PostingList find(std::uint64_t mixed) const {
        const std::size_t bucket = bucket_of(mixed, bits);
        const std::size_t from = starts[bucket], to = starts[bucket + 1];
        if (from > to || to > key_count) throw DamagedSegment("the table of buckets is out of order");
        std::size_t low = from, high = to;
        while (low < high) {
            const std::size_t middle = (low + high) / 2;
            if (keys[middle] < mixed)
                low = middle + 1;
            else
                high = middle;
        }
        if (low == to || keys[low] != mixed) return {};
        return list(low);
    }

    PostingList list(std::size_t at) const {
        const std::uint32_t value = values[at];
        PostingList found;
        if (!(value & kListFlag)) {
            if (value >= contents) throw DamagedSegment("a posting names a content that is not there");
            found.contents = values + at;
            found.length = 1;
            return found;
        }
        const std::size_t place = value & ~kListFlag;
        if (place >= word_count) throw DamagedSegment("a list begins outside the file");
        found.length = words[place] >> 2;
        const unsigned width = words[place] & 3u;
        const std::size_t counts = width == 0 ? 0 : width == 1 ? (found.length + std::size_t{3}) / 4 : found.length;
        if (width > 2 || found.length == 0 || place + 1 + found.length + counts > word_count)
            throw DamagedSegment("a list ends outside the file");
        found.contents = words + place + 1;
        const std::uint32_t* after = found.contents + found.length;
        if (width == 1) found.narrow = reinterpret_cast<const std::uint8_t*>(after);
        if (width == 2) found.wide = after;
        // The lists ascend: if the last is inside, only damage puts another outside, and
        // whoever writes by these numbers checks each.
        if (after[-1] >= contents) throw DamagedSegment("a posting names a content that is not there");
        return found;
    }
};

}  // namespace samecore
