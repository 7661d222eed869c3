#include "join_rank.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "join_pages.hpp"
#include "parallel.hpp"

namespace samecore {
namespace {

constexpr std::size_t kPieces = 64;
constexpr std::uint32_t kFirst = 0x80000000u;  // marks the lowest element of a key

// What the buckets tell about elements. A key's elements have consecutive numbers, the
// lowest occurrences first; a bucket numbers from its first entry on, since it cannot
// hold more sharable elements than entries. Only what is numbered is ever touched.
struct Elements {
    explicit Elements(std::size_t entries, std::size_t buckets)
        : ranks(make_pages<std::uint32_t>(entries)),
          weights(make_pages<std::uint32_t>(entries)), numbered(buckets) {}

    Pages<std::uint32_t> ranks;    // by element; its frequency until ranks are known
    Pages<std::uint32_t> weights;  // by element, with kFirst for the lowest of a key
    std::vector<std::pair<std::uint32_t, std::uint32_t>> numbered;  // by bucket: elements [first, second)
};

// Of a key, kept at the place of its first entry in the bucket.
struct Slot {
    std::uint32_t frequency[2];
    std::uint32_t element;   // 1 + its element, if it has only one
    std::uint32_t repeated;  // entries with a count above 1
};

struct Scratch {
    FirstTable table;
    std::vector<Slot> slots;
    std::vector<std::uint32_t> firsts;
    std::vector<std::uint32_t> starts, fill, order;  // entries of the repeated keys, by key
};

// Numbers the elements of a bucket. An entry's count is replaced by 1 + the number of
// its highest element, with kFirst if that is the lowest too; 0 for none.
class Counter {
public:
    Counter(const std::vector<Chosen>& sides, bool multiset, Buckets& buckets, Elements& elements)
        : sides_(sides), multiset_(multiset), buckets_(buckets), elements_(elements),
          split_(sides[0].rows.entries()) {
        for (const Chosen& side : sides) weighted_ = weighted_ || side.rows.weights != nullptr;
    }

    void count(std::size_t bucket, Scratch& s) const {
        const std::size_t begin = buckets_.starts[bucket], size = buckets_.starts[bucket + 1] - begin;
        Entry* entries = buckets_.entries.get() + begin;
        s.table.reset(entries, size);
        s.slots.assign(size, Slot{});
        s.firsts.resize(size);
        bool repeated = false;
        for (std::uint32_t i = 0; i < size; ++i) {
            const std::uint32_t first = s.firsts[i] = s.table.first(i);
            ++s.slots[first].frequency[side(entries[i])];
            if (multiset_ && entries[i].count > 1) {
                ++s.slots[first].repeated;
                repeated = true;
            }
            if (weighted_ && weight(entries[i]) != weight(entries[first]))
                throw std::invalid_argument("weights: expected one weight per key, found " +
                                            std::to_string(weight(entries[first])) + " and " +
                                            std::to_string(weight(entries[i])) + " for key " +
                                            std::to_string(entries[i].key));
        }
        std::uint32_t next = static_cast<std::uint32_t>(begin);
        if (repeated) next = number_repeated(entries, size, next, s);
        for (std::size_t i = 0; i < size; ++i) {
            Slot& slot = s.slots[s.firsts[i]];
            if (!sharable(slot.frequency)) {
                entries[i].count = 0;
            } else if (slot.repeated == 0) {
                if (slot.element == 0) {
                    add(next, slot.frequency, weight(entries[i]) | kFirst);
                    slot.element = next;
                }
                entries[i].count = slot.element | kFirst;
            }
        }
        elements_.numbered[bucket] = {static_cast<std::uint32_t>(begin), next};
    }

private:
    int side(const Entry& entry) const { return entry.at >= split_ ? 1 : 0; }

    std::uint32_t weight(const Entry& entry) const {
        const int s = side(entry);
        const std::uint32_t* weights = sides_[static_cast<std::size_t>(s)].rows.weights;
        return weights == nullptr ? 1 : weights[entry.at - (s == 1 ? split_ : 0)];
    }

    bool sharable(const std::uint32_t* frequency) const {
        if (sides_.size() == 1) return frequency[0] >= 2;
        return frequency[0] >= 1 && frequency[1] >= 1;
    }

    void add(std::uint32_t& next, const std::uint32_t* frequency, std::uint32_t weight) const {
        elements_.ranks[next] = frequency[0] + frequency[1];
        elements_.weights[next] = weight;
        ++next;
    }

    // Keys with counts above 1. Sorted by count, the entries from any position on are
    // the documents of that occurrence: one element per distinct count.
    std::uint32_t number_repeated(Entry* entries, std::size_t size, std::uint32_t next, Scratch& s) const {
        s.starts.assign(size + 1, 0);
        const auto belongs = [&](std::size_t i) {
            const Slot& slot = s.slots[s.firsts[i]];
            return slot.repeated != 0 && sharable(slot.frequency);
        };
        for (std::size_t i = 0; i < size; ++i)
            if (belongs(i)) ++s.starts[s.firsts[i] + 1];
        for (std::size_t k = 0; k < size; ++k) s.starts[k + 1] += s.starts[k];
        s.order.resize(s.starts.back());
        s.fill.assign(s.starts.begin(), s.starts.end() - 1);
        for (std::size_t i = 0; i < size; ++i)
            if (belongs(i)) s.order[s.fill[s.firsts[i]]++] = static_cast<std::uint32_t>(i);
        for (std::size_t k = 0; k < size; ++k) {
            const auto begin = s.order.begin() + s.starts[k], end = s.order.begin() + s.starts[k + 1];
            if (begin == end) continue;
            // Most counts are 1; only the others need sorting.
            const auto above = std::partition(begin, end, [&](std::uint32_t i) { return entries[i].count == 1; });
            std::sort(above, end, [&](std::uint32_t a, std::uint32_t b) { return entries[a].count < entries[b].count; });
            std::uint32_t left[2] = {s.slots[k].frequency[0], s.slots[k].frequency[1]};
            const std::uint32_t weight_of_one = weight(entries[k]);
            std::uint32_t level = 0, first = kFirst;
            for (auto at = begin; at != end; ++at) {
                Entry& entry = entries[*at];
                if (entry.count > level && sharable(left)) {
                    add(next, left, checked(weight_of_one, entry.count - level) | first);
                    first = 0;
                    level = entry.count;
                }
                entry.count = next | (elements_.weights[next - 1] & kFirst);
                --left[side(entry)];
            }
        }
        return next;
    }

    static std::uint32_t checked(std::uint32_t weight, std::uint32_t count) {
        const std::uint64_t product = static_cast<std::uint64_t>(weight) * count;
        if (product >= kFirst)
            throw std::invalid_argument("weights: expected counts * weight below 2^31, found " +
                                        std::to_string(product));
        return static_cast<std::uint32_t>(product);
    }

    const std::vector<Chosen>& sides_;
    bool multiset_, weighted_ = false;
    Buckets& buckets_;
    Elements& elements_;
    std::size_t split_;
};

std::uint32_t content_size(const Rows& rows, std::size_t document, bool multiset) {
    std::uint64_t size = 0;
    for (std::size_t i = rows.begin(document); i < rows.end(document); ++i) {
        const std::uint64_t count = multiset ? rows.counts[i] : 1;
        size += count * (rows.weights == nullptr ? 1 : rows.weights[i]);
        if (size >= kFirst)
            throw std::invalid_argument("document " + std::to_string(document) +
                                        ": expected a weight below 2^31, found more; lower the scale of the weights");
    }
    return static_cast<std::uint32_t>(size);
}

struct Content {
    std::uint32_t size, document;
    bool operator<(const Content& other) const {
        return size != other.size ? size < other.size : document < other.document;
    }
};

std::vector<Content> contents_by_size(const Chosen& side, bool multiset, int threads) {
    std::vector<Content> contents(side.count);
    parallel_for(kPieces, threads, [&](std::size_t piece, int) {
        for (std::size_t i = side.count * piece / kPieces; i < side.count * (piece + 1) / kPieces; ++i) {
            const std::size_t document = side.document(i);
            contents[i] = {content_size(side.rows, document, multiset), static_cast<std::uint32_t>(document)};
        }
    });
    std::sort(contents.begin(), contents.end());
    const auto filled = std::find_if(contents.begin(), contents.end(), [](const Content& c) { return c.size > 0; });
    contents.erase(contents.begin(), filled);
    return contents;
}

// Turns frequencies into ranks, by (frequency, number), by counting; returns weights by rank.
std::vector<std::uint32_t> order_elements(Elements& elements, std::size_t most) {
    std::vector<std::uint32_t> starts(most + 2, 0);
    for (const auto& [begin, end] : elements.numbered)
        for (std::uint32_t e = begin; e < end; ++e) ++starts[elements.ranks[e] + 1];
    for (std::size_t f = 0; f + 1 < starts.size(); ++f) starts[f + 1] += starts[f];
    std::vector<std::uint32_t> weights(starts.back());
    for (const auto& [begin, end] : elements.numbered)
        for (std::uint32_t e = begin; e < end; ++e) {
            elements.ranks[e] = starts[elements.ranks[e]]++;
            weights[elements.ranks[e]] = elements.weights[e] & ~kFirst;
        }
    return weights;
}

}  // namespace

Ranked rank_elements(const std::vector<Chosen>& sides, bool multiset, int threads) {
    std::size_t entries = 0, most = 0;
    for (const Chosen& side : sides) {
        entries += side.rows.entries();
        most += side.count;
    }
    Buckets buckets = deal(sides, threads);
    Elements elements(entries, buckets.size());
    {
        const Counter counter(sides, multiset, buckets, elements);
        std::vector<Scratch> scratch(static_cast<std::size_t>(threads));
        parallel_for(buckets.size(), threads, [&](std::size_t bucket, int thread) {
            counter.count(bucket, scratch[static_cast<std::size_t>(thread)]);
        });
    }
    Ranked result;
    result.weights = order_elements(elements, most);
    // Back from buckets to entries. Most have one element: its rank is looked up here,
    // while the ranks of this bucket are in cache, and marked with kFirst.
    const Pages<std::uint32_t> top = make_pages<std::uint32_t>(entries);
    parallel_for(buckets.size(), threads, [&](std::size_t bucket, int) {
        for (std::size_t i = buckets.starts[bucket]; i < buckets.starts[bucket + 1]; ++i) {
            const Entry& entry = buckets.entries[i];
            top[entry.at] = (entry.count & kFirst) == 0 ? entry.count
                                                        : (elements.ranks[(entry.count & ~kFirst) - 1] + 1) | kFirst;
        }
    });
    buckets = {};
    std::vector<std::size_t> bases;  // of the entries of each content's side
    std::size_t base = 0;
    for (const Chosen& side : sides) {
        for (const Content& content : contents_by_size(side, multiset, threads)) {
            result.documents.push_back(content.document);
            result.sizes.push_back(content.size);
        }
        if (&side == &sides.front()) result.left = result.documents.size();
        bases.push_back(base);
        base += side.rows.entries();
    }
    const std::size_t contents = result.documents.size();
    // Each piece gathers its ranks, then all are put together.
    std::vector<std::vector<std::uint32_t>> gathered(kPieces);
    result.offsets.assign(contents + 1, 0);
    parallel_for(kPieces, threads, [&](std::size_t piece, int) {
        std::vector<std::uint32_t>& ranks = gathered[piece];
        for (std::size_t c = contents * piece / kPieces; c < contents * (piece + 1) / kPieces; ++c) {
            const std::size_t s = c >= result.left ? 1 : 0, before = ranks.size();
            const Rows& rows = sides[s].rows;
            const std::uint32_t* tops = top.get() + bases[s];
            for (std::size_t i = rows.begin(result.documents[c]); i < rows.end(result.documents[c]); ++i) {
                if (tops[i] == 0) continue;
                std::uint32_t element = (tops[i] & ~kFirst) - 1;
                if ((tops[i] & kFirst) != 0) {
                    ranks.push_back(element);
                    continue;
                }
                ranks.push_back(elements.ranks[element]);
                do ranks.push_back(elements.ranks[--element]);
                while ((elements.weights[element] & kFirst) == 0);
            }
            std::sort(ranks.begin() + static_cast<std::ptrdiff_t>(before), ranks.end());
            result.offsets[c + 1] = static_cast<std::int64_t>(ranks.size() - before);
        }
    });
    for (std::size_t c = 0; c < contents; ++c) result.offsets[c + 1] += result.offsets[c];
    result.ranks.resize(static_cast<std::size_t>(result.offsets.back()));
    parallel_for(kPieces, threads, [&](std::size_t piece, int) {
        std::copy(gathered[piece].begin(), gathered[piece].end(),
                  result.ranks.begin() + static_cast<std::ptrdiff_t>(result.offsets[contents * piece / kPieces]));
        gathered[piece] = {};
    });
    return result;
}

}  // namespace samecore
