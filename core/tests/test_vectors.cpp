// The weighted joins without Python, for the sanitizers: random collections against every
// pair, for any number of threads and any size of block.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <vector>

#include "containment.hpp"
#include "vectors.hpp"

using namespace samecore;

static void expect(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "failed: %s\n", what);
    std::exit(1);
}

template <class Value>
struct Collection {
    std::vector<std::int64_t> offsets{0};
    std::vector<std::uint64_t> keys;
    std::vector<Value> values;

    void add(const std::map<std::uint64_t, Value>& row) {
        for (const auto& [key, value] : row) keys.push_back(key), values.push_back(value);
        offsets.push_back(static_cast<std::int64_t>(keys.size()));
    }
    std::size_t size() const { return offsets.size() - 1; }
};

template <class Value, class Draw>
static Collection<Value> collection(std::mt19937_64& random, Draw&& draw) {
    Collection<Value> made;
    std::vector<std::map<std::uint64_t, Value>> rows;
    const std::size_t dims = 1 + random() % 30;
    for (std::size_t count = random() % 40; count > 0; --count) {
        std::map<std::uint64_t, Value> row;
        if (!rows.empty() && random() % 4 == 0) row = rows[random() % rows.size()];
        else
            for (std::size_t entries = random() % (dims + 1); entries > 0; --entries)
                row[(random() % dims) * 0x9E3779B97F4A7C15ull] = draw();
        rows.push_back(row);
        made.add(row);
    }
    return made;
}

static double dot(const Collection<float>& a, std::size_t i, const Collection<float>& b, std::size_t j) {
    double sum = 0;
    for (auto x = a.offsets[i]; x < a.offsets[i + 1]; ++x)
        for (auto y = b.offsets[j]; y < b.offsets[j + 1]; ++y)
            if (a.keys[static_cast<std::size_t>(x)] == b.keys[static_cast<std::size_t>(y)])
                sum += static_cast<double>(a.values[static_cast<std::size_t>(x)]) * b.values[static_cast<std::size_t>(y)];
    return sum;
}

static void vector_joins(std::mt19937_64& random) {
    const int kind = static_cast<int>(random() % 4);
    const auto draw = [&]() -> float {
        if (kind == 0) return 1;
        if (kind == 1) return static_cast<float>(random() % 4);
        if (kind == 2) return static_cast<float>(random() % 1000) / 999;
        return std::ldexp(1.0f, static_cast<int>(random() % 240) - 140);
    };
    const Collection<float> one = collection<float>(random, draw), two = collection<float>(random, draw);
    const bool both = random() % 2 == 0;
    const Collection<float>& other = both ? two : one;
    const vectors::Rows left{one.offsets.data(), one.keys.data(), one.values.data(), one.size()};
    const vectors::Rows right{two.offsets.data(), two.keys.data(), two.values.data(), two.size()};
    vectors::check(left, one.keys.size());
    const auto first = vectors::collapse(left, 2), other_first = vectors::collapse(right, 1);
    vectors::Options options;
    options.threshold = static_cast<double>(1 + random() % 20) / 20;
    options.measure = random() % 2 == 0 ? vectors::Measure::cosine : vectors::Measure::jaccard;

    vectors::Pairs expected;
    const auto& right_first = both ? other_first : first;
    for (std::size_t i = 0; i < one.size(); ++i)
        for (std::size_t j = both ? 0 : i + 1; j < other.size(); ++j) {
            if (first[i] != i || right_first[j] != j) continue;
            const double product = dot(one, i, other, j), a = dot(one, i, one, i), b = dot(other, j, other, j);
            const bool cosine = options.measure == vectors::Measure::cosine;
            const double score = std::min(1.0, cosine ? product / std::sqrt(a * b) : product / (a + b - product));
            if (!(a > 0 && b > 0 && score >= options.threshold)) continue;
            expected.left.push_back(static_cast<std::uint32_t>(i));
            expected.right.push_back(static_cast<std::uint32_t>(j));
            expected.score.push_back(score);
        }
    for (const std::size_t block : {1ul, 5ul, 1000ul}) {
        options.block_rows = block;
        options.threads = static_cast<int>(1 + random() % 4);
        const auto found = both ? vectors::join(left, first, &right, &other_first, options)
                                : vectors::join(left, first, nullptr, nullptr, options);
        expect(found.left == expected.left && found.right == expected.right, "all pairs, and no others");
        expect(found.score == expected.score, "scores to the last bit");
    }
}

static void containment_joins(std::mt19937_64& random) {
    const std::uint32_t most = random() % 2 == 0 ? 1 : 4;
    const auto draw = [&]() { return static_cast<std::uint32_t>(1 + random() % most); };
    const auto one = collection<std::uint32_t>(random, draw), two = collection<std::uint32_t>(random, draw);
    const bool both = random() % 2 == 0;
    const auto& other = both ? two : one;
    const containment::Rows left{one.offsets.data(), one.keys.data(), one.values.data(), nullptr, one.size()};
    const containment::Rows right{two.offsets.data(), two.keys.data(), two.values.data(), nullptr, two.size()};
    containment::check(left, one.keys.size(), true);
    const auto first = containment::collapse(left, true, 2), other_first = containment::collapse(right, true, 1);
    containment::Options options;
    options.den = 20;
    options.num = 1 + random() % 20;

    const auto size = [](const auto& rows, std::size_t row) {
        std::uint64_t sum = 0;
        for (auto at = rows.offsets[row]; at < rows.offsets[row + 1]; ++at) sum += rows.values[static_cast<std::size_t>(at)];
        return sum;
    };
    std::vector<std::uint32_t> lefts, rights, overlaps;
    const auto& right_first = both ? other_first : first;
    for (std::size_t i = 0; i < one.size(); ++i)
        for (std::size_t j = both ? 0 : i + 1; j < other.size(); ++j) {
            if (first[i] != i || right_first[j] != j) continue;
            std::uint64_t overlap = 0;
            for (auto x = one.offsets[i]; x < one.offsets[i + 1]; ++x)
                for (auto y = other.offsets[j]; y < other.offsets[j + 1]; ++y)
                    if (one.keys[static_cast<std::size_t>(x)] == other.keys[static_cast<std::size_t>(y)])
                        overlap += std::min(one.values[static_cast<std::size_t>(x)], other.values[static_cast<std::size_t>(y)]);
            const std::uint64_t smaller = std::min(size(one, i), size(other, j));
            if (smaller == 0 || overlap * options.den < options.num * smaller) continue;
            lefts.push_back(static_cast<std::uint32_t>(i));
            rights.push_back(static_cast<std::uint32_t>(j));
            overlaps.push_back(static_cast<std::uint32_t>(overlap));
        }
    for (const std::size_t block : {1ul, 5ul, 1000ul}) {
        options.block_rows = block;
        options.threads = static_cast<int>(1 + random() % 4);
        options.slack = static_cast<int>(random() % 9);
        const auto found = both ? containment::join(left, first, &right, &other_first, options)
                                : containment::join(left, first, nullptr, nullptr, options);
        expect(found.left == lefts && found.right == rights && found.overlap == overlaps, "all that is contained");
    }
}

int main() {
    std::mt19937_64 random(20260101);
    for (int round = 0; round < 600; ++round) {
        vector_joins(random);
        containment_joins(random);
    }
    std::puts("weighted joins: ok");
}
