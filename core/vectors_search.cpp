#include "vectors_search.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "vectors_score.hpp"

namespace samecore::vectors {
namespace {

constexpr float kMet = 1e-37f;   // products may underflow to 0, which means not met
constexpr float kDead = -1e30f;  // no sum of products comes back from this
constexpr float kStep = 0x1p-23f;  // what one float addition of numbers up to 1 may lose, doubled

constexpr int kStride = 8;  // entries between two looks at the bound

// Ranks in levels, four to each power of two: how far the query's lengths are tabulated.
constexpr std::size_t kLevels = 4 * 33;
std::size_t level_of(std::uint32_t rank) {
    const std::uint64_t from = std::uint64_t{rank} + 4;  // three bits at least
    const int width = std::bit_width(from);
    return static_cast<std::size_t>(4 * (width - 3) + static_cast<int>((from >> (width - 3)) & 3));
}

}  // namespace

void Search::run(const Index& index, std::size_t query, Scratch& scratch, std::vector<Found>& found) const {
    collect(index, query, scratch);
    bool spread_out = false;
    for (const std::uint32_t content : scratch.met) {
        const float sum = std::exchange(scratch.sums[content], 0.0f);
        const std::size_t partner = index.begin() + content;
        if (sum < 0 || !lengths_allow(query, partner)) continue;
        ++scratch.work.sketched;
        if (!sketches_allow(query, partner)) continue;
        if (!spread_out) spread_out = true, spread(query, scratch);
        ++scratch.work.walked;
        if (!walk(sum, query, partner, scratch)) continue;
        ++scratch.work.verified;
        decide(query, partner, found);
    }
    if (spread_out) clear(query, scratch);
    scratch.work.candidates += scratch.met.size();
    scratch.met.clear();
}

// Adds up the products over the rare ends, and gives up on a content as soon as what is
// left of both vectors is too short: sum + |x before| |y before| < limit.
void Search::collect(const Index& index, std::size_t query, Scratch& scratch) const {
    const std::size_t stop = two_sides_ ? index.size() : std::min(index.size(), query - index.begin());
    const std::int64_t begin = prepared_.query_begin[query], end = prepared_.offsets[query + 1];
    const float largest = prepared_.largest[query], total = prepared_.sum[query];
    const float limit = static_cast<float>(limit_ - static_cast<double>(end - begin + 8) * kStep);
    // x.y <= sum of x * largest of y: no content before this one reaches that.
    std::size_t start = 0;
    for (std::size_t high = stop; start < high;) {
        const std::size_t middle = (start + high) / 2;
        if (index.most(middle) * largest < limit) start = middle + 1;
        else high = middle;
    }
    if (start >= stop) return;
    float* const sums = scratch.sums.data();
    for (std::int64_t at = end; at-- > begin;) {
        const Prepared::Entry entry = prepared_.entries[static_cast<std::size_t>(at)];
        const Posting* posting = index.list_begin(entry.rank);
        const Posting* const last = index.list_end(entry.rank);
        if (start > 0)
            posting = std::lower_bound(posting, last, start,
                                       [](const Posting& p, std::size_t s) { return p.content < s; });
        const Posting* const first = posting;
        for (; posting != last && posting->content < stop; ++posting) {
            float sum = sums[posting->content];
            if (sum == 0) {
                scratch.met.push_back(posting->content);
                sum = kMet;
                const std::size_t partner = index.begin() + posting->content;
                if (prepared_.sum[partner] * largest < limit || prepared_.largest[partner] * total < limit) sum = kDead;
            }
            sum += entry.value * posting->value;
            if (sum + entry.before * posting->before < limit) sum = kDead;
            sums[posting->content] = sum;
        }
        scratch.work.visited += static_cast<std::uint64_t>(posting - first);
    }
}

// For the extended Jaccard the needed cosine depends on the lengths:
// t/(1+t) * (|x|/|y| + |y|/|x|), and no cosine is above 1.
bool Search::lengths_allow(std::size_t query, std::size_t partner) const {
    if (options_.measure == Measure::cosine) return true;
    const double ratio = std::sqrt(prepared_.squares[query] / prepared_.squares[partner]);
    return limit_ / 2 * (ratio + 1 / ratio) <= 1;
}

// Cauchy-Schwarz bucket by bucket: x.y <= sum of |x in bucket| |y in bucket|.
bool Search::sketches_allow(std::size_t query, std::size_t partner) const {
    const std::int16_t* one = prepared_.sketches.data() + query * Prepared::kBuckets;
    const std::int16_t* two = prepared_.sketches.data() + partner * Prepared::kBuckets;
    std::int32_t sum = 0;
    for (std::size_t bucket = 0; bucket < Prepared::kBuckets; ++bucket) sum += std::int32_t{one[bucket]} * two[bucket];
    return sum >= limit_ * (32767.0 * 32767.0) * (1 - 1e-6);
}

void Search::spread(std::size_t query, Scratch& scratch) const {
    scratch.query.resize(prepared_.dims);
    scratch.lengths.assign(kLevels, 0);
    std::size_t level = 0;
    float length = 0;
    for (auto at = prepared_.offsets[query]; at < prepared_.offsets[query + 1]; ++at) {
        const Prepared::Entry& entry = prepared_.entries[static_cast<std::size_t>(at)];
        scratch.query[entry.rank] = entry.value;
        while (level < level_of(entry.rank)) scratch.lengths[level++] = entry.before;
        length = round_up(std::sqrt(double{entry.before} * entry.before + double{entry.value} * entry.value));
    }
    while (level < kLevels) scratch.lengths[level++] = length;
}

void Search::clear(std::size_t query, Scratch& scratch) const {
    for (auto at = prepared_.offsets[query]; at < prepared_.offsets[query + 1]; ++at)
        scratch.query[prepared_.entries[static_cast<std::size_t>(at)].rank] = 0;
}

// Goes on where the lists stopped, towards the common entries, as long as the bound allows.
bool Search::walk(float sum, std::size_t query, std::size_t partner, const Scratch& scratch) const {
    const Prepared::Entry* const entries = prepared_.entries.data();
    const Prepared::Entry* const first = entries + prepared_.offsets[partner];
    const Prepared::Entry* const last = entries + prepared_.offsets[partner + 1];
    // The lists held all that both have from the later of the two beginnings on.
    const std::uint32_t query_rank = entries[prepared_.query_begin[query]].rank;
    const Prepared::Entry* entry = entries + prepared_.index_begin[partner];
    if (entry->rank < query_rank)
        entry = std::lower_bound(entry, last, query_rank,
                                 [](const Prepared::Entry& e, std::uint32_t rank) { return e.rank < rank; });
    const float limit = static_cast<float>(limit_ - static_cast<double>(last - first + 8) * kStep);
    float length = entry == last ? 1.0f + kStep : entry->before;  // of what is left of the partner
    while (entry - first >= kStride) {
        if (sum + length * scratch.lengths[level_of(entry[-1].rank)] < limit) return false;
        entry -= kStride;
        float one = 0, two = 0;  // two chains of additions, half the waiting
        for (int i = 0; i < kStride; i += 2) {
            one += scratch.query[entry[i].rank] * entry[i].value;
            two += scratch.query[entry[i + 1].rank] * entry[i + 1].value;
        }
        sum += one + two;
        length = entry->before;
    }
    while (entry != first) --entry, sum += scratch.query[entry->rank] * entry->value;
    return sum >= limit;
}

// The score as defined, from the vectors as given: products in key order.
void Search::decide(std::size_t query, std::size_t partner, std::vector<Found>& found) const {
    const Rows& one = sides_[0];
    const Rows& two = sides_.back();
    std::uint32_t left = prepared_.documents[query], right = prepared_.documents[partner];
    std::size_t i = one.begin(left), j = two.begin(right);
    const std::size_t i_end = one.end(left), j_end = two.end(right);
    double dot = 0;
    while (i < i_end && j < j_end) {
        const std::uint64_t a = one.keys[i], b = two.keys[j];
        if (a == b) dot += static_cast<double>(one.values[i]) * two.values[j];
        i += a <= b;
        j += b <= a;
    }
    const double value = score(options_.measure, dot, prepared_.squares[query], prepared_.squares[partner]);
    if (value < options_.threshold) return;
    if (!two_sides_ && left > right) std::swap(left, right);
    found.push_back({left, right, value});
}

}  // namespace samecore::vectors
