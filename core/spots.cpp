#include "spots.hpp"

#include <algorithm>
#include <memory>

#include "spot_finder.hpp"

namespace samecore {

namespace {

template <class Item>
SpotCsr extract(const Documents& documents, const SpotTable& table, int threads) {
    const std::vector<std::size_t> bounds = pieces_of(documents);
    std::vector<Csr> pieces(bounds.size() - 1);
    Buffer<std::uint8_t> languages(documents.count);
    struct Worker {
        explicit Worker(const SpotTable& table) : finder(table, false) {}
        SpotFinder finder;
        Buffer<Item> loose, spare;
    };
    std::vector<std::unique_ptr<Worker>> workers(static_cast<std::size_t>(threads));
    parallel_for(pieces.size(), threads, [&](std::size_t piece, int thread) {
        auto& worker = workers[static_cast<std::size_t>(thread)];
        if (!worker) worker = std::make_unique<Worker>(table);
        for (std::size_t d = bounds[piece]; d < bounds[piece + 1]; ++d) {
            worker->finder.document(documents.data, documents.begin(d), documents.end(d), documents.size);
            worker->loose.size = 0;
            worker->finder.spots([&](std::uint64_t key, const Hit& hit, const std::size_t*, std::uint32_t) {
                worker->loose.push(make_item<Item>(key, hit.place));
            });
            pieces[piece].add_document(worker->loose, worker->spare);
            languages[d] = worker->finder.language;
        }
    });
    workers.clear();
    return {join_pieces(pieces, threads), std::move(languages)};
}

}  // namespace

SpotCsr extract_spots(const Documents& documents, const SpotTable& table, bool places, int threads) {
    return places ? extract<Placed>(documents, table, threads) : extract<std::uint64_t>(documents, table, threads);
}

SpotOccurrences spot_occurrences(const std::uint8_t* text, std::size_t size, const SpotTable& table) {
    SpotFinder finder(table, true);
    finder.document(text, 0, size, size);
    struct Spot {
        std::uint64_t key;
        std::uint32_t antecedent;
        std::int64_t antecedent_start, antecedent_end, start, end;
        std::size_t chain[max_steps];
        std::uint32_t length;
    };
    std::vector<Spot> spots;
    const TokenSink& tokens = finder.tokenizer.sink;
    finder.spots([&](std::uint64_t key, const Hit& hit, const std::size_t* chain, std::uint32_t length) {
        const std::int64_t from = static_cast<std::int64_t>(hit.start), to = static_cast<std::int64_t>(hit.end);
        Spot spot{key, hit.entry - 1, from, to, from, to, {}, length};
        for (std::uint32_t i = 0; i < length; ++i) {
            spot.chain[i] = chain[i];
            spot.start = std::min(spot.start, tokens.starts[chain[i]]);
            spot.end = std::max(spot.end, tokens.ends[chain[i]]);
        }
        spots.push_back(spot);
    });
    std::stable_sort(spots.begin(), spots.end(), [](const Spot& x, const Spot& y) {
        return x.antecedent_start != y.antecedent_start ? x.antecedent_start < y.antecedent_start
                                                        : x.antecedent_end < y.antecedent_end;
    });
    SpotOccurrences out;
    out.language = finder.language;
    out.chain_offsets.push(0);
    for (const Spot& spot : spots) {
        out.keys.push(spot.key);
        out.antecedents.push(spot.antecedent);
        out.antecedent_starts.push(spot.antecedent_start);
        out.antecedent_ends.push(spot.antecedent_end);
        out.starts.push(spot.start);
        out.ends.push(spot.end);
        for (std::uint32_t i = 0; i < spot.length; ++i) out.chain_tokens.push(static_cast<std::int64_t>(spot.chain[i]));
        out.chain_offsets.push(static_cast<std::int64_t>(out.chain_tokens.size));
    }
    return out;
}

}  // namespace samecore
