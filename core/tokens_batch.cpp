#include "tokens_batch.hpp"

#include <algorithm>
#include <memory>

namespace samecore {
namespace {

// Open addressing by the hash itself. Counting and taking the earliest place do not
// depend on the order of documents, so tables of several threads can be added up.
class CountTable {
   public:
    struct Word {
        std::uint64_t hash;
        std::int64_t start, end;
        std::uint64_t occurrences;  // 0: free
        std::uint64_t documents, last_document;
    };

    Word& at(std::uint64_t hash) {
        if (2 * (used_ + 1) > words_.size()) grow();
        Word& word = words_[place(words_, hash)];
        if (word.occurrences == 0) {
            ++used_;
            word = {hash, 0, 0, 0, 0, ~std::uint64_t{0}};
        }
        return word;
    }

    void add(const Word& other) {
        Word& word = at(other.hash);
        if (word.occurrences == 0 || other.start < word.start) word.start = other.start, word.end = other.end;
        word.occurrences += other.occurrences;
        word.documents += other.documents;
    }

    const std::vector<Word>& words() const { return words_; }
    std::size_t used() const { return used_; }

   private:
    static std::size_t place(const std::vector<Word>& words, std::uint64_t hash) {
        const std::size_t mask = words.size() - 1;
        std::size_t i = hash & mask;
        while (words[i].occurrences != 0 && words[i].hash != hash) i = (i + 1) & mask;
        return i;
    }
    void grow() {
        std::vector<Word> larger(std::max<std::size_t>(words_.size() * 2, 1024), Word{});
        for (const Word& word : words_)
            if (word.occurrences != 0) larger[place(larger, word.hash)] = word;
        words_.swap(larger);
    }

    std::vector<Word> words_;
    std::size_t used_ = 0;
};

}  // namespace

TokenBatch tokenize(const Documents& documents, std::uint64_t seed, Cjk cjk, int threads) {
    const std::vector<std::size_t> bounds = pieces_of(documents);
    const std::size_t count = bounds.size() - 1;
    std::vector<TokenBatch> pieces(count);
    std::vector<std::unique_ptr<Tokenizer>> workers(static_cast<std::size_t>(threads));
    parallel_for(count, threads, [&](std::size_t piece, int thread) {
        auto& worker = workers[static_cast<std::size_t>(thread)];
        if (!worker) worker.reset(new Tokenizer({.seed = seed, .cjk = cjk, .spans = true}));
        TokenBatch& out = pieces[piece];
        for (std::size_t d = bounds[piece]; d < bounds[piece + 1]; ++d) {
            worker->document(documents.data, documents.begin(d), documents.end(d), documents.size);
            const TokenSink& sink = worker->sink;
            out.hashes.append(sink.hashes, sink.count);
            out.starts.append(sink.starts, sink.count);
            out.ends.append(sink.ends, sink.count);
            out.offsets.push(static_cast<std::int64_t>(out.hashes.size));
        }
    });
    workers.clear();
    TokenBatch whole;
    whole.offsets.push(0);
    std::vector<std::size_t> places;
    std::size_t total = 0;
    for (const TokenBatch& piece : pieces) {
        places.push_back(total);
        for (std::size_t d = 0; d < piece.offsets.size; ++d)
            whole.offsets.push(static_cast<std::int64_t>(total) + piece.offsets[d]);
        total += piece.hashes.size;
    }
    whole.hashes = Buffer<std::uint64_t>(total);
    whole.starts = Buffer<std::int64_t>(total);
    whole.ends = Buffer<std::int64_t>(total);
    parallel_for(count, threads, [&](std::size_t i, int) {
        const TokenBatch piece = std::move(pieces[i]);
        if (piece.hashes.size == 0) return;
        std::copy_n(piece.hashes.data(), piece.hashes.size, whole.hashes.data() + places[i]);
        std::copy_n(piece.starts.data(), piece.starts.size, whole.starts.data() + places[i]);
        std::copy_n(piece.ends.data(), piece.ends.size, whole.ends.data() + places[i]);
    });
    return whole;
}

WordBatch normalized_words(const Documents& documents, Cjk cjk) {
    Tokenizer tokenizer({.cjk = cjk, .text = true});
    WordBatch out;
    out.offsets.push(0);
    out.word_offsets.push(0);
    for (std::size_t d = 0; d < documents.count; ++d) {
        tokenizer.document(documents.data, documents.begin(d), documents.end(d), documents.size);
        const std::int64_t base = static_cast<std::int64_t>(out.text.size);
        out.text.append(tokenizer.text.data(), tokenizer.text.size);
        for (std::size_t i = 0; i < tokenizer.text_ends.size; ++i)
            out.word_offsets.push(base + tokenizer.text_ends[i]);
        out.offsets.push(static_cast<std::int64_t>(out.word_offsets.size) - 1);
    }
    return out;
}

WordFrequencies word_frequencies(const Documents& documents, std::uint64_t seed, Cjk cjk, int threads) {
    const std::vector<std::size_t> bounds = pieces_of(documents);
    struct Worker {
        Worker(std::uint64_t seed, Cjk cjk) : tokenizer({.seed = seed, .cjk = cjk, .spans = true}) {}
        Tokenizer tokenizer;
        CountTable table;
    };
    std::vector<std::unique_ptr<Worker>> workers(static_cast<std::size_t>(threads));
    parallel_for(bounds.size() - 1, threads, [&](std::size_t piece, int thread) {
        auto& worker = workers[static_cast<std::size_t>(thread)];
        if (!worker) worker = std::make_unique<Worker>(seed, cjk);
        for (std::size_t d = bounds[piece]; d < bounds[piece + 1]; ++d) {
            worker->tokenizer.document(documents.data, documents.begin(d), documents.end(d), documents.size);
            const TokenSink& sink = worker->tokenizer.sink;
            for (std::size_t i = 0; i < sink.count; ++i) {
                CountTable::Word& word = worker->table.at(sink.hashes[i]);
                // Pieces reach a thread in ascending order, so its first place is its earliest.
                if (word.occurrences++ == 0) word.start = sink.starts[i], word.end = sink.ends[i];
                if (word.last_document != d) ++word.documents;
                word.last_document = d;
            }
        }
    });
    CountTable all;
    for (auto& worker : workers) {
        if (!worker) continue;
        for (const CountTable::Word& word : worker->table.words())
            if (word.occurrences != 0) all.add(word);
        worker.reset();
    }
    std::vector<const CountTable::Word*> order;
    order.reserve(all.used());
    for (const CountTable::Word& word : all.words())
        if (word.occurrences != 0) order.push_back(&word);
    std::sort(order.begin(), order.end(), [](const auto* x, const auto* y) { return x->hash < y->hash; });
    WordFrequencies out;
    for (const CountTable::Word* word : order) {
        out.hashes.push(word->hash);
        out.occurrences.push(word->occurrences);
        out.documents.push(word->documents);
        out.starts.push(word->start);
        out.ends.push(word->end);
    }
    return out;
}

}  // namespace samecore
