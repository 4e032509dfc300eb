// SPDX-License-Identifier: BSL-1.0
// An epilogue whose sums may wait in the result. It reports whether each was finished once.
#pragma once

#include <cstddef>

#include <ashlar/kernel/product/epilogue.hpp>
#include <ashlar/kernel/simd.hpp>

namespace ashlar::detail {

/// Adds one to every sum, stores it, and counts how often it did so for each element.
template <class T>
struct add_one {
    using vec = lanes<T, lane_width<T>, current_config>;
    static constexpr hook hooks = hook::vector;
    T* out;
    int* count;
    std::size_t stride;

    T* at(std::size_t i, std::size_t j) const { return out + i * stride + j; }
    template <std::size_t Width, class Verdict>
    void vector(std::size_t i, std::size_t j, vec acc, lane_count<Width>, Verdict) const {
        (acc + vec(1)).template store_partial<Width>(at(i, j));
        for (std::size_t c = 0; c < Width; ++c) ++count[i * stride + j + c];
    }
};

}  // namespace ashlar::detail
