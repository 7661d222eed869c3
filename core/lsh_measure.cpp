#include "lsh_measure.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "join_rank.hpp"
#include "parallel.hpp"

namespace samecore {
namespace {

constexpr std::size_t kContentsPerPiece = 4096;

Pair ordered(std::uint32_t x, std::uint32_t y, std::uint32_t overlap, std::uint32_t joint) {
    return {std::min(x, y), std::max(x, y), overlap, joint};
}

Pairs exact_join(const std::vector<Chosen>& sides, bool multiset, const Threshold& threshold, bool forest,
                 std::uint64_t max_pairs, int threads) {
    const Ranked ranked = rank_elements(sides, multiset, threads);
    const RankedView view{ranked.documents.data(), ranked.sizes.data(),   ranked.offsets.data(),
                          ranked.ranks.data(),     ranked.weights.data(), ranked.documents.size(),
                          ranked.left,             ranked.weights.size(), sides.size() == 2};
    JoinOptions options;
    options.threshold = threshold;
    options.threads = threads;
    options.forest = forest;
    options.max_pairs = max_pairs;
    return join(view, options);
}

class Jaccard final : public Measure {
public:
    Jaccard(const std::vector<LshSide>& sides, const LshOptions& options)
        : sides_(sides), options_(options), split_(sides[0].contents) {
        for (const LshSide& side : sides_) {
            const std::size_t base = sizes_.size();
            sizes_.resize(base + side.contents);
            const std::size_t pieces = (side.contents + kContentsPerPiece - 1) / kContentsPerPiece;
            parallel_for(pieces, options.threads, [&](std::size_t piece, int) {
                const std::size_t end = std::min((piece + 1) * kContentsPerPiece, side.contents);
                for (std::size_t c = piece * kContentsPerPiece; c < end; ++c)
                    sizes_[base + c] = weigh(side.rows, side.documents[c]);
            });
        }
    }

    std::uint64_t size(std::uint32_t content) const override { return sizes_[content]; }

    bool possible(std::uint32_t x, std::uint32_t y) const override {
        const std::uint64_t a = sizes_[x], b = sizes_[y];
        // Documents without features match nothing, not even each other.
        return std::min(a, b) != 0 && options_.threshold.sizes_allow(std::min(a, b), std::max(a, b));
    }

    bool reached(std::uint32_t x, std::uint32_t y, Pair& pair) const override {
        const bool weighted = sides_[0].rows.weights != nullptr;
        if (weighted) {
            const bool multiset = options_.multiset;
            return compare(x, y, pair, [multiset](const Rows& rows, std::size_t i) {
                return (multiset ? std::uint64_t{rows.counts[i]} : 1) * rows.weights[i];
            });
        }
        if (options_.multiset)
            return compare(x, y, pair, [](const Rows& rows, std::size_t i) { return std::uint64_t{rows.counts[i]}; });
        return compare(x, y, pair, [](const Rows&, std::size_t) { return std::uint64_t{1}; });
    }

    std::vector<Pair> join(const Contents& left, const Contents* right, bool forest,
                           std::uint64_t max_pairs) const override {
        if (left.empty() || (right != nullptr && right->empty())) return {};
        const std::vector<std::uint32_t> left_documents = documents(left);
        const std::vector<std::uint32_t> right_documents = right == nullptr ? left_documents : documents(*right);
        std::vector<Chosen> chosen{{side(left[0]).rows, left_documents.data(), left.size()}};
        if (right != nullptr) chosen.push_back({side((*right)[0]).rows, right_documents.data(), right->size()});
        const Pairs found =
            exact_join(chosen, options_.multiset, options_.threshold, forest, max_pairs, options_.threads);
        const Contents& others = right == nullptr ? left : *right;
        const auto content = [](const Contents& list, const std::vector<std::uint32_t>& numbers, std::uint32_t number) {
            return list[static_cast<std::size_t>(std::lower_bound(numbers.begin(), numbers.end(), number) -
                                                 numbers.begin())];
        };
        std::vector<Pair> pairs(found.left.size());
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            const std::uint32_t x = content(left, left_documents, found.left[i]);
            const std::uint32_t y = content(others, right_documents, found.right[i]);
            pairs[i] = ordered(x, y, found.overlap[i], sizes_[x] + sizes_[y] - found.overlap[i]);
        }
        return pairs;
    }

private:
    const LshSide& side(std::uint32_t content) const { return sides_[content >= split_ ? 1 : 0]; }
    std::uint32_t document(std::uint32_t content) const {
        return content >= split_ ? sides_[1].documents[content - split_] : sides_[0].documents[content];
    }
    std::vector<std::uint32_t> documents(const Contents& list) const {
        std::vector<std::uint32_t> result(list.size());
        std::transform(list.begin(), list.end(), result.begin(), [&](std::uint32_t c) { return document(c); });
        return result;
    }

    std::uint32_t weigh(const Rows& rows, std::size_t document) const {
        std::uint64_t sum = 0;
        for (std::size_t i = rows.begin(document); i < rows.end(document); ++i) {
            sum += (options_.multiset ? std::uint64_t{rows.counts[i]} : 1) *
                   (rows.weights == nullptr ? 1 : std::uint64_t{rows.weights[i]});
            if (sum >= 0x80000000u)
                throw std::invalid_argument("document " + std::to_string(document) +
                                            ": expected to weigh less than 2^31");
        }
        return static_cast<std::uint32_t>(sum);
    }

    // Merges two sorted lists, without branches on the keys: which is smaller cannot be
    // predicted. Stops as soon as what one of them has alone is too much.
    template <class Mass>
    bool compare(std::uint32_t x, std::uint32_t y, Pair& pair, Mass&& mass) const {
        const Rows &a = side(x).rows, &b = side(y).rows;
        std::size_t i = a.begin(document(x)), j = b.begin(document(y));
        const std::size_t i_end = a.end(document(x)), j_end = b.end(document(y));
        const std::uint64_t size_x = sizes_[x], size_y = sizes_[y];
        const std::uint64_t needed = options_.threshold.overlap(size_x, size_y);
        if (needed > std::min(size_x, size_y)) return false;
        const std::uint64_t spare_x = size_x - needed, spare_y = size_y - needed;
        std::uint64_t overlap = 0, alone_x = 0, alone_y = 0;
        while (i < i_end && j < j_end) {
            const std::uint64_t key_x = a.keys[i], key_y = b.keys[j];
            const std::uint64_t mass_x = mass(a, i), mass_y = mass(b, j);
            overlap += key_x == key_y ? std::min(mass_x, mass_y) : 0;
            alone_x += key_x < key_y ? mass_x : 0;
            alone_y += key_y < key_x ? mass_y : 0;
            if (alone_x > spare_x || alone_y > spare_y) return false;
            i += key_x <= key_y;
            j += key_y <= key_x;
        }
        if (overlap < needed) return false;
        pair = ordered(x, y, static_cast<std::uint32_t>(overlap), static_cast<std::uint32_t>(size_x + size_y - overlap));
        return true;
    }

    const std::vector<LshSide>& sides_;
    const LshOptions& options_;
    std::size_t split_;
    std::vector<std::uint32_t> sizes_;
};

class EqualSlots final : public Measure {
public:
    EqualSlots(const std::vector<LshSide>& sides, const LshOptions& options)
        : sides_(sides), options_(options), split_(sides[0].contents), slots_(sides[0].sketches.slots),
          needed_((options.threshold.num * slots_ + options.threshold.den - 1) / options.threshold.den) {}

    std::uint64_t size(std::uint32_t) const override { return slots_; }
    bool possible(std::uint32_t, std::uint32_t) const override { return true; }

    bool reached(std::uint32_t x, std::uint32_t y, Pair& pair) const override {
        const std::uint32_t *a = row(x), *b = row(y);
        std::uint32_t equal = 0;
        for (std::size_t i = 0; i < slots_; ++i) equal += a[i] == b[i];
        pair = ordered(x, y, equal, static_cast<std::uint32_t>(slots_));
        return equal >= needed_;
    }

    // A sketch is the set of its (slot, value): k of m slots are equal if two such sets
    // of m elements have the Jaccard similarity k/(2m-k), which rises with k.
    std::vector<Pair> join(const Contents& left, const Contents* right, bool forest,
                           std::uint64_t max_pairs) const override {
        if (left.empty() || (right != nullptr && right->empty())) return {};
        const Elements ours(*this, left);
        const Elements theirs(*this, right == nullptr ? Contents{} : *right);
        std::vector<Chosen> chosen{{ours.rows(), nullptr, left.size()}};
        if (right != nullptr) chosen.push_back({theirs.rows(), nullptr, right->size()});
        const Pairs found =
            exact_join(chosen, false, {needed_, 2 * slots_ - needed_}, forest, max_pairs, options_.threads);
        std::vector<Pair> pairs(found.left.size());
        for (std::size_t i = 0; i < pairs.size(); ++i)
            pairs[i] = ordered(left[found.left[i]], (right == nullptr ? left : *right)[found.right[i]],
                               found.overlap[i], static_cast<std::uint32_t>(slots_));
        return pairs;
    }

private:
    struct Elements {
        Elements(const EqualSlots& measure, const Contents& list) : offsets(list.size() + 1) {
            const std::size_t slots = measure.slots_;
            keys.reserve(list.size() * slots);
            for (std::size_t c = 0; c < list.size(); ++c) {
                const std::uint32_t* row = measure.row(list[c]);
                for (std::size_t s = 0; s < slots; ++s) keys.push_back(static_cast<std::uint64_t>(s) << 32 | row[s]);
                offsets[c + 1] = static_cast<std::int64_t>(keys.size());
            }
            counts.assign(keys.size(), 1);
        }
        Rows rows() const { return {offsets.data(), keys.data(), counts.data(), nullptr, offsets.size() - 1}; }

        std::vector<std::int64_t> offsets;
        std::vector<std::uint64_t> keys;
        std::vector<std::uint32_t> counts;
    };

    const std::uint32_t* row(std::uint32_t content) const {
        const LshSide& side = sides_[content >= split_ ? 1 : 0];
        return side.sketches.row(side.documents[content >= split_ ? content - split_ : content]);
    }

    const std::vector<LshSide>& sides_;
    const LshOptions& options_;
    std::size_t split_;
    std::uint64_t slots_, needed_;
};

}  // namespace

std::unique_ptr<Measure> make_measure(const std::vector<LshSide>& sides, const LshOptions& options) {
    if (options.verify) return std::make_unique<Jaccard>(sides, options);
    return std::make_unique<EqualSlots>(sides, options);
}

}  // namespace samecore
