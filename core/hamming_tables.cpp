// Tables of permuted blocks (Manku, Jain, Das Sarma 2007) as one recursive partition.
//
// Cut the bits into limit + r disjoint blocks. A pair within `limit` bits agrees on at
// least r of them; call the ones it agrees on, in order, its agreeing blocks. The search
// walks the tree of possible first, second, ... agreeing blocks: at each node the set is
// partitioned by one block, and the pairs found below must differ on every block passed
// over. A pair's agreeing blocks are what they are, so each pair is met in one place
// only and nothing has to be made unique. A run is compared pair by pair as soon as
// that is cheaper than splitting it; a run still long when its blocks are used up is
// cut into fresh blocks of the bits that still vary in it.
#include <algorithm>
#include <cstring>
#include <memory>

#include "hamming_job.hpp"
#include "parallel.hpp"

namespace samecore::hamming {
namespace {

std::uint32_t distance_up_to(const std::uint64_t* left, const std::uint64_t* right, std::size_t words,
                             std::uint32_t limit) {
    std::uint32_t sum = 0;
    for (std::size_t word = 0; word < words && sum <= limit; ++word)
        sum += ones(left[word] ^ right[word]);
    return sum;
}

// An item is a fingerprint's number with one word of it, its head. Of 64-bit
// fingerprints that is everything; of wider ones a first test that needs no look at the row.
struct Items {
    std::uint64_t* head;
    std::uint32_t* id;
};

class Search {
public:
    Search(const Job& job, bool wide) : job_(job), wide_(wide), sink(job) {}

    struct Condition {
        const Block* block;
        bool agree;
    };
    std::vector<Condition> path;  // what a pair found here must fulfil

    // Splits from[lo, hi) by the top `left` bits of a block's key and searches the runs.
    // True if afterwards `to` holds the set, else `from` does; with `keep` false neither must.
    bool refine(Items from, Items to, std::size_t lo, std::size_t hi, const std::vector<Block>& blocks,
                std::size_t at, int left, std::uint32_t skips, bool keep) {
        const double pairs = pairs_in(from, lo, hi);
        if (pairs == 0) return false;
        if (left == 0) {
            visit(from, to, lo, hi, blocks, at + 1, skips, keep, pairs);
            return false;
        }
        const double size = static_cast<double>(hi - lo);
        const int bits = pass_bits(size, left);
        if (pairs * job_.costs.compare <= pass_ns(job_.costs, size, bits)) {
            compare(from, lo, hi);
            return false;
        }
        std::uint32_t ends[1 << kPassBits];
        partition(from, to, lo, hi, blocks[at], left - bits, bits, ends);
        std::size_t start = lo;
        for (std::size_t bucket = 0; bucket < (std::size_t{1} << bits); ++bucket) {
            const std::size_t end = lo + ends[bucket];
            if (end - start > 1 && refine(to, from, start, end, blocks, at, left - bits, skips, keep) && keep)
                copy(from, to, start, end);
            start = end;
        }
        return true;
    }

private:
    // Searches a run that agrees on a block, from block `next` on; leaves the set in
    // `from` if `keep`.
    void visit(Items from, Items to, std::size_t lo, std::size_t hi, const std::vector<Block>& blocks,
               std::size_t next, std::uint32_t skips, bool keep, double pairs) {
        const double size = static_cast<double>(hi - lo);
        const double now = pairs * job_.costs.compare;
        if (next + skips >= blocks.size()) {  // the blocks left need not agree anywhere
            const double words = static_cast<double>(job_.words());
            if (now > 20.0 * 64 * words * static_cast<double>(std::min(kSampleRows, hi - lo))) {
                const std::vector<Block> fresh = plan(from, lo, hi, now);
                if (!fresh.empty()) {
                    branch(from, to, lo, hi, fresh, 0, job_.options.limit, keep);
                    return;
                }
            }
            compare(from, lo, hi);
            return;
        }
        if (now <= job_.costs.move * size * (skips + 1)) {
            compare(from, lo, hi);
            return;
        }
        branch(from, to, lo, hi, blocks, next, skips, keep);
    }

    void branch(Items from, Items to, std::size_t lo, std::size_t hi, const std::vector<Block>& blocks,
                std::size_t next, std::uint32_t skips, bool keep) {
        Items now = from;
        Items other = to;
        const std::size_t depth = path.size();
        for (std::uint32_t skipped = 0; skipped <= skips; ++skipped) {
            const std::size_t at = next + skipped;
            path.push_back({&blocks[at], true});
            if (refine(now, other, lo, hi, blocks, at, blocks[at].bits, skips - skipped, keep || skipped < skips))
                std::swap(now, other);
            path.back().agree = false;
        }
        path.resize(depth);
        if (keep && now.head != from.head) copy(now, from, lo, hi);
    }

    std::vector<Block> plan(Items items, std::size_t lo, std::size_t hi, double all_pairs_ns) const {
        const std::size_t size = hi - lo;
        const std::size_t wanted = std::min(kSampleRows, size);
        std::vector<const std::uint64_t*> rows;
        for (std::size_t i = 0; i < wanted; ++i) rows.push_back(row(items, lo + i * size / wanted));
        return plan_blocks(rows, job_.words(), static_cast<double>(size), job_.options.limit, job_.costs,
                           all_pairs_ns, false);
    }

    const std::uint64_t* row(const Items& items, std::size_t i) const {
        return wide_ ? job_.row(items.id[i]) : items.head + i;
    }

    // Comparisons a run asks for. Between two sets, also moves the queries to its front.
    double pairs_in(Items items, std::size_t lo, std::size_t hi) const {
        const double size = static_cast<double>(hi - lo);
        if (job_.self) return size * (size - 1) / 2;
        const double queries = static_cast<double>(split_sides(items, lo, hi) - lo);
        return queries * (size - queries);
    }

    std::size_t split_sides(Items items, std::size_t lo, std::size_t hi) const {
        while (true) {
            while (lo < hi && items.id[lo] < job_.left.count) ++lo;
            while (lo < hi && items.id[hi - 1] >= job_.left.count) --hi;
            if (lo >= hi) return lo;
            std::swap(items.head[lo], items.head[hi - 1]);
            std::swap(items.id[lo], items.id[hi - 1]);
        }
    }

    void partition(Items from, Items to, std::size_t lo, std::size_t hi, const Block& block, int shift, int bits,
                   std::uint32_t* ends) const {
        const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
        const auto scatter = [&](auto digit) {
            std::memset(ends, 0, sizeof(std::uint32_t) << bits);
            for (std::size_t i = lo; i < hi; ++i) ++ends[digit(i)];
            std::uint32_t sum = 0;
            for (std::size_t bucket = 0; bucket <= mask; ++bucket) sum += std::exchange(ends[bucket], sum);
            for (std::size_t i = lo; i < hi; ++i) {
                const std::size_t place = lo + ends[digit(i)]++;
                to.head[place] = from.head[i];
                to.id[place] = from.id[i];
            }
        };
        if (!wide_ && block.runs.size() == 1) {
            const auto down = block.runs[0].shift + static_cast<unsigned>(shift);
            scatter([&](std::size_t i) { return (from.head[i] >> down) & mask; });
        } else {
            scatter([&](std::size_t i) { return (block.key(row(from, i)) >> shift) & mask; });
        }
    }

    static void copy(Items from, Items to, std::size_t lo, std::size_t hi) {
        std::memcpy(to.head + lo, from.head + lo, (hi - lo) * sizeof *to.head);
        std::memcpy(to.id + lo, from.id + lo, (hi - lo) * sizeof *to.id);
    }

    void check(Items items, std::size_t a, std::size_t b) {
        const std::uint64_t* left = row(items, a);
        const std::uint64_t* right = row(items, b);
        const std::uint32_t distance = distance_up_to(left, right, job_.words(), job_.options.limit);
        if (distance > job_.options.limit) return;
        for (const Condition& condition : path)
            if (condition.block->agrees(left, right) != condition.agree) return;
        sink.add(items.id[a], items.id[b], distance);
    }

    // Every wanted pair of a run, by the heads first.
    void compare(Items items, std::size_t lo, std::size_t hi) {
        const std::size_t middle = job_.self ? lo : split_sides(items, lo, hi);
        const std::size_t stop = job_.self ? hi : middle;
        if (job_.options.limit <= kHalfLimit && hi - lo >= 32) {
            halves_.resize(hi - lo);
            for (std::size_t i = lo; i < hi; ++i) halves_[i - lo] = fold(items.head[i]);
            compare_by(items, halves_.data(), lo, middle, stop, hi, job_.scan->four_halves);
        } else {
            compare_by(items, items.head + lo, lo, middle, stop, hi, job_.scan->four);
        }
    }

    template <class Word, class Four>
    void compare_by(Items items, const Word* words, std::size_t lo, std::size_t middle, std::size_t stop,
                    std::size_t hi, Four four) {
        std::uint32_t hits[kScanRows * kScanQueries];
        for (std::size_t i = lo; i < stop; i += kScanQueries) {
            const std::size_t queries = std::min(kScanQueries, stop - i);
            Word wanted[kScanQueries];
            for (std::size_t q = 0; q < kScanQueries; ++q) wanted[q] = words[i - lo + std::min(q, queries - 1)];
            if (job_.self)
                for (std::size_t a = i; a < i + queries; ++a)
                    for (std::size_t b = a + 1; b < i + queries; ++b)
                        if (ones(static_cast<Word>(words[a - lo] ^ words[b - lo])) <= job_.options.limit)
                            check(items, a, b);
            for (std::size_t j = job_.self ? i + queries : middle; j < hi; j += kScanRows) {
                const std::size_t count = std::min(kScanRows, hi - j);
                const std::size_t found = four(words + (j - lo), count, wanted, job_.options.limit, hits);
                for (std::size_t h = 0; h < found; ++h)
                    if (hits[h] % kScanQueries < queries)
                        check(items, i + hits[h] % kScanQueries, j + hits[h] / kScanQueries);
            }
        }
    }

    const Job& job_;
    const bool wide_;
    std::vector<std::uint32_t> halves_;

public:
    Sink sink;
};

// All rows into `items`, grouped by digit(row), which is below `buckets`; returns the ends.
template <class Digit>
std::vector<std::size_t> scatter_all(const Job& job, Items items, std::size_t buckets, std::size_t head_word,
                                     Digit digit) {
    const auto pieces = static_cast<std::size_t>(job.options.threads);
    std::vector<std::vector<std::size_t>> places(pieces, std::vector<std::size_t>(buckets, 0));
    const auto begin = [&](std::size_t piece) { return job.size() * piece / pieces; };
    parallel_for(pieces, job.options.threads, [&](std::size_t piece, int) {
        std::size_t* counts = places[piece].data();
        for (std::size_t i = begin(piece); i < begin(piece + 1); ++i) ++counts[digit(job.row(i))];
    });
    std::vector<std::size_t> ends(buckets);
    std::size_t sum = 0;
    for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
        for (auto& place : places) sum += std::exchange(place[bucket], sum);
        ends[bucket] = sum;
    }
    parallel_for(pieces, job.options.threads, [&](std::size_t piece, int) {
        std::size_t* next = places[piece].data();
        for (std::size_t i = begin(piece); i < begin(piece + 1); ++i) {
            const std::uint64_t* row = job.row(i);
            const std::size_t place = next[digit(row)]++;
            items.head[place] = row[head_word];
            items.id[place] = static_cast<std::uint32_t>(i);
        }
    });
    return ends;
}

std::vector<std::size_t> scatter_all(const Job& job, Items items, const Block& block, int bits,
                                     std::size_t head_word) {
    const std::size_t buckets = std::size_t{1} << bits;
    const int shift = block.bits - bits;
    if (block.runs.size() > 1)
        return scatter_all(job, items, buckets, head_word,
                           [&](const std::uint64_t* row) { return block.key(row) >> shift; });
    const auto word = block.runs[0].word;
    const auto down = block.runs[0].shift + static_cast<unsigned>(shift);
    const std::uint64_t mask = buckets - 1;
    return scatter_all(job, items, buckets, head_word,
                       [=](const std::uint64_t* row) { return (row[word] >> down) & mask; });
}

}  // namespace

void search_tables(const Job& job, const std::vector<Block>& blocks, std::vector<std::vector<Found>>& out) {
    const std::size_t size = job.size();
    const std::unique_ptr<std::uint64_t[]> heads(new std::uint64_t[2 * size]);
    const std::unique_ptr<std::uint32_t[]> ids(new std::uint32_t[2 * size]);
    const Items first{heads.get(), ids.get()};
    const Items second{heads.get() + size, ids.get() + size};

    std::vector<Search> searches;
    for (int thread = 0; thread < job.options.threads; ++thread) searches.emplace_back(job, job.words() > 1);
    for (std::uint32_t skipped = 0; skipped <= job.options.limit; ++skipped) {
        const Block& block = blocks[skipped];
        const int bits = pass_bits(static_cast<double>(size), block.bits);
        // A head away from the block's own bits, which agree already.
        const std::size_t head_word = (block.runs[0].word + job.words() / 2) % job.words();
        const std::vector<std::size_t> ends = scatter_all(job, first, block, bits, head_word);
        for (Search& search : searches) {
            if (!search.path.empty()) search.path.back().agree = false;
            search.path.push_back({&block, true});
        }
        parallel_for(ends.size(), job.options.threads, [&](std::size_t piece, int thread) {
            const std::size_t start = piece == 0 ? 0 : ends[piece - 1];
            if (ends[piece] - start < 2) return;
            searches[static_cast<std::size_t>(thread)].refine(first, second, start, ends[piece], blocks, skipped,
                                                              block.bits - bits, job.options.limit - skipped,
                                                              false);
        });
    }
    for (Search& search : searches) {
        search.sink.report();
        out.push_back(std::move(search.sink.found_));
    }
}

}  // namespace samecore::hamming
