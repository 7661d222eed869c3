#include "facts.hpp"

#include <algorithm>
#include <memory>

#include "fact_finder.hpp"

namespace samecore {

CodeTable::CodeTable(const std::uint64_t* prefixes, const std::uint8_t* codes, std::size_t count) : size_(count) {
    int bits = 4;
    while ((std::size_t{1} << bits) < 2 * count) ++bits;
    slots_.assign(std::size_t{1} << bits, free_slot);
    mask_ = slots_.size() - 1;
    shift_ = 64 - bits;
    for (std::size_t n = 0; n < count; ++n) {
        std::size_t i = place(prefixes[n]);
        while (slots_[i] != free_slot) i = (i + 1) & mask_;
        slots_[i] = prefixes[n] << 8 | codes[n];
    }
}

namespace {

// Runs work(finder, document, piece) over all documents and joins the pieces.
template <class Work>
std::vector<std::size_t> each_document(const Documents& documents, const FactOptions& options, int threads, Work&& work) {
    const std::vector<std::size_t> bounds = pieces_of(documents);
    std::vector<std::unique_ptr<FactFinder>> workers(static_cast<std::size_t>(threads));
    parallel_for(bounds.size() - 1, threads, [&](std::size_t piece, int thread) {
        auto& worker = workers[static_cast<std::size_t>(thread)];
        if (!worker) worker = std::make_unique<FactFinder>(options);
        for (std::size_t d = bounds[piece]; d < bounds[piece + 1]; ++d) work(*worker, d, piece);
    });
    return bounds;
}

std::uint32_t weigh(const std::uint8_t* codes, const FactWeights& weights, const std::vector<std::size_t>& used) {
    std::int64_t sum = 0;
    for (const std::size_t fact : used) sum += weights.singles[fact * 256 + codes[fact]];
    for (const FactWeights::Product& product : weights.products)
        sum += std::int64_t{product.left[codes[product.left_fact]]} * product.right[codes[product.right_fact]] >>
               FactWeights::product_shift;
    const std::int64_t count = (sum + (1 << (FactWeights::count_shift - 1))) >> FactWeights::count_shift;
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(count, 0, FactWeights::most));
}

// Keeps the `active` heaviest entries from `first` on, the smaller keys of equals, in order.
void keep_heaviest(Csr& csr, std::size_t first, std::size_t active, std::vector<std::uint32_t>& order) {
    const std::size_t count = csr.keys.size - first;
    if (active == 0 || count <= active) return;
    order.resize(count);
    for (std::size_t i = 0; i < count; ++i) order[i] = static_cast<std::uint32_t>(i);
    std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(active), order.end(),
                     [&](std::uint32_t x, std::uint32_t y) {
                         const std::uint32_t a = csr.counts[first + x], b = csr.counts[first + y];
                         return a != b ? a > b : x < y;
                     });
    std::sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(active));
    for (std::size_t i = 0; i < active; ++i) {
        csr.keys[first + i] = csr.keys[first + order[i]];
        csr.counts[first + i] = csr.counts[first + order[i]];
    }
    csr.keys.size = csr.counts.size = first + active;
}

}  // namespace

FactCsr extract_facts(const Documents& documents, const Documents& titles, const Documents& urls,
                      const FactOptions& options, int threads) {
    std::vector<Csr> pieces(pieces_of(documents).size() - 1);
    std::vector<Buffer<std::uint8_t>> codes(pieces.size());
    each_document(documents, options, threads, [&](FactFinder& finder, std::size_t d, std::size_t piece) {
        finder.document(documents, titles, urls, d, [&](std::uint64_t key, std::uint32_t times, const std::uint8_t* found) {
            pieces[piece].keys.push(key);
            pieces[piece].counts.push(times);
            codes[piece].append(found, fact_count);
        });
        pieces[piece].offsets.push(static_cast<std::int64_t>(pieces[piece].keys.size));
    });
    FactCsr whole;
    for (Buffer<std::uint8_t>& own : codes) whole.codes.append(own.data(), own.size);
    whole.features = join_pieces(pieces, threads);
    return whole;
}

Csr weigh_documents(const Documents& documents, const Documents& titles, const Documents& urls,
                    const FactOptions& options, const FactWeights& weights, int threads) {
    std::vector<std::size_t> used;
    for (std::size_t fact = 0; fact < fact_count; ++fact)
        if (std::any_of(weights.singles + fact * 256, weights.singles + fact * 256 + 256, [](std::int32_t w) { return w != 0; }))
            used.push_back(fact);
    std::vector<Csr> pieces(pieces_of(documents).size() - 1);
    std::vector<std::vector<std::uint32_t>> orders(pieces.size());
    each_document(documents, options, threads, [&](FactFinder& finder, std::size_t d, std::size_t piece) {
        Csr& csr = pieces[piece];
        const std::size_t first = csr.keys.size;
        finder.document(documents, titles, urls, d, [&](std::uint64_t key, std::uint32_t, const std::uint8_t* codes) {
            const std::uint32_t count = weigh(codes, weights, used);
            if (count == 0) return;
            csr.keys.push(key);
            csr.counts.push(count);
        });
        keep_heaviest(csr, first, weights.active, orders[piece]);
        csr.offsets.push(static_cast<std::int64_t>(csr.keys.size));
    });
    return join_pieces(pieces, threads);
}

}  // namespace samecore
