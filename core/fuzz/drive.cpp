// A stand-in for libFuzzer: seeded random inputs and mutations of what went before, for
// a number of seconds.   fuzz_text [seconds = 10] [seed = 1]
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* input, std::size_t size);

int main(int count, char** arguments) {
    const double seconds = count > 1 ? std::atof(arguments[1]) : 10;
    std::mt19937_64 random(count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 1);
    // Scraps that meet the rules, and some that break UTF-8.
    const std::vector<std::string> scraps = {
        "the ", "a ", "is ", "word", " ", ".", "\n", "É", "e\u0301", "\u0323", "ß", "½", "\u00ad", "\u200b", "中国的", "日", "です",
        "ｶﾞ", "か\u3099", "ㅎ", "\u1112\u1161\u11ab", "한", "ที่", "น้ำ", "ﷺ", "㌖", "𝐀", "😀", "\u0f71\u0f72\u0f74", "\xff", "\xe3\x81",
        "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc0\x80", "\x80", std::string(1, '\0'), "abcdefghijklmnop", "ABCDEFGHIJKLMNOPQ"};
    std::vector<std::string> kept{"the story of a core"};
    const auto stop = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    std::uint64_t runs = 0;
    while (std::chrono::steady_clock::now() < stop) {
        std::string input;
        if (random() % 3 == 0) {
            input.resize(random() % 200);
            for (char& c : input) c = static_cast<char>(random());
        } else {
            input = kept[random() % kept.size()];
            for (std::uint64_t i = random() % 12; i > 0; --i) {
                const std::size_t at = random() % (input.size() + 1);
                switch (random() % 5) {
                    case 0: input.insert(at, scraps[random() % scraps.size()]); break;
                    case 1: input.insert(at, 1 + random() % 70, static_cast<char>(random() % 2 ? 'x' : random())); break;
                    case 2: input.erase(at, random() % 40); break;
                    case 3: if (at < input.size()) input[at] = static_cast<char>(input[at] ^ 1 << random() % 8); break;
                    default: input += input.substr(at, random() % 100);
                }
            }
            if (input.size() > 4000) input.resize(4000);
        }
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
        ++runs;
        if (kept.size() < 500) kept.push_back(input);
        else kept[random() % kept.size()] = input;
    }
    std::printf("%llu inputs, no failure\n", static_cast<unsigned long long>(runs));
}
