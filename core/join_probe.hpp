// One content against the inverted lists: count, then verify. Ideas 5 to 9 of
// docs/exact-matcher.md.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "join.hpp"
#include "join_index.hpp"

namespace samecore {

constexpr std::size_t kCountBlock = 64;   // counts looked at in one go
constexpr std::size_t kDenseWindow = 16;  // one posting per so many contents in the window is dense

// Finds the partners of one content after another. Sum is wide enough for any size.
template <class Sum>
class Prober {
public:
    Prober(const RankedView& view, const JoinIndex& index, const Threshold& tau)
        : view_(view), index_(index), tau_(tau), counts_(index.contents.size() + kCountBlock, 0),
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
        if (postings_ > (window.high - window.low) / kDenseWindow) {
            for (const List& list : lists_) count(list);
            std::size_t y = window.low;
            while (y < window.high) {
                const std::size_t end = std::min(y + kCountBlock, window.high);
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
            const std::uint32_t* begin = index_.postings.data() + index_.starts[content.ranks[i]];
            const std::uint32_t* end = index_.postings.data() + index_.starts[content.ranks[i] + 1];
            // Partners up to x itself end where x stands in the list; no need to search.
            if (!view_.two_sides && high == x && i < index_.contents[x].tail_at)
                end = begin + index_.places[static_cast<std::size_t>(view_.offsets[x]) + i];
            else
                end = std::lower_bound(begin, end, high);
            add_list(begin, end, low, view_.weights[content.ranks[i]]);
        }
        return window;
    }

    void add_list(const std::uint32_t* begin, const std::uint32_t* end, std::size_t low, std::uint32_t weight) {
        // At low thresholds few contents are too small: look close to the beginning first.
        std::ptrdiff_t step = 1;
        while (begin != end && *begin < low) {
            if (step >= end - begin) step = end - begin;
            if (begin[step - 1] >= low) {
                begin = std::lower_bound(begin, begin + step, low);
                break;
            }
            begin += step;
            step *= 2;
        }
        if (begin == end) return;
        lists_.push_back({begin, end, static_cast<Sum>(weight)});
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

    // Over kCountBlock counts, in a form compilers turn into vector instructions.
    static bool any_at_least(const Sum* counts, Sum least) {
        Sum most = 0;
        for (std::size_t k = 0; k < kCountBlock; ++k) most = std::max(most, counts[k]);
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

}  // namespace samecore
