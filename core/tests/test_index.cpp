// Segments, merges and recent contents against a double loop; then the same arrays with random
// words changed, which may be noticed or give wrong answers but must never be read or written
// outside their bounds. For sanitizers.
#include <algorithm>
#include <bit>
#include <cstdio>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "index_build.hpp"
#include "index_recent.hpp"
#include "index_search.hpp"

using namespace samecore;

namespace {

int failures = 0;

void expect(bool holds, const char* what) {
    if (holds) return;
    std::printf("FAILED: %s\n", what);
    ++failures;
}

using Row = std::map<std::uint64_t, std::uint32_t>;
using Found = std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>>;

struct Arrays {
    std::vector<std::int64_t> offsets{0};
    std::vector<std::uint64_t> keys;
    std::vector<std::uint32_t> counts, numbers, sizes;
    SegmentLists lists;

    Arrays(std::vector<std::pair<std::uint32_t, Row>> rows, bool by_size) {
        if (by_size)
            std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
                return size_of(a.second) < size_of(b.second);
            });
        for (const auto& [number, row] : rows) {
            for (const auto& [key, count] : row) {
                keys.push_back(key);
                counts.push_back(count);
            }
            offsets.push_back(static_cast<std::int64_t>(keys.size()));
            numbers.push_back(number);
            sizes.push_back(size_of(row));
        }
        std::vector<std::uint32_t> order(numbers.size());
        std::iota(order.begin(), order.end(), 0u);
        lists = build_lists(rows_view(), order.data());
    }
    static std::uint32_t size_of(const Row& row) {
        std::uint32_t size = 0;
        for (const auto& entry : row) size += entry.second;
        return size;
    }
    IndexRows rows_view() const { return {offsets.data(), keys.data(), counts.data(), numbers.size()}; }
    SegmentView view() const {
        SegmentView view;
        view.numbers = numbers.data();
        view.sizes = sizes.data();
        view.contents = numbers.size();
        view.starts = lists.starts.data();
        view.bits = static_cast<unsigned>(std::bit_width(lists.starts.size() - 1) - 1);
        view.keys = lists.keys.data();
        view.values = lists.values.data();
        view.key_count = lists.keys.size();
        view.words = lists.words.data();
        view.word_count = lists.words.size();
        view.check(lists.starts.size());
        return view;
    }
};

Row random_row(std::mt19937_64& random) {
    Row row;
    for (std::size_t i = 1 + random() % 12; i > 0; --i) row[random() % 40] = random() % 9 == 0 ? 1 + random() % 400 : 1;
    return row;
}

Found brute(const std::vector<std::pair<std::uint32_t, Row>>& stored, const std::vector<Row>& asked, Threshold tau) {
    Found found;
    for (std::uint32_t r = 0; r < asked.size(); ++r)
        for (const auto& [number, row] : stored) {
            std::uint32_t overlap = 0;
            for (const auto& [key, count] : asked[r])
                if (const auto at = row.find(key); at != row.end()) overlap += std::min(count, at->second);
            const std::uint32_t a = Arrays::size_of(asked[r]), b = Arrays::size_of(row);
            if (overlap > 0 && tau.reached(overlap, a, b)) found.insert({r, number, overlap, a + b - overlap});
        }
    return found;
}

Found as_set(const IndexHits& hits) {
    Found found;
    for (const IndexHit& hit : hits) found.insert({hit.row, hit.content, hit.overlap, hit.joint});
    expect(found.size() == hits.size(), "no hit comes twice");
    return found;
}

void one_life(std::mt19937_64& random) {
    std::vector<std::pair<std::uint32_t, Row>> first, second, recent;
    std::uint32_t number = 1;
    for (auto* rows : {&first, &second, &recent})
        for (std::size_t i = random() % 200; i > 0; --i) rows->push_back({number++, random_row(random)});
    std::vector<Row> asked;
    std::vector<std::pair<std::uint32_t, Row>> numbered;
    for (int i = 0; i < 20; ++i) {
        asked.push_back(random_row(random));
        numbered.push_back({0, asked.back()});
    }
    Arrays one(first, true), two(second, true), query(numbered, false);
    RecentContents contents(0);
    for (const auto& [n, row] : recent) {
        std::vector<std::uint64_t> keys;
        std::vector<std::uint32_t> counts;
        for (const auto& [key, count] : row) {
            keys.push_back(key);
            counts.push_back(count);
        }
        contents.add(n, Arrays::size_of(row), keys.data(), counts.data(), keys.size(), nullptr);
    }
    const std::uint64_t den = 1 + random() % 20;
    const Threshold tau{1 + random() % den, den};
    std::vector<std::pair<std::uint32_t, Row>> all = first;
    all.insert(all.end(), second.begin(), second.end());
    all.insert(all.end(), recent.begin(), recent.end());
    IndexReader reader({one.view(), two.view()}, &contents);
    expect(as_set(reader.search(query.rows_view(), nullptr, tau, 2)) == brute(all, asked, tau), "search is brute force");
    expect(*find_damage(one.view()) == '\0', "a new segment is sound");

    // Merged, with some contents dropped.
    std::vector<std::pair<std::uint32_t, Row>> kept;
    std::vector<std::vector<std::uint32_t>> places(2);
    std::vector<std::tuple<std::uint32_t, std::size_t, std::size_t>> order;
    const Arrays* sides[2] = {&one, &two};
    std::set<std::uint32_t> dropped;
    for (std::size_t s = 0; s < 2; ++s) {
        places[s].assign(sides[s]->numbers.size(), kNoContent);
        for (std::size_t p = 0; p < places[s].size(); ++p) {
            if (random() % 4 == 0)
                dropped.insert(sides[s]->numbers[p]);
            else
                order.push_back({sides[s]->sizes[p], s, p});
        }
    }
    std::sort(order.begin(), order.end());
    Arrays merged({}, true);
    for (std::size_t i = 0; i < order.size(); ++i) {
        const auto [size, s, p] = order[i];
        places[s][p] = static_cast<std::uint32_t>(i);
        merged.numbers.push_back(sides[s]->numbers[p]);
        merged.sizes.push_back(size);
    }
    merged.lists = SegmentLists{};
    for (unsigned part = 0; part < (1u << kMergeBits); ++part) {
        SegmentLists piece = merge_part({one.view(), two.view()}, {places[0].data(), places[1].data()}, part, 6);
        for (std::uint32_t& start : piece.starts) start += static_cast<std::uint32_t>(merged.lists.keys.size());
        for (std::uint32_t& value : piece.values)
            if (value & kListFlag) value += static_cast<std::uint32_t>(merged.lists.words.size());
        auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
        append(merged.lists.starts, piece.starts);
        append(merged.lists.keys, piece.keys);
        append(merged.lists.values, piece.values);
        append(merged.lists.words, piece.words);
    }
    merged.lists.starts.push_back(static_cast<std::uint32_t>(merged.lists.keys.size()));
    for (const auto& entry : all)
        if (!dropped.count(entry.first)) kept.push_back(entry);
    IndexReader later({merged.view()}, &contents);
    expect(as_set(later.search(query.rows_view(), nullptr, tau, 1)) == brute(kept, asked, tau), "merged is brute force");
    expect(*find_damage(merged.view()) == '\0', "a merged segment is sound");

    // Damage: any word may be anything.
    for (int i = 0; i < 40 && one.numbers.size() > 2; ++i) {
        Arrays broken = one;
        std::vector<std::uint32_t>* const words[] = {&broken.lists.starts, &broken.lists.values, &broken.lists.words,
                                                     &broken.sizes};
        std::vector<std::uint32_t>& chosen = *words[random() % 4];
        if (chosen.size() < 3) continue;
        chosen[1 + random() % (chosen.size() - 2)] = static_cast<std::uint32_t>(random() >> (random() % 32));
        try {
            const SegmentView view = broken.view();
            (void)find_damage(view);
            IndexReader damaged({view}, &contents);
            (void)damaged.search(query.rows_view(), nullptr, tau, 1);
            (void)damaged.identical(query.rows_view(), 1);
        } catch (const DamagedSegment&) {
        } catch (const std::invalid_argument&) {
        }
    }
}

}  // namespace

int main() {
    std::mt19937_64 random(1);
    for (int life = 0; life < 150; ++life) one_life(random);
    if (failures == 0) std::printf("ok\n");
    return failures == 0 ? 0 : 1;
}
