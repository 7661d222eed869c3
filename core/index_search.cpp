// The ideas are those of docs/exact-matcher.md, from the side of the query alone: lists
// here are complete, because each query may bring its own threshold.
#include "index_search.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "parallel.hpp"

namespace samecore {
namespace {

constexpr std::size_t kPiece = 64;        // rows a thread takes at a time
constexpr std::size_t kBlock = 64;        // counts looked at in one go
constexpr std::size_t kDense = 16;        // one posting per so many places of the window is dense
constexpr std::uint64_t kSure = 3;        // shared elements beyond the first before a content is verified

struct Read {
    PostingList list;
    std::uint32_t count;
    std::uint64_t weight;
    std::uint64_t mass() const { return count * weight; }
};

std::uint64_t shared(const Read& one, std::size_t at) {
    return one.weight * (one.count == 1 ? 1 : std::min(one.count, one.list.count(at)));
}

void check_place(std::uint32_t place, std::size_t contents) {
    if (place >= contents) throw DamagedSegment("a posting names a content that is not there");
}

// Adds `weight` to the count of every content from `from` to `to`.
template <class Sum>
void add_all(Sum* counts, const std::uint32_t* from, const std::uint32_t* to, Sum weight, std::size_t contents) {
    for (; from != to; ++from) {
        check_place(*from, contents);
        counts[*from] = static_cast<Sum>(counts[*from] + weight);
    }
}

// The same, and writes down those that had no count; how many are written down by now.
template <class Sum>
std::size_t add_new(Sum* counts, std::uint32_t* touched, std::size_t many, const std::uint32_t* from,
                    const std::uint32_t* to, Sum weight, std::size_t contents) {
    for (; from != to; ++from) {
        const std::uint32_t y = *from;
        check_place(y, contents);
        const Sum before = counts[y];
        touched[many] = y;
        many += before == 0;  // no branch: which are new is not predictable
        counts[y] = static_cast<Sum>(before + weight);
    }
    return many;
}

}  // namespace

IndexHits in_order(std::vector<IndexHits>&& pieces) {
    IndexHits all;
    for (IndexHits& piece : pieces) {
        std::sort(piece.begin(), piece.end(), [](const IndexHit& a, const IndexHit& b) {
            return a.row != b.row ? a.row < b.row : a.content < b.content;
        });
        if (all.empty())
            all = std::move(piece);
        else
            all.insert(all.end(), piece.begin(), piece.end());
    }
    return all;
}

void IndexReader::prepare(int threads) {
    scratch_.resize(std::max<std::size_t>(scratch_.size(), static_cast<std::size_t>(threads)));
    std::size_t most = recent_ ? recent_->size() : 0;
    for (const SegmentView& view : segments_) most = std::max(most, view.contents);
    for (int thread = 0; thread < threads; ++thread) {
        Scratch& scratch = scratch_[static_cast<std::size_t>(thread)];
        if (scratch.touched.size() < most + kBlock) {
            const std::size_t room = most + most / 4 + kBlock;  // recent contents grow one by one
            scratch.counts.assign(room, 0);
            scratch.touched.resize(room);
        }
    }
}

IndexHits IndexReader::search(const IndexRows& rows, const std::uint32_t* weights, const Threshold& tau, int threads) {
    prepare(threads);
    const std::size_t pieces = (rows.documents + kPiece - 1) / kPiece;
    std::vector<IndexHits> found(pieces);
    parallel_for(pieces, threads, [&](std::size_t piece, int thread) {
        Scratch& scratch = scratch_[static_cast<std::size_t>(thread)];
        Row row;
        const std::size_t end = std::min((piece + 1) * kPiece, rows.documents);
        for (std::size_t number = piece * kPiece; number < end; ++number) {
            row.clear();
            std::uint64_t size = 0;
            for (std::int64_t e = rows.offsets[number]; e < rows.offsets[number + 1]; ++e) {
                row.push_back({mix_key(rows.keys[e]), rows.keys[e], rows.counts[e], weights ? weights[e] : 1u});
                size += static_cast<std::uint64_t>(rows.counts[e]) * row.back().weight;
            }
            if (size == 0) continue;
            if (size > kMaxSegment)
                throw std::invalid_argument("rows: expected a weight below 2**31, found " + std::to_string(size));
            for (const SegmentView& view : segments_)
                probe(view, row, size, tau, scratch, found[piece], static_cast<std::uint32_t>(number));
            if (recent_) probe_recent(row, size, tau, scratch, found[piece], static_cast<std::uint32_t>(number));
        }
    });
    return in_order(std::move(found));
}

void IndexReader::probe(const SegmentView& view, const Row& row, std::uint64_t size, const Threshold& tau,
                        Scratch& scratch, IndexHits& hits, std::uint32_t number) {
    // Counters as narrow as the query allows stay in cache.
    if (size <= std::numeric_limits<std::uint8_t>::max())
        probe_as<std::uint8_t>(view, row, size, tau, scratch, hits, number);
    else if (size <= std::numeric_limits<std::uint16_t>::max())
        probe_as<std::uint16_t>(view, row, size, tau, scratch, hits, number);
    else
        probe_as<std::uint32_t>(view, row, size, tau, scratch, hits, number);
}

template <class Sum>
void IndexReader::probe_as(const SegmentView& view, const Row& row, std::uint64_t size, const Threshold& tau,
                           Scratch& scratch, IndexHits& hits, std::uint32_t number) {
    // Length filter: partners are a window of places, since contents lie by size.
    const std::uint32_t* const sizes = view.sizes;
    const std::uint32_t* const sizes_end = sizes + view.contents;
    const std::uint64_t smallest = (tau.num * size + tau.den - 1) / tau.den;
    const std::uint64_t largest = tau.den * size / tau.num;
    const std::size_t low = static_cast<std::size_t>(std::lower_bound(sizes, sizes_end, smallest) - sizes);
    std::size_t high = static_cast<std::size_t>(std::upper_bound(sizes + low, sizes_end, largest) - sizes);
    if (low >= high) return;
    const std::size_t window_end = high;

    std::vector<Read> lists;
    lists.reserve(row.size());
    std::uint64_t occurrences = 0, left = 0;
    for (const Asked& asked : row) {
        occurrences += asked.count;
        const PostingList list = view.find(asked.mixed);
        if (list.length == 0) continue;
        lists.push_back({list, asked.count, asked.weight});
        left += lists.back().mass();
    }
    if (left < tau.overlap(size, sizes[low])) return;
    // Rarest first. Any order is right; this one leaves the long lists to the end.
    std::sort(lists.begin(), lists.end(), [](const Read& a, const Read& b) {
        return a.list.length != b.list.length ? a.list.length < b.list.length : a.list.contents < b.list.contents;
    });
    std::vector<std::uint64_t>& masses = scratch.masses;  // weight of the lists from i on
    masses.resize(lists.size() + 1);
    masses[lists.size()] = 0;
    for (std::size_t i = lists.size(); i-- > 0;) masses[i] = masses[i + 1] + lists[i].mass();

    // Prefix filter, a window for every list: list i is read for contents y whose needed
    // overlap is at most masses[i] + sure, that is |y| <= (masses[i] + sure)(num + den)/num - |x|.
    const std::uint64_t sure = kSure * std::max<std::uint64_t>(1, size / occurrences);
    struct Part {
        const Read* read;
        std::size_t begin, end;
    };
    std::vector<Part> parts;
    parts.reserve(lists.size());
    std::vector<std::uint32_t>& windows = scratch.windows;
    windows.clear();
    std::size_t postings = 0;
    for (std::size_t i = 0; i < lists.size(); ++i) {
        const std::uint64_t reach = masses[i] + sure;
        if (reach < size) {
            const std::uint64_t sum = reach * (tau.num + tau.den) / tau.num;
            if (sum < size + sizes[low]) break;
            if (sizes[high - 1] > sum - size)
                high = static_cast<std::size_t>(std::upper_bound(sizes + low, sizes + high, sum - size) - sizes);
            if (low >= high) break;
        }
        windows.push_back(static_cast<std::uint32_t>(high));
        const PostingList& list = lists[i].list;
        const std::uint32_t* const from = std::lower_bound(list.contents, list.contents + list.length, low);
        const std::uint32_t* const to = std::lower_bound(from, list.contents + list.length, high);
        if (from == to) continue;
        parts.push_back({&lists[i], static_cast<std::size_t>(from - list.contents),
                         static_cast<std::size_t>(to - list.contents)});
        postings += static_cast<std::size_t>(to - from);
    }

    // `counted` is what the lists read for y show of the overlap; the rest is looked up.
    auto verify = [&](std::uint32_t y, std::uint64_t counted) {
        const std::uint64_t needed = tau.overlap(size, sizes[y]);
        // What was not read weighs less than needed - min(needed - 1, sure).
        if (counted <= std::min(needed - 1, sure)) return;
        std::size_t i = windows.size();
        while (i > 0 && windows[i - 1] <= y) --i;
        for (; i < lists.size(); ++i) {
            if (counted + masses[i] < needed) return;
            const PostingList& list = lists[i].list;
            const std::uint32_t* const end = list.contents + list.length;
            const std::uint32_t* const at = std::lower_bound(list.contents, end, y);
            if (at != end && *at == y) counted += shared(lists[i], static_cast<std::size_t>(at - list.contents));
        }
        if (counted >= needed)
            hits.push_back({number, view.numbers[y], static_cast<std::uint32_t>(counted),
                            static_cast<std::uint32_t>(size + sizes[y] - counted)});
    };

    Sum* const counts = reinterpret_cast<Sum*>(scratch.counts.data());
    std::size_t touched = 0;
    const bool dense = postings > (window_end - low) / kDense;
    try {
        for (const Part& part : parts) {
            const Read& one = *part.read;
            const std::uint32_t* const from = one.list.contents + part.begin;
            const std::uint32_t* const to = one.list.contents + part.end;
            const bool single = one.count == 1 || (!one.list.narrow && !one.list.wide);
            if (single && dense) {
                add_all(counts, from, to, static_cast<Sum>(one.weight), view.contents);
            } else if (single) {
                touched = add_new(counts, scratch.touched.data(), touched, from, to, static_cast<Sum>(one.weight),
                                  view.contents);
            } else {
                for (std::size_t k = part.begin; k < part.end; ++k) {
                    const std::uint32_t y = one.list.contents[k];
                    check_place(y, view.contents);
                    scratch.touched[touched] = y;
                    touched += !dense && counts[y] == 0;
                    counts[y] = static_cast<Sum>(counts[y] + shared(one, k));
                }
            }
        }
    } catch (...) {
        std::fill(scratch.counts.begin(), scratch.counts.end(), 0u);
        throw;
    }
    // Sizes ascend, so the first content of the window asks for the least; most contents that
    // were touched show no more than that, and nothing else of theirs is looked at.
    const std::uint64_t least = std::min(tau.overlap(size, sizes[low]) - 1, sure);
    if (dense) {
        for (std::size_t y = low; y < window_end; y += kBlock) {
            const std::size_t end = std::min(y + kBlock, window_end);
            Sum most = 0;
            for (std::size_t k = y; k < end; ++k) most = std::max(most, counts[k]);
            if (most <= least) continue;
            for (std::size_t k = y; k < end; ++k)
                if (counts[k] > least) verify(static_cast<std::uint32_t>(k), counts[k]);
        }
        std::fill(counts + low, counts + window_end, Sum{0});
    } else {
        for (std::size_t k = 0; k < touched; ++k) {
            const std::uint32_t y = scratch.touched[k];
            const std::uint64_t counted = counts[y];
            counts[y] = 0;
            if (counted > least) verify(y, counted);
        }
    }
}

void IndexReader::probe_recent(const Row& row, std::uint64_t size, const Threshold& tau, Scratch& scratch,
                               IndexHits& hits, std::uint32_t number) {
    struct Chained {
        const RecentContents::Chain* chain;
        const Asked* asked;
    };
    std::vector<Chained> chains;
    chains.reserve(row.size());
    std::uint64_t left = 0;
    for (const Asked& asked : row)
        if (const RecentContents::Chain* chain = recent_->find(asked.mixed)) {
            chains.push_back({chain, &asked});
            left += asked.count * asked.weight;
        }
    // The smallest partner there can be needs the least: ceil(num |x| / den).
    const std::uint64_t least = (tau.num * size + tau.den - 1) / tau.den;
    if (left < least) return;
    std::sort(chains.begin(), chains.end(), [](const Chained& a, const Chained& b) {
        return a.chain->length != b.chain->length ? a.chain->length < b.chain->length : a.asked->key < b.asked->key;
    });
    std::size_t touched = 0;
    std::uint32_t* const counts = scratch.counts.data();
    for (const Chained& one : chains) {
        if (left < least) break;  // whoever shares only what is left shares too little
        left -= one.asked->count * one.asked->weight;
        for (std::uint32_t at = one.chain->head; at != RecentContents::kEnd;) {
            const RecentContents::Node& node = recent_->node(at);
            scratch.touched[touched] = node.content;
            touched += counts[node.content] == 0;
            counts[node.content] += static_cast<std::uint32_t>(one.asked->weight * std::min(one.asked->count, node.count));
            at = node.next;
        }
    }
    for (std::size_t k = 0; k < touched; ++k) {
        const std::uint32_t y = scratch.touched[k];
        const std::uint64_t most = counts[y] + left;  // what was seen, and all that was not looked at
        counts[y] = 0;
        const std::uint64_t other = recent_->weight(y);
        if (!tau.sizes_allow(std::min(size, other), std::max(size, other))) continue;
        if (most < tau.overlap(size, other)) continue;
        const RecentContents::Row theirs = recent_->row(y);
        std::uint64_t overlap = 0;
        for (std::size_t i = 0, j = 0; i < row.size() && j < theirs.length;) {
            if (row[i].key == theirs.keys[j]) {
                overlap += row[i].weight * std::min(row[i].count, theirs.counts[j]);
                ++i;
                ++j;
            } else if (row[i].key < theirs.keys[j]) {
                ++i;
            } else {
                ++j;
            }
        }
        if (overlap > 0 && tau.reached(overlap, size, other))
            hits.push_back({number, recent_->number(y), static_cast<std::uint32_t>(overlap),
                            static_cast<std::uint32_t>(size + other - overlap)});
    }
}

std::vector<std::uint32_t> IndexReader::identical(const IndexRows& rows, int threads) {
    std::vector<std::uint32_t> found(rows.documents, kNoContent);
    prepare(threads);
    const std::size_t pieces = (rows.documents + kPiece - 1) / kPiece;
    parallel_for(pieces, threads, [&](std::size_t piece, int thread) {
        Scratch& scratch = scratch_[static_cast<std::size_t>(thread)];
        IndexHits hits;
        Row row;
        const std::size_t end = std::min((piece + 1) * kPiece, rows.documents);
        for (std::size_t number = piece * kPiece; number < end; ++number) {
            row.clear();
            hits.clear();
            std::uint64_t size = 0;
            for (std::int64_t e = rows.offsets[number]; e < rows.offsets[number + 1]; ++e) {
                row.push_back({mix_key(rows.keys[e]), rows.keys[e], rows.counts[e], 1});
                size += rows.counts[e];
            }
            if (size == 0 || size > kMaxSegment) continue;
            // Most new contents have a key that no other has: the first that is missing ends it.
            for (const SegmentView& view : segments_) {
                bool all = true;
                for (const Asked& asked : row)
                    if (view.find(asked.mixed).length == 0) {
                        all = false;
                        break;
                    }
                if (all) probe(view, row, size, Threshold{1, 1}, scratch, hits, 0);
            }
            if (recent_) probe_recent(row, size, Threshold{1, 1}, scratch, hits, 0);
            for (const IndexHit& hit : hits) found[number] = std::min(found[number], hit.content);
        }
    });
    return found;
}

}  // namespace samecore
