// Randomness for the sketches: a mixer of 64-bit keys and the numbers a seed stands for.
//
// Features may come from anywhere (a caller may number his terms 0, 1, 2, ...), so a
// sketch never trusts that keys are spread evenly: it mixes them first. The mixer is a
// permutation, so distinct keys stay distinct.
#pragma once

#include <cstdint>

#include "hash.hpp"

namespace samecore {

// Two rounds of shift and multiply, with the constants Stafford found for SplitMix64.
SAMECORE_INLINE std::uint64_t mix(std::uint64_t key) {
    key = (key ^ key >> 30) * 0xbf58476d1ce4e5b9;
    key = (key ^ key >> 27) * 0x94d049bb133111eb;
    return key ^ key >> 31;
}

// The `number`-th of the random numbers that `seed` stands for. Each depends on the seed
// and its own number alone, so a shorter sketch is the beginning of a longer one.
SAMECORE_INLINE std::uint64_t drawn(std::uint64_t seed, std::uint64_t number) {
    return mix(mix(seed ^ hash_a) + (number + 1) * 0x9e3779b97f4a7c15);
}

}  // namespace samecore
