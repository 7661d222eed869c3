// Which contents agree in a band? Every band is hashed to 32 bits; two contents collide
// in it if their hashes are equal. A chance collision costs one comparison, no more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lsh.hpp"

namespace samecore {

// Contents are numbered through: those of the left side first, then those of the right.
class BandHashes {
public:
    BandHashes(const std::vector<LshSide>& sides, const LshOptions& options);

    std::size_t contents() const { return contents_; }
    std::size_t bands() const { return bands_; }
    std::uint32_t at(std::size_t content, std::size_t band) const { return values_[content * bands_ + band]; }

    // Do the two agree in a band before `band`? Then they have met already.
    bool met_before(std::size_t x, std::size_t y, std::size_t band) const {
        const std::uint32_t *a = values_.data() + x * bands_, *b = values_.data() + y * bands_;
        bool met = false;
        for (std::size_t k = 0; k < band; ++k) met |= a[k] == b[k];
        return met;
    }

private:
    std::size_t contents_ = 0, bands_;
    std::vector<std::uint32_t> values_;  // by content, then by band
};

// The buckets of one band that hold a pair: bucket i is members[starts[i] .. starts[i+1]),
// ascending. With two sides the contents from `split` on are those of the right one.
struct BandBuckets {
    std::vector<std::uint32_t> members;
    std::vector<std::size_t> starts{0};

    std::size_t size() const { return starts.size() - 1; }
    std::size_t length(std::size_t bucket) const { return starts[bucket + 1] - starts[bucket]; }
};

BandBuckets find_buckets(const BandHashes& hashes, std::size_t band, std::size_t split);

}  // namespace samecore
