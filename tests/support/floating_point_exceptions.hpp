// SPDX-License-Identifier: BSL-1.0
// Which floating-point exceptions a statement raises, for programs that trap them.
#pragma once

#include <cfenv>
#include <cstddef>
#include <string>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>

namespace floating_point {

/// Exceptions that `f` raises, by name.
template <class F>
[[gnu::noinline]] std::string raised_by(F f) {
    std::feclearexcept(FE_ALL_EXCEPT);
    __asm__ volatile("" : : : "memory");
    f();
    __asm__ volatile("" : : : "memory");
    std::string names;
    if (std::fetestexcept(FE_INVALID) != 0) names += "invalid ";
    if (std::fetestexcept(FE_DIVBYZERO) != 0) names += "division by zero ";
    std::feclearexcept(FE_ALL_EXCEPT);
    return names;
}

/// Distinct numbers from least to most in a mixed order.
template <class T, auto... Dims>
auto numbers_between(T least, T most) {
    ashlar::tensor<T, Dims...> x;
    for (std::size_t i = 0; i < x.size(); ++i)
        x.data()[i] = least + (most - least) * static_cast<T>(i * 7 % 23) / T(22);
    return x;
}

}  // namespace floating_point

#define EXPECT_QUIET(statement) EXPECT_EQ(floating_point::raised_by([&] { statement; }), "") << #statement << ", " << N
