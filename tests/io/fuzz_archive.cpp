// SPDX-License-Identifier: BSL-1.0
// A fuzz target: for any bytes, opening and loading them ends with a result and touches no other memory.
//
//     clang++-19 -std=c++20 -O1 -g -fsanitize=fuzzer,address,undefined -Iinclude -isystem <xsimd>
//     tests/io/fuzz_archive.cpp
//     ./a.out -max_len=4096 found tests/io/corpus
//
// tests/io/corpus_test.cpp replays the corpus without a fuzzer.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>

#include <ashlar/io/model/load.hpp>
#include <ashlar/tensor/tensor.hpp>

namespace fuzz_archive {

/// Small arrays of every kind that loading distinguishes, so that mutated files still match some of them.
struct model {
    ashlar::tensor<float, 2, 3> weight;
    ashlar::tensor<float, 3, 1> query, key;
    ashlar::tensor<double, 3> bias;
    ashlar::tensor<std::int16_t, 2> ids;
    ashlar::tensor<bool, 3> flags;

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("weight", ashlar::nn::transposed(self.weight));
        visit("in_proj", ashlar::nn::stacked(ashlar::nn::transposed(self.query), ashlar::nn::transposed(self.key)));
        visit("bias", self.bias);
        visit("ids", self.ids);
        visit("flags", self.flags);
    }
};

inline constexpr ashlar::io::name_rule names[]{{"in_proj[*]", "proj.*"}, {"in_proj", "in_proj"}};

inline void require(bool holds) {
    if (!holds) std::abort();
}

}  // namespace fuzz_archive

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace ashlar;
    using fuzz_archive::require;
    const std::span file(data, size);

    io::archive archive;
    const io::result opened = archive.open(file);
    require(opened.message().size() != 0 && (opened.ok() || archive.size() == 0));
    std::uint64_t sum = 0, bytes = 0;
    for (const io::stored_array& a : archive) {
        const std::uint64_t known = a.shape.size() * io::size_of(a.dtype);
        require(a.data.size() == (a.dtype == io::dtype::unknown ? a.unknown_bytes : known) &&
                archive.find(a.name) == &a);
        for (const std::byte b : a.data) sum += std::to_integer<std::uint64_t>(b);
        bytes += a.data.size();
    }
    require(bytes <= size && (bytes != 0 || sum == 0));

    // What fails must leave the model alone.
    for (const bool lenient : {false, true}) {
        fuzz_archive::model m;
        std::memset(static_cast<void*>(&m), 0x5a, sizeof m);
        const fuzz_archive::model before = m;
        const io::result r = io::load(m, archive, fuzz_archive::names,
                                      {.prefix = {}, .ignore_unexpected = lenient, .ignore_missing = lenient});
        require(r.ok() || std::memcmp(&m, &before, sizeof m) == 0);
        for (const bool& flag : m.flags) {
            unsigned char bits = 0;
            std::memcpy(&bits, &flag, 1);
            require(bits <= 1 || bits == 0x5a);
        }
        require(r.message().size() != 0);
    }
    tensor<float, 2, 2> t{};
    require(io::load_npy(t, file).message().size() != 0);
    return 0;
}
