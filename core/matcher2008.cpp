#include "matcher2008.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include "parallel.hpp"

namespace samecore {
namespace {

constexpr std::size_t kDocumentsPerPiece = 64;
constexpr std::uint64_t kMaxSize = 0x80000000ull;

// Inverted lists of one partition: keys ascending, documents by descending length.
struct Partition {
    std::vector<std::uint64_t> keys;
    std::vector<std::uint32_t> starts, documents;
    std::uint32_t shortest = 0, longest = 0;

    // Place of the key's list, or the number of lists when no document here has it.
    std::size_t find(std::uint64_t key) const {
        const auto at = std::lower_bound(keys.begin(), keys.end(), key);
        return at != keys.end() && *at == key ? static_cast<std::size_t>(at - keys.begin()) : keys.size();
    }
    std::uint32_t frequency(std::size_t list) const { return list == keys.size() ? 0 : starts[list + 1] - starts[list]; }
};

class Matcher {
public:
    Matcher(const Rows& rows, const Threshold& tau, bool multiset, bool pruning)
        : rows_(rows), tau_(tau), multiset_(multiset), pruning_(pruning), sizes_(rows.documents) {
        for (std::size_t d = 0; d < rows.documents; ++d) {
            std::uint64_t size = 0;
            for (std::size_t i = rows.begin(d); i < rows.end(d); ++i) {
                size += weight(i);
                if (size >= kMaxSize)
                    throw std::invalid_argument("document " + std::to_string(d) +
                                                ": expected a weight below 2^31, found more");
            }
            sizes_[d] = static_cast<std::uint32_t>(size);
        }
    }

    const std::vector<std::uint32_t>& sizes() const { return sizes_; }

    Partition build(std::vector<std::uint32_t> members) const {
        std::sort(members.begin(), members.end(), [&](std::uint32_t a, std::uint32_t b) {
            return sizes_[a] != sizes_[b] ? sizes_[a] > sizes_[b] : a < b;
        });
        Partition partition;
        partition.longest = sizes_[members.front()];
        partition.shortest = sizes_[members.back()];
        std::vector<std::pair<std::uint64_t, std::uint32_t>> entries;  // key, place in members
        for (std::uint32_t place = 0; place < members.size(); ++place)
            for (std::size_t i = rows_.begin(members[place]); i < rows_.end(members[place]); ++i)
                entries.emplace_back(rows_.keys[i], place);
        std::sort(entries.begin(), entries.end());
        for (const auto& [key, place] : entries) {
            if (partition.keys.empty() || partition.keys.back() != key) {
                partition.keys.push_back(key);
                partition.starts.push_back(static_cast<std::uint32_t>(partition.documents.size()));
            }
            partition.documents.push_back(members[place]);
        }
        partition.starts.push_back(static_cast<std::uint32_t>(partition.documents.size()));
        return partition;
    }

    struct Scratch {
        std::vector<std::uint32_t> checked;                                  // by document: 1 + the last d compared
        std::vector<std::pair<std::uint32_t, std::uint32_t>> signatures;     // frequency, entry
    };

    // Lines 4 to 28: document d against one partition. `own` is d's partition, by whose
    // frequencies its signatures are ordered even when the next partition is visited.
    void visit(std::uint32_t d, const Partition& own, const Partition& visited, Scratch& s, std::vector<Pair>& found,
               std::uint32_t& comparisons) const {
        if (&own == &visited) {
            s.signatures.clear();
            for (std::size_t i = rows_.begin(d); i < rows_.end(d); ++i)
                s.signatures.emplace_back(own.frequency(own.find(rows_.keys[i])), static_cast<std::uint32_t>(i));
            std::sort(s.signatures.begin(), s.signatures.end());
        }
        const std::uint64_t size = sizes_[d];
        std::uint64_t delta1 = 0;  // weight of d's signatures whose lists have been read
        for (const auto& [frequency, entry] : s.signatures) {
            const std::size_t list = visited.find(rows_.keys[entry]);
            if (list != visited.keys.size()) {
                for (std::uint32_t at = visited.starts[list]; at < visited.starts[list + 1]; ++at) {
                    const std::uint32_t other = visited.documents[at];
                    if (other == d || s.checked[other] == d + 1) continue;
                    if (pruning_ && !possible(size, delta1, sizes_[other])) {
                        // Lines 15 to 18. The bound grows with the other's length up to
                        // what is left of d, and falls from there on: below that point
                        // every later (shorter) document fails too.
                        if (sizes_[other] <= size - delta1) break;
                        continue;
                    }
                    s.checked[other] = d + 1;
                    ++comparisons;
                    const std::uint64_t overlap = shared(d, other);
                    // Within a partition a pair is met from both ends; one of them reports.
                    if (tau_.reached(overlap, size, sizes_[other]) && (&own != &visited || d < other))
                        found.push_back({std::min(d, other), std::max(d, other), static_cast<std::uint32_t>(overlap),
                                         static_cast<std::uint32_t>(size + sizes_[other] - overlap)});
                }
            }
            delta1 += weight(entry);
            // Line 25: no document of this partition that shares only the rest can match.
            const std::uint64_t best = std::clamp<std::uint64_t>(size - delta1, visited.shortest, visited.longest);
            if (pruning_ && !possible(size, delta1, best)) break;
        }
    }

private:
    std::uint64_t weight(std::size_t entry) const {
        return (multiset_ ? std::uint64_t{rows_.counts[entry]} : 1) * (rows_.weights == nullptr ? 1 : rows_.weights[entry]);
    }

    // Can a document of this length, none of whose signatures lie in the part of d that
    // has been read (weight delta1), reach the threshold?
    bool possible(std::uint64_t size, std::uint64_t delta1, std::uint64_t other) const {
        return tau_.reached(std::min(size - delta1, other), size, other);
    }

    std::uint64_t shared(std::uint32_t a, std::uint32_t b) const {
        std::size_t i = rows_.begin(a), j = rows_.begin(b);
        const std::size_t end_a = rows_.end(a), end_b = rows_.end(b);
        std::uint64_t overlap = 0;
        while (i < end_a && j < end_b) {
            if (rows_.keys[i] == rows_.keys[j]) overlap += std::min(weight(i++), weight(j++));
            else if (rows_.keys[i] < rows_.keys[j]) ++i;
            else ++j;
        }
        return overlap;
    }

    const Rows& rows_;
    Threshold tau_;
    bool multiset_, pruning_;
    std::vector<std::uint32_t> sizes_;
};

}  // namespace

std::vector<std::uint64_t> partition_bounds(const Threshold& tau, std::uint64_t longest) {
    std::vector<std::uint64_t> bounds;
    // p' - p > (1 - tau) p'  <=>  p' > p / tau
    for (std::uint64_t p = 1; p <= longest; p = p * tau.den / tau.num + 1) bounds.push_back(p);
    return bounds;
}

Match2008 match_2008(const Rows& rows, const Threshold& tau, bool multiset, bool partitions, bool pruning, int threads) {
    const Matcher matcher(rows, tau, multiset, pruning);
    const std::vector<std::uint32_t>& sizes = matcher.sizes();
    std::vector<std::uint32_t> order;  // documents with features, by length
    for (std::uint32_t d = 0; d < rows.documents; ++d)
        if (sizes[d] > 0) order.push_back(d);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return sizes[a] != sizes[b] ? sizes[a] < sizes[b] : a < b;
    });
    Match2008 result;
    result.comparisons.assign(rows.documents, 0);
    const std::uint64_t longest = order.empty() ? 0 : sizes[order.back()];
    // Only partitions that hold documents are kept; `number` tells true neighbours.
    std::vector<std::vector<std::uint32_t>> members;
    std::vector<std::uint64_t> number;
    std::vector<std::uint32_t> partition_of(rows.documents, 0);
    std::uint64_t upper = partitions ? 1 : longest + 1;  // first length beyond the current partition
    if (!partitions && longest > 0) result.partitions = 1;
    for (std::uint32_t d : order) {
        while (partitions && sizes[d] >= upper) {
            upper = upper * tau.den / tau.num + 1;
            ++result.partitions;
        }
        if (number.empty() || number.back() != result.partitions) {
            number.push_back(result.partitions);
            members.emplace_back();
        }
        members.back().push_back(d);
        partition_of[d] = static_cast<std::uint32_t>(members.size() - 1);
    }
    std::vector<Partition> index(members.size());
    parallel_for(members.size(), threads, [&](std::size_t k, int) { index[k] = matcher.build(std::move(members[k])); });

    const std::size_t pieces = (order.size() + kDocumentsPerPiece - 1) / kDocumentsPerPiece;
    std::vector<Matcher::Scratch> scratch(static_cast<std::size_t>(threads));
    std::vector<std::vector<Pair>> found(pieces);
    parallel_for(pieces, threads, [&](std::size_t piece, int thread) {
        Matcher::Scratch& s = scratch[static_cast<std::size_t>(thread)];
        s.checked.resize(rows.documents, 0);
        const std::size_t end = std::min(order.size(), (piece + 1) * kDocumentsPerPiece);
        for (std::size_t i = piece * kDocumentsPerPiece; i < end; ++i) {
            const std::uint32_t d = order[i];
            const std::size_t k = partition_of[d];
            matcher.visit(d, index[k], index[k], s, found[piece], result.comparisons[d]);
            // Lines 29 to 31: the next partition only, and only if its shortest is not too long.
            if (k + 1 < index.size() && number[k + 1] == number[k] + 1 &&
                (!pruning || tau.sizes_allow(sizes[d], index[k + 1].shortest)))
                matcher.visit(d, index[k], index[k + 1], s, found[piece], result.comparisons[d]);
        }
    });
    std::vector<Pair> all;
    for (const auto& piece : found) all.insert(all.end(), piece.begin(), piece.end());
    std::sort(all.begin(), all.end(), [](const Pair& a, const Pair& b) {
        return a.left != b.left ? a.left < b.left : a.right < b.right;
    });
    for (const Pair& pair : all) {
        result.pairs.left.push_back(pair.left);
        result.pairs.right.push_back(pair.right);
        result.pairs.overlap.push_back(pair.overlap);
        result.pairs.score.push_back(static_cast<double>(pair.overlap) / static_cast<double>(pair.joint));
    }
    return result;
}

}  // namespace samecore
