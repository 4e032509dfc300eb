// SPDX-License-Identifier: BSL-1.0
// Rounding of elements to whole numbers, and the test for NaN.
#pragma once

#include <type_traits>
#include <utility>

#include <ashlar/expr/elementwise/elementwise_operation.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

struct floor_function {
    static constexpr const char* name = "floor";
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::floating;
    template <class Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument x) const {
        if (constant_nan(x)) return x;
        return floor(x);
    }
};

}  // namespace detail

/// Each element rounded down to a whole number; infinities and NaN stay. Floating point.
///
///     static_assert(all(floor(tensor<float, 3>{-1.5f, 0, 1.5f}) == tensor<float, 3>{-2, 0, 1}));
template <any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto floor(Expression&& x) noexcept {
    return detail::elementwise(detail::floor_function{}, std::forward<Expression>(x));
}
template <auto... Given>
void floor(detail::refused_elementwise_call, detail::any_argument = {});

namespace detail {

struct ceil_function {
    static constexpr const char* name = "ceil";
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::floating;
    template <class Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument x) const {
        if (constant_nan(x)) return x;
        return -floor(-x);
    }
};

}  // namespace detail

/// Each element rounded up to a whole number; infinities and NaN stay. Floating point.
///
///     static_assert(all(ceil(tensor<float, 3>{-1.5f, 0, 1.5f}) == tensor<float, 3>{-1, 0, 2}));
template <detail::function_argument Argument>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto ceil(Argument&& x) noexcept {
    return detail::apply(detail::ceil_function{}, std::forward<Argument>(x));
}
template <auto... Given>
void ceil(detail::refused_elementwise_call, detail::any_argument = {});

namespace detail {

struct round_function {
    static constexpr const char* name = "round";
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::floating;
    template <class Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument x) const {
        if (constant_nan(x)) return x;
        return round_nearest(x);
    }
};

}  // namespace detail

/// Each element rounded to the nearest whole number, ties to even, as in PyTorch and NumPy (std::round rounds ties away
/// from 0). Infinities and NaN stay. Floating point; not for single numbers, for which std::round would also be found.
///
///     static_assert(all(round(tensor<float, 4>{-0.7f, 0.5f, 1.5f, 2.5f}) == tensor<float, 4>{-1, 0, 2, 2}));
template <detail::function_argument Argument>
    requires(!std::is_floating_point_v<std::remove_cvref_t<Argument>>)
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto round(Argument&& x) noexcept {
    return detail::apply(detail::round_function{}, std::forward<Argument>(x));
}
template <auto... Given>
void round(detail::refused_elementwise_call, detail::any_argument = {});

namespace detail {

/// Tests the bits, since -ffast-math assumes that no value is NaN.
struct isnan_function {
    static constexpr const char* name = "isnan";
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::floating;
    using result_element = bool;
    template <class Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument x) const {
        return is_nan(x);
    }
};

}  // namespace detail

/// Whether each element is NaN: an expression of bool elements, such as a condition of `where`. Floating point. Works
/// under -ffast-math too, unless the compiler has removed the NaN before.
///
///     auto y = where(isnan(x), 0.0f, x);
template <detail::function_argument Argument>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto isnan(Argument&& x) noexcept {
    return detail::apply(detail::isnan_function{}, std::forward<Argument>(x));
}
template <auto... Given>
void isnan(detail::refused_elementwise_call, detail::any_argument = {});

}  // namespace ashlar
