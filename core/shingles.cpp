#include "shingles.hpp"

#include <algorithm>
#include <memory>

#include "shingler.hpp"

namespace samecore {

namespace {

template <class Item>
Csr extract(const Documents& documents, const ShingleOptions& options, int threads) {
    const std::vector<std::size_t> bounds = pieces_of(documents);
    std::vector<Csr> pieces(bounds.size() - 1);
    struct Worker {
        explicit Worker(const ShingleOptions& options) : shingler(options, false) {}
        Shingler shingler;
        Buffer<Item> loose, spare;
    };
    std::vector<std::unique_ptr<Worker>> workers(static_cast<std::size_t>(threads));
    parallel_for(pieces.size(), threads, [&](std::size_t piece, int thread) {
        auto& worker = workers[static_cast<std::size_t>(thread)];
        if (!worker) worker = std::make_unique<Worker>(options);
        for (std::size_t d = bounds[piece]; d < bounds[piece + 1]; ++d) {
            worker->loose.size = 0;
            worker->shingler.document(documents.data, documents.begin(d), documents.end(d), documents.size,
                                      [&](std::uint64_t key, std::size_t first, std::size_t) {
                                          worker->loose.push(make_item<Item>(key, first));
                                      });
            pieces[piece].add_document(worker->loose, worker->spare);
        }
    });
    workers.clear();
    return join_pieces(pieces, threads);
}

}  // namespace

Csr extract_shingles(const Documents& documents, const ShingleOptions& options, bool places, int threads) {
    return places ? extract<Placed>(documents, options, threads) : extract<std::uint64_t>(documents, options, threads);
}

ShingleOccurrences shingle_occurrences(const std::uint8_t* text, std::size_t size, const ShingleOptions& options) {
    Shingler shingler(options, true);
    ShingleOccurrences out;
    shingler.document(text, 0, size, size, [&](std::uint64_t key, std::size_t first, std::size_t last) {
        const TokenSink& tokens = shingler.tokens();
        out.keys.push(key);
        out.starts.push(std::min(tokens.starts[first], tokens.starts[last]));
        out.ends.push(std::max(tokens.ends[first], tokens.ends[last]));
    });
    return out;
}

}  // namespace samecore
