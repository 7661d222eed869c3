// Run numbered pieces of work on a few threads. Results must depend on the piece
// alone, never on the thread, so that any number of threads gives the same bytes.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace samecore {

// Calls work(piece, thread) for piece in [0, pieces); `thread` in [0, threads) may
// index scratch memory. The first exception thrown is rethrown here.
template <class Work>
void parallel_for(std::size_t pieces, int threads, Work&& work) {
    if (threads <= 1 || pieces <= 1) {
        for (std::size_t piece = 0; piece < pieces; ++piece) work(piece, 0);
        return;
    }
    std::atomic<std::size_t> next{0};
    std::exception_ptr failure;
    std::mutex guard;
    auto run = [&](int thread) {
        try {
            for (std::size_t piece; (piece = next.fetch_add(1)) < pieces;) work(piece, thread);
        } catch (...) {
            std::lock_guard<std::mutex> lock(guard);
            if (!failure) failure = std::current_exception();
            next.store(pieces);
        }
    };
    std::vector<std::thread> pool;
    for (int thread = 1; thread < threads; ++thread) pool.emplace_back(run, thread);
    run(0);
    for (std::thread& thread : pool) thread.join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace samecore
