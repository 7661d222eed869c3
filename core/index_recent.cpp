#include "index_recent.hpp"

#include <stdexcept>

namespace samecore {

void RecentContents::add(std::uint32_t number, std::uint32_t size, const std::uint64_t* keys,
                         const std::uint32_t* counts, std::size_t length, const std::uint64_t* print) {
    if (nodes_.size() + length >= kEnd) throw std::overflow_error("recent contents: too many keys");
    const std::uint32_t content = static_cast<std::uint32_t>(numbers_.size());
    numbers_.push_back(number);
    sizes_.push_back(size);
    if (print_words_ > 0) {  // fingerprints are few enough here to be looked at one by one
        prints_.insert(prints_.end(), print, print + print_words_);
        return;
    }
    keys_.insert(keys_.end(), keys, keys + length);
    counts_.insert(counts_.end(), counts, counts + length);
    offsets_.push_back(keys_.size());
    for (std::size_t i = 0; i < length; ++i) {
        if (2 * (used_ + 1) > table_.size()) grow();
        const std::uint64_t mixed = mix_key(keys[i]);
        Chain& chain = slot(mixed);
        if (chain.length == 0) {
            chain.key = mixed;
            chain.head = kEnd;
            ++used_;
        }
        nodes_.push_back({content, counts[i], chain.head});
        chain.head = static_cast<std::uint32_t>(nodes_.size() - 1);
        ++chain.length;
    }
}

const RecentContents::Chain* RecentContents::find(std::uint64_t mixed) const {
    if (table_.empty()) return nullptr;
    const Chain& chain = const_cast<RecentContents*>(this)->slot(mixed);
    return chain.length == 0 ? nullptr : &chain;
}

RecentContents::Chain& RecentContents::slot(std::uint64_t mixed) {
    const std::size_t mask = table_.size() - 1;
    std::size_t at = static_cast<std::size_t>(mixed) & mask;
    while (table_[at].length != 0 && table_[at].key != mixed) at = (at + 1) & mask;
    return table_[at];
}

void RecentContents::grow() {
    std::vector<Chain> old = std::move(table_);
    table_.assign(old.empty() ? 1024 : 2 * old.size(), Chain{0, kEnd, 0});
    for (const Chain& chain : old)
        if (chain.length != 0) slot(chain.key) = chain;
}

}  // namespace samecore
