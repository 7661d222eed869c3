#include "shingles.hpp"

#include <algorithm>
#include <memory>

#include "hash.hpp"

namespace samecore {
namespace {

class Shingler {
   public:
    Shingler(const ShingleOptions& options, bool spans)
        : options_(options),
          characters_(options.unit == ShingleUnit::characters),
          tokenizer_({.seed = options.seed,
                      .cjk = characters_ ? Cjk::words : options.cjk,
                      .spans = spans,
                      .text = characters_}) {}

    // Calls visit(key, first word, last word) for every shingle.
    template <class Visit>
    void document(const std::uint8_t* data, std::size_t begin, std::size_t end, std::size_t size, Visit&& visit) {
        tokenizer_.document(data, begin, end, size);
        characters_ ? of_characters(visit) : of_words(visit);
    }

    const TokenSink& tokens() const { return tokenizer_.sink; }

   private:
    template <class Visit>
    void of_words(Visit&& visit) {
        const std::uint64_t* hashes = tokenizer_.sink.hashes;
        const std::size_t count = tokenizer_.sink.count, width = std::min(options_.width, count);
        if (count == 0) return;
        for (std::size_t i = 0; i + width <= count; ++i) {
            std::uint64_t key = shingle_domain;
            for (std::size_t j = 0; j < width; ++j) key = combine(key, hashes[i + j]);
            visit(finish(key), i, i + width - 1);
        }
    }

    template <class Visit>
    void of_characters(Visit&& visit) {
        // The words joined by spaces, where each character starts, and whose it is (a
        // space belongs to the word after it).
        joined_.size = starts_.size = owners_.size = 0;
        std::size_t from = 0;
        for (std::size_t word = 0; word < tokenizer_.sink.count; ++word) {
            const std::size_t to = static_cast<std::size_t>(tokenizer_.text_ends[word]);
            if (word > 0) {
                starts_.push(joined_.size);
                owners_.push(word);
                joined_.push(' ');
            }
            for (; from < to; ++from) {
                const std::uint8_t byte = tokenizer_.text[from];
                if ((byte & 0xc0) != 0x80) {
                    starts_.push(joined_.size);
                    owners_.push(word);
                }
                joined_.push(byte);
            }
        }
        const std::size_t count = starts_.size, width = std::min(options_.width, count);
        if (count == 0) return;
        starts_.push(joined_.size);
        for (std::size_t i = 0; i + width <= count; ++i) {
            const std::size_t begin = starts_[i], end = starts_[i + width];
            const std::uint64_t hash = hash_bytes(joined_.data() + begin, end - begin, options_.seed);
            visit(finish(combine(character_domain, hash)), owners_[i], owners_[i + width - 1]);
        }
    }

    ShingleOptions options_;
    bool characters_;
    Tokenizer tokenizer_;
    Buffer<std::uint8_t> joined_;
    Buffer<std::size_t> starts_, owners_;
};

}  // namespace

Csr extract_shingles(const Documents& documents, const ShingleOptions& options, int threads) {
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
                                      [&](std::uint64_t key, std::size_t, std::size_t) { worker->loose.push(key); });
            pieces[piece].add_document(worker->loose, worker->spare);
        }
    });
    workers.clear();
    return join_pieces(pieces, threads);
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
