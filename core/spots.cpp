#include "spots.hpp"

#include <algorithm>
#include <bit>
#include <memory>

#include "hash.hpp"

namespace samecore {
namespace {

// Where an antecedent or stop word was met.
struct Hit {
    std::size_t token;  // the word it is (a character sequence: the word that starts with it)
    std::size_t next;   // the first word after it
    std::size_t start, end;  // its bytes; only if spans are asked for
    std::uint32_t entry;
    bool is_word;  // whether `token` exists: the last character of a run starts none
};

// One document at a time: words, hits, the language, stop words as bits.
class Finder {
   public:
    Finder(const SpotTable& table, bool spans)
        : table_(table),
          spans_(spans),
          tokenizer({.seed = table.options().seed,
                     .cjk = table.options().cjk,
                     .spans = spans,
                     .runs = table.has_characters()}) {}

    void document(const std::uint8_t* data, std::size_t begin, std::size_t end, std::size_t size) {
        tokenizer.document(data, begin, end, size);
        count_ = tokenizer.sink.count;
        find_words();
        find_characters();
        language = table_.languages() == 1 ? std::uint8_t{0} : guess();
        if (language != no_language && table_.options().skip_stop_words) mark_stop_words();
    }

    // Calls visit(key, hit, chain, length) for every spot, first those of words in the
    // order of the text, then those of character sequences in the order of the text.
    template <class Visit>
    void spots(Visit&& visit) const {
        if (language == no_language) return;
        for (std::size_t i = 0; i < words_.size; ++i) {
            const SpotTable::Entry& entry = table_.entry(words_[i] & 0xffff);
            if (!(entry.spec_mask >> language & 1)) continue;
            const std::size_t token = words_[i] >> 16;
            Hit hit{token, token + 1, 0, 0, static_cast<std::uint32_t>(words_[i] & 0xffff), true};
            if (spans_) {
                hit.start = static_cast<std::size_t>(tokenizer.sink.starts[token]);
                hit.end = static_cast<std::size_t>(tokenizer.sink.ends[token]);
            }
            chains(entry, hit, visit);
        }
        for (const Hit& hit : sequences_) {
            const SpotTable::Entry& entry = table_.entry(hit.entry);
            if (entry.spec_mask >> language & 1) chains(entry, hit, visit);
        }
    }

    std::uint8_t language = no_language;

   private:
    void find_words() {
        words_.reserve(count_ + 1);
        const std::uint64_t* hashes = tokenizer.sink.hashes;
        std::uint64_t* out = words_.data();
        std::size_t found = 0;
        for (std::size_t i = 0; i < count_; ++i) {  // always write, keep if it was one: no branch to miss
            const std::uint32_t entry = table_.find(hashes[i]);
            out[found] = static_cast<std::uint64_t>(i) << 16 | entry;
            found += entry != 0;
        }
        words_.size = found;
    }

    void find_characters() {
        sequences_.clear();
        for (const Run& run : tokenizer.runs) {
            const std::size_t tokens = run.tokens(Cjk::bigrams);
            const std::uint32_t* codes = tokenizer.run_codes.data() + run.first_char;
            for (std::size_t i = 0; i < run.length; ++i) {
                std::uint32_t found[max_characters], lengths[max_characters];
                const std::size_t count = table_.find_characters(codes + i, run.length - i, found, lengths);
                for (std::size_t k = 0; k < count; ++k) {
                    const std::size_t last = run.first_char + i + lengths[k] - 1;
                    Hit hit{run.first_token + i, run.first_token + std::min<std::size_t>(i + lengths[k], tokens),
                            0, 0, found[k], i < tokens};
                    if (spans_) {
                        hit.start = tokenizer.run_starts[run.first_char + i];
                        hit.end = tokenizer.run_ends[last];
                    }
                    sequences_.push_back(hit);
                }
            }
        }
    }

    // The language with most stop words; the first of equals.
    std::uint8_t guess() const {
        std::uint64_t totals[max_languages] = {}, votes[2] = {};
        std::size_t pending = 0;
        auto flush = [&] {
            for (std::size_t l = 0; l < max_languages; ++l) totals[l] += votes[l / 8] >> (l % 8 * 8) & 0xff;
            votes[0] = votes[1] = 0;
            pending = 0;
        };
        // One byte per language, up to 2 per vote: 127 votes fit before it must be emptied.
        auto add = [&](const SpotTable::Entry& entry) {
            votes[0] += entry.votes[0];
            votes[1] += entry.votes[1];
            if (++pending == 127) flush();
        };
        for (std::size_t i = 0; i < words_.size; ++i) add(table_.entry(words_[i] & 0xffff));
        for (const Hit& hit : sequences_) add(table_.entry(hit.entry));
        flush();
        const std::uint64_t* best = std::max_element(totals, totals + table_.languages());
        return *best == 0 ? no_language : static_cast<std::uint8_t>(best - totals);
    }

    void mark_stop_words() {
        stops_.size = count_ / 64 + 2;
        stops_.reserve(stops_.size);
        std::fill_n(stops_.data(), stops_.size, 0);
        auto mark = [&](std::size_t token, std::uint32_t entry) {
            stops_[token / 64] |= static_cast<std::uint64_t>(table_.entry(entry).stop_mask >> language & 1) << (token % 64);
        };
        for (std::size_t i = 0; i < words_.size; ++i)
            mark(words_[i] >> 16, static_cast<std::uint32_t>(words_[i] & 0xffff));
        for (const Hit& hit : sequences_)
            if (hit.is_word) mark(hit.token, hit.entry);
    }

    // The first word at or after `token` (which exists) that is not a stop word; may be the end.
    std::size_t skip(std::size_t token) const {
        for (;;) {
            const std::uint64_t rest = ~(stops_[token / 64] >> (token % 64));
            const std::size_t run = static_cast<std::size_t>(std::countr_zero(rest));
            if (run < 64 - token % 64) return token + run;
            token = (token / 64 + 1) * 64;
            if (token >= count_) return token;
        }
    }

    template <class Visit>
    void chains(const SpotTable::Entry& entry, const Hit& hit, Visit&& visit) const {
        const SpotOptions& options = table_.options();
        const SpotTable::Range range = table_.specs_of(entry, language);
        for (std::uint32_t s = range.first; s < range.last; ++s) {
            const SpotTable::Spec& spec = table_.spec(s);
            std::uint64_t key = spec.prefix;
            std::size_t chain[max_steps];
            std::uint32_t length = 0;
            std::size_t at = hit.next - 1;
            for (; length < spec.count; ++length) {
                at += spec.steps[length];
                if (at >= count_) break;
                if (options.skip_stop_words && (at = skip(at)) >= count_) break;
                key = combine(key, tokenizer.sink.hashes[at]);
                chain[length] = at;
            }
            if (length == spec.count || (options.partial && length > 0)) visit(finish(key), hit, chain, length);
        }
    }

    const SpotTable& table_;
    bool spans_;
    std::size_t count_ = 0;
    Buffer<std::uint64_t> words_;  // token << 16 | entry
    std::vector<Hit> sequences_;
    Buffer<std::uint64_t> stops_;  // bit per word

   public:
    Tokenizer tokenizer;
};

}  // namespace

SpotCsr extract_spots(const Documents& documents, const SpotTable& table, int threads) {
    const std::vector<std::size_t> bounds = pieces_of(documents);
    std::vector<Csr> pieces(bounds.size() - 1);
    Buffer<std::uint8_t> languages(documents.count);
    struct Worker {
        explicit Worker(const SpotTable& table) : finder(table, false) {}
        Finder finder;
        Buffer<std::uint64_t> loose, spare;
    };
    std::vector<std::unique_ptr<Worker>> workers(static_cast<std::size_t>(threads));
    parallel_for(pieces.size(), threads, [&](std::size_t piece, int thread) {
        auto& worker = workers[static_cast<std::size_t>(thread)];
        if (!worker) worker = std::make_unique<Worker>(table);
        for (std::size_t d = bounds[piece]; d < bounds[piece + 1]; ++d) {
            worker->finder.document(documents.data, documents.begin(d), documents.end(d), documents.size);
            worker->loose.size = 0;
            worker->finder.spots([&](std::uint64_t key, const Hit&, const std::size_t*, std::uint32_t) {
                worker->loose.push(key);
            });
            pieces[piece].add_document(worker->loose, worker->spare);
            languages[d] = worker->finder.language;
        }
    });
    workers.clear();
    return {join_pieces(pieces, threads), std::move(languages)};
}

SpotOccurrences spot_occurrences(const std::uint8_t* text, std::size_t size, const SpotTable& table) {
    Finder finder(table, true);
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
