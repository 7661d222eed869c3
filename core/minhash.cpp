#include "minhash.hpp"

#include <memory>

#include "cpu.hpp"
#include "shingler.hpp"
#include "sketch_hash.hpp"

namespace samecore {
namespace {

MinhashUpdate update_for_this_machine() {
#if defined(SAMECORE_X86)
    if (cpu_level() == CpuLevel::avx512) return minhash_avx512;
    if (cpu_level() == CpuLevel::avx2) return minhash_avx2;
#endif
    return minhash_portable;
}

// a * x + b modulo 2^61 - 1 for a, x and b below it: 2^61 counts as 1.
SAMECORE_INLINE std::uint64_t linear(std::uint64_t a, std::uint64_t x, std::uint64_t b) {
    constexpr std::uint64_t prime = ModPrime::prime;
    const Product product = multiply(a, x);
    std::uint64_t sum = (product.low & prime) + (product.low >> 61 | product.high << 3);
    sum = (sum & prime) + (sum >> 61) + b;
    return sum >= prime ? sum - prime : sum;
}

// Collects keys into blocks and keeps the minima of one document at a time.
template <class Family>
class Minima {
   public:
    using Value = typename Family::Value;
    explicit Minima(const Family& family) : family_(family), minima_(family.padded) { restart(); }

    void add(std::uint64_t key) {
        block_[filled_++] = key;
        if (filled_ == minhash_block) flush();
    }

    // Whole rows need not be copied into the block.
    void add(const std::uint64_t* keys, std::size_t count) {
        for (std::size_t from = 0; from < count; from += minhash_block)
            family_.update(keys + from, std::min(minhash_block, count - from), minima_.data());
        flushed_ = flushed_ || count > 0;
    }

    void write(Value* row) {
        const bool empty = filled_ == 0 && !flushed_;
        flush();
        if (empty) std::fill_n(row, family_.slots, Family::none);
        else std::copy_n(minima_.data(), family_.slots, row);
        restart();
    }

   private:
    void restart() {
        std::fill_n(minima_.data(), family_.padded, Family::highest);
        filled_ = 0;
        flushed_ = false;
    }
    void flush() {
        if (filled_ == 0) return;
        family_.update(block_, filled_, minima_.data());
        filled_ = 0;
        flushed_ = true;
    }

    const Family& family_;
    Buffer<Value> minima_;
    std::uint64_t block_[minhash_block];
    std::size_t filled_ = 0;
    bool flushed_ = false;
};

}  // namespace

Multiply::Multiply(std::size_t slots, std::uint64_t seed)
    : slots(slots),
      padded((slots + group_slots - 1) / group_slots * group_slots),
      mask(drawn(seed, ~std::uint64_t{0})),
      factors(padded),
      blenders(padded / group_slots) {
    for (std::size_t i = 0; i < padded; ++i) {
        const std::uint64_t number = drawn(seed, i);
        factors[i] = static_cast<std::uint32_t>(number >> 32) | 1;
        if (i % group_slots == 0) blenders[i / group_slots] = static_cast<std::uint32_t>(number);
    }
}

void Multiply::update(const std::uint64_t* keys, std::size_t count, Value* minima) const {
    static const MinhashUpdate best = update_for_this_machine();
    best(factors.data(), blenders.data(), padded, mask, keys, count, minima);
}

ModPrime::ModPrime(std::size_t slots, std::uint64_t seed) : slots(slots), padded(slots), factors(slots), terms(slots) {
    for (std::size_t i = 0; i < slots; ++i) {
        factors[i] = 1 + drawn(seed, 2 * i) % (prime - 1);  // 0 would map every key to one value
        terms[i] = drawn(seed, 2 * i + 1) % prime;
    }
}

void ModPrime::update(const std::uint64_t* keys, std::size_t count, Value* minima) const {
    for (std::size_t k = 0; k < count; ++k) {
        const std::uint64_t x = keys[k] % prime;
        for (std::size_t i = 0; i < slots; ++i) minima[i] = std::min(minima[i], linear(factors[i], x, terms[i]));
    }
}

void minhash_portable(const std::uint32_t* factors, const std::uint32_t* blenders, std::size_t padded,
                      std::uint64_t mask, const std::uint64_t* keys, std::size_t count, std::uint32_t* minima) {
    // Four keys for each visit to the minima; the last key stands in for missing ones.
    for (std::size_t k = 0; k < count; k += 4) {
        std::uint32_t low[4], high[4];
        for (std::size_t j = 0; j < 4; ++j) {
            const std::uint64_t mixed = mix(keys[std::min(k + j, count - 1)] ^ mask);
            low[j] = static_cast<std::uint32_t>(mixed);
            high[j] = static_cast<std::uint32_t>(mixed >> 32);
        }
        for (std::size_t at = 0; at < padded; at += group_slots) {
            std::uint32_t x[4];
            for (std::size_t j = 0; j < 4; ++j) x[j] = low[j] + blenders[at / group_slots] * high[j];
            for (std::size_t i = at; i < at + group_slots; ++i) {
                const std::uint32_t a = factors[i];
                const std::uint32_t first = std::min(a * x[0], a * x[1]), second = std::min(a * x[2], a * x[3]);
                minima[i] = std::min(minima[i], std::min(first, second));
            }
        }
    }
}

std::vector<std::size_t> pieces_of(const KeyRows& rows) {
    constexpr std::size_t piece_entries = 1 << 15, piece_rows = 1 << 12;
    std::vector<std::size_t> bounds{0};
    for (std::size_t i = 0; i < rows.count; ++i)
        if (rows.end(i) - rows.begin(bounds.back()) >= piece_entries || i + 1 - bounds.back() >= piece_rows)
            bounds.push_back(i + 1);
    if (bounds.back() != rows.count) bounds.push_back(rows.count);
    return bounds;
}

template <class Family>
void minhash_texts(const Documents& documents, const ShingleOptions& options, const Family& family, int threads,
                   typename Family::Value* out) {
    const std::vector<std::size_t> bounds = pieces_of(documents);
    struct Worker {
        Worker(const ShingleOptions& options, const Family& family) : shingler(options, false), minima(family) {}
        Shingler shingler;
        Minima<Family> minima;
    };
    std::vector<std::unique_ptr<Worker>> workers(static_cast<std::size_t>(threads));
    parallel_for(bounds.size() - 1, threads, [&](std::size_t piece, int thread) {
        auto& worker = workers[static_cast<std::size_t>(thread)];
        if (!worker) worker = std::make_unique<Worker>(options, family);
        for (std::size_t d = bounds[piece]; d < bounds[piece + 1]; ++d) {
            worker->shingler.document(documents.data, documents.begin(d), documents.end(d), documents.size,
                                      [&](std::uint64_t key, std::size_t, std::size_t) { worker->minima.add(key); });
            worker->minima.write(out + d * family.slots);
        }
    });
}

template <class Family>
void minhash_keys(const KeyRows& rows, bool multiset, const Family& family, int threads, typename Family::Value* out) {
    const std::vector<std::size_t> bounds = pieces_of(rows);
    std::vector<std::unique_ptr<Minima<Family>>> workers(static_cast<std::size_t>(threads));
    parallel_for(bounds.size() - 1, threads, [&](std::size_t piece, int thread) {
        auto& minima = workers[static_cast<std::size_t>(thread)];
        if (!minima) minima = std::make_unique<Minima<Family>>(family);
        for (std::size_t d = bounds[piece]; d < bounds[piece + 1]; ++d) {
            minima->add(rows.keys + rows.begin(d), rows.end(d) - rows.begin(d));
            for (std::size_t at = rows.begin(d); multiset && at < rows.end(d); ++at)
                for (std::uint32_t i = 1; i < rows.counts[at]; ++i) minima->add(drawn(rows.keys[at], i));
            minima->write(out + d * family.slots);
        }
    });
}

template <class Value>
void equal_slots(const Value* left_rows, const Value* right_rows, std::size_t slots, const std::int64_t* left,
                 const std::int64_t* right, std::size_t pairs, Value none, int threads, std::uint32_t* out) {
    constexpr std::size_t piece_pairs = 1 << 12;
    parallel_for((pairs + piece_pairs - 1) / piece_pairs, threads, [&](std::size_t piece, int) {
        const std::size_t last = std::min(pairs, (piece + 1) * piece_pairs);
        for (std::size_t p = piece * piece_pairs; p < last; ++p) {
            const Value* a = left_rows + static_cast<std::size_t>(left[p]) * slots;
            const Value* b = right_rows + static_cast<std::size_t>(right[p]) * slots;
            std::uint32_t equal = 0;
            for (std::size_t i = 0; i < slots; ++i) equal += static_cast<std::uint32_t>((a[i] == b[i]) & (a[i] != none));
            out[p] = equal;
        }
    });
}

#define SAMECORE_FAMILY(Family)                                                                                     \
    template void minhash_texts<Family>(const Documents&, const ShingleOptions&, const Family&, int, Family::Value*); \
    template void minhash_keys<Family>(const KeyRows&, bool, const Family&, int, Family::Value*);                    \
    template void equal_slots<Family::Value>(const Family::Value*, const Family::Value*, std::size_t,               \
                                             const std::int64_t*, const std::int64_t*, std::size_t, Family::Value,   \
                                             int, std::uint32_t*);
SAMECORE_FAMILY(Multiply)
SAMECORE_FAMILY(ModPrime)

}  // namespace samecore
