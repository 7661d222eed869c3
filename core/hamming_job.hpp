// What the ways of finding pairs within k bits share: the question, and where answers go.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "hamming.hpp"
#include "hamming_plan.hpp"
#include "hamming_scan.hpp"

namespace samecore::hamming {

inline constexpr std::size_t kSampleRows = 256;
inline constexpr std::uint32_t kHalfLimit = 5;  // up to here 32 bits reject all but 1 in 10,000 random pairs

struct Found {
    std::uint32_t left, right;
    std::uint32_t distance;
};

// Half the width and never a larger distance. All bits still have a say, so it does not
// matter which of them a run agrees on.
inline std::uint32_t fold(std::uint64_t word) { return static_cast<std::uint32_t>(word ^ (word >> 32)); }

// One question. Items are numbered through: the queries first, then what is stored.
struct Job {
    Fingerprints left, right;  // the queries, and what is looked up (self join: empty)
    bool self;
    HammingOptions options;
    const ScanKernel* scan;
    Costs costs;
    std::atomic<std::uint64_t>* total;

    std::size_t size() const { return left.count + right.count; }
    std::size_t words() const { return left.words; }
    const std::uint64_t* row(std::size_t id) const {
        return id < left.count ? left.row(id) : right.row(id - left.count);
    }
};

// Pairs found by one thread; the guard sees the sum over threads every few thousand.
class Sink {
public:
    explicit Sink(const Job& job) : job_(job) {}

    void add(std::uint32_t a, std::uint32_t b, std::uint32_t distance) {
        if (a > b) std::swap(a, b);
        found_.push_back({a, job_.self ? b : b - static_cast<std::uint32_t>(job_.left.count), distance});
        if (found_.size() - reported_ >= 4096) report();
    }
    void report() {
        const std::uint64_t sum = job_.total->fetch_add(found_.size() - reported_) + found_.size() - reported_;
        reported_ = found_.size();
        if (sum > job_.options.max_pairs)
            throw std::length_error("expected at most max_pairs = " + std::to_string(job_.options.max_pairs) +
                                    " pairs within " + std::to_string(job_.options.limit) +
                                    " bits, found more; ask for fewer bits or raise max_pairs");
    }
    std::vector<Found> found_;

private:
    const Job& job_;
    std::size_t reported_ = 0;
};

// Both append one list of pairs per thread, each pair once, in no order.
void search_tables(const Job& job, const std::vector<Block>& blocks, std::vector<std::vector<Found>>& out);
void search_brute(const Job& job, std::vector<std::vector<Found>>& out);

}  // namespace samecore::hamming
