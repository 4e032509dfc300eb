// SPDX-License-Identifier: BSL-1.0
// A fuzz target: for any bytes, viewing them as a model image ends with a view or an error and touches no other memory.
//
//     clang++-19 -std=c++20 -O1 -g -fsanitize=fuzzer,address,undefined -Iinclude -isystem <xsimd>
//     tests/io/fuzz_image.cpp
//     ./a.out -max_len=512 found tests/io/corpus/image
//
// tests/io/corpus_test.cpp replays the corpus without a fuzzer.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>

#include <ashlar/io/image/save_image.hpp>
#include <ashlar/tensor/tensor.hpp>

namespace fuzz_image {

/// An aggregate with gaps, an array of a width of its own, and bools, which not every byte is one of.
struct model {
    ashlar::tensor<float, 3> bias;
    ashlar::tensor<double, 4, 4> weight;
    ashlar::tensor<bool, 5> flags;

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("bias", self.bias);
        visit("weight", ashlar::nn::transposed(self.weight));
        visit("flags", self.flags);
    }
};

inline void require(bool holds) {
    if (!holds) std::abort();
}

}  // namespace fuzz_image

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace ashlar;
    using fuzz_image::require;
    // An image must be aligned, which the fuzzer's memory need not be; its end is where the memory ends.
    ashlar::detail::owned_bytes memory;
    require(memory.allocate(size));
    if (size != 0) std::memcpy(memory.data(), data, size);
    const io::bytes image(memory.data(), size);

    const auto view = io::view_image<fuzz_image::model>(image);
    require(static_cast<bool>(view) == view.status().ok() && view.status().message().size() != 0);
    if (view) {
        require(size >= io::image_bytes<fuzz_image::model>);
        double sum = 0;
        for (const double x : view->weight) sum += x == x;
        for (const bool flag : view->flags) sum += flag;
        require(sum >= 0);
    }
    const io::result intact = io::check_image_sum(image);
    fuzz_image::model copy;
    std::memset(static_cast<void*>(&copy), 0x5a, sizeof copy);
    const io::result loaded = io::load_image(copy, image);
    require(loaded.ok() == (intact.ok() && view));
    return 0;
}
