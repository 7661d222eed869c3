// MinHash: for each of many random functions, the least value over a document's keys.
// Two documents agree in a slot with the probability of their Jaccard similarity.
//
// Two families of functions:
//
// `Multiply`, the fast one. A key is mixed to 64 bits, low and high half. Slots come in
// groups of 16; group g takes x_g = low + c_g * high, and its slot i holds the minimum of
// a_i * x_g, a_i odd, all modulo 2^32. For a random key the x of two groups are
// independent (their difference is (c_g - c_h) * high, and low is free), and within a
// group each slot is another permutation; so the estimate has the variance of independent
// slots, J (1 - J) / slots. Two vector instructions, a multiplication and a minimum, give
// 8 or 16 slots of one key: an addition for each slot would cost half as much again.
//
// `ModPrime`, the family of the SpotSigs paper (LSH-S): (a_i * key + b_i) mod P, here with
// P = 2^61 - 1 because keys are 64-bit hashes. Slower, and 64 bits a slot.
#pragma once

#include "keys.hpp"
#include "shingles.hpp"

namespace samecore {

constexpr std::size_t max_slots = 1 << 16;
constexpr std::size_t minhash_block = 256;  // keys handed over at a time: they stay in the nearest cache

struct Multiply {
    using Value = std::uint32_t;
    static constexpr Value highest = 0xfffffffe;  // where minima start, so that `none` is no minimum
    static constexpr Value none = 0xffffffff;     // every slot of a document without keys

    Multiply(std::size_t slots, std::uint64_t seed);
    void update(const std::uint64_t* keys, std::size_t count, Value* minima) const;

    std::size_t slots, padded;  // rounded up to whole vectors
    std::uint64_t mask;         // mixed into every key: another seed, other functions
    Buffer<std::uint32_t> factors;   // one for each padded slot
    Buffer<std::uint32_t> blenders;  // c_g, one for each group
};

struct ModPrime {
    using Value = std::uint64_t;
    static constexpr std::uint64_t prime = (std::uint64_t{1} << 61) - 1;
    static constexpr Value highest = prime, none = ~std::uint64_t{0};

    ModPrime(std::size_t slots, std::uint64_t seed);
    void update(const std::uint64_t* keys, std::size_t count, Value* minima) const;

    std::size_t slots, padded;
    Buffer<std::uint64_t> factors, terms;
};

// Rows of keys: document i has the entries offsets[i] to offsets[i + 1].
struct KeyRows {
    const std::int64_t* offsets;  // count + 1, from 0
    const std::uint64_t* keys;
    const std::uint32_t* counts;
    const std::uint32_t* weights;  // may be null: every occurrence weighs 1
    std::size_t count;

    std::size_t begin(std::size_t i) const { return static_cast<std::size_t>(offsets[i]); }
    std::size_t end(std::size_t i) const { return static_cast<std::size_t>(offsets[i + 1]); }
};

// Like pieces_of for texts: they depend on the rows alone.
std::vector<std::size_t> pieces_of(const KeyRows& rows);

// Both write count x slots values to `out`. With `multiset`, occurrence i of a key is an
// element of its own.
template <class Family>
void minhash_texts(const Documents& documents, const ShingleOptions& options, const Family& family, int threads,
                   typename Family::Value* out);
template <class Family>
void minhash_keys(const KeyRows& rows, bool multiset, const Family& family, int threads, typename Family::Value* out);

// In how many slots row left[i] of one matrix agrees with row right[i] of another; slots
// that say `none` agree with nothing.
template <class Value>
void equal_slots(const Value* left_rows, const Value* right_rows, std::size_t slots, const std::int64_t* left,
                 const std::int64_t* right, std::size_t pairs, Value none, int threads, std::uint32_t* out);

// One per instruction set: minima of the padded slots over `count` <= minhash_block keys.
constexpr std::size_t group_slots = 16;  // the lanes of the widest vectors
using MinhashUpdate = void (*)(const std::uint32_t* factors, const std::uint32_t* blenders, std::size_t padded,
                               std::uint64_t mask, const std::uint64_t* keys, std::size_t count, std::uint32_t* minima);
void minhash_portable(const std::uint32_t*, const std::uint32_t*, std::size_t, std::uint64_t, const std::uint64_t*,
                      std::size_t, std::uint32_t*);
void minhash_avx2(const std::uint32_t*, const std::uint32_t*, std::size_t, std::uint64_t, const std::uint64_t*,
                  std::size_t, std::uint32_t*);
void minhash_avx512(const std::uint32_t*, const std::uint32_t*, std::size_t, std::uint64_t, const std::uint64_t*,
                    std::size_t, std::uint32_t*);

}  // namespace samecore
