// SPDX-License-Identifier: BSL-1.0
// Numbers that tensors of f16, bf16 and float hold alike.
#pragma once

#include <cmath>
#include <cstddef>
#include <type_traits>

#include <gtest/gtest.h>

#include <ashlar/tensor/tensor.hpp>

namespace support {

using namespace ashlar;

/// Numbers that f16 and bf16 have both, row by row others.
template <class Element, auto... Dims>
tensor<Element, Dims...> numbers(unsigned seed) {
    tensor<Element, Dims...> t;
    for (Element& x : t) {
        seed = seed * 1664525u + 1013904223u;
        x = static_cast<Element>(static_cast<float>(static_cast<int>(seed >> 24) - 128) / 64);
    }
    return t;
}

template <class Left, class Right>
void expect_near(const Left& a, const Right& b, double tolerance = 2e-6) {
    static_assert(std::is_same_v<shape_of<Left>, shape_of<Right>>);
    for (std::size_t i = 0; i < a.size(); ++i) {
        const auto x = static_cast<double>(static_cast<float>(a.data()[i])),
                   y = static_cast<double>(static_cast<float>(b.data()[i]));
        ASSERT_NEAR(x, y, tolerance * (1 + std::abs(y))) << i;
    }
}

}  // namespace support
