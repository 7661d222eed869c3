// Hashes of whole texts: to see later whether a document has changed.
#include <nanobind/nanobind.h>

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "arrays.hpp"
#include "hash.hpp"
#include "parallel.hpp"

namespace nb = nanobind;
using namespace samecore;

void bind_contents(nb::module_& m) {
    m.def(
        "text_hashes",
        [](In<std::uint8_t> data, In<std::int64_t> offsets, int threads) {
            const std::size_t count = offsets.size() == 0 ? 0 : offsets.size() - 1;
            for (std::size_t i = 0; i < count; ++i)
                if (offsets(i) < 0 || offsets(i) > offsets(i + 1) ||
                    offsets(i + 1) > static_cast<std::int64_t>(data.size()))
                    throw std::invalid_argument("offsets: expected ascending positions within the data");
            std::vector<std::uint64_t> hashes(count);
            {
                nb::gil_scoped_release unlocked;
                constexpr std::size_t piece_size = 256;
                parallel_for((count + piece_size - 1) / piece_size, threads, [&](std::size_t piece, int) {
                    const std::size_t end = std::min(count, (piece + 1) * piece_size);
                    for (std::size_t i = piece * piece_size; i < end; ++i)
                        hashes[i] = hash_bytes(data.data() + offsets(i),
                                               static_cast<std::size_t>(offsets(i + 1) - offsets(i)), 0);
                });
            }
            return give(std::move(hashes));
        },
        nb::arg("data"), nb::arg("offsets"), nb::kw_only(), nb::arg("threads") = 1,
        "A stable 64-bit hash of the bytes of each text.");
}
