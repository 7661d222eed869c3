#include "modp.hpp"

#include <memory>

#include "shingler.hpp"
#include "sketch_hash.hpp"

namespace samecore {

bool sampled(std::uint64_t key, std::uint64_t mask, std::uint64_t modulus) { return mix(key ^ mask) % modulus == 0; }

std::uint64_t sample_mask(std::uint64_t seed) { return drawn(seed, ~std::uint64_t{1}); }

Csr modp_texts(const Documents& documents, const ShingleOptions& options, std::uint64_t modulus, std::uint64_t seed,
               int threads) {
    const std::uint64_t mask = sample_mask(seed);
    const std::vector<std::size_t> bounds = pieces_of(documents);
    std::vector<Csr> pieces(bounds.size() - 1);
    struct Worker {
        explicit Worker(const ShingleOptions& options) : shingler(options, false) {}
        Shingler shingler;
        Buffer<std::uint64_t> loose, spare;
    };
    std::vector<std::unique_ptr<Worker>> workers(static_cast<std::size_t>(threads));
    parallel_for(pieces.size(), threads, [&](std::size_t piece, int thread) {
        auto& worker = workers[static_cast<std::size_t>(thread)];
        if (!worker) worker = std::make_unique<Worker>(options);
        for (std::size_t d = bounds[piece]; d < bounds[piece + 1]; ++d) {
            worker->loose.size = 0;
            worker->shingler.document(documents.data, documents.begin(d), documents.end(d), documents.size,
                                      [&](std::uint64_t key, std::size_t, std::size_t) {
                                          if (sampled(key, mask, modulus)) worker->loose.push(key);
                                      });
            pieces[piece].add_document(worker->loose, worker->spare);
        }
    });
    return join_pieces(pieces, threads);
}

Buffer<std::uint8_t> modp_keys(const std::uint64_t* keys, std::size_t count, std::uint64_t modulus, std::uint64_t seed) {
    const std::uint64_t mask = sample_mask(seed);
    Buffer<std::uint8_t> kept(count);
    for (std::size_t i = 0; i < count; ++i) kept[i] = sampled(keys[i], mask, modulus);
    return kept;
}

}  // namespace samecore
