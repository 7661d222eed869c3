#include "hamming_plan.hpp"

#include <algorithm>
#include <cmath>

namespace samecore::hamming {
namespace {

constexpr int kMostAgreeing = 4;     // r: more gives thousands of tables
constexpr double kMostTables = 4000;  // C(limit + r, r)
constexpr int kMostBlockBits = 48;   // a key is one word, with room to spare

struct Bit {
    std::uint32_t position;
    double surprise;  // -log2 of the chance that two fingerprints agree on it
};

std::vector<Bit> useful_bits(const std::vector<const std::uint64_t*>& rows, std::size_t words) {
    std::vector<Bit> bits;
    for (std::size_t word = 0; word < words; ++word) {
        std::uint32_t counts[64] = {};
        for (const std::uint64_t* row : rows)
            for (unsigned bit = 0; bit < 64; ++bit) counts[bit] += (row[word] >> bit) & 1;
        for (std::uint32_t bit = 0; bit < 64; ++bit) {
            const double set = counts[bit] / static_cast<double>(rows.size());
            const double surprise = -std::log2(set * set + (1 - set) * (1 - set));
            // A bit that never varies splits nothing; leaving it out of every block is always right.
            if (surprise > 0) bits.push_back({static_cast<std::uint32_t>(word * 64) + bit, surprise});
        }
    }
    return bits;
}

// Equal shares of the surprise, not of the bits, so that skewed bits do not make one
// table useless. A block takes no more than it needs to tell `size` rows apart.
std::vector<Block> cut(const std::vector<Bit>& bits, double total, std::size_t blocks, double need) {
    std::vector<Block> cuts(blocks);
    std::vector<double> taken(blocks, 0.0);
    double before = 0;
    for (const Bit& bit : bits) {
        const double middle = before + bit.surprise / 2;
        before += bit.surprise;
        const auto block = std::min(blocks - 1, static_cast<std::size_t>(middle * static_cast<double>(blocks) / total));
        if (taken[block] >= need || cuts[block].bits >= kMostBlockBits) continue;
        cuts[block].add(bit.position);
        taken[block] += bit.surprise;
    }
    for (const Block& block : cuts)
        if (block.bits == 0) return {};
    return cuts;
}

// Expected cost per item, following the same rules as the search itself.
struct Estimate {
    const Costs& costs;
    double surprise;  // per block

    double brute(double size) const { return size * costs.share * costs.compare; }

    double refine(double size, double left, int agreeing, std::uint32_t skips) const {
        if (left <= 0) return node(size, agreeing, skips);
        const int bits = pass_bits(size, static_cast<int>(std::ceil(left)));
        const double pass = pass_ns(costs, size, bits) / std::max(size, 1.0);
        if (brute(size) <= pass) return brute(size);
        const double step = std::min<double>(left, bits);
        return pass + refine(size / std::exp2(step), left - step, agreeing, skips);
    }
    double node(double size, int agreeing, std::uint32_t skips) const {
        const double here = brute(size);
        if (agreeing == 0 || here <= costs.move * (skips + 1)) return here;
        return branch(size, agreeing, skips);
    }
    double branch(double size, int agreeing, std::uint32_t skips) const {
        double sum = 0;
        for (std::uint32_t skipped = 0; skipped <= skips; ++skipped)
            sum += refine(size, surprise, agreeing - 1, skips - skipped);
        return sum;
    }
};

}  // namespace

void Block::add(std::uint32_t bit) {
    const std::uint32_t word = bit / 64;
    const std::uint32_t at = bit % 64;
    if (!runs.empty()) {
        Run& last = runs.back();
        const auto width = static_cast<std::uint32_t>(bits) - last.out;
        if (last.word == word && last.shift + width == at) {
            last.mask = last.mask << 1 | 1;
            ++bits;
            return;
        }
    }
    runs.push_back({word, at, static_cast<std::uint32_t>(bits), 1});
    ++bits;
}

int pass_bits(double size, int left) {
    const int fits = std::max(2, static_cast<int>(std::log2(std::max(size, 2.0))) - 1);
    const int most = std::min(kPassBits, fits);
    if (left <= most) return left;
    // Spread the passes evenly: 6 + 6 rather than 8 + 4.
    return left < 2 * most ? (left + 1) / 2 : most;
}

std::vector<Block> plan_blocks(const std::vector<const std::uint64_t*>& rows, std::size_t words, double size,
                               std::uint32_t limit, const Costs& costs, double all_pairs_ns, bool forced) {
    const std::vector<Bit> bits = useful_bits(rows, words);
    double total = 0;
    for (const Bit& bit : bits) total += bit.surprise;
    const double need = std::log2(std::max(size, 2.0)) + 4;

    std::vector<Block> best;
    double cheapest = all_pairs_ns;
    double tables = 1;
    for (int agreeing = 1; agreeing <= kMostAgreeing; ++agreeing) {
        const std::size_t blocks = static_cast<std::size_t>(limit) + static_cast<std::size_t>(agreeing);
        tables *= static_cast<double>(blocks) / agreeing;
        if (blocks > bits.size() || tables > kMostTables) break;
        const double share = std::min(need, total / static_cast<double>(blocks));
        const double cost = size * Estimate{costs, share}.branch(size, agreeing, limit);
        if (cost >= cheapest && !(forced && best.empty())) continue;
        std::vector<Block> cuts = cut(bits, total, blocks, need);
        if (cuts.empty()) continue;
        best = std::move(cuts);
        cheapest = cost;
    }
    return best;
}

}  // namespace samecore::hamming
