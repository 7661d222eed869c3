#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <bit>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "frequencies.hpp"
#include "index_build.hpp"
#include "index_recent.hpp"
#include "index_search.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace samecore;

namespace {

using I64 = In<std::int64_t>;
using U64 = In<std::uint64_t>;
using U32 = In<std::uint32_t>;
using Prints = nb::ndarray<const std::uint64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Lists = std::tuple<Out<std::uint32_t>, Out<std::uint64_t>, Out<std::uint32_t>, Out<std::uint32_t>>;
using Hits = std::tuple<Out<std::uint32_t>, Out<std::uint32_t>, Out<std::uint32_t>, Out<std::uint32_t>>;

// The arrays of a segment, usually of a mapped file, held as long as they are looked at.
struct Segment {
    U32 numbers, sizes, starts;
    U64 keys;
    U32 values, words;
    std::optional<Prints> prints;
    SegmentView view;
};

struct Reader {
    std::vector<nb::object> held;
    std::unique_ptr<IndexReader> reader;
    std::size_t print_words = 0;
};

void check_threads(int threads) {
    if (threads < 1) throw std::invalid_argument("threads: expected at least 1, found " + std::to_string(threads));
}

void check_length(const char* name, std::size_t found, std::size_t expected) {
    if (found != expected)
        throw std::invalid_argument(std::string(name) + ": expected " + std::to_string(expected) + ", found " +
                                    std::to_string(found));
}

IndexRows rows_of(const I64& offsets, const U64& keys, const U32& counts, const std::optional<U32>& weights) {
    if (offsets.size() == 0) throw std::invalid_argument("offsets: expected at least one, found none");
    check_length("counts", counts.size(), keys.size());
    if (weights) check_length("weights", weights->size(), keys.size());
    if (offsets.size() - 1 >= kNoContent) throw std::invalid_argument("offsets: expected fewer than 2**32 - 1 rows");
    const Rows rows{offsets.data(), keys.data(), counts.data(), weights ? weights->data() : nullptr, offsets.size() - 1};
    check_rows(rows, keys.size(), 1);
    return {offsets.data(), keys.data(), counts.data(), offsets.size() - 1};
}

Lists give_lists(SegmentLists&& lists) {
    return {give(std::move(lists.starts)), give(std::move(lists.keys)), give(std::move(lists.values)),
            give(std::move(lists.words))};
}

Hits give_hits(const IndexHits& hits) {
    std::vector<std::uint32_t> columns[4];
    for (auto& column : columns) column.reserve(hits.size());
    for (const IndexHit& hit : hits) {
        columns[0].push_back(hit.row);
        columns[1].push_back(hit.content);
        columns[2].push_back(hit.overlap);
        columns[3].push_back(hit.joint);
    }
    return {give(std::move(columns[0])), give(std::move(columns[1])), give(std::move(columns[2])),
            give(std::move(columns[3]))};
}

void make_segment(Segment* self, U32 numbers, U32 sizes, U32 starts, U64 keys, U32 values, U32 words,
                  std::optional<Prints> prints) {
    check_length("sizes", sizes.size(), numbers.size());
    check_length("values", values.size(), keys.size());
    if (prints) check_length("prints", prints->shape(0), numbers.size());
    SegmentView view;
    view.numbers = numbers.data();
    view.sizes = sizes.data();
    view.contents = numbers.size();
    view.starts = starts.data();
    view.bits = starts.size() < 2 ? 0 : static_cast<unsigned>(std::bit_width(starts.size() - 1) - 1);
    view.keys = keys.data();
    view.values = values.data();
    view.key_count = keys.size();
    view.words = words.data();
    view.word_count = words.size();
    if (prints) {
        view.prints = prints->data();
        view.print_words = prints->shape(1);
    }
    view.check(starts.size());
    new (self) Segment{std::move(numbers), std::move(sizes), std::move(starts), std::move(keys),
                       std::move(values), std::move(words), std::move(prints), view};
}

}  // namespace

void bind_index(nb::module_& m) {
    nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
        try {
            std::rethrow_exception(thrown);
        } catch (const DamagedSegment& error) {
            PyErr_SetString(PyExc_BufferError, error.what());
        }
    });

    nb::class_<Segment>(m, "IndexSegment", "The arrays of one segment of an index; BufferError if they are damaged.")
        .def("__init__", &make_segment, "numbers"_a, "sizes"_a, "starts"_a, "keys"_a, "values"_a, "words"_a,
             "prints"_a.none())
        .def("damage", [](const Segment& self) {
            nb::gil_scoped_release unlocked;
            return std::string(find_damage(self.view));
        }, "What is wrong with the arrays, or ''. Reads everything.");

    nb::class_<RecentContents>(m, "IndexRecent", "Contents that are in no segment yet.")
        .def(nb::init<std::size_t>(), "print_words"_a)
        .def("__len__", &RecentContents::size)
        .def(
            "add",
            [](RecentContents& self, const U32& numbers, const U32& sizes, const I64& offsets, const U64& keys,
               const U32& counts, const std::optional<Prints>& prints) {
                const IndexRows rows = rows_of(offsets, keys, counts, std::nullopt);
                check_length("numbers", numbers.size(), rows.documents);
                check_length("sizes", sizes.size(), rows.documents);
                if (self.print_words() > 0) {
                    if (!prints) throw std::invalid_argument("prints: expected fingerprints, found none");
                    check_length("prints", prints->shape(0), rows.documents);
                    check_length("words of a fingerprint", prints->shape(1), self.print_words());
                }
                for (std::size_t i = 0; i < rows.documents; ++i)
                    self.add(numbers.data()[i], sizes.data()[i], rows.keys + rows.offsets[i], rows.counts + rows.offsets[i],
                             static_cast<std::size_t>(rows.offsets[i + 1] - rows.offsets[i]),
                             self.print_words() > 0 ? prints->data() + i * self.print_words() : nullptr);
            },
            "numbers"_a, "sizes"_a, "offsets"_a, "keys"_a, "counts"_a, "prints"_a.none());

    nb::class_<Reader>(m, "IndexReader", "Queries against segments and recent contents. One call at a time.")
        .def(
            "__init__",
            [](Reader* self, const nb::list& segments, const nb::object& recent, std::size_t print_words) {
                std::vector<SegmentView> views;
                std::vector<nb::object> held;
                for (nb::handle one : segments) {
                    const SegmentView& view = nb::cast<const Segment&>(one).view;
                    check_length("words of a fingerprint", view.print_words, print_words);
                    views.push_back(view);
                    held.push_back(nb::borrow(one));
                }
                held.push_back(recent);
                const RecentContents& contents = nb::cast<const RecentContents&>(recent);
                check_length("words of a fingerprint", contents.print_words(), print_words);
                new (self) Reader{std::move(held), std::make_unique<IndexReader>(std::move(views), &contents),
                                  print_words};
            },
            "segments"_a, "recent"_a, "print_words"_a,
            nb::sig("def __init__(self, segments: list[IndexSegment], recent: IndexRecent, print_words: int) -> None"))
        .def(
            "search",
            [](Reader& self, const I64& offsets, const U64& keys, const U32& counts, const std::optional<U32>& weights,
               std::uint64_t num, std::uint64_t den, int threads) {
                check_threads(threads);
                if (num == 0 || num > den || den >= 0x80000000ull)
                    throw std::invalid_argument("threshold: expected 0 < num <= den < 2**31, found " +
                                                std::to_string(num) + "/" + std::to_string(den));
                const IndexRows rows = rows_of(offsets, keys, counts, weights);
                IndexHits hits;
                {
                    nb::gil_scoped_release unlocked;
                    hits = self.reader->search(rows, weights ? weights->data() : nullptr, {num, den}, threads);
                }
                return give_hits(hits);
            },
            "offsets"_a, "keys"_a, "counts"_a, "weights"_a.none(), "num"_a, "den"_a, "threads"_a,
            "(row, content, overlap, union) of every content with Jaccard >= num/den, by (row, content).")
        .def(
            "identical",
            [](Reader& self, const I64& offsets, const U64& keys, const U32& counts, int threads) {
                check_threads(threads);
                const IndexRows rows = rows_of(offsets, keys, counts, std::nullopt);
                std::vector<std::uint32_t> found;
                {
                    nb::gil_scoped_release unlocked;
                    found = self.reader->identical(rows, threads);
                }
                return give(std::move(found));
            },
            "offsets"_a, "keys"_a, "counts"_a, "threads"_a,
            "Per row the number of a content with exactly these keys and counts, or 2**32 - 1.")
        .def(
            "search_bits",
            [](Reader& self, const Prints& prints, std::uint32_t blocks, std::uint32_t max_bits, int threads) {
                check_threads(threads);
                check_length("words of a fingerprint", prints.shape(1), self.print_words);
                IndexHits hits;
                {
                    nb::gil_scoped_release unlocked;
                    hits = self.reader->search_bits(prints.data(), prints.shape(0), prints.shape(1), blocks, max_bits,
                                                    threads);
                }
                return give_hits(hits);
            },
            "prints"_a, "blocks"_a, "max_bits"_a, "threads"_a,
            "(row, content, differing bits, bits) of every content within max_bits, by (row, content).");

    m.def(
        "index_build",
        [](const I64& offsets, const U64& keys, const U32& counts, const U32& order) {
            const IndexRows rows = rows_of(offsets, keys, counts, std::nullopt);
            check_length("order", order.size(), rows.documents);
            std::vector<bool> met(rows.documents, false);
            for (std::size_t i = 0; i < order.size(); ++i) {
                const std::size_t row = order.data()[i];
                if (row >= rows.documents || met[row])
                    throw std::invalid_argument("order: expected every row once, found " + std::to_string(row));
                met[row] = true;
            }
            SegmentLists lists;
            {
                nb::gil_scoped_release unlocked;
                lists = build_lists(rows, order.data());
            }
            return give_lists(std::move(lists));
        },
        "offsets"_a, "keys"_a, "counts"_a, "order"_a,
        "(starts, keys, values, words) of a segment of these rows, taken in `order`.");
    m.def(
        "index_merge",
        [](const std::vector<Segment*>& segments, const std::vector<U32>& places, unsigned part, unsigned bits) {
            check_length("places", places.size(), segments.size());
            if (part >= (1u << kMergeBits) || bits < kMergeBits || bits > kMaxBucketBits)
                throw std::invalid_argument("part: expected 0 to 63, with 6 to 28 bits");
            std::vector<SegmentView> views;
            std::vector<const std::uint32_t*> to;
            for (std::size_t s = 0; s < segments.size(); ++s) {
                check_length("places", places[s].size(), segments[s]->view.contents);
                views.push_back(segments[s]->view);
                to.push_back(places[s].data());
            }
            SegmentLists lists;
            {
                nb::gil_scoped_release unlocked;
                lists = merge_part(views, to, part, bits);
            }
            return give_lists(std::move(lists));
        },
        "segments"_a, "places"_a, "part"_a, "bits"_a,
        "(starts, keys, values, words) of one of 64 parts of the merged segment, counted from the part's beginning.");
    m.def(
        "index_blocks",
        [](const Prints& prints, std::uint32_t blocks) {
            std::vector<std::uint64_t> keys;
            keys.reserve(prints.shape(0) * blocks);
            for (std::size_t i = 0; i < prints.shape(0); ++i)
                for (const std::uint64_t key : fingerprint_blocks(prints.data() + i * prints.shape(1), prints.shape(1), blocks))
                    keys.push_back(key);
            return give(std::move(keys));
        },
        "prints"_a, "blocks"_a, "The blocks of each fingerprint as keys, ascending, row after row.");
}
