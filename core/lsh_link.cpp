#include "lsh_link.hpp"

#include <algorithm>
#include <array>

#include "parallel.hpp"

namespace samecore {
namespace {

constexpr std::size_t kMembersPerPiece = 1024;
// Pivots by size, as shares of what they are chosen from: small contents are little but
// the template, so most others are like them, unless they are too small.
constexpr std::array<double, 8> kQuantiles{0.25, 0.5, 0.05, 0.75, 0.1, 0.9, 0.0, 1.0};

Contents on_side(const Contents& list, std::size_t split, bool right) {
    const auto at = std::lower_bound(list.begin(), list.end(), split);
    return right ? Contents(at, list.end()) : Contents(list.begin(), at);
}

}  // namespace

Linker::Linker(const Measure& measure, std::size_t contents, std::size_t split, std::size_t limit, int threads)
    : measure_(measure), sets_(contents), two_sides_(split < contents), split_(split), limit_(limit),
      threads_(threads), tally_(contents, 0) {}

void Linker::link(const std::uint32_t* members, std::size_t count, std::vector<Pair>& found) {
    pivots_.clear();
    const std::size_t rounds = kQuantiles.size() * (two_sides_ ? 2 : 1);
    for (std::size_t round = 0; round < rounds; ++round) {
        if (together(members, count)) return;
        std::uint32_t pivot;
        if (!choose_pivot(members, count, round, pivot)) continue;
        pivots_.push_back(pivot);
        compare(pivot, members, count, found);
    }
    if (!together(members, count)) join_parts(members, count, found);
}

bool Linker::together(const std::uint32_t* members, std::size_t count) {
    const std::uint32_t root = sets_.find(members[0]);
    for (std::size_t i = 1; i < count; ++i)
        if (sets_.find(members[i]) != root) return false;
    return true;
}

// A content of a part that has had no pivot yet (on this side): of the largest, because a
// pivot is compared with everything outside its part.
bool Linker::choose_pivot(const std::uint32_t* members, std::size_t count, std::size_t round, std::uint32_t& pivot) {
    const int wanted = two_sides_ ? static_cast<int>(round % 2) : 0;
    std::vector<std::uint32_t> had;
    for (const std::uint32_t earlier : pivots_)
        if (side(earlier) == wanted) had.push_back(sets_.find(earlier));
    std::uint32_t largest = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t root = sets_.find(members[i]);
        ++tally_[root];
        if (side(members[i]) == wanted && std::find(had.begin(), had.end(), root) == had.end())
            largest = std::max(largest, tally_[root]);
    }
    Contents open;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t root = sets_.find(members[i]);
        if (side(members[i]) == wanted && tally_[root] >= largest &&
            std::find(had.begin(), had.end(), root) == had.end())
            open.push_back(members[i]);
    }
    for (std::size_t i = 0; i < count; ++i) tally_[sets_.find(members[i])] = 0;
    if (open.empty()) return false;
    const double quantile = kQuantiles[two_sides_ ? round / 2 : round];
    const auto at = open.begin() + static_cast<std::ptrdiff_t>(quantile * static_cast<double>(open.size() - 1));
    std::nth_element(open.begin(), at, open.end(), [&](std::uint32_t a, std::uint32_t b) {
        const std::uint64_t x = measure_.size(a), y = measure_.size(b);
        return x != y ? x < y : a < b;
    });
    pivot = *at;
    return true;
}

void Linker::compare(std::uint32_t pivot, const std::uint32_t* members, std::size_t count, std::vector<Pair>& found) {
    const std::uint32_t root = sets_.find(pivot);
    Contents apart;
    for (std::size_t i = 0; i < count; ++i) {
        if (two_sides_ && side(members[i]) == side(pivot)) continue;
        if (sets_.find(members[i]) != root && measure_.possible(pivot, members[i])) apart.push_back(members[i]);
    }
    verified_ += apart.size();
    std::vector<std::vector<Pair>> pieces((apart.size() + kMembersPerPiece - 1) / kMembersPerPiece);
    parallel_for(pieces.size(), threads_, [&](std::size_t piece, int) {
        const std::size_t end = std::min((piece + 1) * kMembersPerPiece, apart.size());
        Pair pair;
        for (std::size_t i = piece * kMembersPerPiece; i < end; ++i)
            if (measure_.reached(pivot, apart[i], pair)) pieces[piece].push_back(pair);
    });
    for (std::vector<Pair>& piece : pieces) take(std::move(piece), found);
}

// The small parts with each other and with everything; the large parts with each other,
// two at a time, since the pairs within a large part are the ones there are too many of.
void Linker::join_parts(const std::uint32_t* members, std::size_t count, std::vector<Pair>& found) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> by_part(count);
    for (std::size_t i = 0; i < count; ++i) by_part[i] = {sets_.find(members[i]), members[i]};
    std::sort(by_part.begin(), by_part.end());
    Contents small;
    std::vector<Contents> large;
    for (std::size_t begin = 0, end; begin < count; begin = end) {
        end = begin + 1;
        while (end < count && by_part[end].first == by_part[begin].first) ++end;
        if (end - begin > limit_) large.emplace_back();
        for (std::size_t i = begin; i < end; ++i)
            (end - begin > limit_ ? large.back() : small).push_back(by_part[i].second);
    }
    std::sort(small.begin(), small.end());
    join_within(small, found);
    for (std::size_t i = 0; i < large.size(); ++i) {
        join_across(small, large[i], found);
        for (std::size_t j = i + 1; j < large.size(); ++j)
            if (sets_.find(large[i][0]) != sets_.find(large[j][0])) join_across(large[i], large[j], found);
    }
}

void Linker::join_within(const Contents& a, std::vector<Pair>& found) {
    if (!two_sides_) return take(measure_.join(a, nullptr, true, ~0ull), found);
    const Contents right = on_side(a, split_, true);
    take(measure_.join(on_side(a, split_, false), &right, true, ~0ull), found);
}

void Linker::join_across(const Contents& a, const Contents& b, std::vector<Pair>& found) {
    if (!two_sides_) return take(measure_.join(a, &b, true, ~0ull), found);
    for (const auto& [x, y] : {std::pair(&a, &b), std::pair(&b, &a)}) {
        const Contents right = on_side(*y, split_, true);
        take(measure_.join(on_side(*x, split_, false), &right, true, ~0ull), found);
    }
}

void Linker::take(std::vector<Pair>&& pairs, std::vector<Pair>& found) {
    for (const Pair& pair : pairs) {
        sets_.unite(pair.left, pair.right);
        found.push_back(pair);
    }
}

}  // namespace samecore
