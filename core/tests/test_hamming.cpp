// The table search against the plain double loop, with comparisons declared dear so
// that even small sets go through every pass, branch and fresh cut.
#include <cstdio>
#include <cstdlib>
#include <random>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "hamming.hpp"

using namespace samecore;

namespace {

using Triples = std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint16_t>>;

void require(bool ok, const char* what) {
    if (ok) return;
    std::fprintf(stderr, "failed: %s\n", what);
    std::exit(1);
}

std::uint16_t distance(const std::uint64_t* a, const std::uint64_t* b, std::size_t words) {
    int sum = 0;
    for (std::size_t word = 0; word < words; ++word)
        for (std::uint64_t x = a[word] ^ b[word]; x != 0; x &= x - 1) ++sum;
    return static_cast<std::uint16_t>(sum);
}

Triples twin(Fingerprints left, Fingerprints right, bool self, std::uint32_t limit) {
    Triples out;
    for (std::size_t i = 0; i < left.count; ++i)
        for (std::size_t j = self ? i + 1 : 0; j < right.count; ++j) {
            const std::uint16_t bits = distance(left.row(i), right.row(j), left.words);
            if (bits <= limit) out.emplace_back(i, j, bits);
        }
    return out;
}

Triples triples(const HammingPairs& pairs) {
    Triples out;
    for (std::size_t i = 0; i < pairs.left.size(); ++i)
        out.emplace_back(pairs.left[i], pairs.right[i], pairs.distance[i]);
    return out;
}

// Kinds: uniform, near a few centres, few bits set, all but 16 bits shared, one bit of 16 set.
std::vector<std::uint64_t> make(int kind, std::size_t n, std::size_t words, std::mt19937_64& random) {
    std::vector<std::uint64_t> data(n * words);
    for (auto& word : data) word = random();
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t w = 0; w < words; ++w) {
            std::uint64_t& word = data[i * words + w];
            if (kind == 1) word = data[(i % 5) * words + w] ^ (i < 5 ? 0 : std::uint64_t{1} << (random() % 64));
            if (kind == 2) word &= 0x8001000000010003u;
            if (kind == 3) word = w + 1 < words ? data[w] : (word & 0xffff) | (data[w] & ~std::uint64_t{0xffff});
            if (kind == 4) word &= random() & random() & random();
        }
    return data;
}

void check_all() {
    std::mt19937_64 random(1);
    for (int kind = 0; kind < 5; ++kind)
        for (std::size_t words : {1, 2, 5})
            for (std::size_t n : {0, 1, 2, 33, 150})
                for (std::uint32_t limit : {0, 1, 2, 3, 5, 6, 9, 20, 64}) {
                    const auto data = make(kind, n, words, random);
                    const Fingerprints all{data.data(), n, words};
                    const Fingerprints queries{data.data(), n / 3, words};
                    const Fingerprints stored{data.data() + n / 3 * words, n - n / 3, words};
                    const Triples join = twin(all, all, true, limit);
                    const Triples look_up = twin(queries, stored, false, limit);
                    for (CpuLevel level : {CpuLevel::portable, cpu_level()})
                        for (double cost : {0.0, 40.0, 1e7})
                            for (HammingMethod method : {HammingMethod::tables, HammingMethod::brute}) {
                                // Many bits and dear comparisons: thousands of tables, nothing new.
                                if (cost > 0 && (limit > 9 || method == HammingMethod::brute)) continue;
                                HammingOptions options{limit, 1u << 30, 1 + static_cast<int>(n % 3), method, level, cost};
                                require(triples(hamming_join(all, options)) == join, "join");
                                require(triples(hamming_look_up(queries, stored, options)) == look_up, "look-up");
                            }
                }
}

void check_guard() {
    std::vector<std::uint64_t> data(9000);
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = i;
    HammingOptions options{2, 1000, 2, HammingMethod::tables, cpu_level(), 0};
    try {
        hamming_join({data.data(), data.size(), 1}, options);
    } catch (const std::length_error&) {
        return;
    }
    require(false, "max_pairs");
}

void check_distinct() {
    std::mt19937_64 random(2);
    for (std::size_t words : {1, 3}) {
        const std::size_t n = 5000;
        std::vector<std::uint64_t> data(n * words);
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint64_t value = random() % 700;
            for (std::size_t w = 0; w < words; ++w) data[i * words + w] = w == 1 ? 7 : value << 50;
        }
        const HammingDistinct one = hamming_distinct({data.data(), n, words}, 1);
        const HammingDistinct three = hamming_distinct({data.data(), n, words}, 3);
        require(one.group == three.group && one.first == three.first, "distinct threads");
        std::uint32_t next = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint32_t group = one.group[i];
            require(group <= next, "distinct order");
            if (group == next) require(one.first[next++] == i, "distinct first");
            require(distance(&data[one.first[group] * words], &data[i * words], words) == 0, "distinct content");
        }
        require(next == one.first.size() && next <= 700, "distinct count");
    }
}

}  // namespace

int main() {
    check_all();
    check_guard();
    check_distinct();
    std::puts("hamming: ok");
}
