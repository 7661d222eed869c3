// The join and the 2008 matcher against a double loop, small and skewed; for sanitizers.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "frequencies.hpp"
#include "join.hpp"
#include "join_collapse.hpp"
#include "join_rank.hpp"
#include "matcher2008.hpp"

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
    std::vector<std::uint32_t> counts, weights;

    void add(const std::map<std::uint64_t, std::uint32_t>& document) {
        for (const auto& [key, count] : document) {
            keys.push_back(key);
            counts.push_back(count);
            weights.push_back(static_cast<std::uint32_t>(key % 7 + 1));
        }
        offsets.push_back(static_cast<std::int64_t>(keys.size()));
    }
    Rows rows(bool weighted) const {
        return {offsets.data(), keys.data(), counts.data(), weighted ? weights.data() : nullptr, offsets.size() - 1};
    }
};

Corpus random_corpus(std::mt19937_64& random, std::size_t documents, std::size_t length, std::uint64_t vocabulary) {
    Corpus corpus;
    for (std::size_t d = 0; d < documents; ++d) {
        std::map<std::uint64_t, std::uint32_t> document;
        for (std::size_t i = random() % (length + 1); i > 0; --i) {
            const std::uint64_t key = random() % (random() % vocabulary + 1);  // small keys are common
            document[key * 0x9E3779B97F4A7C15ull] += 1 + (random() % 8 == 0) * static_cast<std::uint32_t>(random() % 5);
        }
        corpus.add(document);
    }
    return corpus;
}

using Found = std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>>;

Found brute(const Rows& a, const Rows& b, bool same, const Threshold& tau, bool multiset) {
    auto mass = [&](const Rows& rows, std::size_t i) -> std::uint64_t {
        return (multiset ? std::uint64_t{rows.counts[i]} : 1) * (rows.weights == nullptr ? 1 : rows.weights[i]);
    };
    Found found;
    for (std::size_t x = 0; x < a.documents; ++x)
        for (std::size_t y = same ? x + 1 : 0; y < b.documents; ++y) {
            std::map<std::uint64_t, std::uint64_t> left;
            std::uint64_t sizes = 0, overlap = 0;
            for (std::size_t i = a.begin(x); i < a.end(x); ++i) sizes += left[a.keys[i]] = mass(a, i);
            for (std::size_t i = b.begin(y); i < b.end(y); ++i) {
                sizes += mass(b, i);
                if (left.count(b.keys[i])) overlap += std::min(left[b.keys[i]], mass(b, i));
            }
            if (sizes > 0 && tau.reached(overlap, sizes, 0))
                found.emplace_back(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y),
                                   static_cast<std::uint32_t>(overlap));
        }
    return found;
}

Found listed(const Pairs& pairs) {
    Found found;
    for (std::size_t i = 0; i < pairs.left.size(); ++i)
        found.emplace_back(pairs.left[i], pairs.right[i], pairs.overlap[i]);
    return found;
}

Pairs run(const std::vector<Chosen>& sides, const JoinOptions& options, bool multiset) {
    const Ranked ranked = rank_elements(sides, multiset, options.threads);
    const RankedView view{ranked.documents.data(), ranked.sizes.data(),    ranked.offsets.data(),
                          ranked.ranks.data(),     ranked.weights.data(),  ranked.documents.size(),
                          ranked.left,             ranked.weights.size(), sides.size() == 2};
    check_ranked(view, ranked.ranks.size());
    return join(view, options);
}

// Documents that share a template and miss the threshold by little, but for twins: one shared
// element is then asked for instead of four, and the answer stays what it was.
void test_template() {
    Corpus corpus;
    for (std::uint64_t d = 0; d < 500; ++d) {
        std::map<std::uint64_t, std::uint32_t> document;
        for (std::uint64_t key = 0; key < 51; ++key) document[key] = 1;
        for (std::uint64_t own = 0; own < 7; ++own) document[1000 + d * 10 + own] = 1;
        for (std::uint64_t twin = 0; twin < 2; ++twin) document[100000 + d / 2 * 10 + twin] = 1;
        corpus.add(document);
    }
    const Rows rows = corpus.rows(false);
    const Chosen all{rows, nullptr, rows.documents};
    const Ranked ranked = rank_elements({all}, false, 1);
    const RankedView view{ranked.documents.data(), ranked.sizes.data(),    ranked.offsets.data(),
                          ranked.ranks.data(),     ranked.weights.data(),  ranked.documents.size(),
                          ranked.left,             ranked.weights.size(), false};
    JoinOptions options;
    options.threshold = {53, 67};  // what twins have
    expect(choose_sure(view, options.threshold, 3) == 0, "nobody need meet in the template");
    expect(choose_sure(view, {1, 2}, 3) == 3, "usual where the template must be read anyway");
    const Found found = listed(run({all}, options, false));
    expect(found == brute(rows, rows, true, options.threshold, false) && found.size() == 250, "twins on a template");
}

void test_random(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const Corpus a = random_corpus(random, 40 + random() % 120, 2 + random() % 60, 2 + random() % 200);
    const Corpus b = random_corpus(random, random() % 60, 2 + random() % 60, 2 + random() % 200);
    const bool weighted = random() % 2, multiset = random() % 2;
    const Rows left = a.rows(weighted), right = b.rows(weighted);
    const Chosen all{left, nullptr, left.documents}, others{right, nullptr, right.documents};
    JoinOptions options;
    options.threshold = {1 + random() % 20, 20};
    options.threads = 1 + static_cast<int>(random() % 3);
    options.sure = random() % 5;
    check_rows(left, a.keys.size(), options.threads);
    const Found expected = brute(left, left, true, options.threshold, multiset);
    expect(listed(run({all}, options, multiset)) == expected, "self join");
    expect(listed(run({all, others}, options, multiset)) == brute(left, right, false, options.threshold, multiset),
           "join of two");
    for (const bool partitions : {false, true})
        for (const bool pruning : {false, true})
            expect(listed(match_2008(left, options.threshold, multiset, partitions, pruning, options.threads).pairs) ==
                       expected, "2008");
    options.forest = true;
    const Pairs forest = run({all}, options, multiset);
    expect(forest.left.size() < std::max<std::size_t>(left.documents, 1), "a forest is small");
    options.forest = false;
    options.max_pairs = expected.empty() ? 0 : expected.size() - 1;
    bool thrown = false;
    try {
        run({all}, options, multiset);
    } catch (const std::overflow_error&) {
        thrown = true;
    }
    expect(thrown == !expected.empty(), "max_pairs");
    const std::vector<std::uint32_t> first = collapse(left, multiset, options.threads);
    for (std::size_t d = 0; d < first.size(); ++d) expect(first[d] <= d && first[first[d]] == first[d], "collapse");
    const Frequencies frequencies = document_frequencies(left, options.threads);
    const std::vector<std::uint32_t> by_entry = entry_frequencies(left, options.threads);
    for (std::size_t i = 0; i < a.keys.size(); ++i) {
        const auto at = std::lower_bound(frequencies.keys.begin(), frequencies.keys.end(), a.keys[i]);
        expect(at != frequencies.keys.end() && *at == a.keys[i] &&
                   frequencies.frequencies[static_cast<std::size_t>(at - frequencies.keys.begin())] == by_entry[i],
               "frequencies");
    }
}

template <class Call>
void refuses(const char* what, Call&& call) {
    try {
        call();
    } catch (const std::invalid_argument&) {
        return;
    }
    expect(false, what);
}

void test_border() {
    Corpus falling;
    falling.offsets = {0, 2, 1};
    falling.keys = {1, 2};
    falling.counts = {1, 1};
    refuses("falling offsets", [&] { check_rows(falling.rows(false), 2, 1); });
    Corpus unsorted;
    unsorted.offsets = {0, 2};
    unsorted.keys = {2, 1};
    unsorted.counts = {1, 1};
    refuses("unsorted keys", [&] { check_rows(unsorted.rows(false), 2, 1); });
    Corpus huge;
    huge.add({{1, 0xFFFFFFFFu}});
    huge.add({{1, 0xFFFFFFFEu}});
    const Rows rows = huge.rows(false);
    refuses("weights beyond 2^31", [&] { rank_elements({{rows, nullptr, 2}}, true, 1); });
    Corpus none;
    expect(document_frequencies(none.rows(false), 2).keys.empty(), "no documents");
}

}  // namespace

int main() {
    test_border();
    test_template();
    for (std::uint64_t seed = 0; seed < 60; ++seed) test_random(seed);
    if (failures == 0) std::printf("join: ok\n");
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
