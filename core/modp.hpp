// Broder's mod-m sketch: the shingles whose hash is a multiple of m, a fair sample of them
// that is the same shingles in every document.
#pragma once

#include "minhash.hpp"

namespace samecore {

// The mixed key decides, not the key itself: sampling must not depend on how keys were made.
bool sampled(std::uint64_t key, std::uint64_t mask, std::uint64_t modulus);
std::uint64_t sample_mask(std::uint64_t seed);

Csr modp_texts(const Documents& documents, const ShingleOptions& options, std::uint64_t modulus, std::uint64_t seed,
               int threads);

// For each key, 1 if it belongs to the sample.
Buffer<std::uint8_t> modp_keys(const std::uint64_t* keys, std::size_t count, std::uint64_t modulus, std::uint64_t seed);

}  // namespace samecore
