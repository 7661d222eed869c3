#include "simhash.hpp"

#include <memory>
#include <stdexcept>
#include <string>

#include "cpu.hpp"
#include "shingler.hpp"
#include "sketch_hash.hpp"

namespace samecore {
namespace {

SimhashUpdate update_for_this_machine() {
#if defined(SAMECORE_X86)
    if (cpu_level() == CpuLevel::avx512) return simhash_avx512;
    if (cpu_level() == CpuLevel::avx2) return simhash_avx2;
#endif
    return simhash_portable;
}

// The votes of one document at a time. Votes are counted in 32 bits, many lanes at once,
// and moved to 64 bits before they could run over.
class Votes {
   public:
    Votes(std::size_t bits, std::uint64_t seed) : words_(bits / 64), masks_(words_), narrow_(bits), wide_(bits) {
        for (std::size_t i = 0; i < words_; ++i) masks_[i] = drawn(seed, i);
        restart();
    }

    void add(std::uint64_t key, std::uint64_t weight) {
        constexpr std::uint64_t most = std::uint64_t{1} << 63;
        if (weight >= most - total_) throw std::invalid_argument("weights: expected a sum below 2**63 in a document");
        total_ += weight;
        if (weight >= std::uint64_t{1} << 31) return add_heavy(key, weight);
        if (pending_ + weight >= std::uint64_t{1} << 32) widen();
        pending_ += weight;
        keys_[filled_] = key;
        weights_[filled_] = static_cast<std::uint32_t>(weight);
        if (++filled_ == simhash_block) flush();
    }

    void write(std::uint64_t* row) {
        widen();
        for (std::size_t word = 0; word < words_; ++word) {
            std::uint64_t bits = 0;
            for (std::size_t b = 0; b < 64; ++b) {
                const std::uint64_t yes = wide_[64 * word + b];
                bits |= static_cast<std::uint64_t>(yes > total_ - yes) << b;
            }
            row[word] = bits;
        }
        restart();
    }

   private:
    void restart() {
        std::fill_n(narrow_.data(), narrow_.size, 0);
        std::fill_n(wide_.data(), wide_.size, 0);
        total_ = pending_ = 0;
        filled_ = 0;
    }
    void flush() {
        static const SimhashUpdate best = update_for_this_machine();
        for (std::size_t word = 0; word < words_; ++word)
            best(masks_[word], keys_, weights_, filled_, narrow_.data() + 64 * word);
        filled_ = 0;
    }
    void widen() {
        flush();
        for (std::size_t b = 0; b < narrow_.size; ++b) wide_[b] += narrow_[b];
        std::fill_n(narrow_.data(), narrow_.size, 0);
        pending_ = 0;
    }
    void add_heavy(std::uint64_t key, std::uint64_t weight) {
        for (std::size_t b = 0; b < wide_.size; ++b)
            if (mix(key ^ masks_[b / 64]) >> (b % 64) & 1) wide_[b] += weight;
    }

    std::size_t words_;
    Buffer<std::uint64_t> masks_;
    Buffer<std::uint32_t> narrow_;  // votes for each bit since the last widening
    Buffer<std::uint64_t> wide_;    // and before it
    std::uint64_t total_ = 0, pending_ = 0;
    std::uint64_t keys_[simhash_block];
    std::uint32_t weights_[simhash_block];
    std::size_t filled_ = 0;
};

}  // namespace

void simhash_portable(std::uint64_t mask, const std::uint64_t* keys, const std::uint32_t* weights, std::size_t count,
                      std::uint32_t* sums) {
    for (std::size_t k = 0; k < count; ++k) {
        const std::uint64_t signs = mix(keys[k] ^ mask);
        // In two halves of 32 bits: vectors have no 64-bit shifts by different amounts everywhere.
        const std::uint32_t low = static_cast<std::uint32_t>(signs), high = static_cast<std::uint32_t>(signs >> 32);
        for (std::uint32_t b = 0; b < 32; ++b) {
            sums[b] += weights[k] & (0u - (low >> b & 1));
            sums[b + 32] += weights[k] & (0u - (high >> b & 1));
        }
    }
}

void simhash_texts(const Documents& documents, const ShingleOptions& options, std::size_t bits, std::uint64_t seed,
                   int threads, std::uint64_t* out) {
    const std::vector<std::size_t> bounds = pieces_of(documents);
    struct Worker {
        Worker(const ShingleOptions& options, std::size_t bits, std::uint64_t seed)
            : shingler(options, false), votes(bits, seed) {}
        Shingler shingler;
        Votes votes;
    };
    std::vector<std::unique_ptr<Worker>> workers(static_cast<std::size_t>(threads));
    parallel_for(bounds.size() - 1, threads, [&](std::size_t piece, int thread) {
        auto& worker = workers[static_cast<std::size_t>(thread)];
        if (!worker) worker = std::make_unique<Worker>(options, bits, seed);
        for (std::size_t d = bounds[piece]; d < bounds[piece + 1]; ++d) {
            worker->shingler.document(documents.data, documents.begin(d), documents.end(d), documents.size,
                                      [&](std::uint64_t key, std::size_t, std::size_t) { worker->votes.add(key, 1); });
            worker->votes.write(out + d * (bits / 64));
        }
    });
}

void simhash_keys(const KeyRows& rows, SimhashWeights weights, std::size_t bits, std::uint64_t seed, int threads,
                  std::uint64_t* out) {
    const std::vector<std::size_t> bounds = pieces_of(rows);
    std::vector<std::unique_ptr<Votes>> workers(static_cast<std::size_t>(threads));
    parallel_for(bounds.size() - 1, threads, [&](std::size_t piece, int thread) {
        auto& votes = workers[static_cast<std::size_t>(thread)];
        if (!votes) votes = std::make_unique<Votes>(bits, seed);
        for (std::size_t d = bounds[piece]; d < bounds[piece + 1]; ++d) {
            for (std::size_t at = rows.begin(d); at < rows.end(d); ++at) {
                std::uint64_t weight = weights == SimhashWeights::unit ? 1 : rows.counts[at];
                if (weights == SimhashWeights::weights) weight *= rows.weights[at];
                votes->add(rows.keys[at], weight);
            }
            votes->write(out + d * (bits / 64));
        }
    });
}

}  // namespace samecore
