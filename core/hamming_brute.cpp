#include <algorithm>

#include "hamming_job.hpp"
#include "parallel.hpp"

namespace samecore::hamming {

// Every pair, in tiles of rows laid out by column so that the lanes of one instruction
// hold different rows; far pairs are given up after a few words.
void search_brute(const Job& job, std::vector<std::vector<Found>>& out) {
    const Fingerprints& rows = job.self ? job.left : job.right;
    const std::size_t words = job.words();
    const std::size_t tiles = (rows.count + kScanRows - 1) / kScanRows;
    constexpr std::size_t kQueries = 1 << 14;
    const std::size_t chunks = (job.left.count + kQueries - 1) / kQueries;
    std::vector<Sink> sinks(static_cast<std::size_t>(job.options.threads), Sink(job));
    std::vector<std::vector<std::uint64_t>> columns(sinks.size());
    for (auto& column : columns) column.resize(kScanRows * words);

    parallel_for(tiles * chunks, job.options.threads, [&](std::size_t piece, int thread) {
        const std::size_t lo = piece / chunks * kScanRows;
        const std::size_t count = std::min(kScanRows, rows.count - lo);
        const std::size_t from = piece % chunks * kQueries;
        const std::size_t to = std::min({from + kQueries, job.left.count, job.self ? lo + count - 1 : job.left.count});
        if (from >= to) return;
        std::uint64_t* tile = columns[static_cast<std::size_t>(thread)].data();
        for (std::size_t row = 0; row < count; ++row)
            for (std::size_t word = 0; word < words; ++word) tile[word * kScanRows + row] = rows.row(lo + row)[word];
        std::uint32_t index[kScanRows];
        std::uint32_t distance[kScanRows];
        Sink& sink = sinks[static_cast<std::size_t>(thread)];
        for (std::size_t query = from; query < to; ++query) {
            const std::size_t skip = job.self && query >= lo ? query + 1 - lo : 0;
            const std::size_t found = job.scan->rows(tile + skip, kScanRows, count - skip, job.left.row(query), words,
                                                     job.options.limit, index, distance);
            const std::size_t base = lo + skip + (job.self ? 0 : job.left.count);
            for (std::size_t h = 0; h < found; ++h)
                sink.add(static_cast<std::uint32_t>(query), static_cast<std::uint32_t>(base + index[h]), distance[h]);
        }
    });
    for (Sink& sink : sinks) {
        sink.report();
        out.push_back(std::move(sink.found_));
    }
}

}  // namespace samecore::hamming
