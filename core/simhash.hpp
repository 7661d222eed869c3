// SimHash (Charikar): bit b says on which side of the b-th random hyperplane a document's
// vector lies. Each key has a random sign for every bit; a bit is 1 if the weights of the
// keys that vote for it exceed those that vote against it, and 0 otherwise, ties included
// (the Lecture's rule). Sums are integers, so their order does not matter.
#pragma once

#include "minhash.hpp"

namespace samecore {

constexpr std::size_t max_simhash_bits = 4096;
constexpr std::size_t simhash_block = 256;

enum class SimhashWeights { unit = 0, counts = 1, weights = 2 };  // 1, count, count * weight

// Both write count x bits / 64 words to `out`; bit b is bit b % 64 of word b / 64. A
// document without keys gets zeros. Texts weigh every occurrence 1, that is by counts.
void simhash_texts(const Documents& documents, const ShingleOptions& options, std::size_t bits, std::uint64_t seed,
                   int threads, std::uint64_t* out);
void simhash_keys(const KeyRows& rows, SimhashWeights weights, std::size_t bits, std::uint64_t seed, int threads,
                  std::uint64_t* out);

// One per instruction set: for each of the 64 bits of mix(key ^ mask), adds the weights of
// the keys that have it. The caller sees to it that no sum passes 2^32.
using SimhashUpdate = void (*)(std::uint64_t mask, const std::uint64_t* keys, const std::uint32_t* weights,
                               std::size_t count, std::uint32_t* sums);
void simhash_portable(std::uint64_t, const std::uint64_t*, const std::uint32_t*, std::size_t, std::uint32_t*);
void simhash_avx2(std::uint64_t, const std::uint64_t*, const std::uint32_t*, std::size_t, std::uint32_t*);
void simhash_avx512(std::uint64_t, const std::uint64_t*, const std::uint32_t*, std::size_t, std::uint32_t*);

}  // namespace samecore
