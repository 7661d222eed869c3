// Distinct vectors as they come, their dimensions numbered, and which of them have a chance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "vectors.hpp"
#include "vectors_dims.hpp"

namespace samecore::vectors {

// Contents as they come, before ordering: where each lies and which entries it has.
struct Raw {
    const std::vector<Rows>& sides;  // must outlive this
    std::vector<std::uint32_t> rows;     // per content
    std::vector<std::uint64_t> entries;  // per content: number of its first entry; one more at the end
    std::vector<double> squares;
    std::size_t left = 0;
    Dims dims;

    std::size_t size() const { return rows.size(); }
    std::size_t side(std::size_t content) const { return content < left ? 0 : 1; }
    // use(dimension, value) for the positive entries, in key order.
    template <class Use>
    void each(std::size_t content, Use&& use) const {
        const Rows& source = sides[side(content)];
        std::uint64_t entry = entries[content];
        for (std::size_t at = source.begin(rows[content]); at < source.end(rows[content]); ++at, ++entry)
            if (source.values[at] > 0) use(dims.of_entry[entry], source.values[at]);
    }
};

// The first vector of every content that has positive entries.
Raw gather(const std::vector<Rows>& sides, const std::vector<const std::vector<std::uint32_t>*>& first, int threads);

// In how many living contents of each side is a dimension positive?
struct Frequencies {
    std::vector<std::uint32_t> sides[2];
    bool two_sides;
    bool shared(std::uint32_t dim) const {
        return two_sides ? sides[0][dim] > 0 && sides[1][dim] > 0 : sides[0][dim] > 1;
    }
    std::uint64_t total(std::uint32_t dim) const { return sides[0][dim] + (two_sides ? sides[1][dim] : 0ull); }
};

// Marks in `alive` (one per content, all 1 at first) the contents that cannot reach the
// limit with anything, and counts the frequencies among the others.
Frequencies drop_hopeless(const Raw& raw, double limit, std::vector<char>& alive, int threads);

}  // namespace samecore::vectors
