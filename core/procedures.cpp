#include "procedures.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>

namespace samecore {
namespace {

class Index {
public:
    explicit Index(const Rows& rows)
        : rows_(rows), lists_(rows.elements), sizes_(rows.documents), entered_(rows.documents, absent) {
        for (std::size_t d = 0; d < rows.documents; ++d)
            for (auto at = rows.offsets[d]; at < rows.offsets[d + 1]; ++at) sizes_[d] += rows.counts[at];
    }

    void add(std::uint32_t document) {
        entered_[document] = next_++;
        for (auto at = rows_.offsets[document]; at < rows_.offsets[document + 1]; ++at)
            lists_[rows_.ids[at]].push_back(document);
    }

    const std::vector<std::uint32_t>& list(std::uint32_t element) const { return lists_[element]; }
    std::uint64_t size(std::uint32_t document) const { return sizes_[document]; }
    bool holds(std::uint32_t document) const { return entered_[document] != absent; }
    std::uint32_t entered(std::uint32_t document) const { return entered_[document]; }

    std::uint64_t overlap(std::uint32_t a, std::uint32_t b) const {
        auto i = rows_.offsets[a], j = rows_.offsets[b];
        const auto end_i = rows_.offsets[a + 1], end_j = rows_.offsets[b + 1];
        std::uint64_t shared = 0;
        while (i < end_i && j < end_j) {
            const std::uint32_t x = rows_.ids[i], y = rows_.ids[j];
            if (x == y) shared += std::min(rows_.counts[i], rows_.counts[j]);
            i += x <= y, j += y <= x;
        }
        return shared;
    }

private:
    static constexpr std::uint32_t absent = ~0u;
    const Rows& rows_;
    std::vector<std::vector<std::uint32_t>> lists_;
    std::vector<std::uint64_t> sizes_;
    std::vector<std::uint32_t> entered_;
    std::uint32_t next_ = 0;
};

void check_order(const Rows& rows, const std::uint32_t* order) {
    std::vector<bool> seen(rows.documents);
    for (std::size_t i = 0; i < rows.documents; ++i) {
        if (order[i] >= rows.documents || seen[order[i]])
            throw std::invalid_argument("order: expected each document once, found " + std::to_string(order[i]) +
                                        (order[i] >= rows.documents ? " beyond the last document" : " twice"));
        seen[order[i]] = true;
    }
}

}  // namespace

Matched match_in_order(const Rows& rows, const std::uint32_t* order, const Procedure& procedure) {
    check_order(rows, order);
    const std::size_t n = rows.documents, outset = procedure.full ? n : std::min(procedure.seeds, n);
    Index index(rows);
    for (std::size_t i = 0; i < outset; ++i) index.add(order[i]);

    Matched out{std::vector<std::int64_t>(n, -1), std::vector<std::uint64_t>(n),
                std::vector<std::uint32_t>(n),    std::vector<std::uint32_t>(n),
                std::vector<std::uint8_t>(n),     std::vector<double>(n)};
    std::vector<std::uint32_t> met(n, ~0u);  // the last document that met this one
    for (std::size_t i = procedure.full ? 0 : outset; i < n; ++i) {
        const auto start = std::chrono::steady_clock::now();
        const std::uint32_t document = order[i];
        const std::uint64_t size = index.size(document);
        std::uint64_t best_overlap = 0, best_union = 1;
        met[document] = document;  // a document does not collide with itself
        bool done = false;
        for (auto at = rows.offsets[document]; at < rows.offsets[document + 1] && !done; ++at) {
            for (const std::uint32_t other : index.list(rows.ids[at])) {
                if (met[other] == document) continue;
                met[other] = document;
                ++out.collisions[document];
                const std::uint64_t other_size = index.size(other);
                if (procedure.size_bound &&
                    std::min(size, other_size) * procedure.den < procedure.num * std::max(size, other_size))
                    continue;
                ++out.compared[document];
                const std::uint64_t overlap = index.overlap(document, other), both = size + other_size - overlap;
                if (overlap * procedure.den < procedure.num * both) continue;
                const std::int64_t best = out.partner[document];
                // Fractions are compared by cross products: sizes below 2^32 keep them exact.
                const std::uint64_t mine = overlap * best_union, its = best_overlap * both;
                if (best < 0 || mine > its ||
                    (mine == its && index.entered(other) < index.entered(static_cast<std::uint32_t>(best)))) {
                    out.partner[document] = other;
                    best_overlap = overlap, best_union = both;
                }
                if (!procedure.best) {
                    done = true;
                    break;
                }
            }
        }
        out.overlap[document] = best_overlap;
        if (!procedure.full && (out.partner[document] < 0 || procedure.add_duplicates)) index.add(document);
        out.seconds[document] = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    for (std::size_t d = 0; d < n; ++d) out.indexed[d] = index.holds(static_cast<std::uint32_t>(d));
    return out;
}

}  // namespace samecore
