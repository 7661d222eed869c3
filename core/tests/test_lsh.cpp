// LSH against a double loop over bands, with small limits so that large buckets are joined
// and linked too; for sanitizers.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "hash.hpp"
#include "lsh.hpp"
#include "union_find.hpp"

using namespace samecore;

namespace {

int failures = 0;

void expect(bool holds, const char* what) {
    if (holds) return;
    std::printf("FAILED: %s\n", what);
    ++failures;
}

struct Corpus {
    std::vector<std::int64_t> offsets{0};
    std::vector<std::uint64_t> keys;
    std::vector<std::uint32_t> counts, sketches, all;
    std::size_t slots;

    Corpus(std::mt19937_64& random, std::size_t documents, std::size_t slots) : slots(slots) {
        for (std::size_t d = 0; d < documents; ++d) {
            std::map<std::uint64_t, std::uint32_t> document;
            for (std::size_t i = 1 + random() % 12; i > 0; --i) ++document[random() % 20];
            for (std::size_t s = 0; s < slots; ++s) {
                std::uint32_t least = 0xFFFFFFFFu;
                for (const auto& entry : document)
                    least = std::min(least, static_cast<std::uint32_t>(finish(combine(s, entry.first)) >> 32));
                sketches.push_back(least);
            }
            for (const auto& [key, count] : document) {
                keys.push_back(key);
                counts.push_back(count);
            }
            offsets.push_back(static_cast<std::int64_t>(keys.size()));
            all.push_back(static_cast<std::uint32_t>(d));
        }
    }
    LshSide side() const {
        return {{sketches.data(), all.size(), slots},
                {offsets.data(), keys.data(), counts.data(), nullptr, all.size()},
                all.data(),
                all.size()};
    }
};

using Found = std::set<std::pair<std::uint32_t, std::uint32_t>>;

// `band_only`: only pairs that agree in a band.
Found brute(const LshSide& a, const LshSide& b, bool same, const LshOptions& options, bool band_only) {
    Found found;
    for (std::uint32_t x = 0; x < a.contents; ++x)
        for (std::uint32_t y = same ? x + 1 : 0; y < b.contents; ++y) {
            const std::uint32_t *p = a.sketches.row(x), *q = b.sketches.row(y);
            bool met = !band_only;
            for (std::size_t band = 0; band < options.bands; ++band) {
                const std::size_t at = band * options.rows;
                met |= std::equal(p + at, p + at + options.rows, q + at);
            }
            std::uint64_t overlap = 0, sizes = 0;
            if (options.verify) {
                std::map<std::uint64_t, std::uint64_t> mass;
                for (std::size_t i = a.rows.begin(x); i < a.rows.end(x); ++i)
                    sizes += mass[a.rows.keys[i]] = options.multiset ? a.rows.counts[i] : 1;
                for (std::size_t i = b.rows.begin(y); i < b.rows.end(y); ++i) {
                    const std::uint64_t own = options.multiset ? b.rows.counts[i] : 1;
                    sizes += own;
                    if (mass.count(b.rows.keys[i])) overlap += std::min(own, mass[b.rows.keys[i]]);
                }
                met &= options.threshold.reached(overlap, sizes, 0);
            } else {
                for (std::size_t s = 0; s < a.sketches.slots; ++s) overlap += p[s] == q[s];
                met &= overlap * options.threshold.den >= options.threshold.num * a.sketches.slots;
            }
            if (met) found.emplace(x, y);
        }
    return found;
}

Found listed(const Pairs& pairs) {
    Found found;
    for (std::size_t i = 0; i < pairs.left.size(); ++i) found.emplace(pairs.left[i], pairs.right[i]);
    expect(found.size() == pairs.left.size(), "each pair once");
    return found;
}

std::vector<std::uint32_t> labels(const Found& pairs, std::size_t vertices, std::size_t shift) {
    UnionFind sets(vertices);
    for (const auto& [x, y] : pairs) sets.unite(x, y + static_cast<std::uint32_t>(shift));
    return std::move(sets).labels();
}

bool within(const Found& a, const Found& b) { return std::includes(b.begin(), b.end(), a.begin(), a.end()); }

void test_random(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    LshOptions options;
    options.bands = 1 + random() % 6;
    options.rows = 1 + random() % 3;
    options.threshold = {1 + random() % 10, 10};
    options.verify = random() % 3 != 0;
    options.multiset = random() % 2;
    options.threads = 1 + static_cast<int>(random() % 3);
    const std::size_t slots = options.bands * options.rows + random() % 3;
    const Corpus a(random, 1 + random() % 80, slots), b(random, 1 + random() % 60, slots);
    const bool two = random() % 2;
    std::vector<LshSide> sides{a.side()};
    if (two) sides.push_back(b.side());
    const LshSide &left = sides.front(), &right = sides.back();
    const std::size_t shift = two ? left.contents : 0, vertices = left.contents + (two ? right.contents : 0);

    options.bucket_limit = 1000;
    const Found expected = brute(left, right, !two, options, true), every = brute(left, right, !two, options, false);
    expect(listed(lsh_join(sides, options).pairs) == expected, "small buckets");
    options.bucket_limit = 2 + random() % 6;
    const Found joined = listed(lsh_join(sides, options).pairs);
    expect(within(expected, joined) && within(joined, every), "large buckets");
    if (!joined.empty()) {
        options.max_pairs = joined.size() - 1;
        bool thrown = false;
        try {
            lsh_join(sides, options);
        } catch (const std::overflow_error&) {
            thrown = true;
        }
        expect(thrown, "max_pairs");
        options.max_pairs = joined.size();
        expect(listed(lsh_join(sides, options).pairs) == joined, "just max_pairs");
    }

    options.forest = true;
    options.forest_budget = random() % 2 * 1000;
    const LshResult linked = lsh_join(sides, options);
    const Found forest = listed(linked.pairs);
    expect(within(forest, every), "a forest of pairs");
    const auto parts = labels(forest, vertices, shift);
    std::size_t roots = 0;
    for (std::uint32_t v = 0; v < vertices; ++v) roots += parts[v] == v;
    expect(forest.size() == vertices - roots, "no circles");
    for (const auto& [x, y] : expected) expect(parts[x] == parts[y + shift], "connected");
}

}  // namespace

int main() {
    for (std::uint64_t seed = 0; seed < 150; ++seed) test_random(seed);
    const std::vector<std::uint32_t> rows{1, 2, 1, 2, ~0u, ~0u, ~0u, ~0u, 2, 1};
    expect(collapse_sketches({rows.data(), 5, 2}, 2) == std::vector<std::uint32_t>{0, 0, 2, 3, 4}, "collapse");
    const LshSide none{};
    expect(lsh_join({none}, {}).pairs.left.empty(), "no contents");
    if (failures == 0) std::printf("lsh: ok\n");
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
