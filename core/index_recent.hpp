// The contents not yet in a segment: a hash table of keys with chained postings, and the
// rows themselves. It only grows; the index starts a new one when a segment is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "index_segment.hpp"

namespace samecore {

class RecentContents {
public:
    explicit RecentContents(std::size_t print_words) : print_words_(print_words) {}

    struct Node {
        std::uint32_t content, count, next;
    };
    struct Chain {
        std::uint64_t key;     // mixed
        std::uint32_t head;    // newest node, kEnd for none
        std::uint32_t length;  // 0 marks a free slot
    };
    static constexpr std::uint32_t kEnd = 0xffffffffu;

    // Keys ascend and are not mixed.
    void add(std::uint32_t number, std::uint32_t size, const std::uint64_t* keys, const std::uint32_t* counts,
             std::size_t length, const std::uint64_t* print);

    std::size_t size() const { return numbers_.size(); }
    std::size_t print_words() const { return print_words_; }
    std::uint32_t number(std::size_t at) const { return numbers_[at]; }
    std::uint32_t weight(std::size_t at) const { return sizes_[at]; }
    const std::uint64_t* print(std::size_t at) const { return prints_.data() + at * print_words_; }
    const Node& node(std::uint32_t at) const { return nodes_[at]; }
    // nullptr if no content has the key.
    const Chain* find(std::uint64_t mixed) const;

    struct Row {
        const std::uint64_t* keys;
        const std::uint32_t* counts;
        std::size_t length;
    };
    Row row(std::size_t at) const {
        return {keys_.data() + offsets_[at], counts_.data() + offsets_[at], offsets_[at + 1] - offsets_[at]};
    }

private:
    Chain& slot(std::uint64_t mixed);
    void grow();

    std::size_t print_words_;
    std::vector<std::uint32_t> numbers_, sizes_;
    std::vector<std::size_t> offsets_{0};
    std::vector<std::uint64_t> keys_, prints_;
    std::vector<std::uint32_t> counts_;
    std::vector<Node> nodes_;
    std::vector<Chain> table_;
    std::size_t used_ = 0;
};

}  // namespace samecore
