#include "lsh.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>

#include "hash.hpp"
#include "join_forest.hpp"
#include "lsh_buckets.hpp"
#include "lsh_link.hpp"
#include "lsh_measure.hpp"
#include "parallel.hpp"

namespace samecore {
namespace {

constexpr std::uint64_t kPairsPerPiece = 1 << 15;

class Search {
public:
    Search(const std::vector<LshSide>& sides, const LshOptions& options)
        : sides_(sides), options_(options), split_(sides[0].contents), hashes_(sides, options),
          measure_(make_measure(sides, options)), two_sides_(sides.size() == 2),
          whole_(options.forest ? hashes_.contents() : 0, 0) {}

    LshResult run() {
        find_all_buckets();
        join_large();
        compare_small();
        if (counts_.linked) link_large();
        return {documents(), counts_};
    }

private:
    struct Place {
        std::size_t band, begin, end;  // buckets of one band
    };

    const std::uint32_t* members(std::size_t band, std::size_t bucket) const {
        return buckets_[band].members.data() + buckets_[band].starts[bucket];
    }

    // In a bucket that takes both sides: where the right one begins.
    std::size_t right_of(const std::uint32_t* members, std::size_t count) const {
        return static_cast<std::size_t>(std::lower_bound(members, members + count, split_) - members);
    }

    std::uint64_t pairs_of(std::size_t band, std::size_t bucket) const {
        const std::uint64_t count = buckets_[band].length(bucket);
        if (!two_sides_) return count * (count - 1) / 2;
        const std::uint64_t left = right_of(members(band, bucket), count);
        return left * (count - left);
    }

    bool is_large(std::size_t band, std::size_t bucket) const {
        return pairs_of(band, bucket) > std::uint64_t{options_.bucket_limit} * (options_.bucket_limit - 1) / 2;
    }

    void find_all_buckets() {
        buckets_.resize(options_.bands);
        const std::size_t split = two_sides_ ? split_ : hashes_.contents();
        parallel_for(options_.bands, options_.threads,
                     [&](std::size_t band, int) { buckets_[band] = find_buckets(hashes_, band, split); });
        for (std::size_t band = 0; band < options_.bands; ++band)
            for (std::size_t b = 0; b < buckets_[band].size(); ++b) {
                counts_.largest_bucket = std::max<std::uint64_t>(counts_.largest_bucket, buckets_[band].length(b));
                if (!is_large(band, b)) continue;
                ++counts_.large_buckets;
                in_large_.resize(hashes_.contents(), 0);
                for (std::size_t i = 0; i < buckets_[band].length(b); ++i) in_large_[members(band, b)[i]] = 1;
            }
    }

    // The contents of all large buckets once, by the exact join: it finds every pair that
    // any band could, and its prefix filter does not care how large a bucket is. For a
    // forest the pairs themselves may be too many; then `link_large` does the work.
    void join_large() {
        if (in_large_.empty()) return;
        Contents left, right;
        for (std::uint32_t c = 0; c < in_large_.size(); ++c)
            if (in_large_[c]) (two_sides_ && c >= split_ ? right : left).push_back(c);
        counts_.large_contents = left.size() + right.size();
        const std::uint64_t limit = options_.forest ? options_.forest_budget : options_.max_pairs;
        try {
            std::vector<Pair> pairs = measure_->join(left, two_sides_ ? &right : nullptr, false, limit);
            if (options_.forest) {
                for (const Pair& pair : pairs) whole_.add(pair);
            } else {
                total_ += pairs.size();
                found_.push_back(std::move(pairs));
            }
        } catch (const std::overflow_error&) {
            if (!options_.forest) throw;
            counts_.linked = true;
        }
    }

    struct Worker {
        Forest forest;
        std::uint64_t candidates = 0, verified = 0;
    };

    void compare_small() {
        std::vector<Place> places;
        for (std::size_t band = 0; band < options_.bands; ++band) {
            std::uint64_t pairs = 0;
            std::size_t begin = 0;
            for (std::size_t b = 0; b < buckets_[band].size(); ++b) {
                pairs += is_large(band, b) ? 1 : pairs_of(band, b);
                if (pairs < kPairsPerPiece && b + 1 < buckets_[band].size()) continue;
                places.push_back({band, begin, b + 1});
                begin = b + 1;
                pairs = 0;
            }
        }
        std::vector<std::vector<Pair>> found(places.size());
        std::vector<std::unique_ptr<Worker>> workers(static_cast<std::size_t>(options_.threads));
        parallel_for(places.size(), options_.threads, [&](std::size_t piece, int thread) {
            auto& worker = workers[static_cast<std::size_t>(thread)];
            if (!worker) worker.reset(new Worker{Forest(options_.forest ? hashes_.contents() : 0, 0)});
            for (std::size_t b = places[piece].begin; b < places[piece].end; ++b) {
                if (is_large(places[piece].band, b)) continue;
                compare_bucket(places[piece].band, b, *worker, found[piece]);
            }
        });
        for (auto& worker : workers) {
            if (!worker) continue;
            counts_.candidates += worker->candidates;
            counts_.verified += worker->verified;
            for (const Pair& pair : worker->forest.pairs()) whole_.add(pair);
            worker.reset();
        }
        for (auto& pairs : found) found_.push_back(std::move(pairs));
    }

    void compare_bucket(std::size_t band, std::size_t bucket, Worker& worker, std::vector<Pair>& found) {
        const std::uint32_t* list = members(band, bucket);
        const std::size_t count = buckets_[band].length(bucket);
        const std::size_t lefts = two_sides_ ? right_of(list, count) : count;
        const std::size_t before = found.size();
        Pair pair;
        for (std::size_t i = 0; i < lefts; ++i)
            for (std::size_t j = two_sides_ ? lefts : i + 1; j < count; ++j) {
                const std::uint32_t x = list[i], y = list[j];
                if (!in_large_.empty() && in_large_[x] && in_large_[y]) {
                    // The join has had them. After linking it has not: they may have met
                    // in a large bucket where not every pair was compared.
                    if (!counts_.linked) continue;
                } else if (hashes_.met_before(x, y, band)) {
                    continue;
                }
                ++worker.candidates;
                if (!measure_->possible(x, y)) continue;
                ++worker.verified;
                if (!measure_->reached(x, y, pair)) continue;
                if (options_.forest) worker.forest.add(pair);
                else found.push_back(pair);
            }
        const std::uint64_t more = found.size() - before;
        if (more != 0 && total_.fetch_add(more) + more > options_.max_pairs)
            throw std::overflow_error("more than " + std::to_string(options_.max_pairs) + " pairs");
    }

    void link_large() {
        whole_.reduce();
        Linker linker(*measure_, hashes_.contents(), two_sides_ ? split_ : hashes_.contents(), options_.bucket_limit,
                      options_.threads);
        for (const Pair& pair : whole_.pairs()) linker.connected(pair);
        std::vector<Pair> found;
        for (std::size_t band = 0; band < options_.bands; ++band)
            for (std::size_t b = 0; b < buckets_[band].size(); ++b) {
                if (!is_large(band, b)) continue;
                linker.link(members(band, b), buckets_[band].length(b), found);
                for (const Pair& pair : found) whole_.add(pair);
                found.clear();
            }
        counts_.verified += linker.verified();
    }

    // From contents to documents, which keeps the order; by (left, right).
    Pairs documents() {
        if (options_.forest) {
            whole_.reduce();
            found_.clear();
            found_.push_back(std::move(whole_.pairs()));
        }
        std::vector<std::size_t> next(split_ + 1, 0);
        for (const auto& pairs : found_)
            for (const Pair& pair : pairs) ++next[pair.left + 1];
        for (std::size_t c = 0; c < split_; ++c) next[c + 1] += next[c];
        const std::vector<std::size_t> starts = next;
        std::vector<Pair> all(starts.back());
        for (auto& pairs : found_) {
            for (const Pair& pair : pairs) all[next[pair.left]++] = pair;
            pairs = {};
        }
        Pairs result;
        result.left.resize(all.size());
        result.right.resize(all.size());
        result.overlap.resize(all.size());
        result.score.resize(all.size());
        constexpr std::size_t kPieces = 64;
        parallel_for(kPieces, options_.threads, [&](std::size_t piece, int) {
            for (std::size_t c = split_ * piece / kPieces; c < split_ * (piece + 1) / kPieces; ++c) {
                const auto at = [&](std::size_t i) { return all.begin() + static_cast<std::ptrdiff_t>(starts[i]); };
                std::sort(at(c), at(c + 1), [](const Pair& a, const Pair& b) { return a.right < b.right; });
                for (std::size_t i = starts[c]; i < starts[c + 1]; ++i) {
                    result.left[i] = sides_[0].documents[all[i].left];
                    result.right[i] =
                        two_sides_ ? sides_[1].documents[all[i].right - split_] : sides_[0].documents[all[i].right];
                    result.overlap[i] = all[i].overlap;
                    result.score[i] = static_cast<double>(all[i].overlap) / static_cast<double>(all[i].joint);
                }
            }
        });
        return result;
    }

    const std::vector<LshSide>& sides_;
    const LshOptions& options_;
    std::size_t split_;  // contents of the left side
    BandHashes hashes_;
    std::unique_ptr<Measure> measure_;
    bool two_sides_;
    Forest whole_;
    std::vector<BandBuckets> buckets_;
    std::vector<std::uint8_t> in_large_;  // by content; empty if no bucket is large
    std::vector<std::vector<Pair>> found_;
    std::atomic<std::uint64_t> total_{0};
    LshCounts counts_;
};

}  // namespace

LshResult lsh_join(const std::vector<LshSide>& sides, const LshOptions& options) {
    return Search(sides, options).run();
}

std::vector<std::uint32_t> collapse_sketches(const Sketches& sketches, int threads) {
    const std::size_t n = sketches.documents, slots = sketches.slots;
    constexpr std::size_t kRowsPerPiece = 4096;
    std::vector<std::uint64_t> hashes(n);
    parallel_for((n + kRowsPerPiece - 1) / kRowsPerPiece, threads, [&](std::size_t piece, int) {
        for (std::size_t d = piece * kRowsPerPiece; d < std::min((piece + 1) * kRowsPerPiece, n); ++d) {
            std::uint64_t state = hash_d;
            for (std::size_t s = 0; s < slots; ++s) state = combine(state, sketches.row(d)[s]);
            hashes[d] = state;
        }
    });
    std::size_t places = 16;
    while (places < 2 * n) places *= 2;
    std::vector<std::uint32_t> table(places, 0);  // document + 1
    std::vector<std::uint32_t> first(n);
    for (std::size_t d = 0; d < n; ++d) {
        first[d] = static_cast<std::uint32_t>(d);
        const std::uint32_t* row = sketches.row(d);
        if (std::all_of(row, row + slots, [](std::uint32_t value) { return value == 0xFFFFFFFFu; })) continue;
        for (std::size_t at = hashes[d] & (places - 1);; at = (at + 1) & (places - 1)) {
            if (table[at] == 0) {
                table[at] = static_cast<std::uint32_t>(d + 1);
                break;
            }
            const std::uint32_t other = table[at] - 1;
            if (hashes[other] == hashes[d] && std::equal(row, row + slots, sketches.row(other))) {
                first[d] = other;
                break;
            }
        }
    }
    return first;
}

}  // namespace samecore
