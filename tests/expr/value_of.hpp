// SPDX-License-Identifier: BSL-1.0
// What the tests of expressions share: values from both evaluators, and comparison with a tolerance.
#pragma once

#include <cmath>
#include <cstddef>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>
#include <ashlar/eval/constant/constant.hpp>

namespace ashlar_test {

/// The values of an expression, in a constant expression or at run time, from the evaluator of plain loops.
template <class E>
constexpr auto value_of(const E& e) {
    return ashlar::detail::constant_evaluate(e);
}

/// Whether two tensors of the same shape hold the same values.
template <class Left, class Right>
constexpr bool equal(const Left& left, const Right& right) {
    static_assert(ashlar::detail::renamed_extents<ashlar::shape_of<Left>, ashlar::shape_of<Right>>::same);
    for (std::size_t i = 0; i < left.size(); ++i)
        if (left.data()[i] != right.data()[i]) return false;
    return true;
}

/// Whether the values of an expression are those of a tensor.
template <class E, class Expected>
constexpr bool gives(const E& e, const Expected& expected) {
    return equal(value_of(e), expected);
}

/// Whether both evaluators give these values.
template <class E, class Expected>
void expect_near(const E& e, const Expected& expected, double tolerance = 1e-6) {
    static_assert(ashlar::detail::renamed_extents<ashlar::shape_of<E>, ashlar::shape_of<Expected>>::same);
    const auto plain = value_of(e), fused = ashlar::eval(e);
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const auto value = static_cast<double>(expected.data()[i]), allowed = tolerance * (1 + std::abs(value));
        EXPECT_NEAR(static_cast<double>(plain.data()[i]), value, allowed) << "plain loops, element " << i;
        EXPECT_NEAR(static_cast<double>(fused.data()[i]), value, allowed) << "fused loops, element " << i;
    }
}

/// Whether both evaluators agree.
template <class E>
void expect_same(const E& e, double tolerance = 2e-6) {
    expect_near(e, value_of(e), tolerance);
}

}  // namespace ashlar_test
