// SPDX-License-Identifier: BSL-1.0
// Comparing what an example computes with what it should be, and the exit code that comes of it.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdio>

#include <ashlar/ashlar.hpp>

namespace examples {

/// Comparisons that failed so far; `report` makes an exit code of it.
inline int failures = 0;

/// A C array of numbers as a tensor view with the given dimensions, or else those of the array.
///
///     const auto x = borrowed<seq, feature>(fixtures::self_attention::inputs);
template <auto... Dims, std::size_t N>
auto borrowed(const float (&a)[N]) {
    if constexpr (sizeof...(Dims) == 0)
        return ashlar::tensor_view<const float, N>(a);
    else
        return ashlar::tensor_view<const float, Dims...>(a);
}
template <auto... Dims, std::size_t N, std::size_t M>
auto borrowed(const float (&a)[N][M]) {
    if constexpr (sizeof...(Dims) == 0)
        return ashlar::tensor_view<const float, N, M>(&a[0][0]);
    else
        return ashlar::tensor_view<const float, Dims...>(&a[0][0]);
}
template <auto... Dims, std::size_t N, std::size_t M, std::size_t K>
auto borrowed(const float (&a)[N][M][K]) {
    if constexpr (sizeof...(Dims) == 0)
        return ashlar::tensor_view<const float, N, M, K>(&a[0][0][0]);
    else
        return ashlar::tensor_view<const float, Dims...>(&a[0][0][0]);
}

/// Prints and counts one comparison of two runs of numbers: the first of those that were computed, and where they are
/// too far from the expected ones, which of them is farthest.
inline bool compare(const char* name, const float* got, const float* expected, std::size_t size, double tolerance) {
    std::size_t worst = 0;
    double largest = 0;
    for (std::size_t i = 0; i < size; ++i) {
        const double difference =
            got[i] == expected[i] ? 0 : std::fabs(static_cast<double>(got[i]) - static_cast<double>(expected[i]));
        if (!(difference <= largest)) {  // NaN too
            largest = difference;
            worst = i;
        }
    }
    const bool agree = largest <= tolerance;
    std::printf("  %-4s %-42s", agree ? "ok" : "FAIL", name);
    for (std::size_t i = 0; i < size && i < 6; ++i) std::printf(" %7.4f", static_cast<double>(got[i]));
    std::printf(size > 6 ? " ...\n" : "\n");
    if (!agree)
        std::printf("       element %zu is %.7g and should be %.7g: off by %.1e, not %.1e at most\n", worst,
                    static_cast<double>(got[worst]), static_cast<double>(expected[worst]), largest, tolerance);
    failures += agree ? 0 : 1;
    return agree;
}

/// Evaluates an expression and compares it with a tensor or braces of the same shape or (rank 0) with a number.
///
///     check_near("weights", softmax(scores), {0.25f, 0.75f}, 1e-6);
template <ashlar::any_expression E, ashlar::array_expression X>
bool check_near(const char* name, const E& got, const X& expected, double tolerance) {
    static_assert(ashlar::detail::shapes_agree<ashlar::shape_of<E>, ashlar::shape_of<X>>(), "the shapes differ");
    const auto actual = ashlar::eval(got);
    const auto wanted = ashlar::eval(expected);
    return compare(name, actual.data(), wanted.data(), actual.size(), tolerance);
}
template <ashlar::any_expression E, std::size_t N>
bool check_near(const char* name, const E& got, const float (&expected)[N], double tolerance) {
    return check_near(name, got, borrowed(expected), tolerance);
}
template <ashlar::any_expression E, std::size_t N, std::size_t M>
bool check_near(const char* name, const E& got, const float (&expected)[N][M], double tolerance) {
    return check_near(name, got, borrowed(expected), tolerance);
}
template <ashlar::any_expression E, std::size_t N, std::size_t M, std::size_t K>
bool check_near(const char* name, const E& got, const float (&expected)[N][M][K], double tolerance) {
    return check_near(name, got, borrowed(expected), tolerance);
}
template <ashlar::any_expression E>
bool check_near(const char* name, const E& got, float expected, double tolerance) {
    return check_near(name, got, ashlar::tensor<float>(expected), tolerance);
}

/// Prints and counts a comparison that is true or not.
inline bool check(const char* name, bool holds) {
    std::printf("  %-4s %s\n", holds ? "ok" : "FAIL", name);
    failures += holds ? 0 : 1;
    return holds;
}

/// A line between two ideas.
inline void title(const char* text) { std::printf("%s\n", text); }

/// The exit code of the example.
inline int report() {
    if (failures != 0) std::printf("%d comparisons failed\n", failures);
    return failures == 0 ? 0 : 1;
}

/// Half a unit of the fourth decimal, to which the notebooks print, and a little rounding.
inline constexpr double printed = 5.1e-5;

}  // namespace examples
