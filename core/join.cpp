#include "join.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>

#include "join_forest.hpp"
#include "join_index.hpp"
#include "parallel.hpp"

namespace samecore {
namespace {

constexpr std::size_t kContentsPerPiece = 128;
constexpr std::ptrdiff_t kLongList = 64;  // from here on a binary search beats a scan
constexpr std::size_t kBlock = 64;        // counts looked at in one go
constexpr std::size_t kDense = 16;        // one posting per so many contents in the window is dense

// Finds the partners of one content after another. Sum is wide enough for any size.
template <class Sum>
class Prober {
public:
    Prober(const RankedView& view, const JoinIndex& index, const Threshold& tau)
        : view_(view), index_(index), tau_(tau), counts_(index.contents.size() + kBlock, 0),
          touched_(index.contents.size() + 1) {}

    // Calls found(y, overlap) for the partners of content x, in no particular order.
    template <class Found>
    void probe(std::size_t x, Found&& found) {
        const Content content{view_.ranks + view_.offsets[x],
                              static_cast<std::size_t>(view_.offsets[x + 1] - view_.offsets[x]), view_.sizes[x]};
        const Window window = choose_lists(x, content);
        if (lists_.empty()) return;
        // Following the new candidates costs a write per posting; when postings are many,
        // looking at every count in the window afterwards is cheaper.
        if (postings_ > (window.high - window.low) / kDense) {
            for (const List& list : lists_) count(list);
            std::size_t y = window.low;
            while (y < window.high) {
                const std::size_t end = std::min(y + kBlock, window.high);
                if (any_at_least(counts_.data() + y, static_cast<Sum>(index_.least[y])))
                    for (std::size_t k = y; k < end; ++k)
                        if (counts_[k] >= index_.least[k]) verify(content, static_cast<std::uint32_t>(k), counts_[k], found);
                y = end;
            }
            std::fill(counts_.begin() + static_cast<std::ptrdiff_t>(window.low),
                      counts_.begin() + static_cast<std::ptrdiff_t>(window.high), Sum{0});
        } else {
            std::size_t touched = 0;
            for (const List& list : lists_) touched = count_and_follow(list, touched);
            for (std::size_t k = 0; k < touched; ++k) {
                const std::uint32_t y = touched_[k];
                const Sum counted = counts_[y];
                counts_[y] = 0;
                if (counted >= index_.least[y]) verify(content, y, counted, found);
            }
        }
    }

private:
    struct Content {
        const std::uint32_t* ranks;
        std::size_t length;
        std::uint64_t size;
    };
    struct Window {
        std::size_t low, high;
    };
    struct List {
        const std::uint32_t *begin, *end;
        Sum weight;
    };

    // Which part of which lists can hold partners of x. Returns the widest window.
    Window choose_lists(std::size_t x, const Content& content) {
        lists_.clear();
        windows_.clear();
        postings_ = 0;
        const std::uint64_t size = content.size;
        const std::uint32_t* sizes = view_.sizes + index_.base;
        const std::uint32_t* sizes_end = sizes + index_.contents.size();
        // Length filter: partners are a window of the contents, since they lie by size.
        const std::uint64_t smallest = (tau_.num * size + tau_.den - 1) / tau_.den;
        const std::uint64_t largest = tau_.den * size / tau_.num;
        const std::size_t low = static_cast<std::size_t>(std::lower_bound(sizes, sizes_end, smallest) - sizes);
        std::size_t high =
            view_.two_sides ? static_cast<std::size_t>(std::upper_bound(sizes + low, sizes_end, largest) - sizes) : x;
        const Window window{low, high};
        if (low >= high) return window;
        masses_.resize(content.length + 1);
        masses_[content.length] = 0;
        for (std::size_t i = content.length; i-- > 0;) masses_[i] = masses_[i + 1] + view_.weights[content.ranks[i]];
        // Prefix filter, one window per element: what is left of x from element i on
        // suffices only for partners up to a certain size.
        for (std::size_t i = 0; i < content.length; ++i) {
            const std::uint64_t reach = index_.sure.needed_for(masses_[i]);
            if (reach < size) {
                const std::uint64_t sum = reach * (tau_.num + tau_.den) / tau_.num;
                if (sum < size + smallest) break;
                if (sizes[high - 1] > sum - size)
                    high = static_cast<std::size_t>(std::upper_bound(sizes + low, sizes + high, sum - size) - sizes);
                if (low >= high) break;
            }
            windows_.push_back(static_cast<std::uint32_t>(high));
            add_list(content.ranks[i], low, high);
        }
        return window;
    }

    void add_list(std::uint32_t rank, std::size_t low, std::size_t high) {
        const std::uint32_t* begin = index_.postings.data() + index_.starts[rank];
        const std::uint32_t* end = index_.postings.data() + index_.starts[rank + 1];
        if (end - begin > kLongList) {
            end = std::lower_bound(begin, end, high);
            begin = std::lower_bound(begin, end, low);
        } else {
            while (begin != end && *begin < low) ++begin;
            while (begin != end && end[-1] >= high) --end;
        }
        if (begin == end) return;
        lists_.push_back({begin, end, static_cast<Sum>(view_.weights[rank])});
        postings_ += static_cast<std::size_t>(end - begin);
    }

    void count(const List& list) {
        Sum* counts = counts_.data();
        for (const std::uint32_t* at = list.begin; at != list.end; ++at)
            counts[*at] = static_cast<Sum>(counts[*at] + list.weight);
    }

    std::size_t count_and_follow(const List& list, std::size_t touched) {
        Sum* counts = counts_.data();
        for (const std::uint32_t* at = list.begin; at != list.end; ++at) {
            const Sum before = counts[*at];
            touched_[touched] = *at;
            touched += before == 0;  // no branch: which are new is not predictable
            counts[*at] = static_cast<Sum>(before + list.weight);
        }
        return touched;
    }

    // Over kBlock counts, in a form compilers turn into vector instructions.
    static bool any_at_least(const Sum* counts, Sum least) {
        Sum most = 0;
        for (std::size_t k = 0; k < kBlock; ++k) most = std::max(most, counts[k]);
        return most >= least;
    }

    // `counted` is the overlap up to the rank where either the probing of x or the lists
    // of y stop; the rest is found by merging what lies beyond.
    template <class Found>
    void verify(const Content& content, std::uint32_t y, std::uint64_t counted, Found& found) {
        const auto [ranks, length, size] = content;
        const Indexed& other = index_.contents[y];
        // The windows fall, so the elements probed for y are the first few.
        std::size_t i = windows_.size();
        while (i > 0 && windows_[i - 1] <= y) --i;
        const std::uint32_t stop = i < length ? ranks[i] : kNoRank;
        const std::uint64_t rest = other.tail_rank < stop ? other.tail_mass : masses_[i];
        if (!tau_.reached(counted + rest, size, other.size)) return;
        const std::uint32_t* theirs = view_.ranks + view_.offsets[index_.base + y];
        const std::uint32_t* theirs_end = view_.ranks + view_.offsets[index_.base + y + 1];
        if (other.tail_rank < stop) {
            theirs += other.tail_at;
            while (i > 0 && ranks[i - 1] >= other.tail_rank) --i;
        } else {
            theirs = std::lower_bound(theirs, theirs_end, stop);
        }
        const std::uint64_t needed = tau_.overlap(size, other.size);
        while (i < length && theirs != theirs_end) {
            if (counted + masses_[i] < needed) return;  // early stop: the rest of x cannot do it
            if (ranks[i] == *theirs) {
                counted += view_.weights[ranks[i]];
                ++i;
                ++theirs;
            } else if (ranks[i] < *theirs) {
                ++i;
            } else {
                ++theirs;
            }
        }
        if (counted >= needed) found(y, static_cast<std::uint32_t>(counted));
    }

    const RankedView& view_;
    const JoinIndex& index_;
    Threshold tau_;
    std::vector<List> lists_;             // to be counted for x
    std::size_t postings_ = 0;            // their length in all
    std::vector<Sum> counts_;             // by indexed content, zero between probes
    std::vector<std::uint32_t> touched_;  // the contents with a count
    std::vector<std::uint64_t> masses_;   // weight of x from element i on
    std::vector<std::uint32_t> windows_;  // element i was counted for contents below this
};

[[noreturn]] void too_many(std::uint64_t max_pairs) {
    throw std::overflow_error("more than " + std::to_string(max_pairs) + " pairs");
}

// Pairs of all pieces, in order of (left, right): counted by left, then each left sorted.
Pairs sorted(std::vector<std::vector<Pair>>& pieces, std::size_t lefts, int threads) {
    std::vector<std::size_t> starts(lefts + 1, 0);
    for (const auto& piece : pieces)
        for (const Pair& pair : piece) ++starts[pair.left + 1];
    for (std::size_t l = 0; l < lefts; ++l) starts[l + 1] += starts[l];
    const std::size_t total = starts.back();
    auto all = std::make_unique_for_overwrite<Pair[]>(total);
    std::vector<std::size_t> next(starts.begin(), starts.end() - 1);
    for (auto& piece : pieces) {
        for (const Pair& pair : piece) all[next[pair.left]++] = pair;
        piece = {};
    }
    Pairs result;
    result.left.resize(total);
    result.right.resize(total);
    result.overlap.resize(total);
    result.score.resize(total);
    constexpr std::size_t kPieces = 64;
    parallel_for(kPieces, threads, [&](std::size_t piece, int) {
        const std::size_t begin = lefts * piece / kPieces, end = lefts * (piece + 1) / kPieces;
        for (std::size_t l = begin; l < end; ++l)
            std::sort(all.get() + starts[l], all.get() + starts[l + 1],
                      [](const Pair& a, const Pair& b) { return a.right < b.right; });
        for (std::size_t i = starts[begin]; i < starts[end]; ++i) {
            result.left[i] = all[i].left;
            result.right[i] = all[i].right;
            result.overlap[i] = all[i].overlap;
            result.score[i] = static_cast<double>(all[i].overlap) / static_cast<double>(all[i].joint);
        }
    });
    return result;
}

Pair make_pair(const RankedView& view, const JoinIndex& index, std::size_t x, std::uint32_t y, std::uint32_t overlap) {
    const std::size_t c = index.base + y;
    Pair pair{view.documents[x], view.documents[c], overlap, view.sizes[x] + view.sizes[c] - overlap};
    if (!view.two_sides && pair.left > pair.right) std::swap(pair.left, pair.right);
    return pair;
}

std::size_t vertices(const std::uint32_t* begin, const std::uint32_t* end) {
    return begin == end ? 0 : std::size_t{*std::max_element(begin, end)} + 1;
}

template <class Sum>
Pairs join_with(const RankedView& view, const JoinIndex& index, const JoinOptions& options) {
    const std::size_t probing = view.two_sides ? view.left : view.contents;
    const std::size_t pieces = (probing + kContentsPerPiece - 1) / kContentsPerPiece;
    const std::size_t lefts = vertices(view.documents, view.documents + probing);
    const std::size_t shift = view.two_sides ? lefts : 0;
    const std::size_t rights = view.two_sides ? vertices(view.documents + probing, view.documents + view.contents) : 0;
    struct Worker {
        Prober<Sum> prober;
        Forest forest;
    };
    std::vector<std::unique_ptr<Worker>> workers(static_cast<std::size_t>(options.threads));
    std::vector<std::vector<Pair>> found(pieces);
    std::atomic<std::uint64_t> total{0};
    parallel_for(pieces, options.threads, [&](std::size_t piece, int thread) {
        auto& worker = workers[static_cast<std::size_t>(thread)];
        if (!worker)
            worker.reset(new Worker{Prober<Sum>(view, index, options.threshold),
                                    Forest(options.forest ? lefts + rights : 0, shift)});
        // The longest contents come first: they cost most, and the last piece should be small.
        const std::size_t end = probing - piece * kContentsPerPiece;
        const std::size_t begin = end > kContentsPerPiece ? end - kContentsPerPiece : 0;
        std::vector<Pair>& mine = found[piece];
        for (std::size_t x = begin; x < end; ++x) {
            const std::size_t before = mine.size();
            worker->prober.probe(x, [&](std::uint32_t y, std::uint32_t overlap) {
                const Pair pair = make_pair(view, index, x, y, overlap);
                if (options.forest) worker->forest.add(pair);
                else mine.push_back(pair);
            });
            const std::size_t more = mine.size() - before;
            if (more != 0 && total.fetch_add(more) + more > options.max_pairs) too_many(options.max_pairs);
        }
    });
    if (options.forest) {
        Forest whole(lefts + rights, shift);
        for (auto& worker : workers) {
            if (!worker) continue;
            for (const Pair& pair : worker->forest.pairs()) whole.add(pair);
            worker.reset();
        }
        whole.reduce();
        found.clear();
        found.push_back(std::move(whole.pairs()));
    }
    return sorted(found, lefts, options.threads);
}

template <class Sum>
std::vector<std::uint64_t> count_with(const RankedView& view, const JoinIndex& index, const JoinOptions& options,
                                      const std::vector<std::uint32_t>& contents) {
    std::vector<std::uint64_t> result(contents.size(), 0);
    std::vector<std::unique_ptr<Prober<Sum>>> probers(static_cast<std::size_t>(options.threads));
    parallel_for(contents.size(), options.threads, [&](std::size_t i, int thread) {
        auto& prober = probers[static_cast<std::size_t>(thread)];
        if (!prober) prober = std::make_unique<Prober<Sum>>(view, index, options.threshold);
        prober->probe(contents[i], [&](std::uint32_t, std::uint32_t) { ++result[i]; });
    });
    return result;
}

std::uint32_t largest_size(const RankedView& view) {
    return view.contents == 0 ? 0 : *std::max_element(view.sizes, view.sizes + view.contents);
}

}  // namespace

void check_ranked(const RankedView& view, std::size_t ranks) {
    const auto refuse = [](const char* message) { throw std::invalid_argument(message); };
    if (view.left > view.contents) refuse("left: expected at most the number of contents");
    if (!view.two_sides && view.left != view.contents) refuse("left: expected all contents when there is one side");
    if (view.offsets[0] != 0) refuse("offsets: expected to start at 0");
    for (std::size_t c = 0; c < view.contents; ++c) {
        if (view.offsets[c + 1] < view.offsets[c]) refuse("offsets: expected not to fall");
        if (c != 0 && c != view.left && view.sizes[c] < view.sizes[c - 1]) refuse("sizes: expected not to fall");
        if (view.sizes[c] == 0 || view.sizes[c] >= 0x80000000u) refuse("sizes: expected 1 to 2^31 - 1");
    }
    if (static_cast<std::size_t>(view.offsets[view.contents]) != ranks)
        refuse("offsets: expected to end at the number of ranks");
    for (std::size_t c = 0; c < view.contents; ++c) {
        std::uint64_t mass = 0;
        for (std::int64_t i = view.offsets[c]; i < view.offsets[c + 1]; ++i) {
            if (view.ranks[i] >= view.elements) refuse("ranks: expected each to have a weight");
            if (i > view.offsets[c] && view.ranks[i] <= view.ranks[i - 1]) refuse("ranks: expected to rise in a content");
            mass += view.weights[view.ranks[i]];
        }
        if (mass > view.sizes[c]) refuse("sizes: expected at least the weight of the ranked elements");
    }
}

Pairs join(const RankedView& view, const JoinOptions& options) {
    const JoinIndex index = build_index(view, options);
    const std::uint32_t largest = largest_size(view);
    if (largest < 0x100) return join_with<std::uint8_t>(view, index, options);
    if (largest < 0x10000) return join_with<std::uint16_t>(view, index, options);
    return join_with<std::uint32_t>(view, index, options);
}

std::vector<std::uint64_t> count_partners(const RankedView& view, const JoinOptions& options,
                                          const std::vector<std::uint32_t>& contents) {
    const JoinIndex index = build_index(view, options);
    return count_with<std::uint32_t>(view, index, options, contents);
}

}  // namespace samecore
