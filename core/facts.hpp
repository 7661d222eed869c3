// What is known of each k-gram of a document, as small codes: the raw material of learned weights.
//
// Every fact is one byte, so that a weight is a sum of table look-ups (docs/learning.md). All arithmetic is in whole
// numbers: the same weights on every machine. The keys are those of shingles of the same width.
#pragma once

#include <cstdint>
#include <vector>

#include "keys.hpp"
#include "spots.hpp"

namespace samecore {

// The order is that of FACTS in src/samecore/features/facts.py.
enum Fact : std::size_t {
    fact_tf, fact_df, fact_df_avg, fact_df_med, fact_qf, fact_location, fact_place, fact_length, fact_capital,
    fact_title, fact_url, fact_spots, fact_spot_share, fact_stop, fact_link, fact_heading, fact_line, fact_marks,
    fact_language, fact_count
};

constexpr std::size_t max_gram = 8;

// From the leading 40 bits of a key to a code; 0 for a key that is not listed.
class CodeTable {
   public:
    static constexpr int prefix_bits = 40;

    CodeTable(const std::uint64_t* prefixes, const std::uint8_t* codes, std::size_t count);
    std::uint8_t code(std::uint64_t key) const {
        const std::uint64_t prefix = key >> (64 - prefix_bits);
        for (std::size_t i = place(prefix);; i = (i + 1) & mask_) {
            if (slots_[i] == free_slot) return 0;
            if (slots_[i] >> 8 == prefix) return static_cast<std::uint8_t>(slots_[i]);
        }
    }
    std::size_t size() const { return size_; }

   private:
    static constexpr std::uint64_t free_slot = ~std::uint64_t{0};
    std::size_t place(std::uint64_t prefix) const { return prefix * 0x9e3779b97f4a7c15ull >> shift_; }
    std::vector<std::uint64_t> slots_;  // prefix and code
    std::size_t mask_ = 0, size_ = 0;
    int shift_ = 0;
};

struct FactOptions {
    std::size_t k = 1;             // words of a k-gram, 1 to max_gram
    const SpotTable* spots;        // antecedents and stop words
    const CodeTable* grams;        // document frequencies of the k-grams
    const CodeTable* words;        // and of single words
    const CodeTable* queries;      // and how often they are asked for
};

struct FactCsr {
    Csr features;                // counts are term frequencies
    Buffer<std::uint8_t> codes;  // fact_count for each key
};

// `titles` and `urls` have one text per document, empty where it has none.
FactCsr extract_facts(const Documents& documents, const Documents& titles, const Documents& urls,
                      const FactOptions& options, int threads);

// A weight is the sum of singles[fact * 256 + code] and, for each product, of left[code] * right[code] >> 15, all in
// units of 2^-16. The count is the weight in units of 2^-10, rounded; 0 and less is no entry.
struct FactWeights {
    struct Product {
        std::size_t left_fact, right_fact;
        const std::int32_t *left, *right;  // 256 each
    };
    static constexpr int product_shift = 15, count_shift = 6;
    static constexpr std::int64_t most = (1 << 18) - 1;

    const std::int32_t* singles;  // fact_count * 256
    std::vector<Product> products;
    std::size_t active;  // so many of the heaviest k-grams are kept; 0: all
};

Csr weigh_documents(const Documents& documents, const Documents& titles, const Documents& urls,
                    const FactOptions& options, const FactWeights& weights, int threads);

}  // namespace samecore
